// Vouchers of advances, and the postings of their tax: steps of the use cases of receipts. A number is taken once all invoices are
// locked, and before commission and the merchant's book are, so that the holder of the counter never waits for a caller that needs
// it.
import type { NewEvent } from "../../ledger/index.ts";
import type { Merchant, TransactionContext } from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { requireTemplate } from "../invoice-references.ts";
import { takeNumbers } from "../numbers/number-counter-store.ts";
import { financialYearOf, writeNumber } from "../numbers/number-series.ts";
import type { Posting } from "../posting.ts";
import { advanceOf, receiptPosting, type Receipt, type ReceiptRefund } from "../receipt.ts";
import {
  changeOfTax,
  postingsOfAdvanceTax,
  taxWithin,
  voucherIssued,
  type AdvanceCause,
  type AdvanceTaxEntry,
  type AdvanceTerms,
  type AdvanceVoucher,
  type VoucherKind,
} from "./advance-gst.ts";
import { findVoucher, insertAdvanceTax, insertVoucher } from "./advance-store.ts";

/** A step's additions to the transaction's records. */
export type Beside = { readonly events: readonly NewEvent[]; readonly postings: readonly Posting[] };
export const NOTHING_BESIDE: Beside = { events: [], postings: [] };

type Numbered = Pick<AdvanceVoucher, "seriesId" | "financialYear" | "voucherNumber">;

/** Takes the next number of a series of vouchers. @throws NodalError `invoice_number_exists` if the series has run out */
export async function numberVoucher(
  connection: Connection,
  merchant: Merchant,
  kind: VoucherKind,
  date: Temporal.PlainDate,
): Promise<Numbered> {
  const series = (await requireTemplate(connection, merchant, null)).series[kind];
  const financialYear = financialYearOf(date);
  const counter = await takeNumbers(connection, merchant, series, financialYear, 1);
  const voucherNumber = writeNumber(series, financialYear, counter);
  if (voucherNumber !== null) return { seriesId: series.seriesId, financialYear, voucherNumber };
  const message = "The series of vouchers has no numbers of 16 characters left: make another template the default.";
  throw new NodalError("invoice_number_exists", message);
}

/** The details of a new voucher. */
export type VoucherTerms = AdvanceTerms & {
  readonly date: Temporal.PlainDate;
  /** Left out for the next number. */
  readonly numbered?: Numbered;
};

/** Issues the receipt voucher for the rest of a new receipt: none if there is no rest. */
export async function issueReceiptVoucher(
  connection: Connection,
  merchant: Merchant,
  receipt: Receipt,
  { date, numbered, ...terms }: VoucherTerms,
): Promise<Beside> {
  const amountPaise = advanceOf(receipt);
  if (amountPaise === 0n) return NOTHING_BESIDE;
  const { bucket, merchantId, receiptId } = receipt;
  const number = numbered ?? (await numberVoucher(connection, merchant, "receipt_voucher", date));
  const voucher: AdvanceVoucher = {
    bucket,
    merchantId,
    voucherId: receiptId,
    kind: "receipt_voucher",
    receiptId,
    ...terms,
    ...number,
    ...taxWithin(amountPaise, terms),
    voucherDate: date,
    amountPaise,
    createdAt: Temporal.Now.instant(),
  };
  await insertVoucher(connection, voucher);
  const posting = await recordTax(connection, receipt, voucher, { ...voucher, entryId: receiptId, cause: "received" });
  return { events: [voucherIssued(voucher)], postings: [posting] };
}

/** A change of a receipt that affects its tax. */
export type AdvanceChange = {
  readonly before: Receipt;
  readonly after: Receipt;
  readonly cause: AdvanceCause;
  readonly date: Temporal.PlainDate;
};

/** Reverses the tax of what an invoice uses, or makes it due again: nothing for a receipt without a voucher. */
export async function adjustAdvanceTax(
  { connection, ids }: Omit<TransactionContext<Merchant>, "merchant">,
  { before, after, cause, date }: AdvanceChange,
): Promise<Beside> {
  const voucher = await findVoucher(connection, before, before.receiptId);
  if (!voucher) return NOTHING_BESIDE;
  const change = changeOfTax(voucher, before, after);
  if (change.amountPaise === 0n) return NOTHING_BESIDE;
  const entry = { ...change, entryId: await ids.next(), cause, voucherDate: date };
  return { events: [], postings: [await recordTax(connection, after, voucher, entry)] };
}

/** Issues the refund voucher for the refunded part of a taxed advance: none for a receipt without a voucher. */
export async function issueRefundVoucher(
  connection: Connection,
  merchant: Merchant,
  { before, after }: Pick<AdvanceChange, "before" | "after">,
  { refundId, paidDate }: Pick<ReceiptRefund, "refundId" | "paidDate">,
): Promise<Beside> {
  const original = await findVoucher(connection, before, before.receiptId);
  if (!original) return NOTHING_BESIDE;
  const change = changeOfTax(original, before, after);
  if (change.amountPaise === 0n) return NOTHING_BESIDE;
  const voucher: AdvanceVoucher = {
    ...original,
    ...(await numberVoucher(connection, merchant, "refund_voucher", paidDate)),
    voucherId: refundId,
    kind: "refund_voucher",
    voucherDate: paidDate,
    amountPaise: -change.amountPaise,
    igstPaise: -change.igstPaise,
    cgstPaise: -change.cgstPaise,
    sgstPaise: -change.sgstPaise,
    createdAt: Temporal.Now.instant(),
  };
  await insertVoucher(connection, voucher);
  const entry = { ...change, entryId: refundId, cause: "refunded", voucherDate: paidDate } as const;
  return { events: [voucherIssued(voucher)], postings: [await recordTax(connection, after, voucher, entry)] };
}

type NewEntry = Pick<AdvanceTaxEntry, "entryId" | "cause" | "amountPaise" | "igstPaise" | "cgstPaise" | "sgstPaise"> &
  Pick<AdvanceVoucher, "voucherDate">;

/** Saves an entry of tax, and returns its posting. */
async function recordTax(
  connection: Connection,
  receipt: Receipt,
  { supply }: Pick<AdvanceVoucher, "supply">,
  { entryId, cause, amountPaise, igstPaise, cgstPaise, sgstPaise, voucherDate: entryDate }: NewEntry,
): Promise<Posting> {
  const { bucket, merchantId, receiptId } = receipt;
  const heads = { igstPaise, cgstPaise, sgstPaise };
  const createdAt = Temporal.Now.instant();
  const key = { bucket, merchantId, entryId, receiptId };
  await insertAdvanceTax(connection, { ...key, entryDate, cause, amountPaise, ...heads, createdAt });
  // The day of a reversal is in no request.
  const dateField = cause === "released" || cause === "reversed" ? null : "date";
  const subject = { kind: "advance_tax", id: entryId, date: entryDate, dateField } as const;
  return receiptPosting(receipt, subject, postingsOfAdvanceTax(heads, supply));
}
