// Receipts of customers recorded from lines of bank statements: one line is one receipt, until that is reversed.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Invoicing } from "../../test/support/invoicing.ts";
import { SavesStage } from "../../test/support/invoice-saves.ts";
import type { LedgerDatabase } from "../../test/support/ledger.ts";
import { findReceiptsOfLines, recordReceipt, reverseReceipt } from "../invoices/index.ts";
import { verify } from "../payouts/index.ts";
import { NodalError } from "../platform/errors.ts";
import { findForgedStatements } from "./find-forged.ts";
import { importStatement } from "./import-statement.ts";
import { reconcile } from "./reconcile.ts";
import { bookAsFunding, matchByHand, setAside } from "./resolve.ts";
import { searchLines, type StatementLine } from "./statement-store.ts";
import { csv, killEachTime, type Written } from "./testing.ts";
import { RECONCILIATION_CHECKS } from "./verify-store.ts";

const DAY = Temporal.PlainDate.from("2026-11-20");
const PAID = 150_00n;
const NEFT: Written = { reference: "ICICN52026112000000001", narration: "NEFT CR-MALNAD MILLS", in: PAID };

let stage: SavesStage;
let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  stage = await SavesStage.open();
  db = stage.db;
});
beforeEach(async () => {
  shop = await Invoicing.ofNewMerchant(db);
});
afterAll(() => stage.close());

const linesOf = (of: Invoicing): Promise<StatementLine[]> =>
  searchLines(db.server, of.merchant, { accountId: null, from: null, to: null, state: null, after: null, limit: 100 });

/** The imported lines of a statement with these lines. */
async function take(...lines: readonly Written[]): Promise<StatementLine[]> {
  const context = { pool: db.server, ids: db.ids, merchant: shop.merchant, accounts: db.server };
  await importStatement(context, { account: "HDFC", fileName: "day.csv", bytes: csv(lines) });
  await reconcile(context);
  return linesOf(shop);
}

const EMPTY = {
  bankName: "",
  bankRefNo: "",
  chequeNo: "",
  cashPaidTo: "",
  reference: "",
  tdsPaise: 0n,
  tdsCode: "",
  importKey: null,
};

/** Records a customer's receipt from a line. */
async function record(customerId: bigint, statementLineId: bigint, changes = {}, context = shop.alone) {
  const payment = { ...EMPTY, amountPaise: PAID, paidDate: DAY, mode: "NEFT", statementLineId, ...changes };
  return BigInt(
    (await recordReceipt(context, { customerId, payment, allocations: null, advanceGst: null, notify: false })).answer,
  );
}
const reverse = (receiptId: bigint) => reverseReceipt(shop.alone, { receiptId, reason: "Wrong customer" });
const refusalOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof NodalError ? (error.errors[0]?.problem ?? error.message) : String(error)),
  );

async function expectSound(): Promise<void> {
  expect(await shop.violations()).toEqual([]);
  expect((await verify(db.owner, shop.merchant, RECONCILIATION_CHECKS)).violations).toEqual([]);
  expect(await findForgedStatements(db.server, shop.merchant)).toEqual([]);
}

test("a line pays several invoices, and is open again once its receipt is reversed", async () => {
  const first = await shop.save();
  const second = await shop.save({ customerId: first.customerId });
  const [line] = await take(NEFT);
  const receiptId = await record(first.customerId, line!.lineId);
  expect((await shop.read(first)).paidPaise).toBe(118_00n);
  expect((await shop.read(second)).paidPaise).toBe(32_00n);
  const [receipt] = await findReceiptsOfLines(db.server, shop.merchant, [line!.lineId]);
  expect(receipt).toMatchObject({ receiptId, statementLineId: line!.lineId });
  expect(await linesOf(shop)).toMatchObject([{ state: "noted", note: `Receipt ${receipt!.receiptNumber}` }]);
  await expectSound();

  await reverse(receiptId);
  expect(await linesOf(shop)).toMatchObject([{ state: "missing_here", note: null }]);
  expect((await shop.read(first)).paidPaise).toBe(0n);
  await expectSound();
  expect(await record(first.customerId, line!.lineId)).not.toBe(receiptId);
  expect(await linesOf(shop)).toMatchObject([{ state: "noted" }]);
  await expectSound();
});

test("several lines pay one invoice, and the invoice's TDS is beside the line's money", async () => {
  const invoice = await shop.save();
  const lines = await take({ ...NEFT, in: 50_00n }, { reference: "ICICN52026112000000002", in: 60_00n });
  await record(invoice.customerId, lines[0]!.lineId, { amountPaise: 50_00n });
  await record(invoice.customerId, lines[1]!.lineId, { amountPaise: 68_00n, tdsPaise: 8_00n, tdsCode: "194C" });
  expect(await shop.read(invoice)).toMatchObject({ paidPaise: 118_00n, status: "Paid offline" });
  await expectSound();
});

