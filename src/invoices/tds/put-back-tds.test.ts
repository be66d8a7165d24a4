// Putting TDS back on invoices that carry earlier dues or earn commission, on a real database. HTTP is
// test/dashboard/tds-claims.test.ts.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise } from "../../../test/support/franchises.ts";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { dueOf, type Invoice } from "../invoice.ts";
import { putBackTds } from "./put-back-tds.ts";
import { daysOfQuarter, quarterOf } from "./tds-claim.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  shop = await Invoicing.ofNewMerchant(db);
});
afterAll(() => db.close());

const putBack = (claimId: bigint) => putBackTds(shop.alone, { claimId, reason: "Not deposited" });
const duesOf = async (...invoices: readonly Invoice[]): Promise<bigint[]> =>
  (await Promise.all(invoices.map((invoice) => shop.read(invoice)))).map(dueOf);

test("the later invoice of carried dues is due again, and the earlier one by what no longer reaches it", async () => {
  const first = await shop.save();
  const second = await shop.save({ customerId: first.customerId, carries: [first.invoiceId] });
  const claim = await shop.pay(second, 118_00n, 10_00n);
  expect(await duesOf(first, second)).toEqual([0n, 118_00n]);
  await putBack(claim);
  expect(await duesOf(second)).toEqual([128_00n]);
  expect((await shop.read(first)).paidPaise).toBe(108_00n);
  expect(await shop.violations()).toEqual([]);
});

test("of an invoice whose dues a later one carries nothing is put back", async () => {
  const first = await shop.save();
  const claim = await shop.pay(first, 50_00n, 10_00n);
  const second = await shop.save({ customerId: first.customerId, carries: [first.invoiceId] });
  await expect(putBack(claim)).rejects.toMatchObject({ code: "invoice_carried_forward" });
  expect(await duesOf(second)).toEqual([186_00n]);
  expect(await shop.violations()).toEqual([]);
});

test("the franchise earns less until the customer pays", async () => {
  const terms = { ...DRAFT.terms, commissionType: "Percentage", commissionHundredths: 1000n } as const;
  const franchise = await makeFranchise(db, shop.merchant, { terms });
  const invoice = await shop.save({ franchiseId: franchise.franchiseId });
  const claim = await shop.pay(invoice, 118_00n, 11_80n);
  expect((await commissionOf(db, franchise)).duePaise).toBe(10_00n);
  await putBack(claim);
  expect((await commissionOf(db, franchise)).duePaise).toBe(9_00n);
  await shop.pay(invoice, 11_80n);
  expect((await commissionOf(db, franchise)).duePaise).toBe(10_00n);
  expect(await shop.violations()).toEqual([]);
});

test("quarters are those of the financial year", () => {
  const names = ["2026-03-31", "2026-04-01", "2026-09-30", "2026-12-31", "2027-01-01", "2099-04-01"].map((day) =>
    quarterOf(Temporal.PlainDate.from(day)),
  );
  expect(names).toEqual(["2025-26-Q4", "2026-27-Q1", "2026-27-Q2", "2026-27-Q3", "2026-27-Q4", "2099-00-Q1"]);
  const days = daysOfQuarter("2026-27-Q4")!;
  expect([days.from.toString(), days.to.toString()]).toEqual(["2027-01-01", "2027-03-31"]);
  expect(["2026-28-Q1", "2026-27-Q0", "2026-27", "26-27-Q1"].map(daysOfQuarter)).toEqual([null, null, null, null]);
});
