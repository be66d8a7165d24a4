// Matches statements with the ledger: each match is posted once and brings the transfer's clearing to zero; every other line gets a
// reason.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WriteContext } from "../merchants/index.ts";
import type { NewTransfer } from "../payouts/transfer-store.ts";
import { listOpenItems } from "./clearing-store.ts";
import { importStatement } from "./import-statement.ts";
import { shownUntil } from "./list-lines.ts";
import { reconcile } from "./reconcile.ts";
import { csv, Stage, utrOf } from "./testing.ts";

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

describe("what belongs together", () => {
  test("a payment, a returned one with both of its lines, and fees: clearing reaches zero", async () => {
    const paid = await stage.pay(50_000n, ["SUCCESS"], { feePaise: 500n, taxPaise: 90n });
    const back = await stage.pay(70_000n, ["SUCCESS", "REVERSED"]);
    expect(await stage.clearingOf(paid)).toEqual([50_590n]);
    await stage.take([
      { reference: utrOf(paid), out: 50_000n },
      // Banks write it in lower case, padded, or inside the narration.
      { narration: `IMPS RETURN/${utrOf(back).toLowerCase()}/RAVI`, in: 70_000n },
      { reference: `00000${utrOf(back)}`, out: 70_000n },
      // The fee and its tax add up to the two postings.
      { reference: utrOf(paid), narration: "Fee", out: 500n },
      { reference: utrOf(paid), narration: "GST on fee", out: 90n },
    ]);
    expect(await stage.statuses()).toEqual([
      `${utrOf(paid)} matched utr`,
      "none matched utr",
      `00000${utrOf(back)} matched utr`,
      `${utrOf(paid)} matched utr`,
      `${utrOf(paid)} matched utr`,
    ]);
    expect(await stage.clearingOf(paid, back)).toEqual([0n, 0n]);
    expect([await stage.countPostings("bank_matched"), await stage.countPostings("return_matched")]).toEqual([2, 1]);
  });

  test("one line for several payments of one UTR, and several lines for one payment", async () => {
    const [one, two, three] = [
      await stage.pay(100n, ["SUCCESS"]),
      await stage.pay(200n, ["SUCCESS"]),
      await stage.pay(900n, ["SUCCESS"]),
    ];
    await stage.db.owner.query(
      "update transfer set utr = 'HDFCBATCH0001' where merchant_id = $1 and transfer_id = any ($2)",
      [stage.merchant.merchantId, [one.transferId, two.transferId]],
    );
    await stage.take([
      { reference: "HDFCBATCH0001", out: 300n },
      { reference: utrOf(three), out: 400n },
      { reference: utrOf(three), out: 500n },
    ]);
    expect(await stage.statuses()).toEqual(
      Array.from({ length: 3 }, (_, i) => `${i === 0 ? "HDFCBATCH0001" : utrOf(three)} matched utr`),
    );
    expect(await stage.clearingOf(one, two, three)).toEqual([0n, 0n, 0n]);
  });

  test("a fee that a statement is the first to show waits, and is matched once the provider reports it", async () => {
    const silent = await stage.pay(50_000n, ["SUCCESS"]);
    const back = await stage.pay(60_000n, ["SUCCESS", "REVERSED"]);
    const said = await stage.pay(70_000n, ["SUCCESS"], { feePaise: 500n, taxPaise: 90n });
    const failed = await stage.pay(90_000n, ["FAILED"]);
    const lines = [
      { reference: utrOf(silent), out: 50_000n },
      { reference: utrOf(silent), narration: "Fee", out: 590n },
      { reference: utrOf(back), out: 60_000n },
      { reference: utrOf(back), in: 60_000n },
      { reference: utrOf(back), narration: "Fee", out: 500n },
      { reference: utrOf(back), narration: "GST on fee", out: 90n },
      { reference: utrOf(said), out: 70_000n },
      { reference: utrOf(said), narration: "Fee", out: 490n },
      { reference: utrOf(failed), narration: "Fee", out: 590n },
    ];
    await Promise.all([stage.take(lines), stage.take(lines, "HDFC")]);
    const states = async () => (await stage.lines()).map(({ state, difference }) => difference ?? state);
    const [fees, rest] = [
      ["matched", "matched", "fee", "fee"],
      ["matched", "amount", "failed"],
    ];
    expect(await states()).toEqual(["matched", "fee", ...fees, ...rest]);
    for (const transfer of [silent, back]) await stage.report(transfer, "SUCCESS", { feePaise: 500n, taxPaise: 90n });
    await reconcile(stage.context);
    expect(await states()).toEqual([...Array<string>(6).fill("matched"), ...rest]);
    expect(await stage.clearingOf(silent, back)).toEqual([0n, 0n]);
  });

  test("a day's fees in one line", async () => {
    const fee = { feePaise: 500n, taxPaise: 90n };
    const paid = [await stage.pay(50_000n, ["SUCCESS"], fee), await stage.pay(60_000n, ["SUCCESS"], fee)];
    const today = Temporal.Now.zonedDateTimeISO(stage.merchant.timeZone).toPlainDate().toString();
    await stage.take([
      { narration: "PAYOUT CHARGES", out: 1180n, day: today },
      { narration: "PAYOUT CHARGES", out: 1181n, day: today },
      ...paid.map((transfer) => ({ reference: utrOf(transfer), out: transfer.amountPaise })),
    ]);
    const states = (await stage.lines()).map(({ state, matchedBy }) => `${state} ${matchedBy}`).toSorted();
    expect(states).toEqual(["matched sum", "matched utr", "matched utr", "missing_here null"]);
    expect(await stage.clearingOf(...paid)).toEqual([0n, 0n]);
  });

  test("the fees of several days in one line, less what came back with a payment; and what is left in the next", async () => {
    const fee = { feePaise: 500n, taxPaise: 90n };
    const zone = stage.merchant.timeZone;
    const today = Temporal.Now.zonedDateTimeISO(zone).toPlainDate();
    const dayBefore = (days: number) => today.subtract({ days });
    const at = (days: number) => dayBefore(days).toZonedDateTime({ timeZone: zone, plainTime: "11:00" }).toInstant();
    // Nothing went out on the fourth day before.
    for (const days of [9, 6, 5, 3, 3, 0]) {
      const paid = await stage.pay(50_000n, []);
      await stage.report(paid, "SUCCESS", fee, at(days));
      if (days === 5) await stage.report(paid, "REVERSED", fee, at(3));
    }
    await stage.take([
      { narration: "PAYOUT CHARGES", out: 4n * 590n - 590n, day: dayBefore(2).toString() },
      { narration: "PAYOUT CHARGES", out: 590n, day: today.toString() },
    ]);
    expect(await stage.statuses()).toEqual(["none matched sum", "none matched sum"]);
    expect([await stage.countPostings("fee_matched"), await stage.countPostings("fee_return_matched")]).toEqual([5, 1]);
    expect(await stage.violations()).toEqual([]);
  });

  test("a payment and its fee in one line each way, as accounts show them that are charged at once", async () => {
    const fee = { feePaise: 100n, taxPaise: 18n };
    const paid = await stage.pay(100n, ["SUCCESS", "REVERSED"], fee);
    await stage.take([
      { reference: utrOf(paid), out: 218n },
      { reference: utrOf(paid), in: 218n },
    ]);
    expect(await stage.statuses()).toEqual([`${utrOf(paid)} matched utr`, `${utrOf(paid)} matched utr`]);
    expect(await stage.clearingOf(paid)).toEqual([0n]);
    expect(await stage.violations()).toEqual([]);
  });

  test("by the merchant's own reference with the same amount, and never by a part of one", async () => {
    const paid = await stage.pay(100n, ["SUCCESS"]);
    const [whole, part] = [`ORDER ${paid.transferId}`, `${paid.transferId}`];
    await stage.take([
      { narration: `x/ORDER${part}/y`, out: 101n },
      { narration: `x/ORDER${part}0/y`, out: 100n },
    ]);
    expect(await stage.statuses()).toEqual(["none missing_here", "none missing_here"]);
    await stage.take([{ reference: whole, out: 100n }]);
    expect((await stage.statuses()).at(-1)).toBe(`${whole} matched reference`);
  });

  test("what came after the statement is found later: a UTR, a success, a return", async () => {
    const late = await stage.pay(100n, ["PENDING"]);
    const back = await stage.pay(200n, ["SUCCESS"]);
    await stage.take([
      { reference: utrOf(late), out: 100n },
      { reference: utrOf(back), out: 200n },
      { reference: utrOf(back), in: 200n },
    ]);
    expect(await stage.statuses()).toEqual([
      `${utrOf(late)} missing_here`,
      `${utrOf(back)} matched utr`,
      `${utrOf(back)} different side`,
    ]);
    await stage.report(late, "SUCCESS");
    await stage.report(back, "REVERSED");
    expect(await reconcile(stage.context)).toEqual({ matchedLines: 2, openLines: 0 });
    expect(await stage.clearingOf(late, back)).toEqual([0n, 0n]);
  });
});

