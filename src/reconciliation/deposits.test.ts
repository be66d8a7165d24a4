// Lines credited as incoming money: each deposit once over all merchants of the installation's account, and never a payment's
// money, of any merchant. An operator may be given any file.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { fund } from "../../test/support/ledger.ts";
import { paymentId } from "../payouts/providers/payment-id.ts";
import { bookAsFunding, matchByHand, setAside } from "./resolve.ts";
import type { StatementLine } from "./statement-store.ts";
import { makeSharedAccount, Stage, utrOf, type Written } from "./testing.ts";
import { undoMatches } from "./undo.ts";

let one: Stage;
let other: Stage;
const reason = "Asked the bank";

beforeAll(async () => {
  one = await Stage.open();
  other = new Stage(one.db);
});
afterAll(() => one.db.close());
beforeEach(async () => {
  await one.newMerchant();
  await other.newMerchant();
});
afterEach(async () => {
  for (const stage of [one, other]) {
    const violations = await stage.violations();
    if (violations.length > 0) throw new Error(JSON.stringify(violations));
  }
});

async function lineOf(stage: Stage, written: Written, account = "Nodal"): Promise<StatementLine> {
  await stage.take([written], account);
  return (await stage.lines()).at(-1)!;
}

test.each<[string, Written]>([
  ["its reference", { reference: "UTIBR52026112000000011", in: 500n }],
  ["a UTR in its text", { narration: "NEFT CR-ICIC0000001-ACME-ICICN52026112000000012", in: 500n }],
  ["the number of an IMPS payment in its text", { narration: "IMPS/P2A/632400000042/ACME", in: 500n }],
  ["nothing but its day, amount and text", { narration: "BY CASH BANGALORE", in: 500n }],
])("a line is one merchant's by %s", async (_what, written) => {
  const before = await other.available();
  const [ours, theirs] = [await lineOf(one, written), await lineOf(other, written, "HDFC")];
  const asked = await Promise.allSettled([
    bookAsFunding(one.context, ours.lineId),
    bookAsFunding(other.context, theirs.lineId),
  ]);
  expect(asked.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const [refused] = asked.filter((each) => each.status === "rejected");
  expect(refused!.reason).toMatchObject({ code: "reference_conflict" });
  expect((await one.available()) + (await other.available())).toBe(2n * before + 500n);
});

test("the same line of another account is the same money, and so is `nodal fund` with its UTR", async () => {
  const before = await one.available();
  const cash = { narration: "BY CASH PUNE", in: 900n };
  await bookAsFunding(one.context, (await lineOf(one, cash, "HDFC")).lineId);
  const again = await lineOf(one, cash, "Our bank");
  await expect(bookAsFunding(one.context, again.lineId)).rejects.toThrow("is already matched");
  const utr = "ICICN52026112000000013";
  await bookAsFunding(one.context, (await lineOf(one, { narration: `NEFT CR-${utr}-ACME`, in: 700n })).lineId);
  expect(await fund(one.db, one.merchant, 700n, utr)).toMatchObject({ repeated: true });
  expect((await one.available()) - before).toBe(1600n);
  await expect(fund(other.db, other.merchant, 700n, utr.toLowerCase())).rejects.toThrow("another merchant");
});

test("the return of another merchant's payment is nobody's new money", async () => {
  const paid = await other.pay(500n, ["SUCCESS"]);
  const before = await one.available();
  const line = await lineOf(one, { narration: `IMPS RETURN/${utrOf(paid)}/RAVI`, in: 500n });
  await expect(bookAsFunding(one.context, line.lineId)).rejects.toThrow("another merchant's payment");
  expect(await one.available()).toBe(before);
});

test("a line with the id of another merchant's payment can't be booked, matched or reopened", async () => {
  const tag = await makeSharedAccount(one.db.server);
  const theirs = paymentId(tag, { ...other.merchant, transferId: 4711n });
  const paid = await one.pay(500n, ["SUCCESS"]);
  const [came, went] = [
    await lineOf(one, { reference: theirs, in: 500n }),
    await lineOf(one, { reference: theirs, out: 500n }),
  ];
  const before = await one.available();
  const hand = { lineIds: [went.lineId], items: [{ kind: "paid" as const, subjectId: paid.transferId }], reason };
  await setAside(one.context, { target: came.lineId, reason: "Ours, really" });
  await expect(bookAsFunding(one.context, came.lineId)).rejects.toThrow("another merchant's payment");
  await expect(matchByHand(one.context, hand)).rejects.toThrow("another merchant's payment");
  await expect(setAside(one.context, { target: came.lineId, reason: null })).rejects.toThrow(
    "another merchant's payment",
  );
  expect(await one.available()).toBe(before);
});

test("the return of a payment of one's own is not credited a second time after its match was undone, or while it is set aside", async () => {
  const back = await one.pay(500n, ["SUCCESS", "REVERSED"]);
  const before = await one.available();
  const line = await lineOf(one, { reference: utrOf(back), in: 500n });
  expect(line.state).toBe("matched");
  await undoMatches(one.context, { matchIds: [line.matchId!], reason });
  await expect(bookAsFunding(one.context, line.lineId)).rejects.toThrow("has the reference of");
  await setAside(one.context, { target: line.lineId, reason });
  await expect(bookAsFunding(one.context, line.lineId)).rejects.toThrow("reopen it first");
  expect(await one.available()).toBe(before);
});
