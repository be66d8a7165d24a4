// Accounts at payout providers through the dashboard's API: connecting and changing them, who may, and what is never
// shown. What an account does is in test/wire/provider-accounts.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import { TenantDatabase } from "../../src/platform/database/tenant.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { replaceSecondFactor } from "../support/live.ts";
import { reachingInsteadOf } from "../support/provider-address.ts";
import { openBank, PayingMerchant, type Bank } from "../support/providers.ts";

let site: Installation;
let bank: Bank;
let merchant: PayingMerchant;
let other: PayingMerchant;
let person: Person;
let owner: Browser;
let stranger: Browser;
let strangerPerson: Person;
let requests: OwnedPool;
let accountId: string;

beforeAll(async () => {
  bank = await openBank("cashfree");
  site = await Installation.startProcess({
    BANK_TIMEOUT_MS: "1500",
    ...reachingInsteadOf("https://api.cashfree.com", bank.standIn.url),
  });
  requests = createPool({ url: site.databaseUrl, size: 2, role: "nodal_tenant", pipelined: true });
  merchant = await PayingMerchant.of(site);
  other = await PayingMerchant.of(site);
  person = await newPerson(site, merchant.id);
  owner = await signIn(merchant.id, person);
  strangerPerson = await newPerson(site, other.id);
  stranger = await signIn(other.id, strangerPerson);
});
afterAll(async () => {
  await requests?.end();
  await site?.stop();
  await bank?.standIn.stop();
});

/** A code that counts now: of a second factor that is new each time, since one shows few codes in half a minute. */
async function newCode(merchantId: string, { id }: Person): Promise<string> {
  const { bucket, merchantId: number } = await requireMerchant(site.pool, BigInt(merchantId));
  return (await replaceSecondFactor(site.pool, { bucket, merchantId: number, loginId: BigInt(id) })).nextCode();
}

async function signIn(merchantId: string, who: Person): Promise<Browser> {
  await newCode(merchantId, who);
  const browser = await Browser.signIn(site, who);
  // Only now: a password takes longer than a code counts where the machine is busy.
  const code = await newCode(merchantId, who);
  expect((await browser.post("/session/sign-in/second-factor", { code })).status).toBe(200);
  return browser;
}

const code = (): Promise<string> => newCode(merchant.id, person);
const given = () => ({ provider: "cashfree", key_id: bank.credentials.id, secret: bank.credentials.secret });

async function accounts(): Promise<Record<string, unknown>[]> {
  return (await owner.get("/payout-accounts")).body["accounts"] as Record<string, unknown>[];
}

describe("connecting", () => {
  test("takes no account without the second factor, or with credentials that do not work", async () => {
    expect(await owner.post("/payout-accounts", given())).toMatchObject({
      status: 400,
      body: { errors: [{ field: "code" }] },
    });
    expect(await owner.post("/payout-accounts", { ...given(), code: "000000" })).toMatchObject({
      status: 422,
      body: { code: "code_refused" },
    });
    const wrong = await owner.post("/payout-accounts", { ...given(), secret: "wrong", code: await code() });
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ field: "secret" }] } });
    const bare = await owner.post("/payout-accounts", { ...given(), provider: "razorpayx", code: await code() });
    expect(bare).toMatchObject({
      status: 400,
      body: { errors: [{ field: "webhook_secret" }, { field: "source_account" }] },
    });
    const elsewhere = { ...given(), base_url: bank.standIn.url, provider: "hdfc", code: await code() };
    expect((await owner.post("/payout-accounts", elsewhere)).status).toBe(400);
    expect(await accounts()).toEqual([]);
  });

  test("calls the provider, and shows the account without its secrets", async () => {
    const answer = await owner.post("/payout-accounts", { ...given(), code: await code() });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    accountId = String(answer.body["account_id"]);
    expect(await accounts()).toMatchObject([
      {
        account_id: accountId,
        provider: "cashfree",
        base_url: "https://api.cashfree.com",
        modes: "IMPS=1,NEFT=1,RTGS=1,UPI=1",
        state: "works",
        webhook_url: expect.stringMatching(`^${site.server.baseUrl}/hooks/cashfree/[0-9]+-${merchant.id}-`) as string,
      },
    ]);
    expect(JSON.stringify([answer.body, await accounts()])).not.toContain(bank.credentials.secret);
    const asked = await owner.post(`/payout-accounts/${accountId}/test`);
    expect(asked).toMatchObject({ status: 200, body: { balance: "10000000000.00" } });
    const events = await site.pool.query<{ actor: string }>(
      "select actor from journal where merchant_id = $1 and type = 'provider.connected'",
      [merchant.id],
    );
    expect(events.rows).toEqual([{ actor: `user:${person.id}` }]);
  });

  test("an account that another merchant has connected is refused, without a word of whose it is", async () => {
    const asked = await stranger.post("/payout-accounts", {
      ...given(),
      code: await newCode(other.id, strangerPerson),
    });
    const problem = "is already connected to this installation: connect another account.";
    expect(asked).toMatchObject({ status: 400, body: { errors: [{ field: "key_id" }] } });
    expect(JSON.stringify(asked.body)).toContain(problem);
    expect((await stranger.get("/payout-accounts")).body["accounts"]).toEqual([]);
  });

  test("is for the live merchant", async () => {
    const sandbox = await site.newMerchant();
    const its = await newPerson(site, sandbox.id);
    const browser = await signIn(sandbox.id, its);
    expect((await browser.get("/payout-accounts")).body).toMatchObject({ live: false, accounts: [] });
    const asked = await browser.post("/payout-accounts", { ...given(), code: await newCode(sandbox.id, its) });
    expect(asked).toMatchObject({ status: 400, body: { errors: [{ field: "provider", code: "not_allowed" }] } });
  });
});

