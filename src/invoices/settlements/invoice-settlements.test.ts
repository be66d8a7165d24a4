// Payments that arrive together, on a real database with row-level security between merchants: they share transactions. The effect
// of a single payment is tested over HTTP.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise } from "../../../test/support/franchises.ts";
import { keyed, ORIGIN, SavesStage } from "../../../test/support/invoice-saves.ts";
import type { Invoicing } from "../../../test/support/invoicing.ts";
import { readRoundTrips } from "../../../test/support/round-trips.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import type { IdempotencyKey } from "../../merchants/index.ts";
import { createPool, inTransaction } from "../../platform/database/pool.ts";
import { TenantGroups } from "../../platform/database/tenant.ts";
import { NodalError } from "../../platform/errors.ts";
import { actorOf, type Origin } from "../../platform/origin.ts";
import type { Invoice } from "../invoice.ts";
import { cancelInvoice } from "../saves/update-invoice.ts";
import { InvoiceSettlements } from "./invoice-settlements.ts";

const HELD_MS = 1500;
/** An invoice of `shop.save()`. */
const OWN_PAISE = 11_800n;

let stage: SavesStage;
let settlements: InvoiceSettlements;
let shop: Invoicing;

const open = () => new InvoiceSettlements(new TenantGroups(stage.requests), stage.db.ids, HELD_MS);

beforeAll(async () => {
  stage = await SavesStage.open();
  settlements = open();
});
beforeEach(async () => {
  shop = await stage.newShop();
});
afterAll(() => stage.close());

type SettlementRequest = {
  readonly invoice: Pick<Invoice, "invoiceId">;
  readonly paise: bigint;
  readonly by?: Invoicing;
  readonly origin?: Origin;
  readonly key?: IdempotencyKey;
  readonly notify?: boolean;
};

function ask(
  { invoice, paise, by = shop, origin = ORIGIN, key, notify = false }: SettlementRequest,
  from = settlements,
) {
  const empty = { bankName: "", bankRefNo: "", chequeNo: "", cashPaidTo: "", tdsPaise: 0n, tdsCode: "" };
  const paidDate = Temporal.PlainDate.from("2026-06-10");
  return from.settle(
    { pool: stage.db.server, merchant: by.merchant, origin, idempotency: key ?? null },
    { invoiceId: invoice.invoiceId, amountPaise: paise, paidDate, mode: "UPI", notify, ...empty },
  );
}

/** The due amount after each recorded payment, and the code of each refusal. */
async function outcomes(asked: readonly SettlementRequest[]): Promise<string[]> {
  const settled = await Promise.allSettled(asked.map((each) => ask(each)));
  return settled.map((outcome) => {
    if (outcome.status === "fulfilled") return outcome.value.answer.duePaise;
    return outcome.reason instanceof NodalError ? outcome.reason.code : String(outcome.reason);
  });
}

const save = (count: number, by = shop): Promise<Invoice[]> =>
  Promise.all(Array.from({ length: count }, () => by.save()));

/** The number of transactions that recorded payments of these merchants, and of those that did for several. */
async function countCommits(...shops: readonly Invoicing[]): Promise<{ commits: number; shared: number }> {
  const { rows } = await stage.db.owner.query<{ merchants: number }>(
    `select count(distinct merchant_id)::integer as merchants from journal
     where merchant_id = any ($1) and type = 'settlement.recorded' group by xmin::text`,
    [shops.map(({ merchant }) => merchant.merchantId)],
  );
  return { commits: rows.length, shared: rows.filter(({ merchants }) => merchants > 1).length };
}