describe("what differs", () => {
  test("amount, side, failed here and paid there, paid twice, unknown", async () => {
    const [amount, side, twice] = [
      await stage.pay(100n, ["SUCCESS"]),
      await stage.pay(200n, ["SUCCESS"]),
      await stage.pay(300n, ["SUCCESS"]),
    ];
    const failed = await stage.pay(400n, ["FAILED"]);
    await stage.take([
      { reference: utrOf(amount), out: 101n },
      { reference: utrOf(side), in: 200n },
      { reference: utrOf(twice), out: 300n },
      { reference: utrOf(twice), out: 300n },
      { reference: utrOf(failed), out: 400n },
      { reference: "SOMEBODYELSES1", out: 5n },
    ]);
    expect(await stage.statuses()).toEqual([
      `${utrOf(amount)} different amount`,
      `${utrOf(side)} different side`,
      `${utrOf(twice)} matched utr`,
      `${utrOf(twice)} different again`,
      `${utrOf(failed)} different failed`,
      "SOMEBODYELSES1 missing_here",
    ]);
    expect(await stage.countPostings("bank_matched")).toBe(1);
    // The bank refunds the failed payment: the two lines match each other, and no money has moved.
    await stage.take([{ reference: utrOf(failed), in: 400n }]);
    expect((await stage.statuses()).filter((text) => text.startsWith(utrOf(failed)))).toEqual([
      `${utrOf(failed)} matched utr`,
      `${utrOf(failed)} matched utr`,
    ]);
    expect(await stage.countPostings("bank_matched")).toBe(1);
  });

  test("what no statement has shown is missing there, once banks have had their time", async () => {
    const paid = await stage.pay(100n, ["SUCCESS"]);
    await stage.take([]).catch(() => {});
    await reconcile(stage.context);
    const kinds = ["paid", "returned", "fee", "funding"] as const;
    const open = await listOpenItems(stage.db.server, stage.merchant, { kinds, limit: 10 });
    expect(open.map(({ kind, subjectId }) => [kind, kind === "paid" ? subjectId : null])).toEqual([
      ["funding", null],
      ["paid", paid.transferId],
    ]);
    const to = shownUntil(stage.merchant);
    expect(await listOpenItems(stage.db.server, stage.merchant, { kinds, to, limit: 10 })).toEqual([]);
    const sunday = Temporal.Instant.from("2026-11-22T06:00:00Z");
    // Friday and the third Saturday were working days, so Thursday was the third one before.
    expect(shownUntil(stage.merchant, sunday).toString()).toBe("2026-11-18");
  });
});

