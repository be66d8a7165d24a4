// What the dashboard answers about approvals: the count for one's own menu, withdrawing, and several at once. The rules
// are in src/approvals/.
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

let site: Installation;
let merchant: TestMerchant;
let beneficiary_id: string;
let maker: Browser;
let checker: Browser;
let viewer: Browser;

beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  merchant = await site.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  beneficiary_id = await merchant.addBeneficiary();
  maker = await Browser.signIn(site, await newPerson(site, merchant.id));
  checker = await Browser.signIn(site, await newPerson(site, merchant.id));
  viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  await maker.put("/payout-policy", { approve_over: "0.00" });
});

/** Asks for a transfer, which waits. */
async function waiting(by: Browser, amount = "10.00"): Promise<string> {
  const answer = await by.post("/transfers", {
    beneficiary_id,
    amount,

    reference_id: randomUUID().slice(0, 20),
  });
  expect(answer).toMatchObject({ status: 200 });
  return String(answer.body["transfer_id"]);
}

const countOf = async (browser: Browser): Promise<unknown> => (await browser.get("/approvals/waiting")).body["count"];
const ask = (ids: readonly string[]) => ids.map((approval_id) => ({ approval_id, request_key: randomUUID() }));
const decide = (browser: Browser, decision: string, approvals: unknown, note?: string) =>
  browser.post("/approvals/decide", { decision, note, approvals });

test("what waits is counted for those who may decide it, without what they have asked for", async () => {
  const first = await waiting(maker);
  await waiting(maker);
  await waiting(checker);
  expect([await countOf(maker), await countOf(checker)]).toEqual([1, 2]);
  expect(await viewer.get("/approvals/waiting")).toMatchObject({ status: 403 });
  await checker.post(`/approvals/${first}/approve`, { note: "" });
  expect([await countOf(maker), await countOf(checker)]).toEqual([1, 1]);
});

test("who has asked withdraws, and nobody else; the money is back and the list says why", async () => {
  const id = await waiting(maker);
  expect(await merchant.available()).toBe("990.00");
  const refused = { status: 403, body: { code: "approval_not_allowed" } };
  for (const other of [checker, viewer]) {
    expect(await other.post(`/approvals/${id}/withdraw`, { note: "" })).toMatchObject(refused);
  }
  const withdrawn = await maker.post(`/approvals/${id}/withdraw`, { note: "Wrong payee" });
  expect(withdrawn).toMatchObject({ status: 200, body: { status: "withdrawn", note: "Wrong payee", own: true } });
  expect(await merchant.available()).toBe("1000.00");
  expect(await maker.post(`/approvals/${id}/withdraw`, { note: "" })).toMatchObject({ status: 409 });
  const { body } = await checker.get("/approvals?status=decided");
  expect(body["approvals"]).toMatchObject([{ approval_id: id, status: "withdrawn", note: "Wrong payee" }]);
});

test("a rejection has a reason, which who has asked for it sees", async () => {
  const id = await waiting(maker);
  const none = { status: 400, body: { errors: [{ field: "note", code: "required" }] } };
  expect(await checker.post(`/approvals/${id}/reject`, {})).toMatchObject(none);
  expect(await decide(checker, "reject", ask([id]), "  ")).toMatchObject(none);
  expect(await maker.get(`/transfers/${id}`)).toMatchObject({ body: { status: "PENDING_APPROVAL" } });
  await checker.post(`/approvals/${id}/reject`, { note: "Paid in cash" });
  const reason = "The request was rejected: Paid in cash";
  const not_approved = { decision: "rejected", by_name: expect.stringContaining("@") as string, note: "Paid in cash" };
  expect(await maker.get(`/transfers/${id}`)).toMatchObject({ body: { status: "REJECTED", reason, not_approved } });
  // It is nothing that failed at the bank, and needs nobody's attention.
  expect((await maker.get("/session/home/waiting")).body).toMatchObject({ approvals: 0, returned_payouts: "0" });
});

test("several are decided at once, each with its own outcome, and the same again with the same keys", async () => {
  const [first, second, own] = [await waiting(maker), await waiting(maker), await waiting(checker)];
  const approvals = ask([first, own, second, "1"]);
  const expected = {
    status: 200,
    body: {
      outcomes: [
        { approval_id: first, status: "approved", error: null },
        { approval_id: own, status: "refused", error: expect.stringContaining("another person") as unknown },
        { approval_id: second, status: "approved", error: null },
        { approval_id: "1", status: "refused", error: expect.stringContaining("approval does not exist") as unknown },
      ],
    },
  };
  const twice = await Promise.all([decide(checker, "approve", approvals), decide(checker, "approve", approvals)]);
  for (const answer of [...twice, await decide(checker, "approve", approvals)]) expect(answer).toMatchObject(expected);
  expect(await decide(viewer, "approve", ask([own]))).toMatchObject({ status: 403 });
  const tooMany = ask(Array.from({ length: 101 }, (_, index) => String(index + 1)));
  expect(await decide(checker, "approve", tooMany)).toMatchObject({
    status: 400,
    body: { errors: [{ field: "approvals", code: "too_long" }] },
  });
  await merchant.recordWith("SUCCESS", first);
  await merchant.recordWith("SUCCESS", second);
  expect(await merchant.available()).toBe("970.00");
});

test("another merchant's can't be withdrawn or decided, one by one or many", async () => {
  const id = await waiting(maker);
  const other = await site.newMerchant({ fund: "10.00", bank: GOOD_ACCOUNT });
  const stranger = await Browser.signIn(site, await newPerson(site, other.id));
  expect(await stranger.post(`/approvals/${id}/withdraw`, { note: "" })).toMatchObject({ status: 404 });
  expect((await decide(stranger, "reject", ask([id]), "No")).body["outcomes"]).toMatchObject([{ status: "refused" }]);
  expect(await countOf(stranger)).toBe(0);
  expect(await countOf(checker)).toBe(1);
});

test("afterwards the books are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