test("a hundred at once are recorded in few transactions, and refused ones in their midst change nothing", async () => {
  const invoices = await save(20);
  const [cancelled] = await save(1);
  await cancelInvoice({ pool: stage.db.server, merchant: shop.merchant, idempotency: null }, cancelled!.invoiceId);
  const asked = Array.from({ length: 100 }, (_, index): SettlementRequest => {
    if (index % 5 === 1) return { invoice: cancelled!, paise: 100n };
    if (index % 5 === 3) return { invoice: { invoiceId: 5n }, paise: 100n };
    return { invoice: invoices[index % 20]!, paise: index % 5 === 2 ? OWN_PAISE + 1n : 100n };
  });
  const found = await outcomes(asked);
  for (const [index, outcome] of found.entries()) {
    const refusal = [undefined, "invoice_cancelled", "settlement_exceeds_due", "invoice_not_found"][index % 5];
    if (refusal) expect(outcome).toBe(refusal);
    else expect(Number(outcome)).toBeLessThan(Number(OWN_PAISE));
  }
  const paid = await Promise.all(invoices.map((invoice) => shop.read(invoice)));
  expect(paid.reduce((sum, { paidPaise }) => sum + paidPaise, 0n)).toBe(40n * 100n);
  expect((await countCommits(shop)).commits).toBeLessThanOrEqual(5);
  expect(await shop.violations()).toEqual([]);
});

test("payments of one invoice add up in the order of arrival, until one does not fit", async () => {
  const [invoice] = await save(1);
  const asked = [5000n, 6000n, 900n, 800n, 1n].map((paise) => ({ invoice: invoice!, paise }));
  expect(await outcomes(asked)).toEqual(["6800", "800", "settlement_exceeds_due", "0", "invoice_already_paid"]);
  expect(await shop.read(invoice!)).toMatchObject({ status: "Paid offline", paidPaise: OWN_PAISE });
  const { rows } = await stage.db.owner.query<{ type: string; paid: string }>(
    `select type, after ->> 'paid' as paid from journal
     where merchant_id = $1 and subject_id = $2 and type <> 'invoice.created' order by entry_no`,
    [shop.merchant.merchantId, invoice!.invoiceId],
  );
  expect(rows.map(({ type, paid }) => `${type} ${paid}`)).toEqual([
    "invoice.partially_paid 50.00",
    "invoice.partially_paid 110.00",
    "invoice.paid 118.00",
  ]);
  expect(await shop.violations()).toEqual([]);
});

test("merchants share a transaction, each in its own name, and nobody pays another one's invoice", async () => {
  const other = await stage.newShop();
  const [mine, theirs] = [(await save(1))[0]!, (await save(1, other))[0]!];
  const theirOrigin: Origin = { actor: actorOf("user", "5"), address: null, mayMoveMoney: false };
  const found = await outcomes([
    { invoice: mine, paise: 100n, notify: true },
    { invoice: theirs, paise: 300n, by: other, origin: theirOrigin },
    { invoice: theirs, paise: 100n },
    { invoice: mine, paise: 100n, by: other },
  ]);
  expect(found).toEqual(["11700", "11500", "invoice_not_found", "invoice_not_found"]);
  expect(await countCommits(shop, other)).toEqual({ commits: 1, shared: 1 });
  const { rows } = await stage.db.owner.query<{ actor: string }>(
    "select actor from journal where merchant_id = any ($1) and type = 'settlement.recorded' order by merchant_id",
    [[shop.merchant.merchantId, other.merchant.merchantId]],
  );
  expect(rows.map(({ actor }) => actor)).toEqual([ORIGIN.actor, theirOrigin.actor]);
  const { rows: receipts } = await stage.db.owner.query<{ merchant_id: bigint }>(
    "select merchant_id from notification where merchant_id = any ($1) and kind = 'receipt'",
    [[shop.merchant.merchantId, other.merchant.merchantId]],
  );
  expect(receipts.map(({ merchant_id: id }) => id)).toEqual([shop.merchant.merchantId]);
  for (const each of [shop, other]) expect(await each.violations()).toEqual([]);
});

