-- Invoices with their revisions, settlements and credit notes, and their totals of each day and month.

create table invoice (
  bucket smallint not null,
  merchant_id bigint not null,
  invoice_id bigint not null,
  customer_id bigint not null,
  template_id bigint not null,
  franchise_id bigint not null default 0,
  -- Null if the merchant chose the number.
  series_id bigint,
  financial_year smallint not null,
  invoice_number text not null,
  -- Numbers that differ only in case are equal. A column and not an expression index: under row-level security
  -- PostgreSQL can use an index on a column, but not on a function that is not leakproof.
  number_key text collate "C" not null generated always as (upper(invoice_number collate "C")) stored,
  cycle_name text not null,
  bill_date date not null,
  due_date date not null,
  sent_at timestamptz,
  -- The date of sent_at in the merchant's time zone.
  sent_date date,
  -- The date of the last settlement that was not reversed.
  paid_date date,
  status text not null check (status in (
    'Unpaid', 'Partially paid', 'Paid offline', 'Paid online', 'Cancelled', 'Carried forward')),
  sub_total_paise bigint not null check (sub_total_paise >= 0),
  tax_total_paise bigint not null check (tax_total_paise >= 0),
  previous_dues_paise bigint not null check (previous_dues_paise >= 0),
  -- The part of the previous dues that was carried from earlier invoices.
  carried_paise bigint not null default 0,
  amount_paise bigint not null,
  paid_paise bigint not null default 0 check (paid_paise >= 0),
  credited_paise bigint not null default 0 check (credited_paise >= 0),
  -- The later invoice to which the due amount was carried, and that amount.
  carried_to bigint,
  carried_due_paise bigint not null default 0,
  -- Everything else that is printed: header fields, rows, taxes, and copies of both parties.
  content jsonb not null,
  -- Billed in another system, and still due: docs/rules/invoicing.md#opening-balances.
  is_opening_balance boolean not null generated always as (coalesce(content ->> 'kind', '') = 'opening_balance') stored,
  -- The invoice that a debit note charges more for: docs/rules/invoicing.md#debit-notes.
  original_invoice_id bigint generated always as ((content -> 'original' ->> 'invoiceId')::bigint) stored,
  public_token text not null,
  revision integer not null default 1,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, invoice_id),
  -- The rest is the round-off: half a rupee, and two paise for each of 500 rows whose price includes tax.
  constraint invoice_adds_up check (
    amount_paise - sub_total_paise - tax_total_paise - previous_dues_paise between -1050 and 1050),
  constraint invoice_not_overpaid check (paid_paise + credited_paise <= amount_paise),
  constraint invoice_carries_dues check (carried_paise between 0 and previous_dues_paise),
  constraint invoice_carried check ((carried_to is null) = (carried_due_paise = 0) and carried_due_paise >= 0),
  constraint invoice_opening_balance check (not is_opening_balance or (
    amount_paise = previous_dues_paise and amount_paise > 0 and carried_paise = 0 and credited_paise = 0
    and series_id is null and franchise_id = 0)),
  constraint invoice_debit_note check ((original_invoice_id is not null) = (coalesce(content ->> 'kind', '') = 'debit_note'))
) with (fillfactor = 90);
create unique index invoice_number_once on invoice (bucket, merchant_id, financial_year, number_key);
create index invoice_by_bill_date on invoice (bucket, merchant_id, bill_date desc, invoice_id desc);
create index invoice_by_due_date on invoice (bucket, merchant_id, due_date desc, invoice_id desc);
create index invoice_by_sent_date on invoice (bucket, merchant_id, sent_date desc, invoice_id desc)
  where sent_date is not null;
create index invoice_by_paid_date on invoice (bucket, merchant_id, paid_date desc, invoice_id desc)
  where paid_date is not null;
create index invoice_by_customer on invoice (bucket, merchant_id, customer_id, bill_date desc, invoice_id desc);
-- Receivables by age read nothing else of open invoices.
create index invoice_open on invoice (bucket, merchant_id, due_date, invoice_id)
  include (customer_id, amount_paise, carried_paise, paid_paise, credited_paise, status)
  where status in ('Unpaid', 'Partially paid');
-- What customers owe, earliest due date first.
create index invoice_open_by_customer on invoice (bucket, merchant_id, customer_id, due_date, invoice_id)
  where status in ('Unpaid', 'Partially paid');
-- Dues that were carried to a later invoice: the ageing report reads them with the open ones.
create index invoice_carried_forward on invoice (bucket, merchant_id, invoice_id) where status = 'Carried forward';
-- Overdue invoices, newest bill first. The due date is included, so that invoices that are not due yet are skipped in
-- the index.
create index invoice_open_by_bill_date on invoice (bucket, merchant_id, bill_date desc, invoice_id desc, due_date)
  where status in ('Unpaid', 'Partially paid');
-- A customer has one opening balance.
create unique index invoice_opening_balance_once on invoice (bucket, merchant_id, customer_id)
  where is_opening_balance and status <> 'Cancelled';
