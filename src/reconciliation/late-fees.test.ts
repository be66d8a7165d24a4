// Fees on a statement before the provider reports them: only an operator can book one, up to a cap, and it can be reversed.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { NewTransfer } from "../payouts/transfer-store.ts";
import { bookFee } from "./book-fee.ts";
import { reconcile } from "./reconcile.ts";
import { setAside } from "./resolve.ts";
import type { StatementLine } from "./statement-store.ts";
import { killEachTime, Stage, utrOf } from "./testing.ts";
import { undoFee, undoMatches } from "./undo.ts";
import { changeMerchants } from "../../test/support/reprove.ts";

let stage: Stage;
const reason = "Not our fee";
const FEE = { feePaise: 500n, taxPaise: 90n };

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.db.close());
beforeEach(() => stage.newMerchant());
afterEach(async () => {
  const violations = await stage.violations();
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
});

async function lineOf(transfer: NewTransfer, narration = "Fee"): Promise<StatementLine> {
  const line = (await stage.lines()).find(
    (each) => each.reference === utrOf(transfer) && each.narration === narration && each.state !== "matched",
  );
  return line!;
}

/** A payment whose provider has reported no fee, and a statement that shows one. */
async function payWithFeeLine(feePaise = 590n): Promise<NewTransfer> {
  const paid = await stage.pay(70_000n, ["SUCCESS"]);
  await stage.take([
    { reference: utrOf(paid), out: 70_000n },
    { reference: utrOf(paid), narration: "Fee", out: feePaise },
  ]);
  return paid;
}