test("days and books are locked in the round trip of the commit alone", async () => {
  const other = await stage.newShop();
  const pool = withTestSecrets(createPool({ url: stage.db.url, size: 1, role: "nodal_invoices", pipelined: true }));
  const own = new InvoiceSettlements(new TenantGroups(pool), stage.db.ids, HELD_MS);
  try {
    const owing = await Promise.all([shop, other].map(async (by) => ({ by, invoice: await by.save() })));
    const pay = () => Promise.all(owing.map((each) => ask({ ...each, paise: 1n }, own)));
    const sent = await readRoundTrips(pool, pay);
    for (const name of ["count-invoice-days", "count-invoice-months", "record-events", "commit"]) {
      expect(sent.map((text) => text.includes(name))).toEqual([false, false, true]);
    }
  } finally {
    await pool.end();
  }
});

test("an Idempotency-Key is paid for once, at once and later, and stands for no other payment", async () => {
  const [invoice] = await save(1);
  const once: SettlementRequest = { invoice: invoice!, paise: 400n, key: keyed("k1") };
  const asked: SettlementRequest[] = [
    once,
    once,
    { ...once, key: keyed("k1", "another") },
    { ...once, key: keyed("k2") },
  ];
  expect(await outcomes(asked)).toEqual(["11400", "11400", "idempotency_conflict", "11000"]);
  expect(await outcomes([once])).toEqual(["11400"]);
  const tooMuch: SettlementRequest = { invoice: invoice!, paise: OWN_PAISE, key: keyed("k3") };
  expect(await outcomes([tooMuch])).toEqual(["settlement_exceeds_due"]);
  expect(await outcomes([{ ...tooMuch, paise: 11_000n }])).toEqual(["0"]);
});

test("what earns commission, or carries dues, is recorded among the others with all that follows", async () => {
  const franchise = await makeFranchise(stage.db, shop.merchant, DRAFT);
  const earning = await shop.save({ franchiseId: franchise.franchiseId });
  const [first, plain] = await save(2);
  const carrying = await shop.save({ customerId: first!.customerId, carries: [first!.invoiceId] });
  const found = await outcomes([
    { invoice: plain!, paise: 100n },
    { invoice: earning, paise: OWN_PAISE, key: keyed("earning") },
    { invoice: carrying, paise: OWN_PAISE },
    { invoice: plain!, paise: 100n },
  ]);
  expect(found.toSorted()).toEqual(["0", "11600", "11700", "11800"]);
  expect(await outcomes([{ invoice: earning, paise: OWN_PAISE, key: keyed("earning") }])).toEqual(["0"]);
  expect((await commissionOf(stage.db, franchise)).accruedPaise).toBeGreaterThan(0n);
  expect(await shop.read(first!)).toMatchObject({ status: "Paid offline", paidPaise: OWN_PAISE });
  expect(await shop.violations()).toEqual([]);
});

test("one whose invoice something else has locked waits, and keeps nobody waiting who arrived with it", async () => {
  const other = await stage.newShop();
  const [mine, theirs] = [(await save(1))[0]!, (await save(1, other))[0]!];
  const waiting = await inTransaction(stage.db.owner, async (connection) => {
    await connection.query("select from invoice where invoice_id = $1 for update", [mine.invoiceId]);
    const held = outcomes([{ invoice: mine, paise: 100n }]);
    expect(await outcomes([{ invoice: theirs, paise: 100n, by: other }])).toEqual(["11700"]);
    return { held };
  });
  expect(await waiting.held).toEqual(["11700"]);
  await inTransaction(stage.db.owner, async (connection) => {
    await connection.query("select from invoice where invoice_id = $1 for update", [mine.invoiceId]);
    expect(await outcomes([{ invoice: mine, paise: 100n }])).toEqual(["unavailable"]);
  });
  expect(await shop.read(mine)).toMatchObject({ paidPaise: 100n });
});

test("two processes record no more than is due", async () => {
  const [invoice] = await save(1);
  const second = open();
  const asked: SettlementRequest = { invoice: invoice!, paise: 1000n };
  const settled = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) => ask(asked, index % 2 === 0 ? settlements : second)),
  );
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(11);
  expect(await shop.read(invoice!)).toMatchObject({ paidPaise: 11_000n });
  expect(await shop.violations()).toEqual([]);
});
