// A payment hangs over the installation's account: only operators resolve it, in the dashboard and by command.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SEAL_SCHEDULE } from "../../src/audit/seal-books.ts";
import { OPERATORS, requireMerchant } from "../../src/merchants/index.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { replaceSecondFactor } from "../support/live.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { openBank, PayingMerchant, type Bank } from "../support/providers.ts";

const NOT_PAID = { as: "failed", reason: "The bank says so", evidence: "Statement of the 18th: no debit of 1,000.00" };

let installation: Installation;
let bank: Bank;
let merchant: PayingMerchant;

beforeAll(async () => {
  bank = await openBank("cashfree");
  installation = await Installation.start({ TRANSFER_WAIT_MS: "0" });
  await bank.connect(installation, null);
  await stopSealing();
  merchant = await PayingMerchant.of(installation);
  await merchant.goLive(100_000n);
});
afterAll(async () => {
  await installation?.stop();
  await bank?.standIn.stop();
});

/** Entries are dated back below, which a seal over them would tell of: none is made from here on. */
async function stopSealing(): Promise<void> {
  const stop = `update schedule set next_run_at = now() + interval '1 day' where schedule_name = $1 and holder is null`;
  const isStopped = async () => (await installation.pool.query(stop, [SEAL_SCHEDULE])).rowCount === 1;
  await vi.waitUntil(isStopped, { timeout: 180_000 });
}

/** Somebody with a second factor: an Owner of the merchant, or an operator. */
async function signIn(role: "Owner" | "Operator"): Promise<Browser> {
  const isOwner = role === "Owner";
  const person = await newPerson(installation, isOwner ? merchant.id : null, role);
  const { bucket, merchantId } = isOwner
    ? await requireMerchant(installation.pool, merchant.key.merchantId)
    : OPERATORS;
  const app = await replaceSecondFactor(installation.pool, { bucket, merchantId, loginId: BigInt(person.id) });
  const browser = await Browser.signIn(installation, person);
  expect((await browser.post("/session/sign-in/second-factor", { code: await app.nextCode() })).status).toBe(200);
  return browser;
}

/** A payment of all that there is, which the provider took on weeks ago and has not finished. */
async function hang(): Promise<string> {
  bank.standIn.desk.faults.add({ kind: "deemed", count: 1 });
  const id = await merchant.pay({ amount: "1000.00" });
  await merchant.becomes(id, "PENDING");
  const before = "interval '20 days'";
  await installation.pool.query(`update transfer set added_at = added_at - ${before} where transfer_id = $1`, [id]);
  await installation.pool.query(
    `update journal set created_at = created_at - ${before} where subject_id = $1 and kind = 'reserve'`,
    [id],
  );
  return id;
}

test("two logins of the merchant don't get the money back; two operators do", async () => {
  const id = await hang();
  const [owner, second, one, two] = [
    await signIn("Owner"),
    await signIn("Owner"),
    await signIn("Operator"),
    await signIn("Operator"),
  ];
  const refused = { status: 403, body: { code: "approval_not_allowed" } };
  expect((await owner.get("/stuck-transfers")).body.stuck).toMatchObject([{ transfer_id: id, operators_only: true }]);
  expect(await owner.post(`/stuck-transfers/${id}/resolve`, NOT_PAID)).toMatchObject(refused);
  const at = `/merchants/${merchant.id}`;
  const bare = await one.post(`${at}/stuck-transfers/${id}/resolve`, { ...NOT_PAID, evidence: "" });
  expect(bare).toMatchObject({ status: 400, body: { errors: [{ field: "evidence" }] } });
  const asked = await one.post(`${at}/stuck-transfers/${id}/resolve`, NOT_PAID);
  expect(asked.status, JSON.stringify(asked.body)).toBe(200);
  const approval = asked.body.approval_id as string;
  for (const browser of [owner, second]) {
    expect((await browser.get(`/approvals/${approval}`)).body).toMatchObject({ may_decide: false });
    expect(await browser.post(`/approvals/${approval}/approve`, { note: "" })).toMatchObject(refused);
    const many = {
      decision: "approve",
      note: "",
      approvals: [{ approval_id: approval, request_key: `many-${approval}` }],
    };
    expect((await browser.post("/approvals/decide", many)).body).toMatchObject({ outcomes: [{ status: "refused" }] });
  }
  expect((await owner.get("/approvals/waiting")).body).toEqual({ count: 0 });
  expect(await merchant.wire.available()).toBe("0.00");
  // The provider is asked again: while it can't be, nothing is decided.
  bank.standIn.desk.faults.add({ kind: "error_before", on: "status" });
  expect(await two.post(`${at}/approvals/${approval}/approve`, { note: "" })).toMatchObject({
    status: 422,
    body: { code: "provider_check_failed" },
  });
  bank.standIn.desk.faults.clear();
  expect((await two.get(`${at}/approvals/${approval}`)).body).toMatchObject({ status: "open", may_decide: true });
  const approved = async () => (await two.post(`${at}/approvals/${approval}/approve`, { note: "" })).status;
  // A server may be asking about it at this moment.
  await expect.poll(approved, { timeout: 180_000 }).toBe(200);
  await merchant.becomes(id, "FAILED");
  expect(await merchant.wire.available()).toBe("1000.00");
});

test("a command asks as an operator, and an operator approves; of the merchant's other approvals none", async () => {
  const id = await hang();
  const command = ["transfer", "resolve", "--merchant", merchant.id, "--transfer", id, "--as", "failed"];
  const said = ["--reason", NOT_PAID.reason, "--evidence", NOT_PAID.evidence];
  const asked = await nodalJson<{ approval_id: string }>(installation.environment, ...command, ...said);
  const decide = ["approval", "approve", "--merchant", merchant.id, "--approval", asked.approval_id];
  expect((await nodal(installation.environment, ...decide)).stderr).toContain("another person");
  const operator = await signIn("Operator");
  const approve = async () =>
    (await operator.post(`/merchants/${merchant.id}/approvals/${asked.approval_id}/approve`, { note: "" })).status;
  await expect.poll(approve, { timeout: 180_000 }).toBe(200);
  await nodalJson(installation.environment, "policy", "set", "--merchant", merchant.id, "--approve-over", "1.00");
  const waiting = await merchant.pay({ amount: "10.00" });
  const other = await operator.post(`/merchants/${merchant.id}/approvals/${waiting}/approve`, { note: "" });
  expect(other).toMatchObject({ status: 403, body: { code: "approval_not_allowed" } });
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