describe("once", () => {
  test("the same file again, and one that overlaps; equal lines of one file are two", async () => {
    const paid = [await stage.pay(100n, ["SUCCESS"]), await stage.pay(200n, ["SUCCESS"])];
    const charge = { narration: "SMS", out: 7n };
    const first = [{ reference: utrOf(paid[0]!), out: 100n }, charge, charge];
    expect(await stage.take(first)).toMatchObject({ lineCount: 3, newCount: 3 });
    expect(await stage.take(first)).toMatchObject({ lineCount: 3, newCount: 0 });
    expect(await stage.take([...first, { reference: utrOf(paid[1]!), out: 200n }])).toMatchObject({
      lineCount: 4,
      newCount: 1,
    });
    expect(await stage.lines()).toHaveLength(4);
    expect(await stage.countPostings("bank_matched")).toBe(2);
    // The same line in another account counts as another line: it is listed, but not posted again.
    expect(await stage.take([first[0]!], "Cashfree")).toMatchObject({ newCount: 1 });
    expect((await stage.statuses()).filter((text) => text.endsWith("different again"))).toHaveLength(1);
    expect(await stage.countPostings("bank_matched")).toBe(2);
  });

  test("many at once, each cut off somewhere", async () => {
    const paid: NewTransfer[] = [];
    for (let i = 0; i < 30; i += 1) paid.push(await stage.pay(100n + BigInt(i), ["SUCCESS"]));
    const lines = paid.map((transfer) => ({ reference: utrOf(transfer), out: transfer.amountPaise }));
    const taken = await Promise.all(
      Array.from(
        { length: 6 },
        async () =>
          (await importStatement(stage.context, { account: "HDFC", fileName: "f", bytes: csv(lines) })).newCount,
      ),
    );
    expect(taken.toSorted((one, other) => other - one)).toEqual([30, 0, 0, 0, 0, 0]);
    const cut = { ...stage.context, pool: cutOff(stage.context.pool, 2) };
    await expect(reconcile(cut)).rejects.toThrow("cut off");
    await Promise.all(Array.from({ length: 4 }, () => reconcile(stage.context)));
    expect(await stage.countPostings("bank_matched")).toBe(30);
    expect(await stage.clearingOf(...paid)).toEqual(paid.map(() => 0n));
  });

  test("which columns are what is remembered, and other headings are read as they are", async () => {
    const file = (text: string) => new TextEncoder().encode(text);
    const own = file("Day,What,Gone,Come,Ref No\n20/11/2026,A,1.00,,X\n");
    const given = {
      account: "HDFC",
      fileName: "a.csv",
      mapping: { date: "Day", debit: "Gone", credit: "Come", narration: "What" },
    };
    await expect(importStatement(stage.context, { ...given, mapping: null, bytes: own })).rejects.toThrow(
      "no heading row",
    );
    await importStatement(stage.context, { ...given, bytes: own });
    const next = file("Day,What,Gone,Come,Ref No\n21/11/2026,B,2.00,,X\n");
    await importStatement(stage.context, { account: "HDFC", fileName: "b.csv", bytes: next });
    await stage.take([{ out: 3n }]);
    expect((await stage.lines()).map(({ amountPaise, narration }) => [amountPaise, narration])).toEqual([
      [100n, "A"],
      [3n, "NEFT"],
      [200n, "B"],
    ]);
  });

  test("a bad file changes nothing", async () => {
    const before = await stage.db.owner.query("select last_entry_no from ledger_book where merchant_id = $1", [
      stage.merchant.merchantId,
    ]);
    await expect(stage.take([{ out: 1n }, { reference: "4.12E+11", out: 2n }])).rejects.toThrow("Line 3, Ref No");
    expect(await stage.lines()).toEqual([]);
    const after = await stage.db.owner.query("select last_entry_no from ledger_book where merchant_id = $1", [
      stage.merchant.merchantId,
    ]);
    expect(after.rows).toEqual(before.rows);
  });
});

/** A pool that hands out a limited number of connections. */
function cutOff(pool: WriteContext["pool"], connections: number): WriteContext["pool"] {
  let given = 0;
  return {
    query: pool.query.bind(pool),
    connect: (() => {
      given += 1;
      return given > connections ? Promise.reject(new Error("cut off")) : pool.connect();
    }) as typeof pool.connect,
  };
}
