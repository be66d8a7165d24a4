// Operators' access keys: programs that look after merchants. docs/rules/access.md#operators-keys
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR_KEY_SCOPES, OPERATORS, requireMerchant, revokeKey } from "../../src/merchants/index.ts";
import { newKey, Program, refusalOf } from "../support/access-keys.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation } from "../support/installation.ts";
import { giveSecondFactor } from "../support/live.ts";
import { nodal, nodalJson, send } from "../support/nodal.ts";

type CreatedKey = { readonly access_key_id: string; readonly secret_access_key: string };

let installation: Installation;
let platform: Program;
let platformKey: string;

beforeAll(async () => {
  installation = await Installation.start();
  const keys = await newKey(installation, null, { scopes: OPERATOR_KEY_SCOPES });
  platformKey = keys.access_key_id;
  platform = new Program(installation, keys);
});
afterAll(() => installation.stop());

async function createMerchant(profile: object = {}): Promise<{ id: string; email: string; password: string }> {
  const email = `shop${Math.floor(performance.now() * 1000)}@example.com`;
  const { status, body } = await platform.post("/merchants", { name: "Asha Traders", email, ...profile });
  expect(status).toBe(200);
  const { merchant_id: id } = body["merchant"] as { merchant_id: string };
  return { id, email, password: String(body["password"]) };
}

const view = async (id: string) =>
  (await platform.get(`/merchants/${id}/operator-view`)).body["merchant"] as Record<string, unknown>;

test("the command creates, lists and revokes one", async () => {
  const { environment } = installation;
  const terms = ["--name", "Onboarding", "--scopes", "merchants.view,merchants.create", "--allow-from", "127.0.0.1"];
  const created = await nodalJson<CreatedKey>(environment, "operator", "key", "create", ...terms);
  expect(created.access_key_id).toMatch(/^nk_operator_[0-9a-f]{12}$/);
  expect(created.secret_access_key).toMatch(/^ns_operator_/);
  const by = new Program(installation, created);
  expect((await by.get("/merchants")).status).toBe(200);
  expect(refusalOf(await by.get("/jobs")).message).toContain("it lacks the scope jobs.view");
  const listed = await nodalJson<Record<string, unknown>[]>(environment, "operator", "key", "list");
  expect(listed.find(({ access_key_id: id }) => id === created.access_key_id)).toMatchObject({
    name: "Onboarding",
    scopes: "merchants.view,merchants.create",
    allowed_addresses: "127.0.0.1/32",
  });
  await nodalJson(environment, "operator", "key", "revoke", "--key", created.access_key_id);
  await expect.poll(async () => (await by.get("/merchants")).status, { timeout: 180_000 }).toBe(403);
});

test.each([
  ["no scopes", []],
  ["a scope that moves money", ["--scopes", "merchants.view,payouts.transfer"]],
  ["a scope that decides", ["--scopes", "approvals.decide"]],
  ["a scope that reveals webhook secrets", ["--scopes", "webhooks.manage"]],
])("the command refuses %s", async (_, terms) => {
  const { code, stderr } = await nodal(installation.environment, "operator", "key", "create", ...terms);
  expect(code).not.toBe(0);
  expect(stderr).toContain("--scopes");
});

