// The names of postings in books: in the day book, in statements of account, and in their files.

const VOUCHERS: Readonly<Record<string, string>> = {
  revision: "Sales",
  cancellation: "Sales cancelled",
  settlement: "Receipt",
  reversal: "Receipt reversed",
  credit_note: "Credit Note",
  credit_note_cancellation: "Credit Note cancelled",
  offset: "Refund set off",
  receipt: "Receipt",
  receipt_reversal: "Receipt reversed",
  receipt_refund: "Receipt refunded",
  advance_tax: "GST on advance",
  refund: "Refund",
};
/** The use of a receipt moves no money. */
const USES: Readonly<Record<string, string>> = { settlement: "Advance used", reversal: "Advance released" };

/** The voucher type of a posting. `usesReceipt`: it moves the money of a receipt to an invoice, or back. */
export function voucherOf({
  event,
  usesReceipt = false,
}: {
  readonly event: string;
  readonly usesReceipt?: boolean;
}): string {
  return (usesReceipt ? USES[event] : VOUCHERS[event]) ?? "Journal";
}