create index invoice_opening_balances on invoice (bucket, merchant_id, bill_date desc, invoice_id desc)
  where is_opening_balance;
create index invoice_debit_notes on invoice (bucket, merchant_id, bill_date desc, invoice_id desc)
  where original_invoice_id is not null;
create index invoice_by_original on invoice (bucket, merchant_id, original_invoice_id, invoice_id)
  where original_invoice_id is not null;
create index invoice_carried_to on invoice (carried_to, bucket, merchant_id) where carried_to is not null;
-- A franchise's customers.
create index invoice_of_franchise on invoice (bucket, merchant_id, franchise_id, customer_id) where franchise_id <> 0;
create index invoice_of_template on invoice (bucket, merchant_id, template_id, bill_date desc, invoice_id desc);
grant select, insert, update on invoice to nodal_server;
grant select, insert, update (paid_paise, paid_date, status) on invoice to nodal_invoices;
select protect_tenant_table('invoice');

-- An invoice's share of totals, so that no amount counts twice: previous dues count with the invoices they come from.
-- billed is its own amount, less credit notes. paid is what was received for it and not passed on to earlier invoices.
-- due is what is still due, without dues that the merchant typed in. Previous dues are paid first. An opening balance
-- was billed in another system, and all of it is due here.
create function invoice_sums(
  p_status text, p_amount_paise bigint, p_previous_dues_paise bigint, p_carried_paise bigint, p_paid_paise bigint,
  p_credited_paise bigint, p_is_opening_balance boolean, out billed_paise bigint, out paid_paise bigint, out due_paise bigint
)
language sql immutable parallel safe as $$
  select
    case when p_status = 'Cancelled' then 0 else p_amount_paise - p_previous_dues_paise - p_credited_paise end,
    p_paid_paise - least(p_paid_paise, p_carried_paise),
    case when p_status in ('Cancelled', 'Carried forward') then 0
      when p_is_opening_balance then p_amount_paise - p_paid_paise
      else greatest(0,
        p_amount_paise - p_paid_paise - p_credited_paise - greatest(0,
        p_previous_dues_paise - p_carried_paise - (p_paid_paise - least(p_paid_paise, p_carried_paise)))) end
$$;

-- The number of invoices of each status and franchise on a day, by each of the dates that lists filter by, and their
-- totals (invoice_sums). Lists get their count, totals and page position from here, however many records they have.
create table invoice_day (
  bucket smallint not null,
  merchant_id bigint not null,
  filter_by text not null check (filter_by in ('bill_date', 'due_date', 'sent_date', 'paid_date')),
  day date not null,
  status text not null,
  franchise_id bigint not null,
  invoices bigint not null,
  billed_paise bigint not null default 0,
  paid_paise bigint not null default 0,
  due_paise bigint not null default 0,
  primary key (bucket, merchant_id, filter_by, day, status, franchise_id)
) with (fillfactor = 70);
grant select, insert, update on invoice_day to nodal_server, nodal_invoices;
select protect_tenant_table('invoice_day');

-- The same for whole months, each named by its first day. A list only adds up days around its page and at the ends of
-- its range.
create table invoice_month (
  bucket smallint not null,
  merchant_id bigint not null,
  filter_by text not null check (filter_by in ('bill_date', 'due_date', 'sent_date', 'paid_date')),
  month date not null check (extract(day from month) = 1),
  status text not null,
  franchise_id bigint not null,
  invoices bigint not null,
  billed_paise bigint not null default 0,
  paid_paise bigint not null default 0,
  due_paise bigint not null default 0,
  primary key (bucket, merchant_id, filter_by, month, status, franchise_id)
) with (fillfactor = 50);
grant select, insert, update on invoice_month to nodal_server, nodal_invoices;
select protect_tenant_table('invoice_month');

-- The earlier versions of an invoice, one per update.
create table invoice_revision (
  bucket smallint not null,
  merchant_id bigint not null,
  invoice_id bigint not null,
  revision integer not null,
  state jsonb not null,
  replaced_at timestamptz not null,
  primary key (bucket, merchant_id, invoice_id, revision)
);
grant select, insert on invoice_revision to nodal_server;
select protect_tenant_table('invoice_revision');

