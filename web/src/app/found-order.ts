// The order of the results of the global search.

type Found = {
  readonly payouts: readonly {
    readonly transfer_id: string;
    readonly reference_id: string;
    readonly utr: string;
  }[];
  readonly invoices: readonly { readonly invoice_number: string }[];
};

/**
 * Whether invoices come before payouts: if the text is the end of an invoice's number, unless it is the whole number, reference or UTR of a payout. A
 * few digits are part of many UTRs.
 */
export function invoicesFirst({ payouts, invoices }: Found, text: string): boolean {
  const typed = text.toLowerCase();
  const isWhole = payouts.some(({ transfer_id, reference_id, utr }) =>
    [transfer_id, reference_id, utr].some((name) => name.toLowerCase() === typed),
  );
  return !isWhole && invoices.some((each) => each.invoice_number.toLowerCase().endsWith(typed));
}
