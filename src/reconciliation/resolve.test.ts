// Lines that people resolve, and what `nodal verify` reports if reconciliation and ledger disagree.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fund } from "../../test/support/ledger.ts";
import { runChecks } from "../ledger/index.ts";
import { listOpenItems } from "./clearing-store.ts";
import { bookAsFunding, matchByHand, setAside } from "./resolve.ts";
import { findLines } from "./statement-store.ts";
import { Stage, utrOf } from "./testing.ts";
import { RECONCILIATION_CHECKS } from "./verify-store.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.db.close());
beforeEach(() => stage.newMerchant());
afterEach(async () => {
  const violations = await stage.violations();
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
});

describe("resolved by people", () => {
  const reason = "Asked the bank";

  test("by hand, with sums that agree", async () => {
    const [one, two] = [await stage.pay(100n, ["SUCCESS"]), await stage.pay(200n, ["SUCCESS"])];
    await stage.take([
      { reference: "OTHERUTR1", out: 299n },
      { reference: "OTHERUTR2", out: 1n },
    ]);
    const lineIds = (await stage.lines()).map(({ lineId }) => lineId);
    const items = [one, two].map(({ transferId }) => ({ kind: "paid" as const, subjectId: transferId }));
    await expect(matchByHand(stage.context, { lineIds: lineIds.slice(0, 1), items, reason })).rejects.toThrow(
      "add up to ₹0.01 more",
    );
    await expect(matchByHand(stage.context, { lineIds: [], items: [], reason })).rejects.toThrow(
      "Give at least one line",
    );
    await expect(matchByHand(stage.context, { lineIds: [1n], items, reason })).rejects.toThrow("This line is not open");
    await matchByHand(stage.context, { lineIds, items, reason });
    expect(await stage.clearingOf(one, two)).toEqual([0n, 0n]);
    await expect(matchByHand(stage.context, { lineIds, items, reason })).rejects.toThrow("is already matched");
    const [line] = await findLines(stage.db.server, stage.merchant, lineIds);
    expect(line).toMatchObject({ state: "matched", matchedBy: "hand", note: reason });
  });

  test("money that came in is booked once, and what is booked is found", async () => {
    const before = await stage.available();
    await fund(stage.db, stage.merchant, 500n, "UTIBR52026112000000001");
    await stage.take([
      { reference: "UTIBR52026112000000001", in: 500n },
      { reference: "UTIBR52026112000000002", in: 700n },
      { narration: "CASH DEPOSIT", in: 900n },
      { narration: "CASH PAID", out: 900n },
    ]);
    const [funded, unknown, cash, out] = await stage.lines();
    expect([funded!.state, unknown!.state]).toEqual(["matched", "missing_here"]);
    await Promise.all([1, 2, 3].map(() => bookAsFunding(stage.context, unknown!.lineId).catch(() => {})));
    await bookAsFunding(stage.context, cash!.lineId);
    await expect(bookAsFunding(stage.context, funded!.lineId)).rejects.toThrow("already matched");
    await expect(bookAsFunding(stage.context, out!.lineId)).rejects.toThrow("is a debit");
    expect((await stage.available()) - before).toBe(2100n);
    expect((await stage.statuses()).slice(0, 3)).toEqual([
      "UTIBR52026112000000001 matched utr",
      "UTIBR52026112000000002 matched utr",
      "none matched hand",
    ]);
    // The command with the line's reference means the same money.
    expect(await fund(stage.db, stage.merchant, 700n, "UTIBR52026112000000002")).toMatchObject({ repeated: true });
  });

  test("no line that SQL has changed is booked or matched, and others are", async () => {
    const [paid, other] = [await stage.pay(600n, ["SUCCESS"]), await stage.pay(700n, ["SUCCESS"])];
    const changes = [
      "amount_paise = 99900",
      "reference = 'XX'",
      "booked_on = booked_on - 1",
      "proof = null",
      "keys = 'K1'",
    ];
    const written = changes.map((_, number) => ({ reference: `UTIBR5202611200000010${number}`, in: 500n }));
    await stage.take([...written, { reference: "OTHERUTR9", out: 500n }, { reference: "OTHERUTR8", out: 700n }]);
    const lines = await stage.lines();
    const before = await stage.available();
    for (const [number, change] of changes.entries()) {
      const { lineId } = lines[number]!;
      const kept = "select amount_paise, reference, booked_on, proof, keys from statement_line where line_id = $1";
      const { rows } = await stage.db.owner.query<Record<string, unknown>>(kept, [lineId]);
      await stage.db.owner.query(`update statement_line set ${change} where line_id = $1`, [lineId]);
      await expect(bookAsFunding(stage.context, lineId)).rejects.toThrow("was changed in the database");
      await stage.db.owner.query(
        `update statement_line set amount_paise = $2, reference = $3, booked_on = $4, proof = $5, keys = $6
         where line_id = $1`,
        [
          lineId,
          ...Object.values(rows[0]!).map((value) => (value instanceof Temporal.PlainDate ? String(value) : value)),
        ],
      );
    }
    expect(await stage.available()).toBe(before);
    await bookAsFunding(stage.context, lines[0]!.lineId);
    expect((await stage.available()) - before).toBe(500n);
    // By hand, and automatically: references of payments are put into lines that have others.
    const [forged, open] = lines.slice(changes.length);
    const paidItem = { kind: "paid" as const, subjectId: paid.transferId };
    await stage.db.owner.query("update statement_line set amount_paise = 60000 where line_id = $1", [forged!.lineId]);
    const byHand = { lineIds: [forged!.lineId], items: [paidItem], reason };
    await expect(matchByHand(stage.context, byHand)).rejects.toThrow("was changed in the database");
    const setKeys = "update statement_line set amount_paise = $3, keys = $2 where line_id = $1";
    await stage.db.owner.query(setKeys, [forged!.lineId, utrOf(paid), 600n]);
    await stage.take([{ reference: utrOf(other), out: 700n, day: "21/11/2026" }]);
    const states = new Map((await stage.lines()).map(({ lineId, state }) => [lineId, state]));
    expect([states.get(forged!.lineId), states.get(open!.lineId)]).not.toContain("matched");
    expect(await stage.clearingOf(paid, other)).toEqual([600n, 0n]);
    await stage.db.owner.query(setKeys, [forged!.lineId, forged!.keys, 500n]);
  });

  test("money of a payment that came back is not booked as money that came in", async () => {
    const paid = await stage.pay(300n, ["SUCCESS"]);
    const before = await stage.available();
    const [utr, reason] = [utrOf(paid), /is already matched|has the reference of/];
    await stage.take([{ reference: utr, out: 300n }]);
    await stage.take([{ reference: utr, narration: "RETURN", in: 300n }]);
    const returned = (await stage.lines()).find(({ side }) => side === "in")!;
    expect(await stage.statuses()).toEqual([`${utr} matched utr`, `${utr} different side`]);
    await expect(bookAsFunding(stage.context, returned.lineId)).rejects.toThrow(reason);
    // Its provider confirms it after the bank, and nobody has reconciled since.
    await stage.report(paid, "REVERSED");
    expect((await stage.available()) - before).toBe(300n);
    const asked = [1, 2, 3].map(() => bookAsFunding(stage.context, returned.lineId));
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: expect.objectContaining({ code: "validation_failed" }) as unknown,
      });
    expect((await stage.available()) - before).toBe(300n);
    expect(await stage.clearingOf(paid)).toEqual([0n]);
    // A failed payment that left the account anyway is the merchant's already.
    const failed = await stage.pay(500n, ["FAILED"]);
    await stage.take([{ reference: utrOf(failed), in: 500n }]);
    const back = (await stage.lines()).at(-1)!;
    await expect(bookAsFunding(stage.context, back.lineId)).rejects.toThrow(/has the reference of/);
    expect((await stage.available()) - before).toBe(300n);
  });

  test("set aside with a reason, and taken up again", async () => {
    const paid = await stage.pay(100n, ["SUCCESS"]);
    await stage.take([{ reference: "SMSCHARGES1", out: 7n }]);
    const [line] = await stage.lines();
    await setAside(stage.context, { target: line!.lineId, reason });
    await setAside(stage.context, { target: { kind: "paid", subjectId: paid.transferId }, reason });
    expect(await stage.statuses()).toEqual(["SMSCHARGES1 noted"]);
    expect(await listOpenItems(stage.db.server, stage.merchant, { kinds: ["paid"], limit: 9 })).toEqual([]);
    await setAside(stage.context, { target: line!.lineId, reason: null });
    expect(await stage.statuses()).toEqual(["SMSCHARGES1 missing_here"]);
    await expect(setAside(stage.context, { target: 1n, reason })).rejects.toThrow("This line is not open");
  });
});