describe("a fee in a statement", () => {
  test("moves nobody's money, however many there are: a statement is a file that anybody can write", async () => {
    const paid: NewTransfer[] = [];
    for (let i = 0; i < 8; i += 1) paid.push(await stage.pay(100n, ["SUCCESS"]));
    const before = await stage.available();
    await stage.take([
      ...paid.map((transfer) => ({ narration: `Service charges ${utrOf(transfer)}`, out: 49_999n })),
      ...paid.map((transfer) => ({ narration: `GST on fee ${utrOf(transfer)}`, out: 1n })),
    ]);
    await Promise.all([reconcile(stage.context), reconcile(stage.context)]);
    expect(await stage.available()).toBe(before);
    expect(await stage.owed()).toBe(0n);
    expect(await stage.countPostings("fee")).toBe(0);
    expect((await stage.lines()).map(({ difference }) => difference)).toEqual(Array(16).fill("fee"));
  });

  test("waits for the provider's report, which books and matches it", async () => {
    const paid = await payWithFeeLine();
    expect((await lineOf(paid)).difference).toBe("fee");
    await stage.report(paid, "SUCCESS", FEE);
    await reconcile(stage.context);
    expect((await stage.statuses()).at(-1)).toBe(`${utrOf(paid)} matched utr`);
    expect(await stage.clearingOf(paid)).toEqual([0n]);
  });

  test("waits for an operator, who books it once, also of many at once", async () => {
    const paid = await stage.pay(50_000n, ["SUCCESS"]);
    await stage.take([
      { reference: utrOf(paid), out: 50_000n },
      { reference: utrOf(paid), narration: "Fee", out: 500n },
      { reference: utrOf(paid), narration: "GST on fee", out: 90n },
    ]);
    const before = await stage.available();
    const { lineId } = await lineOf(paid);
    const booked = await Promise.allSettled(Array.from({ length: 6 }, () => bookFee(stage.context, lineId)));
    expect(booked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(before - (await stage.available())).toBe(590n);
    expect(await stage.statuses()).toEqual([
      `${utrOf(paid)} matched utr`,
      `${utrOf(paid)} matched hand`,
      `${utrOf(paid)} matched hand`,
    ]);
    // The provider's later report, and another line, charge nothing more.
    await stage.report(paid, "SUCCESS", FEE);
    await stage.take([{ reference: utrOf(paid), narration: "Fee again", out: 590n }]);
    expect(before - (await stage.available())).toBe(590n);
    await expect(bookFee(stage.context, (await lineOf(paid, "Fee again")).lineId)).rejects.toThrow(
      "is not the fee of a payment",
    );
  });

  test("is the platform's where the platform bears fees, and may be owed where too little is available", async () => {
    const owing = await payWithFeeLine(700n);
    const all = await stage.available();
    await stage.pay(all - 200n, ["PENDING"]);
    await bookFee(stage.context, (await lineOf(owing)).lineId);
    expect([await stage.available(), await stage.owed()]).toEqual([0n, 500n]);
    await stage.newMerchant();
    await changeMerchants(stage.db.owner, "update merchant set fees_paid_by = 'platform' where merchant_id = $1", [
      stage.merchant.merchantId,
    ]);
    const paid = await payWithFeeLine();
    const before = await stage.available();
    const feeId = await bookFee(stage.context, (await lineOf(paid)).lineId);
    expect(await stage.available()).toBe(before);
    await undoFee(stage.context, { feeId, reason });
    expect(await stage.available()).toBe(before);
  });

  test.each([
    ["of an account without any known fee, up to ₹59.00", null, 5_900n, 5_901n],
    ["up to twice the largest that the provider has reported over the account", FEE, 1_180n, 1_181n],
    ["up to ₹500.00 in any case", { feePaise: 40_000n, taxPaise: 0n }, 50_000n, 50_001n],
  ])("%s", async (_what, known, most, tooMuch) => {
    if (known) await stage.pay(60_000n, ["SUCCESS"], known);
    const forged = await payWithFeeLine(tooMuch);
    const before = await stage.available();
    await expect(bookFee(stage.context, (await lineOf(forged)).lineId)).rejects.toThrow("is too high");
    expect(await stage.available()).toBe(before);
    const right = await payWithFeeLine(most);
    await bookFee(stage.context, (await lineOf(right)).lineId);
    expect(before - (await stage.available())).toBe(70_000n + most);
    // A fee that an operator booked doesn't raise the cap of the next one.
    await expect(bookFee(stage.context, (await lineOf(forged)).lineId)).rejects.toThrow("is too high");
  });

  test("of a payment that failed, or with a third line, is not booked", async () => {
    const failed = await stage.pay(900n, ["FAILED"]);
    const three = await stage.pay(800n, ["SUCCESS"]);
    await stage.take([
      { reference: utrOf(failed), narration: "Fee", out: 590n },
      ...[1n, 2n, 3n].map((out) => ({ reference: utrOf(three), narration: "Fee", out })),
    ]);
    for (const transfer of [failed, three])
      await expect(bookFee(stage.context, (await lineOf(transfer)).lineId)).rejects.toThrow(
        "is not the fee of a payment",
      );
    await expect(bookFee(stage.context, 1n)).rejects.toThrow("This line is not open");
  });
});

describe("a booked fee is taken back", () => {
  test("once, with its match, and debt is settled first", async () => {
    const paid = await payWithFeeLine(700n);
    const before = await stage.available();
    await stage.pay(before - 200n, ["PENDING"]);
    const feeId = await bookFee(stage.context, (await lineOf(paid)).lineId);
    expect([await stage.available(), await stage.owed()]).toEqual([0n, 500n]);
    const asked = await Promise.all(Array.from({ length: 6 }, () => undoFee(stage.context, { feeId, reason })));
    expect(asked.filter(Boolean)).toHaveLength(1);
    expect([await stage.available(), await stage.owed()]).toEqual([200n, 0n]);
    expect(await stage.countPostings("late_fee_undone")).toBe(1);
    expect(await lineOf(paid)).toMatchObject({ state: "different", difference: "undone", note: reason });
    await expect(undoFee(stage.context, { feeId: paid.transferId, reason })).rejects.toThrow("No fee");
  });

  test("then the provider's report books its own, or the operator a right one", async () => {
    const [paid, other] = [await payWithFeeLine(), await payWithFeeLine()];
    const before = await stage.available();
    for (const transfer of [paid, other]) {
      const feeId = await bookFee(stage.context, (await lineOf(transfer)).lineId);
      await undoFee(stage.context, { feeId, reason });
    }
    expect(await stage.available()).toBe(before);
    await stage.report(paid, "SUCCESS", FEE);
    expect(before - (await stage.available())).toBe(590n);
    // Its line waits for a person, who reopens it.
    await reconcile(stage.context);
    expect((await lineOf(paid)).difference).toBe("undone");
    for (const transfer of [paid, other]) {
      await setAside(stage.context, { target: (await lineOf(transfer)).lineId, reason: null });
    }
    await reconcile(stage.context);
    expect(await lineOf(paid)).toBeUndefined();
    await bookFee(stage.context, (await lineOf(other)).lineId);
    expect(before - (await stage.available())).toBe(1180n);
  });

  test("also where its match was undone before, and a server that dies has done all of it or nothing", async () => {
    const paid = await payWithFeeLine();
    const before = await stage.available();
    const { lineId } = await lineOf(paid);
    await killEachTime(
      stage.db.server,
      (pool) => bookFee({ ...stage.context, pool }, lineId),
      async () => {
        expect(await stage.available()).toBe(before);
        expect(await stage.countPostings("late_fee")).toBe(0);
      },
    );
    const [line] = (await stage.lines()).filter((each) => each.lineId === lineId);
    const [feeId] = await stage.lateFees();
    await undoMatches(stage.context, { matchIds: [line!.matchId!], reason });
    expect(before - (await stage.available())).toBe(590n);
    await killEachTime(
      stage.db.server,
      (pool) => undoFee({ ...stage.context, pool }, { feeId: feeId!, reason }),
      async () => expect(before - (await stage.available())).toBe(590n),
    );
    expect(await stage.available()).toBe(before);
  });

  test("not where the provider gave it back itself, with a reversal", async () => {
    const paid = await payWithFeeLine();
    const before = await stage.available();
    const feeId = await bookFee(stage.context, (await lineOf(paid)).lineId);
    await stage.report(paid, "REVERSED", FEE);
    expect((await stage.available()) - before).toBe(70_000n);
    await expect(undoFee(stage.context, { feeId, reason })).rejects.toThrow("can't be returned twice");
    expect((await stage.available()) - before).toBe(70_000n);
  });
});