create table settlement (
  bucket smallint not null,
  merchant_id bigint not null,
  settlement_id bigint not null,
  invoice_id bigint not null,
  -- A payment of an invoice with previous dues settles the oldest of them first. Each part is a settlement of the
  -- earlier invoice that names the payment here.
  via_settlement_id bigint,
  -- The receipt whose money it uses; null for a separate payment, and for a part of another payment. schema/26_receipts.sql
  receipt_id bigint,
  paid_date date not null,
  -- The settled amount: money, and tax that the customer deducted.
  amount_paise bigint not null check (amount_paise > 0),
  mode text not null,
  bank_name text not null,
  bank_ref_no text not null,
  -- The bank's reference, normalized for comparison with statement lines: capitals and digits, without leading zeros.
  bank_ref_key text collate "C" not null
    generated always as (ltrim(upper(regexp_replace(bank_ref_no collate "C", '[^A-Za-z0-9]', '', 'g')), '0')) stored,
  cheque_no text not null,
  cash_paid_to text not null,
  -- The part of the amount that is TDS, with the payment code of the Income-tax Act if given. docs/rules/invoicing.md#tds
  tds_paise bigint not null default 0 check (tds_paise >= 0 and tds_paise <= amount_paise),
  tds_code text not null default '',
  -- Write-offs only (they bring no money): the reason. docs/rules/invoicing.md#write-offs
  write_off_reason text,
  created_at timestamptz not null,
  reversed_at timestamptz,
  reversal_reason text,
  primary key (bucket, merchant_id, settlement_id),
  constraint settlement_write_off check (
    (mode = 'Write-off') = (write_off_reason is not null)
    and (write_off_reason is null or (tds_paise = 0 and receipt_id is null)))
);
create index settlement_by_invoice on settlement (bucket, merchant_id, invoice_id, settlement_id);
create index settlement_via on settlement (via_settlement_id, bucket, merchant_id) where via_settlement_id is not null;
-- Tax that customers deducted in a quarter.
create index settlement_with_tds on settlement (bucket, merchant_id, paid_date, settlement_id) where tds_paise > 0 and receipt_id is null;
create index settlement_of_receipt on settlement (bucket, merchant_id, receipt_id, settlement_id) where receipt_id is not null;
-- Separate payments with a bank's reference.
create index settlement_by_bank_reference on settlement (bucket, merchant_id, bank_ref_key)
  where bank_ref_key <> '' and receipt_id is null and via_settlement_id is null and reversed_at is null;
-- For the amount collected on a day, and for the list of payments by day.
create index settlement_by_paid_date on settlement (bucket, merchant_id, paid_date, settlement_id)
  include (amount_paise, mode, reversed_at);
grant select, insert, update on settlement to nodal_server;
grant insert on settlement to nodal_invoices;
select protect_tenant_table('settlement');

create table credit_note (
  bucket smallint not null,
  merchant_id bigint not null,
  credit_note_id bigint not null,
  invoice_id bigint not null,
  series_id bigint not null,
  financial_year smallint not null,
  credit_note_number text not null,
  note_date date not null,
  amount_paise bigint not null check (amount_paise > 0),
  taxable_paise bigint not null,
  tax_paise bigint not null,
  -- The amount splits into what reduces the due amount, and what is owed back to the customer.
  reduces_due_paise bigint not null check (reduces_due_paise >= 0),
  refund_paise bigint not null check (refund_paise >= 0),
  -- The payee of a refund; null until it is chosen.
  refund_beneficiary_id bigint,
  reason text not null,
  content jsonb not null,
  -- A financial credit note, without GST and in no return: the amount has no tax and no rows.
  is_financial boolean not null generated always as (coalesce(content ->> 'kind', '') = 'financial_credit_note') stored,
  -- True if rows were chosen, false if the amount is spread over all. Each credited row has its position on the invoice
  -- from 1, its taxable value, and the amount of each tax in the invoice's order: [{line, taxablePaise, taxesPaise}].
  by_rows boolean not null,
  lines jsonb not null,
  created_at timestamptz not null,
  -- Null while it is in force.
  cancelled_at timestamptz,
  -- A keyed hash which proves that the server wrote the refund's amount and payee. Checked before each refund.
  proof bytea,
  primary key (bucket, merchant_id, credit_note_id),
  constraint credit_note_number_once unique (bucket, merchant_id, financial_year, credit_note_number),
  -- The rest is the invoice's round-off.
  constraint credit_note_adds_up check (amount_paise - taxable_paise - tax_paise between -1050 and 1050),
  constraint credit_note_financial check (
    not is_financial or (tax_paise = 0 and taxable_paise = amount_paise and lines = '[]' and not by_rows)),
  constraint credit_note_goes_somewhere check (amount_paise = reduces_due_paise + refund_paise)
);
create index credit_note_by_invoice on credit_note (bucket, merchant_id, invoice_id, credit_note_id);
create index credit_note_by_date on credit_note (bucket, merchant_id, note_date, credit_note_id);
grant select, insert, update on credit_note to nodal_server;
select protect_tenant_table('credit_note');

-- The transfers that refund a credit note. A failed transfer is followed by another. What is still owed is the amount
-- that no pending or successful transfer covers.
create table credit_note_refund (
  bucket smallint not null,
  merchant_id bigint not null,
  credit_note_id bigint not null,
  attempt integer not null,
  transfer_id bigint not null,
  primary key (bucket, merchant_id, credit_note_id, attempt)
);
create index credit_note_refund_by_transfer on credit_note_refund (bucket, merchant_id, transfer_id);
grant select, insert on credit_note_refund to nodal_server;
select protect_tenant_table('credit_note_refund');