describe("verify", () => {
  /** The findings after these statements, which are rolled back. */
  async function found(...statements: string[]): Promise<string[]> {
    const connection = await stage.db.owner.connect();
    try {
      await connection.query("begin");
      for (const statement of statements) await connection.query(statement);
      const { violations } = await runChecks(connection, RECONCILIATION_CHECKS, stage.merchant, 10);
      return [...new Set(violations.map(({ check }) => check))];
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  }

  test("finds each invariant that is broken", async () => {
    const paid = await stage.pay(100n, ["SUCCESS"]);
    const other = await stage.pay(100n, ["SUCCESS"]);
    await stage.take([{ reference: utrOf(paid), out: 100n }]);
    expect(await found()).toEqual([]);
    const ofPaid = `merchant_id = ${stage.merchant.merchantId} and subject_id = ${paid.transferId}`;
    const kind = "kind = 'bank_matched'";
    expect(await found(`update journal set amount_paise = 99 where ${ofPaid} and ${kind}`)).toEqual([
      "clearing_of_transfer",
      "matched_posting",
    ]);
    // On a statement, though it was never paid.
    const swapped = `update journal set subject_id = ${other.transferId} where ${ofPaid} and ${kind}`;
    expect(await found(swapped)).toEqual(["matched_posting"]);
    expect(await found(`delete from journal where ${ofPaid} and ${kind}`)).toEqual(["matched_posting"]);
    expect(
      await found(`update statement_line set amount_paise = 99 where merchant_id = ${stage.merchant.merchantId}`),
    ).toEqual(["match_sum"]);
    expect(
      await found(`delete from clearing_item where merchant_id = ${stage.merchant.merchantId} and match_id is null`),
    ).toEqual(["clearing_items"]);
    expect(await found(`update clearing_item set amount_paise = 99, match_id = null where ${ofPaid}`)).toEqual([
      "matched_posting",
      "match_sum",
      "clearing_items",
    ]);
  });
});
