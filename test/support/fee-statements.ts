// SQL of tests that plant postings of fees.
const OF_MERCHANT = "merchant_id = $merchant";

/** The statements that post a fee of 7 paise for a transfer, or its return, with all that goes with a posting. */
export function feeOf(transfer: string, kind: "fee" | "fee_expensed" | "fee_returned"): string[] {
  const account = kind === "fee_expensed" ? "fee_expense" : "available";
  const isReturn = kind === "fee_returned";
  const [debit, credit] = isReturn ? ["payout_clearing", account] : [account, "payout_clearing"];
  return [
    `insert into journal (
       bucket, merchant_id, entry_no, type, subject_id, created_at, actor, kind, debit_kind, debit_owner_id, credit_kind,
       credit_owner_id, amount_paise)
     select bucket, merchant_id, last_entry_no + 1, 'posting.${kind}', $${transfer}, now(), 'bank', '${kind}',
       '${debit}', 0, '${credit}', 0, 7 from ledger_book where ${OF_MERCHANT}`,
    `update ledger_book set last_entry_no = last_entry_no + 1, ${debit}_paise = ${debit}_paise - 7,
       ${credit}_paise = ${credit}_paise + 7 where ${OF_MERCHANT}`,
  ];
}