/** Everything that is asked of one account. */
const changes = () =>
  [
    ["POST", `/payout-accounts/${accountId}/test`, {}],
    ["PUT", `/payout-accounts/${accountId}/modes`, { modes: "none" }],
    ["PUT", `/payout-accounts/${accountId}/credentials`, { key_id: "x", secret: "y" }],
    ["PUT", `/payout-accounts/${accountId}/options`, { fund_source: "CASHFREE_2" }],
    ["POST", `/payout-accounts/${accountId}/disconnect`, {}],
  ] as const;

test("another merchant's account is not found", async () => {
  const before = await accounts();
  const its = await newPerson(site, other.id);
  const browser = await signIn(other.id, its);
  expect((await stranger.get("/payout-accounts")).body).toMatchObject({ accounts: [] });
  for (const [method, path, body] of changes()) {
    const shown = path.endsWith("/test") ? undefined : { ...body, code: await newCode(other.id, its) };
    expect([path, (await browser.send(method, path, shown)).status]).toEqual([path, 404]);
  }
  expect(await accounts()).toEqual(before);
});

test("who may not move money changes nothing, and is refused before a provider is called", async () => {
  const role = { name: "Clerk", permissions: ["profile.view", "profile.manage", "payouts.view"] };
  expect((await owner.post("/roles", role)).status).toBe(200);
  const its = await newPerson(site, merchant.id, "Clerk");
  const clerk = await signIn(merchant.id, its);
  const manager = await signIn(merchant.id, await newPerson(site, merchant.id, "Manager"));
  expect((await clerk.get("/payout-accounts")).body).toMatchObject({ may_change: false });
  expect((await manager.get("/payout-accounts")).status).toBe(403);
  const all = [
    ...changes().slice(1),
    ["POST", "/payout-accounts", given()],
    ["PUT", "/payout-accounts/when-down", { when_down: "fail" }],
  ] as const;
  const before = await accounts();
  for (const [method, path, body] of all) {
    const shown = { ...body, code: "000000" };
    const refused = { status: 403, body: { code: "access_denied" } };
    expect(await clerk.send(method, path, shown), path).toMatchObject(refused);
    expect(await manager.send(method, path, shown), path).toMatchObject(refused);
  }
  expect(await accounts()).toEqual(before);
});

test("options are changed with a code, and the next payments leave from the new fund source", async () => {
  await merchant.goLive(1_000_000n);
  const path = `/payout-accounts/${accountId}/options`;
  const before = await accounts();
  expect(await owner.put(path, { fund_source: "CASHFREE_2" })).toMatchObject({
    status: 400,
    body: { errors: [{ field: "code" }] },
  });
  // In one request, since codes are few in half a minute.
  const wrong = { fund_source: "no such id", verify_key_id: "key", signing_key: "no key", webhook_secrets: "é" };
  expect(await owner.put(path, { ...wrong, code: await code() })).toMatchObject({
    status: 400,
    body: {
      errors: [
        { field: "fund_source" },
        { field: "verify_secret" },
        { field: "signing_key" },
        { field: "webhook_secret" },
      ],
    },
  });
  expect(await accounts()).toEqual(before);
  const first = await merchant.pay({ amount: "1.00" });
  await merchant.becomes(first, "SUCCESS");
  const standard = bank.sourceOf(first);
  const changed = await owner.put(path, {
    fund_source: "CASHFREE_2",
    verify_key_id: "vkey",
    verify_secret: "vsecret",
    code: await code(),
  });
  expect(changed).toMatchObject({ status: 200, body: { fund_source: "CASHFREE_2", verify_key_id: "vkey" } });
  expect(JSON.stringify([changed.body, await accounts()])).not.toContain("vsecret");
  const sourceOfNext = async () => {
    const next = await merchant.pay({ amount: "1.00" });
    await merchant.becomes(next, "SUCCESS");
    return bank.sourceOf(next);
  };
  await expect.poll(sourceOfNext, { timeout: 180_000 }).toBe("CASHFREE_2");
  // What is left empty is taken back.
  const cleared = await owner.put(path, { code: await code() });
  expect(cleared).toMatchObject({ status: 200, body: { fund_source: "", verify_key_id: "" } });
  await expect.poll(sourceOfNext, { timeout: 180_000 }).toBe(standard);
  const { rows } = await site.pool.query(
    `select actor, after ->> 'fund_source' as source from journal
     where merchant_id = $1 and type = 'provider.changed' order by entry_no`,
    [merchant.id],
  );
  expect(rows).toMatchObject([{ actor: `user:${person.id}`, source: "CASHFREE_2" }, { actor: `user:${person.id}` }]);
});

