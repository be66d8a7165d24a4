// Scopes, ends and addresses of access keys, over real HTTP: docs/rules/access.md#scopes.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findMerchant, issueAccessKey, OF_KEYS, revokeKey } from "../../src/merchants/index.ts";
import { ANY_USE, type KeyTerms } from "../../src/merchants/keys/key-terms.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import "../support/expect-wire.ts";
import { Installation, type Keys, type TestMerchant } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, PLAIN } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { REPEATED, SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";

/** What each operation asks of a key, by its path without `/api`. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  "POST /v1/beneficiary/save": ["beneficiaries.manage"],
  "POST /v1/beneficiary/detail": ["beneficiaries.view", "personal_data.reveal"],
  "GET /v1/beneficiary/list": ["beneficiaries.view", "personal_data.reveal"],
  "POST /v1/beneficiary/transfer": ["payouts.transfer"],
  "POST /v1/beneficiary/transfer/cancel": ["payouts.transfer"],
  "GET /v1/beneficiary/transfer/scheduled": ["payouts.view"],
  "POST /v1/beneficiary/transfer/batch": ["payouts.transfer"],
  "POST /v1/beneficiary/transfer/batch/cancel": ["payouts.transfer"],
  "GET /v1/beneficiary/transfer/batch/status/{batch_id}": ["payouts.view"],
  "POST /v1/payout/withdraw": ["payouts.withdraw"],
  "GET /v1/payout/balance": ["payouts.view"],
  "GET /v1/payout/transferstatus/{type}/{id}": ["payouts.view", "personal_data.reveal"],
  "POST /v1/franchise/save": ["franchises.manage"],
  "POST /v1/franchise/update": ["franchises.manage"],
  "POST /v1/franchise/delete": ["franchises.manage"],
  "POST /v1/merchant/customer/save": ["customers.manage"],
  "POST /v1/merchant/customer/update": ["customers.manage"],
  "POST /v1/merchant/customer/detail": ["customers.view", "invoices.view"],
  "POST /v1/merchant/customer/getlist": ["customers.view", "invoices.view"],
  "POST /v3/merchant/invoice/save": ["invoices.manage"],
  "POST /v3/merchant/invoice/update": ["invoices.manage"],
  "POST /v3/merchant/invoice/deleteInvoice": ["invoices.cancel"],
  "POST /v1/merchant/invoice/detail": ["invoices.view"],
  "POST /v1/merchant/invoice/getlist": ["invoices.view"],
  "POST /v2/merchant/invoice/settle": ["invoices.settle"],
  "POST /v1/merchant/subscription/save": ["subscriptions.manage"],
};

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.start({ TRUST_PROXY: "127.0.0.1" });
  merchant = await installation.newMerchant({ fund: "100.00" });
});
afterAll(() => installation.stop());

async function newKey(terms: Partial<KeyTerms>, of = merchant): Promise<Keys> {
  const owner = await findMerchant(installation.pool, BigInt(of.id));
  const issued = await issueAccessKey({ pool: installation.pool, merchant: owner! }, null, { ...ANY_USE, ...terms });
  return { access_key_id: issued.accessKeyId, secret_access_key: issued.secret };
}

/** Asks for a token, and for the balance with it, from an address. */
async function call(keys: Keys, address = "127.0.0.1"): Promise<Answer> {
  const headers = { "x-forwarded-for": address };
  const issued = await installation.send("POST", "/api/token", keys, headers);
  if (issued.status !== 200) return issued;
  const authorization = `Bearer ${issued.body.success.token as string}`;
  return installation.send("GET", "/api/v1/payout/balance", undefined, { ...headers, authorization });
}

describe("scopes", () => {
  test("each operation is listed with what it needs", async () => {
    const { body } = await installation.send("GET", "/openapi.json");
    const operations = Object.entries(body["paths"] as Record<string, object>)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((operation) => / \/api\/v[1-3]\//.test(operation))
      .map((operation) => operation.replace("/api", ""));
    expect(operations.toSorted()).toEqual(Object.keys(NEEDED).toSorted());
  });

  test.each(OF_KEYS)("without %s, a key is refused what needs it, and nothing else", async (scope) => {
    const own = await installation.newMerchant();
    const keys = await newKey({ scopes: OF_KEYS.filter((each) => each !== scope) }, own);
    const { body } = await installation.send("POST", "/api/token", keys);
    const authorization = `Bearer ${body.success.token as string}`;
    const refused: string[] = [];
    for (const operation of Object.keys(NEEDED)) {
      const [method, path] = operation.split(" ") as [string, string];
      const url = `/api${path.replace("{type}", "transferid").replaceAll(/\{\w+\}/g, "1")}`;
      const isKeyed = path.includes("/merchant/");
      const sent = method === "GET" ? undefined : isKeyed ? keys : {};
      const answer = await installation.send(method, url, sent, isKeyed ? {} : { authorization });
      if (answer.status !== 403) continue;
      refused.push(operation);
      expect(JSON.stringify(answer.body)).toContain(`it lacks the scope ${scope}.`);
    }
    const expected = Object.entries(NEEDED).filter(([, needed]) => needed.includes(scope));
    expect(refused).toEqual(expected.map(([operation]) => operation));
  });

  test("a customer is saved with an invoice or a subscription by a key that may save customers only", async () => {
    const { merchant: own } = await Invoices.ofNewMerchant(installation);
    const few = await newKey({ scopes: ["invoices.manage", "subscriptions.manage"] }, own);
    const more = await newKey({ scopes: ["invoices.manage", "subscriptions.manage", "customers.manage"] }, own);
    const of = (code: string) => ({ new_customer: { customer_code: code, customer_name: "Ravi" } });
    const save = (keys: Keys, code: string): Promise<Answer> =>
      installation.send("POST", INVOICE_SAVE, {
        ...keys,
        template_id: "",
        invoice: [{ ...PLAIN, customer_code: "", ...of(code) }],
      });
    const repeat = {
      mode: "Yearly",
      repeat_every: "1",
      end_mode: "Never",
      start_date: "2026-11-01",
      due_date: "2026-11-11",
    };
    const subscribe = (keys: Keys, code: string): Promise<Answer> => {
      const invoice = { ...REPEATED, customer_code: "", ...of(code) };
      return installation.send("POST", SUBSCRIPTION_SAVE, { ...keys, template_id: "", ...repeat, invoice });
    };
    for (const ask of [save, subscribe]) {
      const refused = await ask(few, "N1");
      expect(refused.status).toBe(403);
      expect(JSON.stringify(refused.body)).toContain("it lacks the scope customers.manage");
    }
    expect((await save(more, "N1")).status).toBe(200);
    expect((await subscribe(more, "N2")).status).toBe(200);
  });

  test("Basic credentials have the same scopes", async () => {
    const { access_key_id: id, secret_access_key: secret } = await newKey({ scopes: ["invoices.view"] });
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    const ask = (path: string): Promise<Answer> => installation.send("POST", path, {}, { authorization });
    expect((await ask("/api/v1/merchant/invoice/getlist")).status).toBe(200);
    expect((await ask("/api/v1/merchant/customer/save")).status).toBe(403);
  });
});

describe("the end of a key", () => {
  test("a key works until its end, and then neither it nor its tokens do", async () => {
    const inAnHour = Temporal.Now.instant().add({ hours: 1 });
    expect((await call(await newKey({ expiresAt: inAnHour }))).status).toBe(200);
    const ended = await newKey({ expiresAt: Temporal.Now.instant().subtract({ seconds: 1 }) });
    const answer = await call(ended);
    expect([answer.status, answer.body.code]).toEqual([403, "access_denied"]);
    expect(answer.body.error).toContain("expired");
  });

  test("its last use is shown", async () => {
    const keys = await newKey({ name: "Payroll" });
    const owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
    const shown = async () =>
      ((await owner.get("/access-keys")).body["keys"] as Record<string, unknown>[]).find(
        ({ access_key_id: id }) => id === keys.access_key_id,
      );
    expect(await shown()).toMatchObject({ name: "Payroll", last_used_at: null, expires_on: null });
    await call(keys);
    await expect.poll(async () => (await shown())!["last_used_at"], { timeout: 180_000 }).not.toBeNull();
  });
});

describe("allowed addresses", () => {
  test("a key works from them only, for tokens, in bodies and as Basic credentials", async () => {
    const keys = await newKey({ addresses: ["203.0.113.0/24", "2001:db8::/32"] });
    for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8::1"]) {
      expect((await call(keys, address)).status, address).toBe(200);
    }
    for (const address of ["203.0.114.1", "2001:db9::1"]) {
      const answer = await call(keys, address);
      expect([answer.status, answer.body.error]).toEqual([403, expect.stringContaining(`from ${address}`)]);
      const headers = { "x-forwarded-for": address };
      const kept = await installation.send("POST", "/api/v1/merchant/invoice/getlist", keys, headers);
      expect(kept.status).toBe(403);
    }
  });
});

describe("what SQL changed of a key", () => {
  test.each([
    ["scopes", "scopes = scopes || ' payouts.transfer'", { scopes: ["payouts.view"] as const }],
    ["addresses", "addresses = ''", { addresses: ["203.0.113.0/24"] }],
    ["the end", "expires_at = null", { expiresAt: Temporal.Instant.from("2026-01-01T00:00:00Z") }],
    ["the revocation", "revoked_at = null", {}],
  ] as const)("%s: it is refused, and reported", async (_, change, terms) => {
    const own = await Installation.start();
    try {
      const theirs = await own.newMerchant();
      const owner = (await findMerchant(own.pool, BigInt(theirs.id)))!;
      const context = { pool: own.pool, merchant: owner };
      const issued = await issueAccessKey(context, null, { ...ANY_USE, ...terms });
      if (change.startsWith("revoked_at")) await revokeKey(context, issued.accessKeyId);
      await own.pool.query(`update access_key set ${change} where access_key_id = $1`, [issued.accessKeyId]);
      const keys = { access_key_id: issued.accessKeyId, secret_access_key: issued.secret };
      const answer = await own.send("POST", "/api/token", keys);
      expect([answer.status, answer.body.error]).toEqual([403, expect.stringContaining("The database was changed")]);
    } finally {
      await own.stop();
    }
  });
});

describe("a new key in the dashboard", () => {
  test("has the terms that were chosen", async () => {
    const owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
    const today = Temporal.Now.plainDateISO("Asia/Kolkata").toString();
    const allowed_addresses = ["127.0.0.1", "203.0.113.9/24"];
    const sent = { name: "Reports", scopes: ["payouts.view"], expires_on: today, allowed_addresses };
    const { body, status } = await owner.post("/access-keys", sent);
    expect(status).toBe(200);
    const keys = { access_key_id: String(body["access_key_id"]), secret_access_key: String(body["secret_access_key"]) };
    expect((await call(keys)).status).toBe(200);
    expect((await call(keys, "198.51.100.1")).status).toBe(403);
    const listed = ((await owner.get("/access-keys")).body["keys"] as Record<string, unknown>[]).at(-1);
    expect(listed).toMatchObject({
      ...sent,
      allowed_addresses: ["127.0.0.1/32", "203.0.113.0/24"],
      is_expired: false,
      revoked_at: null,
    });
  });

  test.each([
    ["scopes[0]", { scopes: ["payouts.transfers"] }],
    ["scopes[0]", { scopes: ["approvals.decide"] }],
    ["scopes", { scopes: [] }],
    ["expires_on", { expires_on: "2026-02-30" }],
    ["expires_on", { expires_on: "2020-01-01" }],
    ["allowed_addresses[0]", { allowed_addresses: ["0.0.0.0/0"] }],
    ["allowed_addresses[1]", { allowed_addresses: ["10.0.0.1", "office"] }],
    ["name", { name: "x".repeat(61) }],
  ])("is refused for %s in %j, and not made", async (field, body) => {
    const owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
    const before = (await owner.get("/access-keys")).body;
    const answer = await owner.post("/access-keys", body);
    expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
    expect(answer.body.errors).toMatchObject([{ field }]);
    expect((await owner.get("/access-keys")).body).toEqual(before);
  });
});

test("verify finds nothing wrong, and the document names every answer", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
