-- What finds the rare ones among a merchant's payouts. Each covers few rows, so that what moves money does not pay for it.

-- Payouts that came back, in the order in which they did.
create index ledger_posting_given_back on ledger_posting (bucket, merchant_id, posting_no)
  where kind in ('failed', 'reversed');
-- Withdrawals, and payouts of commission.
create index transfer_of_other_kind on transfer (bucket, merchant_id, kind, transfer_id) where kind <> 'transfer';
-- What was collected on a day.
create index settlement_by_paid_date on settlement (bucket, merchant_id, paid_date) include (amount_paise)
  where reversed_at is null;
