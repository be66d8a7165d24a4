// Matches undone by reversing postings: once, many concurrently, whole or not at all, and matched again afterwards.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { runChecks } from "../ledger/index.ts";
import { reconcile } from "./reconcile.ts";
import { bookAsFunding, matchByHand, setAside } from "./resolve.ts";
import { killEachTime, Stage, utrOf } from "./testing.ts";
import { findMatchesOfLines, undoMatches } from "./undo.ts";
import { RECONCILIATION_CHECKS } from "./verify-store.ts";

let stage: Stage;
const reason = "Wrong payment";

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.db.close());
beforeEach(() => stage.newMerchant());
afterEach(async () => {
  const violations = await stage.violations();
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
});

async function matchIds(): Promise<bigint[]> {
  return [...new Set((await stage.lines()).flatMap(({ matchId }) => matchId ?? []))];
}

test("every posting of a match is reversed, and lines wait for a person", async () => {
  const paid = await stage.pay(50_000n, ["SUCCESS"], { feePaise: 500n, taxPaise: 90n });
  const back = await stage.pay(70_000n, ["SUCCESS", "REVERSED"]);
  await stage.take([
    { reference: utrOf(paid), out: 50_000n },
    { reference: utrOf(paid), narration: "Fee", out: 590n },
    { reference: utrOf(back), out: 70_000n },
    { reference: utrOf(back), in: 70_000n },
  ]);
  const before = await stage.available();
  const ids = await matchIds();
  expect(ids).toHaveLength(4);
  expect(await undoMatches(stage.context, { matchIds: ids, reason })).toBe(4);
  expect(await stage.clearingOf(paid, back)).toEqual([50_590n, 0n]);
  expect(
    await Promise.all(["bank_unmatched", "fee_unmatched", "return_unmatched"].map((kind) => stage.countPostings(kind))),
  ).toEqual([2, 1, 1]);
  expect(await stage.available()).toBe(before);
  expect((await stage.lines()).map(({ difference, note }) => [difference, note])).toEqual(
    Array(4).fill(["undone", reason]),
  );
  // Only a person can match them again, and repeating the request changes nothing.
  expect(await reconcile(stage.context)).toEqual({ matchedLines: 0, openLines: 0 });
  expect(await undoMatches(stage.context, { matchIds: ids, reason })).toBe(0);
  await expect(undoMatches(stage.context, { matchIds: [ids[0]!, 1n], reason })).rejects.toThrow("no match 1");
});

test("a wrong match by hand is undone, the right one made, undone and made again", async () => {
  const [one, two] = [await stage.pay(100n, ["SUCCESS"]), await stage.pay(100n, ["SUCCESS"])];
  await stage.take([
    { reference: "OTHERUTR1", out: 100n },
    { reference: utrOf(two), out: 100n },
  ]);
  const [line, ofTwo] = await stage.lines();
  const [twice] = await findMatchesOfLines(stage.context, [ofTwo!.lineId]);
  const hand = (transferId: bigint) =>
    matchByHand(stage.context, { lineIds: [line!.lineId], items: [{ kind: "paid", subjectId: transferId }], reason });
  for (let i = 0; i < 3; i += 1) {
    const matchId = await hand(one.transferId);
    expect(await stage.violations()).toEqual([]);
    await undoMatches(stage.context, { matchIds: [matchId], reason });
    expect(await stage.violations()).toEqual([]);
  }
  await undoMatches(stage.context, { matchIds: [twice!], reason });
  await hand(two.transferId);
  await setAside(stage.context, { target: ofTwo!.lineId, reason: null });
  await reconcile(stage.context);
  // Its payment was shown by the other line.
  expect(await stage.statuses()).toEqual(["OTHERUTR1 matched hand", `${utrOf(two)} different again`]);
  await expect(findMatchesOfLines(stage.context, [ofTwo!.lineId])).rejects.toThrow("is not matched");
  expect(await stage.countPostings("bank_matched")).toBe(5);
});