test("what waits is told to be cancellable, and is cancelled; while anything is under way the account stays", async () => {
  // A code is waited for, up to half a minute: the payment would have its answer by then.
  const soon = await code();
  bank.standIn.desk.faults.add({ kind: "silence", on: "submit", count: 1 });
  const paying = merchant.pay();
  // A process has it in hand, and nobody else sees that.
  const tenants = new TenantDatabase(requests);
  const inProgress = async ({ key }: PayingMerchant) => {
    const text = "select rail from transfers_in_hand_of($1)";
    return (await tenants.of(key).query<{ rail: string }>(text, [merchant.id])).rows.map(({ rail }) => rail);
  };
  await expect.poll(() => inProgress(merchant), { interval: 20 }).toEqual([`cashfree:${accountId}`]);
  const busy = { status: 409, body: { code: "provider_in_use" } };
  const path = `/payout-accounts/${accountId}/disconnect`;
  expect(await owner.post(path, { code: soon })).toMatchObject(busy);
  expect(await inProgress(other)).toEqual([]);
  const silent = await paying;
  await merchant.becomes(silent, "SUCCESS");

  bank.credentials.secret = "another-secret";
  const waiting = await merchant.pay({ amount: "1.00" });
  await expect.poll(async () => (await merchant.find(waiting)).waits, { timeout: 180_000 }).toBe(true);
  expect(await owner.post(path, { code: await code() })).toMatchObject(busy);
  await expect.poll(async () => (await accounts())[0]!["state"], { timeout: 180_000 }).toBe("failing");
  expect((await owner.get(`/transfers/${waiting}`)).body).toMatchObject({ may_cancel: true });
  expect((await stranger.post(`/transfers/${waiting}/cancel`)).status).toBe(404);
  const available = await merchant.wire.available();
  expect(await owner.post(`/transfers/${waiting}/cancel`)).toMatchObject({ status: 200, body: { status: "REJECTED" } });
  expect(Number(await merchant.wire.available()) - Number(available)).toBe(1);
  expect((await owner.get(`/transfers/${waiting}`)).body).toMatchObject({ may_cancel: false });
  expect((await owner.post(`/transfers/${silent}/cancel`)).status).toBe(409);
});

test("credentials, places and what happens while a provider is down are changed with a code each", async () => {
  const path = `/payout-accounts/${accountId}`;
  const credentials = { key_id: bank.credentials.id, secret: bank.credentials.secret };
  expect((await owner.put(`${path}/credentials`, { ...credentials, code: "000000" })).status).toBe(422);
  expect((await owner.put(`${path}/credentials`, { ...credentials, code: await code() })).status).toBe(200);
  expect((await owner.post(`${path}/test`)).status).toBe(200);
  expect((await owner.put(`${path}/modes`, { modes: "IMPS=0", code: await code() })).status).toBe(400);
  const placed = await owner.put(`${path}/modes`, { modes: "IMPS=1,UPI=2", code: await code() });
  expect(placed).toMatchObject({ status: 200, body: { modes: "IMPS=1,UPI=2" } });
  const down = { when_down: "next", give_up_minutes: "240" };
  expect((await owner.put("/payout-accounts/when-down", { ...down, code: "000000" })).status).toBe(422);
  expect((await owner.put("/payout-accounts/when-down", { ...down, code: await code() })).status).toBe(200);
  expect((await owner.get("/payout-accounts")).body).toMatchObject({ when_down: "next", give_up_minutes: 240 });
  const { rows } = await site.pool.query("select payout_rails, when_down from merchant where merchant_id = $1", [
    merchant.id,
  ]);
  const rail = `cashfree:${accountId}`;
  expect(rows).toEqual([{ payout_rails: { IMPS: rail, UPI: rail }, when_down: "next" }]);
  expect((await owner.post(`${path}/disconnect`, { code: "000000" })).status).toBe(422);
  const gone = await owner.post(`${path}/disconnect`, { code: await code() });
  expect(gone).toMatchObject({ status: 200, body: { state: "disconnected" } });
});

test("afterwards the books are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
