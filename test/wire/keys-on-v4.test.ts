// Access keys on /api/v4: each route refuses a key that lacks its scope, and lets one in that has it. The routes are those that the
// server registers. docs/rules/access.md#who-calls
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  findMerchant,
  KEY_SCOPES,
  OPERATOR_KEY_SCOPES,
  revokeKey,
  type Permission,
} from "../../src/merchants/index.ts";
import { basic, newKey, Program, refusalOf } from "../support/access-keys.ts";
import { Browser, listDashboardRoutes, newPerson, type DashboardRoute } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type Keys, type TestMerchant } from "../support/installation.ts";
import type { Answer } from "../support/nodal.ts";

const BASE = "/api/v4";
const routes = (await listDashboardRoutes()).filter(({ url }) => url.startsWith(`${BASE}/`));
const pathOf = ({ url }: DashboardRoute): string => url.slice(BASE.length);
const nameOf = (route: DashboardRoute): string => `${route.method} ${pathOf(route)}`;
const cases = routes.map((route) => [nameOf(route), route] as const);

/** What an operator's key needs besides. */
const ALSO_OF_OPERATORS: Readonly<Record<string, readonly Permission[]>> = {
  "POST /merchants/:merchant_id/go-live": ["merchants.manage"],
};

let installation: Installation;
let own: TestMerchant;
let other: TestMerchant;
let owner: Browser;
const kept = new Map<string, Promise<Keys>>();

beforeAll(async () => {
  installation = await Installation.start({ TRUST_PROXY: "127.0.0.1" });
  own = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  other = await installation.newMerchant();
  owner = await Browser.signIn(installation, await newPerson(installation, own.id));
});
afterAll(() => installation.stop());

/** A program of `own`, or an operator's for `null`, with these scopes. */
async function program(merchantId: string | null, scopes: readonly Permission[]): Promise<Program> {
  const name = `${merchantId} ${scopes.join(" ")}`;
  if (!kept.has(name)) kept.set(name, newKey(installation, merchantId, { scopes }));
  return new Program(installation, await kept.get(name)!);
}

function fill(route: DashboardRoute, merchantId = own.id): string {
  return pathOf(route)
    .replace(":merchant_id", merchantId)
    .replaceAll(/:[a-z_]+/g, "1");
}

const bodyOf = ({ method }: DashboardRoute): unknown => (method === "GET" ? undefined : {});
const call = (by: Program, route: DashboardRoute, merchantId?: string): Promise<Answer> =>
  by.send(route.method, fill(route, merchantId), bodyOf(route));

test("each route says which scopes it asks of a key", () => {
  expect(routes.length).toBeGreaterThan(100);
  expect(routes.filter(({ access }) => access === undefined).map(nameOf)).toEqual([]);
});

describe("each route", () => {
  test.each(cases)("%s is 401 without credentials, and with wrong ones", async (_, route) => {
    const send = (headers: Record<string, string>): Promise<Answer> =>
      installation.send(route.method, BASE + fill(route), bodyOf(route), headers);
    expect(refusalOf(await send({}))).toMatchObject({ status: 401, code: "not_signed_in" });
    const wrong = basic({ access_key_id: own.keys.access_key_id, secret_access_key: "guess" });
    expect(refusalOf(await send({ authorization: wrong }))).toMatchObject({ status: 401, code: "invalid_keys" });
    const token = { authorization: "Bearer nonsense" };
    expect(refusalOf(await send(token))).toMatchObject({ status: 401, code: "invalid_token" });
  });

  test.each(cases)("%s is refused to a key without its scope, and not to one with it", async (_, route) => {
    const { keys, scopes, personal } = route.access!;
    if (scopes.length === 0) {
      expect((await call(await program(own.id, ["audit.view"]), route)).status).not.toBe(403);
      return;
    }
    const owners = keys === "merchant" && !pathOf(route).startsWith("/merchants") ? [own.id] : [own.id, null];
    for (const merchantId of owners) {
      const possible: readonly Permission[] = merchantId === null ? OPERATOR_KEY_SCOPES : KEY_SCOPES;
      const without = await program(
        merchantId,
        possible.filter((scope) => !scopes.includes(scope)),
      );
      expect(refusalOf(await call(without, route))).toMatchObject({ status: 403, code: "access_denied" });
      const scope = scopes.find((each) => possible.includes(each));
      if (scope === undefined) continue;
      const further = merchantId === null ? (ALSO_OF_OPERATORS[nameOf(route)] ?? []) : [];
      const answer = await call(await program(merchantId, [scope, ...further]), route);
      if (personal !== null) {
        const { status, message } = refusalOf(answer);
        expect({ status, message }).toEqual({ status: 403, message: expect.stringMatching(/person/) });
        continue;
      }
      expect(answer.status).not.toBe(401);
      expect(answer.status).toBeLessThan(500);
      expect(JSON.stringify(answer.body) ?? "").not.toMatch(/it lacks the scope|no such key can/);
    }
  });

  test("of another merchant is not found", async () => {
    const all = await program(own.id, KEY_SCOPES);
    const operators = await program(null, OPERATOR_KEY_SCOPES);
    const ofMerchant = routes.filter(({ url, access }) => url.includes(":merchant_id") && access!.keys === "merchant");
    expect(ofMerchant.length).toBeGreaterThan(100);
    for (const route of ofMerchant) {
      for (const id of [other.id, "999999999", "x"]) {
        expect([nameOf(route), refusalOf(await call(all, route, id)).code]).toEqual([
          nameOf(route),
          "merchant_not_found",
        ]);
      }
      expect([nameOf(route), refusalOf(await call(operators, route, "999999999")).code]).toEqual([
        nameOf(route),
        "merchant_not_found",
      ]);
    }
  });
});