describe("with its key, a program", () => {
  test("opens a merchant and sets it up, which the merchant's log says", async () => {
    const { id } = await createMerchant();
    expect((await platform.put(`/merchants/${id}/profile`, { city: "Nashik" })).status).toBe(200);
    const account = { bank_account: "50100012345678", ifsc: "HDFC0000001", bank_holder: "Asha Traders" };
    expect((await platform.put(`/merchants/${id}/bank-account`, account)).status).toBe(200);
    // Withdrawals go there now, so the merchant's own people change it.
    const other = { ...account, bank_account: "50100099999999" };
    expect(refusalOf(await platform.put(`/merchants/${id}/bank-account`, other))).toMatchObject({ status: 403 });
    expect((await platform.put(`/merchants/${id}/payout-policy`, { daily_limit: "5000.00" })).status).toBe(200);
    const changes = { rate_limit_per_minute: 600, fees_paid_by: "platform" };
    expect((await platform.put(`/merchants/${id}/operator-view`, changes)).status).toBe(200);
    const fund = { amount: "100.00", reference: "deposit 1" };
    expect((await platform.post(`/merchants/${id}/fundings`, fund)).status).toBe(200);
    expect(await view(id)).toMatchObject({ ...changes, available_balance: "100.00" });
    const { body } = await platform.get(`/merchants/${id}/audit`);
    const actors = new Set((body["entries"] as { actor: string }[]).map(({ actor }) => actor));
    expect(actors).toEqual(new Set([`key:${platformKey}`]));
  });

  test("suspends a merchant and lets it work again", async () => {
    const merchant = await installation.newMerchant();
    const set = (status: string) => platform.put(`/merchants/${merchant.id}/operator-view`, { status });
    const balance = async () =>
      (
        await send(installation.server.baseUrl, "GET", "/api/v1/payout/balance", undefined, {
          authorization: `Bearer ${merchant.token}`,
        })
      ).status;
    expect((await set("suspended")).status).toBe(200);
    await expect.poll(balance, { timeout: 180_000 }).toBe(403);
    expect((await set("active")).status).toBe(200);
    await expect.poll(balance, { timeout: 180_000 }).toBe(200);
  });

  test("gives a merchant keys and users, with no more than it has itself", async () => {
    const { id } = await createMerchant();
    const make = (scopes: readonly string[]) =>
      platform.post(`/merchants/${id}/access-keys`, { name: "Billing", scopes });
    expect((await make(["invoices.manage", "invoices.view"])).status).toBe(200);
    expect(refusalOf(await make(["payouts.transfer"]))).toMatchObject({ status: 403, code: "access_denied" });
    const user = (role: string) =>
      platform.post(`/merchants/${id}/users`, { name: "Ravi", email: `${role.toLowerCase()}@example.com`, role });
    expect((await user("Viewer")).status).toBe(200);
    expect(refusalOf(await user("Owner"))).toMatchObject({ status: 403, code: "access_denied" });
  });

  test("takes a merchant live whose Owner has a second factor", async () => {
    const account = { account_number: "50100012345678", ifsc: "HDFC0000001" };
    const { id, email } = await createMerchant({ bank_account: account.account_number, ifsc: account.ifsc });
    const goLive = () => platform.post(`/merchants/${id}/go-live`, {});
    expect(refusalOf(await goLive())).toMatchObject({ status: 403, code: "second_factor_required" });
    const { bucket, merchantId } = await requireMerchant(installation.pool, BigInt(id));
    const { rows } = await installation.pool.query<{ login_id: bigint }>(
      "select login_id from login where bucket = $1 and merchant_id = $2 and email = $3",
      [bucket, merchantId, email],
    );
    await giveSecondFactor(installation.pool, { bucket, merchantId, loginId: rows[0]!.login_id });
    const answer = await goLive();
    expect(answer.status).toBe(200);
    const live = String(answer.body["merchant_id"]);
    expect(await view(live)).toMatchObject({ live: true, counterpart_id: id });
    const other = { bank_account: "50100099999999", ifsc: "HDFC0000001", bank_holder: "" };
    expect(refusalOf(await platform.put(`/merchants/${live}/bank-account`, other))).toMatchObject({ status: 403 });
  });

  test("never moves a merchant's money, and decides nothing", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
    const beneficiary_id = await merchant.addBeneficiary();
    const transfer = { beneficiary_id, amount: "1.00", reference_id: "platform-1" };
    for (const [path, body] of [
      ["/transfers", transfer],
      ["/withdrawals", { amount: "1.00", reference_id: "platform-2" }],
      ["/approvals/1/approve", { note: "" }],
      ["/approvals/decide", { decision: "approve", note: "", approvals: [] }],
      ["/webhooks", { url: "https://example.com/hook" }],
    ] as const) {
      const refused = refusalOf(await platform.post(`/merchants/${merchant.id}${path}`, body));
      expect({ path, ...refused }).toMatchObject({ path, status: 403, code: "access_denied" });
    }
    expect(await merchant.available()).toBe("1000.00");
  });
});

test("one works on no earlier path, nor for a merchant that the path doesn't name", async () => {
  const keys = await newKey(installation, null, { scopes: OPERATOR_KEY_SCOPES });
  const token = await installation.send("POST", "/api/token", keys);
  expect([token.status, token.body.code]).toEqual([403, "access_denied"]);
  const listed = await installation.send("POST", "/api/v1/merchant/invoice/getlist", keys);
  expect(listed.status).toBe(403);
  expect(refusalOf(await platform.get("/transfers"))).toMatchObject({ status: 404, code: "merchant_not_found" });
});

test("a merchant's key is refused what is the installation's", async () => {
  const merchant = await installation.newMerchant();
  const keys = await newKey(installation, merchant.id, { scopes: ["profile.manage"] });
  const refused = refusalOf(await new Program(installation, keys).get("/merchants"));
  expect(refused).toMatchObject({ status: 403, code: "access_denied" });
  expect(refused.message).toContain("Use an access key of an operator");
});

test("large credits wait for a person, and SQL that widens a key ends it", async () => {
  const merchant = await installation.newMerchant();
  const asked = await platform.post(`/merchants/${merchant.id}/fundings`, { amount: "5000000.00", reference: "large" });
  const operator = await Browser.signIn(installation, await newPerson(installation, null));
  if (asked.body["approval_id"] !== null) {
    const path = `/merchants/${merchant.id}/approvals/${String(asked.body["approval_id"])}/approve`;
    expect((await operator.post(path, { note: "" })).status).toBe(200);
  }
  const keys = await newKey(installation, null, { scopes: ["merchants.view"] });
  await installation.pool.query("update access_key set scopes = scopes || ' merchants.fund' where access_key_id = $1", [
    keys.access_key_id,
  ]);
  const refused = refusalOf(await new Program(installation, keys).get("/merchants"));
  expect(refused).toMatchObject({ status: 403, message: expect.stringContaining("The database was changed") });
  await revokeKey({ pool: installation.pool, merchant: OPERATORS }, keys.access_key_id);
});

test("verify finds nothing else wrong", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
