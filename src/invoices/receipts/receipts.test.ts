// Receipts on a real database, in situations that HTTP can't create: carried dues, commission, and several processes at once.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise } from "../../../test/support/franchises.ts";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { SavesStage } from "../../../test/support/invoice-saves.ts";
import type { LedgerDatabase } from "../../../test/support/ledger.ts";
import { NodalError } from "../../platform/errors.ts";
import type { Invoice } from "../invoice.ts";
import { listSettlements, listSettlementsOfReceipt } from "../settlement-store.ts";
import { findReceipt } from "../receipt-store.ts";
import { advanceOf } from "../receipt.ts";
import { allocateReceipt } from "./record-receipt.ts";
import { refundReceipt, reverseReceipt } from "./take-back-receipt.ts";

/** An invoice of `shop.save()`. */
const OWN_PAISE = 118_00n;
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

const following = (...earlier: readonly Invoice[]): Promise<Invoice> =>
  shop.save({ customerId: earlier[0]!.customerId, carries: earlier.map(({ invoiceId }) => invoiceId) });
const read = async (receiptId: bigint) => (await findReceipt(db.server, shop.merchant, receiptId))!;
const reverse = (receiptId: bigint) => reverseReceipt(shop.alone, { receiptId, reason: "Cheque bounced" });
const paidOn = async (...invoices: readonly Invoice[]): Promise<bigint[]> =>
  (await Promise.all(invoices.map((invoice) => shop.read(invoice)))).map(({ paidPaise }) => paidPaise);

test("a receipt reaches dues that were carried forward, and its reversal takes them back", async () => {
  const first = await shop.save();
  const second = await following(first);
  const apart = await shop.save({ customerId: first.customerId });
  const receiptId = await shop.receive(first.customerId, 3n * OWN_PAISE - 8_00n, 10_00n);
  expect(await paidOn(first, second, apart)).toEqual([OWN_PAISE, 2n * OWN_PAISE, OWN_PAISE - 8_00n]);
  // The part on the earlier invoice is the payment's, not another use of the receipt.
  expect(await listSettlements(db.server, first)).toMatchObject([{ receiptId: null, tdsPaise: 0n }]);
  expect(await listSettlementsOfReceipt(db.server, shop.merchant, receiptId)).toHaveLength(2);
  expect(await shop.violations()).toEqual([]);

  await reverse(receiptId);
  expect(await paidOn(first, second, apart)).toEqual([0n, 0n, 0n]);
  expect(await shop.read(first)).toMatchObject({ status: "Carried forward", carriedTo: second.invoiceId });
  expect(await shop.violations()).toEqual([]);
});

test("a part payment is due again on the invoice that the rest was carried to", async () => {
  const first = await shop.save();
  const other = await shop.save({ customerId: first.customerId });
  const receiptId = await shop.receive(first.customerId, OWN_PAISE + 50_00n);
  const later = await following(first, other);
  expect(later.carriedPaise).toBe(OWN_PAISE - 50_00n);
  await reverse(receiptId);
  expect((await shop.read(later)).carriedPaise).toBe(OWN_PAISE);
  expect(await shop.read(first)).toMatchObject({ status: "Unpaid", carriedTo: null });
  expect(await paidOn(first, other)).toEqual([0n, 0n]);
  expect(await shop.read(other)).toMatchObject({ status: "Carried forward" });
  expect(await shop.violations()).toEqual([]);
});

test("a credit note that the customer was owed is set off by the reversal", async () => {
  const invoice = await shop.save();
  const receiptId = await shop.receive(invoice.customerId, OWN_PAISE);
  await shop.credit(invoice, 59_00n);
  await reverse(receiptId);
  expect(await shop.read(invoice)).toMatchObject({ status: "Unpaid", creditedPaise: 59_00n });
  expect(await shop.violations()).toEqual([]);
});

test("a franchise earns when an invoice uses a receipt, and not on an advance", async () => {
  const franchise = await makeFranchise(db, shop.merchant, DRAFT);
  const first = await shop.save({ franchiseId: franchise.franchiseId });
  const receiptId = await shop.receive(first.customerId, 2n * OWN_PAISE);
  const earned = (await commissionOf(db, franchise)).accruedPaise;
  expect(earned).toBeGreaterThan(0n);
  await shop.save({ franchiseId: franchise.franchiseId, customerId: first.customerId });
  await allocateReceipt(shop.alone, { receiptId, allocations: null, date: first.dueDate, notify: false });
  expect((await commissionOf(db, franchise)).accruedPaise).toBe(2n * earned);
  await reverse(receiptId);
  expect((await commissionOf(db, franchise)).accruedPaise).toBe(0n);
  expect(await shop.violations()).toEqual([]);
});

test("processes that use, refund and reverse one receipt at once never use more than is left", async () => {
  const first = await shop.save();
  const { customerId } = first;
  const invoices = [first, ...(await Promise.all([1, 2, 3, 4].map(() => shop.save({ customerId }))))];
  const receiptId = await shop.receive(customerId, 3n * OWN_PAISE, 0n, []);
  const contexts = [stage.saves, stage.otherProcess()].map(({ inTurn }) => ({ ...shop.alone, inTurn }));
  const date = first.dueDate;
  const money = { mode: "Cash", bankName: "", bankRefNo: "", chequeNo: "", cashPaidTo: "", reference: "" };
  const refund = { ...money, paidDate: date, amountPaise: 50_00n };
  const asked = Array.from({ length: 100 }, (_, place) => {
    const context = contexts[place % 2]!;
    const { invoiceId } = invoices[place % 5]!;
    if (place % 10 === 9) return refundReceipt(context, { receiptId, refund });
    const allocations = [{ invoiceId, moneyPaise: 11_00n, tdsPaise: 0n }];
    return allocateReceipt(context, { receiptId, allocations, date, notify: false });
  });
  const pay = async () => {
    for (const invoice of invoices) for (let times = 0; times < 5; times += 1) await shop.pay(invoice, 1_00n);
  };
  const [outcomes] = await Promise.all([Promise.allSettled<unknown>(asked), pay()]);
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  const codes = new Set(refused.map((error) => (error instanceof NodalError ? error.code : String(error))));
  expect([...codes].toSorted()).toEqual(["receipt_exceeded"]);
  const receipt = await read(receiptId);
  expect(receipt.usedPaise + receipt.refundedPaise + advanceOf(receipt)).toBe(receipt.amountPaise);
  expect(advanceOf(receipt)).toBeLessThan(11_00n);
  expect(await shop.violations()).toEqual([]);
});