describe("a key", () => {
  test("that has expired, is revoked or called from elsewhere is refused, and so is its token", async () => {
    const scopes = ["payouts.view"] as const;
    const refused = { status: 403, code: "access_denied" };
    const hour = Temporal.Now.instant().add({ hours: 1 });
    const working = await newKey(installation, own.id, { scopes, expiresAt: hour, addresses: ["127.0.0.0/8"] });
    expect((await new Program(installation, working).get("/payout-policy")).status).toBe(200);
    const elsewhere = new Program(installation, working, { "x-forwarded-for": "203.0.113.9" });
    expect(refusalOf(await elsewhere.get("/payout-policy"))).toMatchObject(refused);
    const ended = await newKey(installation, own.id, {
      scopes,
      expiresAt: Temporal.Now.instant().subtract({ seconds: 1 }),
    });
    expect(refusalOf(await new Program(installation, ended).get("/payout-policy"))).toMatchObject(refused);

    const { body } = await installation.send("POST", "/api/token", working);
    const bearer = { authorization: `Bearer ${String(body.success.token)}` };
    const byToken = () => installation.send("GET", `${BASE}/payout-policy`, undefined, bearer);
    expect((await byToken()).status).toBe(200);
    const merchant = (await findMerchant(installation.pool, BigInt(own.id)))!;
    await revokeKey({ pool: installation.pool, merchant }, working.access_key_id);
    // Several requests: each of several servers hears of it.
    const byKey = () => new Program(installation, working).get("/payout-policy");
    const statuses = async () =>
      (await Promise.all([byToken, byKey, byToken, byKey].map((ask) => ask()))).map(({ status }) => status);
    await expect.poll(statuses, { timeout: 180_000 }).toEqual([403, 403, 403, 403]);
    expect(refusalOf(await byKey())).toMatchObject(refused);
  });

  test("needs no token against forged requests; a session beside it doesn't count, and a proxy's credentials don't", async () => {
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const few = basic(await newKey(installation, own.id, { scopes: ["payouts.view"] }));
    const ask = (path: string, authorization: string): Promise<Answer> =>
      installation.send("GET", BASE + path, undefined, { cookie, authorization });
    expect((await ask("/payout-policy", few)).status).toBe(200);
    expect((await ask("/users", few)).status).toBe(403);
    const ofProxy = `Basic ${Buffer.from("staging:open").toString("base64")}`;
    expect((await ask("/users", ofProxy)).status).toBe(200);

    const keys = await newKey(installation, own.id, { scopes: ["profile.manage", "profile.view"] });
    const foreign = new Program(installation, keys, { origin: "https://elsewhere.example" });
    expect((await foreign.put("/profile", { city: "Nashik" })).status).toBe(200);
    expect((await foreign.get("/profile")).body).toMatchObject({ profile: { city: "Nashik" } });
  });

  test("is who did it in the audit log", async () => {
    const keys = await newKey(installation, own.id, { scopes: ["customers.manage", "audit.view"] });
    const by = new Program(installation, keys);
    const customer = { customer_code: "V4", customer_name: "Asha" };
    expect((await by.post("/customers", customer)).status).toBe(200);
    const { body } = await by.get("/audit?type=customer.created");
    const [entry] = body["entries"] as Record<string, unknown>[];
    expect(entry).toMatchObject({ actor: `key:${keys.access_key_id}`, address: "127.0.0.1" });
  });

  test("moves money under the merchant's policy, and decides about none", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary();
    const person = await Browser.signIn(installation, await newPerson(installation, merchant.id));
    await person.put("/payout-policy", { approve_over: "50.00" });
    const keys = await newKey(installation, merchant.id, { scopes: KEY_SCOPES });
    const by = new Program(installation, keys);
    const transfer = (amount: string, reference_id: string): Promise<Answer> =>
      by.post("/transfers", { beneficiary_id, amount, reference_id });
    expect((await transfer("50.00", "small")).status).toBe(200);
    const large = await transfer("50.01", "large");
    expect(large.status).toBe(200);
    const id = String(large.body["transfer_id"]);
    expect((await by.get(`/approvals/${id}`)).body).toMatchObject({
      status: "open",
      requested_by: `key:${keys.access_key_id}`,
      may_decide: false,
    });
    expect(refusalOf(await by.post(`/approvals/${id}/approve`, { note: "" }))).toMatchObject({ status: 403 });
    expect((await person.post(`/approvals/${id}/approve`, { note: "" })).status).toBe(200);
  });

  test("is its maker's: who made it, or the key that made it, approves nothing that it requests", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary();
    const [maker, other] = [
      await Browser.signIn(installation, await newPerson(installation, merchant.id)),
      await Browser.signIn(installation, await newPerson(installation, merchant.id)),
    ];
    await maker.put("/payout-policy", { approve_over: "50.00" });
    const scopes = ["keys.manage", "payouts.transfer", "payouts.view"];
    const first = new Program(installation, (await maker.post("/access-keys", { scopes })).body as Keys);
    const second = new Program(installation, (await first.post("/access-keys", { scopes })).body as Keys);
    for (const [place, key] of [first, second].entries()) {
      const sent = { beneficiary_id, amount: "60.00", reference_id: `by-key-${place}` };
      const id = String((await key.post("/transfers", sent)).body["transfer_id"]);
      const refused = { status: 403, body: { code: "same_person" } };
      expect(await maker.post(`/approvals/${id}/approve`, { note: "" })).toMatchObject(refused);
      expect((await other.post(`/approvals/${id}/approve`, { note: "" })).status).toBe(200);
    }
    const sent = { beneficiary_id, amount: "70.00", reference_id: "by-key-again" };
    const id = String((await first.post("/transfers", sent)).body["transfer_id"]);
    expect((await maker.post(`/approvals/${id}/reject`, { note: "A test" })).status).toBe(200);
  });

  test("gives nobody more than it has: no wider key, no stronger user or role", async () => {
    const scopes: readonly Permission[] = ["keys.manage", "users.manage", "payouts.view"];
    const inAnHour = Temporal.Now.instant().add({ hours: 1 });
    const terms = { scopes, expiresAt: inAnHour, addresses: ["127.0.0.0/8", "203.0.113.0/24"] };
    const by = new Program(installation, await newKey(installation, own.id, terms));
    const make = (sent: object): Promise<Answer> => by.post("/access-keys", sent);
    const within = { scopes: ["payouts.view"], allowed_addresses: ["203.0.113.7"] };
    expect(refusalOf(await make({ ...within, scopes: ["payouts.transfer"] }))).toMatchObject({ status: 403 });
    const wide = await make({ scopes: ["payouts.view"] });
    expect(wide.status).toBe(400);
    expect(JSON.stringify(wide.body)).toMatch(/expires_on.*allowed_addresses/);
    const lasting = new Program(installation, await newKey(installation, own.id, { ...terms, expiresAt: null }));
    expect((await lasting.post("/access-keys", within)).status).toBe(200);
    expect((await lasting.post("/access-keys", { ...within, allowed_addresses: ["203.0.0.0/16"] })).status).toBe(400);

    const user = { name: "Ravi", email: "ravi.v4@example.com" };
    expect(refusalOf(await by.post("/users", { ...user, role: "Owner" }))).toMatchObject({ status: 403 });
    const role = { name: "Payer", permissions: ["payouts.transfer"] };
    expect(refusalOf(await by.post("/roles", role))).toMatchObject({ status: 403 });
    expect((await by.post("/roles", { name: "Watcher", permissions: ["payouts.view"] })).status).toBe(200);
    expect((await by.post("/users", { ...user, role: "Watcher" })).status).toBe(200);
  });
});

test("the rate limit is one with that of /api/v1", async () => {
  const limited = await Installation.start({ RATE_LIMIT_PER_MINUTE: "5" });
  try {
    const merchant = await limited.newMerchant();
    const headers = { authorization: `Bearer ${merchant.token}` };
    const ask = (path: string): Promise<Answer> => limited.send("GET", path, undefined, headers);
    const left: unknown[] = [];
    for (const path of ["/api/v4/payout-policy", "/api/v1/payout/balance", "/api/v4/payout-policy"]) {
      left.push((await ask(path)).headers.get("ratelimit-remaining"));
    }
    expect(left).toEqual(["3", "2", "1"]);
    await ask("/api/v4/payout-policy");
    const refused = await ask("/api/v4/payout-policy");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await ask("/api/v1/payout/balance")).status).toBe(429);
  } finally {
    await limited.stop();
  }
});

test("verify finds nothing wrong", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