test("two processes with a hundred requests record one receipt from a line, or one funding", async () => {
  const { customerId } = await shop.save();
  const lines = await take(NEFT, { ...NEFT, reference: "ICICN52026112000000003" });
  const [contested, other] = lines.map(({ lineId }) => lineId);
  const contexts = [stage.saves, stage.otherProcess()].map(({ inTurn }) => ({ ...shop.alone, inTurn }));
  const asked = Array.from({ length: 100 }, (_, place) => record(customerId, contested!, {}, contexts[place % 2]));
  const funding = { pool: db.server, ids: db.ids, merchant: shop.merchant };
  const both = Array.from({ length: 20 }, (_, place) =>
    place % 2 === 0 ? record(customerId, other!, {}, contexts[1]) : bookAsFunding(funding, other!).then(() => 0n),
  );
  const [receipts, either] = await Promise.all([Promise.allSettled(asked), Promise.allSettled(both)]);
  expect(receipts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const codes = receipts.flatMap((each) => (each.status === "rejected" ? [(each.reason as NodalError).code] : []));
  expect([...new Set(codes)]).toEqual(["validation_failed"]);
  expect(await findReceiptsOfLines(db.server, shop.merchant, [contested!])).toHaveLength(1);

  const recorded = await findReceiptsOfLines(db.server, shop.merchant, [other!]);
  const { rows } = await db.owner.query<{ count: number }>(
    "select count(*)::int as count from journal where merchant_id = $1 and type = 'balance.funded'",
    [shop.merchant.merchantId],
  );
  expect(recorded.length + rows[0]!.count).toBe(1);
  expect(either.filter(({ status }) => status === "fulfilled")).not.toEqual([]);
  await expectSound();
});

test("a process that is killed at any statement leaves an open line, or a whole receipt", async () => {
  const { customerId } = await shop.save();
  const [line] = await take(NEFT);
  let deaths = 0;
  await killEachTime(
    db.server,
    (pool) => record(customerId, line!.lineId, {}, { ...shop.alone, pool }),
    async () => {
      deaths += 1;
      expect(await findReceiptsOfLines(db.server, shop.merchant, [line!.lineId])).toEqual([]);
      expect(await linesOf(shop)).toMatchObject([{ state: "missing_here" }]);
    },
  );
  expect(deaths).toBeGreaterThan(5);
  expect(await findReceiptsOfLines(db.server, shop.merchant, [line!.lineId])).toHaveLength(1);
  await expectSound();
});

test("a line of a receipt is resolved by nothing else", async () => {
  const { customerId } = await shop.save();
  const [line] = await take(NEFT);
  const { lineId } = line!;
  await record(customerId, lineId);
  const context = { pool: db.server, ids: db.ids, merchant: shop.merchant };
  const said = /^Line \d+ is the receipt RCT-2627-00001: reverse the receipt first\.$/;
  for (const work of [
    () => record(customerId, lineId),
    () => setAside(context, { target: lineId, reason: null }),
    () => setAside(context, { target: lineId, reason: "Other" }),
    () => bookAsFunding(context, lineId),
    () => matchByHand(context, { lineIds: [lineId], items: [], reason: "Other" }),
  ]) {
    expect(await refusalOf(work())).toMatch(said);
  }
  await expectSound();
});

test("debits, lines set aside, another merchant's lines, and other amounts or days are refused, and nothing is saved", async () => {
  const { customerId } = await shop.save();
  const [credit, debit, aside] = await take(
    NEFT,
    { reference: "OUT0001", out: PAID },
    { ...NEFT, reference: "ASIDE01" },
  );
  await setAside(
    { pool: db.server, ids: db.ids, merchant: shop.merchant },
    {
      target: aside!.lineId,
      reason: "Rent",
    },
  );
  const other = await Invoicing.ofNewMerchant(db);
  const foreign = await other.save();
  const refused = [
    [() => record(customerId, debit!.lineId), "only a credit can be recorded as a receipt"],
    [() => record(customerId, aside!.lineId), "is set aside: reopen it first"],
    [() => record(customerId, credit!.lineId, { amountPaise: 151_00n }), "must be ₹150.00"],
    [() => record(customerId, credit!.lineId, { paidDate: DAY.add({ days: 1 }) }), "must be 2026-11-20"],
    [() => record(foreign.customerId, credit!.lineId, {}, other.alone), "This line is not open"],
    [() => record(customerId, 1n), "This line is not open"],
  ] as const;
  for (const [work, said] of refused) expect(await refusalOf(work())).toContain(said);
  const { rows } = await db.owner.query("select 1 from receipt where merchant_id = any ($1)", [
    [shop.merchant.merchantId, other.merchant.merchantId],
  ]);
  expect(rows).toEqual([]);
  expect((await linesOf(shop)).map(({ state }) => state)).toEqual(["missing_here", "missing_here", "noted"]);
  await expectSound();
});