test("many at once undo it once, beside others that match", async () => {
  const paid = [];
  for (let i = 0; i < 20; i += 1) paid.push(await stage.pay(100n + BigInt(i), ["SUCCESS"]));
  await stage.take(paid.map((transfer) => ({ reference: utrOf(transfer), out: transfer.amountPaise })));
  const ids = await matchIds();
  const undone = await Promise.all([
    ...Array.from({ length: 6 }, () => undoMatches(stage.context, { matchIds: ids, reason })),
    ...Array.from({ length: 3 }, () => reconcile(stage.context).then(() => 0)),
  ]);
  expect(undone.reduce((sum, count) => sum + count)).toBe(20);
  expect(await stage.countPostings("bank_unmatched")).toBe(20);
  expect(await stage.clearingOf(...paid)).toEqual(paid.map(({ amountPaise }) => amountPaise));
});

test("money that came in is not credited again after its match was undone", async () => {
  await stage.take([{ reference: "UTIBR52026112000000009", in: 700n }]);
  const before = await stage.available();
  const [line] = await stage.lines();
  await bookAsFunding(stage.context, line!.lineId);
  await undoMatches(stage.context, { matchIds: await matchIds(), reason });
  expect((await stage.available()) - before).toBe(700n);
  await bookAsFunding(stage.context, line!.lineId);
  expect((await stage.available()) - before).toBe(700n);
  expect(await stage.statuses()).toEqual(["UTIBR52026112000000009 matched utr"]);
});

test("a server that dies has undone all of it or nothing", async () => {
  const paid = [await stage.pay(100n, ["SUCCESS"]), await stage.pay(200n, ["SUCCESS"])];
  await stage.take(paid.map((transfer) => ({ reference: utrOf(transfer), out: transfer.amountPaise })));
  const ids = await matchIds();
  await killEachTime(
    stage.db.server,
    (pool) => undoMatches({ ...stage.context, pool }, { matchIds: ids, reason }),
    async () => {
      expect(await stage.clearingOf(...paid)).toEqual([0n, 0n]);
      expect(await matchIds()).toEqual(ids);
    },
  );
  expect(await stage.clearingOf(...paid)).toEqual([100n, 200n]);
});

test("another merchant has no such match", async () => {
  const paid = await stage.pay(100n, ["SUCCESS"]);
  await stage.take([{ reference: utrOf(paid), out: 100n }]);
  const ids = await matchIds();
  const theirs = stage.merchant;
  await stage.newMerchant();
  await expect(undoMatches(stage.context, { matchIds: ids, reason })).rejects.toThrow("no match");
  expect(theirs.merchantId).not.toBe(stage.merchant.merchantId);
});

test("verify finds a match that was undone by hand in the database", async () => {
  const paid = await stage.pay(100n, ["SUCCESS"]);
  await stage.take([{ reference: utrOf(paid), out: 100n }]);
  await undoMatches(stage.context, { matchIds: await matchIds(), reason });
  const ofPaid = `merchant_id = ${stage.merchant.merchantId} and subject_id = ${paid.transferId}`;
  const found = async (statement: string): Promise<string[]> => {
    const connection = await stage.db.owner.connect();
    try {
      await connection.query("begin");
      await connection.query(statement);
      const { violations } = await runChecks(connection, RECONCILIATION_CHECKS, stage.merchant, 10);
      return [...new Set(violations.map(({ check }) => check))];
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  };
  expect(await found("select 1")).toEqual([]);
  expect(await found(`update journal set amount_paise = 99 where ${ofPaid} and kind = 'bank_unmatched'`)).toEqual([
    "undone_match",
  ]);
  expect(await found(`delete from journal where ${ofPaid} and kind = 'bank_unmatched'`)).toEqual(["matched_posting"]);
  expect(await found(`delete from journal where ${ofPaid} and kind = 'bank_matched'`)).toEqual(["undone_match"]);
});
