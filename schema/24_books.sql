-- The merchant's accounting of billing: the postings of each document and payment. docs/accounts.md

-- One posting. Each account of src/books/chart.ts has a column: above 0 it is debited, below 0 credited. Postings are
-- never changed or deleted: a change of an invoice posts the difference.
create table book_entry (
  bucket smallint not null,
  merchant_id bigint not null,
  -- Its invoice; 0 for money of a receipt.
  invoice_id bigint not null,
  -- The event, its subject, and its sequence number (for an invoice, the revision). The parts of one event differ by
  -- date or customer.
  event text not null,
  subject_id bigint not null,
  no integer not null,
  part smallint not null,
  customer_id bigint not null,
  entry_date date not null,
  receivable_paise bigint not null default 0,
  advances_paise bigint not null default 0,
  bank_paise bigint not null default 0,
  cash_paise bigint not null default 0,
  tds_receivable_paise bigint not null default 0,
  advance_tax_paise bigint not null default 0,
  refunds_payable_paise bigint not null default 0,
  revenue_paise bigint not null default 0,
  output_cgst_paise bigint not null default 0,
  output_sgst_paise bigint not null default 0,
  output_utgst_paise bigint not null default 0,
  output_igst_paise bigint not null default 0,
  output_cess_paise bigint not null default 0,
  output_other_paise bigint not null default 0,
  rounding_paise bigint not null default 0,
  opening_balances_paise bigint not null default 0,
  written_off_paise bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (bucket, merchant_id, invoice_id, subject_id, event, no, part),
  constraint book_entry_balances check (
    receivable_paise + advances_paise + bank_paise + cash_paise + tds_receivable_paise + advance_tax_paise + refunds_payable_paise
      + revenue_paise + output_cgst_paise + output_sgst_paise + output_utgst_paise + output_igst_paise + output_cess_paise
      + output_other_paise + rounding_paise + opening_balances_paise + written_off_paise = 0)
);
-- The due amount of a past day is that of today, less later postings.
create index book_entry_by_date on book_entry (bucket, merchant_id, entry_date, invoice_id) include (receivable_paise);
-- A customer's receipts.
create index book_entry_of_receipts on book_entry (bucket, merchant_id, customer_id) where invoice_id = 0;
grant select, insert on book_entry to nodal_server;
grant insert on book_entry to nodal_invoices;
select protect_tenant_table('book_entry');

-- The totals of each day's postings, so that a trial balance only reads days.
create table book_day (
  bucket smallint not null,
  merchant_id bigint not null,
  day date not null,
  receivable_paise bigint not null,
  advances_paise bigint not null,
  bank_paise bigint not null,
  cash_paise bigint not null,
  tds_receivable_paise bigint not null,
  advance_tax_paise bigint not null,
  refunds_payable_paise bigint not null,
  revenue_paise bigint not null,
  output_cgst_paise bigint not null,
  output_sgst_paise bigint not null,
  output_utgst_paise bigint not null,
  output_igst_paise bigint not null,
  output_cess_paise bigint not null,
  output_other_paise bigint not null,
  rounding_paise bigint not null,
  opening_balances_paise bigint not null,
  written_off_paise bigint not null,
  primary key (bucket, merchant_id, day)
) with (fillfactor = 50);
grant select, insert, update on book_day to nodal_server, nodal_invoices;
select protect_tenant_table('book_day');

-- A merchant's accounting settings; the defaults without a row are in src/books/setting-store.ts.
create table book_setting (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The largest write-off of an invoice.
  write_off_limit_paise bigint not null check (write_off_limit_paise >= 0),
  -- Nothing is posted to this day or earlier any more; null while no period is locked.
  locked_until date,
  primary key (bucket, merchant_id)
);
grant select, insert, update on book_setting to nodal_server;
grant select (bucket, merchant_id, locked_until) on book_setting to nodal_invoices;
select protect_tenant_table('book_setting');

-- Aborts a transaction that posts to a locked day. The server's error for it is in src/books/locked-period.ts.
create function refuse_locked_day(p_merchant_id bigint, p_day date, p_locked_until date) returns void
language plpgsql as $$
begin
  raise exception 'the books are locked' using
    errcode = 'ND001', detail = format('%s %s %s', p_merchant_id, p_day, p_locked_until);
end
$$;
