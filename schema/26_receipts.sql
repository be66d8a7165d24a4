-- Receipts: money that a customer paid, for several invoices or in advance. docs/rules/receipts.md

create table receipt (
  bucket smallint not null,
  merchant_id bigint not null,
  receipt_id bigint not null,
  series_id bigint not null,
  financial_year smallint not null,
  receipt_number text not null,
  customer_id bigint not null,
  paid_date date not null,
  -- Money, and tax that the customer deducted.
  amount_paise bigint not null check (amount_paise > 0),
  mode text not null,
  bank_name text not null,
  bank_ref_no text not null,
  -- The bank's reference, normalized for comparison with statement lines: capitals and digits, without leading zeros.
  bank_ref_key text collate "C" not null
    generated always as (ltrim(upper(regexp_replace(bank_ref_no collate "C", '[^A-Za-z0-9]', '', 'g')), '0')) stored,
  cheque_no text not null,
  cash_paid_to text not null,
  -- The part of the amount that is TDS, with the payment code of the Income-tax Act if given.
  tds_paise bigint not null check (tds_paise >= 0 and tds_paise < amount_paise),
  tds_code text not null,
  reference text not null,
  -- How much of the amount and of the TDS is used by settlements, and how much was refunded. The rest is the customer's
  -- advance.
  used_paise bigint not null check (used_paise >= 0),
  used_tds_paise bigint not null check (used_tds_paise >= 0 and used_tds_paise <= tds_paise),
  refunded_paise bigint not null check (refunded_paise >= 0),
  -- The bank statement line that it was recorded from.
  statement_line_id bigint,
  -- Names the line of a file, or of a batch, that it was recorded from.
  import_key text collate "C",
  created_at timestamptz not null,
  reversed_at timestamptz,
  reversal_reason text,
  primary key (bucket, merchant_id, receipt_id),
  constraint receipt_not_overused check (used_paise - used_tds_paise + refunded_paise <= amount_paise - tds_paise),
  constraint receipt_reversed_unused check (reversed_at is null or (used_paise = 0 and refunded_paise = 0))
);
create unique index receipt_number_once on receipt (bucket, merchant_id, financial_year, upper(receipt_number));
-- A line can have one receipt, until that is reversed.
create unique index receipt_line_once on receipt (bucket, merchant_id, statement_line_id)
  where statement_line_id is not null and reversed_at is null;
-- A line that is imported again is recorded only once, until that receipt is reversed.
create unique index receipt_import_once on receipt (bucket, merchant_id, import_key)
  where import_key is not null and reversed_at is null;
create index receipt_by_bank_reference on receipt (bucket, merchant_id, bank_ref_key)
  where bank_ref_key <> '' and reversed_at is null;
-- Tax that customers deducted in a quarter.
create index receipt_with_tds on receipt (bucket, merchant_id, paid_date, receipt_id) where tds_paise > 0;
create index receipt_of_customer on receipt (bucket, merchant_id, customer_id, receipt_id desc);
-- The customers' advances.
create index receipt_with_advance on receipt (bucket, merchant_id, customer_id)
  where reversed_at is null and amount_paise > used_paise + refunded_paise;
create index receipt_reversed on receipt (bucket, merchant_id, receipt_id) where reversed_at is not null;
grant select, insert, update on receipt to nodal_server;
select protect_tenant_table('receipt');

-- Money of a receipt that was refunded to the customer outside Nodal.
create table receipt_refund (
  bucket smallint not null,
  merchant_id bigint not null,
  refund_id bigint not null,
  receipt_id bigint not null,
  paid_date date not null,
  amount_paise bigint not null check (amount_paise > 0),
  mode text not null,
  bank_name text not null,
  bank_ref_no text not null,
  cheque_no text not null,
  cash_paid_to text not null,
  reference text not null,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, refund_id)
);
create index receipt_refund_of on receipt_refund (bucket, merchant_id, receipt_id, refund_id);
grant select, insert on receipt_refund to nodal_server;
select protect_tenant_table('receipt_refund');

-- Vouchers of advances for services: of an advance, and of what was given back of it. docs/rules/receipts.md#gst-of-advances
create table advance_voucher (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The receipt's id, or the refund's.
  voucher_id bigint not null,
  kind text not null check (kind in ('receipt_voucher', 'refund_voucher')),
  receipt_id bigint not null,
  series_id bigint not null,
  financial_year smallint not null,
  voucher_number text not null,
  voucher_date date not null,
  -- The advance, or what was given back of it, with the tax that it contains.
  amount_paise bigint not null check (amount_paise > 0),
  -- Thousandths of a percent.
  rate_thousandths bigint not null check (rate_thousandths > 0),
  supply text not null check (supply in ('intra_state', 'intra_union_territory', 'inter_state')),
  -- Two digits; empty where it is not known.
  place_of_supply text not null,
  igst_paise bigint not null,
  cgst_paise bigint not null,
  -- SGST or UTGST.
  sgst_paise bigint not null,
  -- What is printed beside: supplier, recipient and description.
  content jsonb not null,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, voucher_id),
  constraint advance_voucher_of_receipt check ((kind = 'receipt_voucher') = (voucher_id = receipt_id))
);
create unique index advance_voucher_number_once on advance_voucher (bucket, merchant_id, financial_year, upper(voucher_number));
create index advance_voucher_of on advance_voucher (bucket, merchant_id, receipt_id, voucher_id);
create index advance_voucher_by_date on advance_voucher (bucket, merchant_id, voucher_date);
grant select, insert on advance_voucher to nodal_server;
select protect_tenant_table('advance_voucher');

-- Tax on advances that became due or was reversed, by day. Tables 11A and 11B of GSTR-1 are its sums.
create table advance_tax (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The voucher's id, or an id of its own where an invoice uses the advance.
  entry_id bigint not null,
  receipt_id bigint not null,
  entry_date date not null,
  cause text not null check (cause in ('received', 'used', 'released', 'refunded', 'reversed')),
  -- The advance with its tax: below 0 where it is used or given back.
  amount_paise bigint not null,
  igst_paise bigint not null,
  cgst_paise bigint not null,
  sgst_paise bigint not null,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, entry_id)
);
create index advance_tax_by_date on advance_tax (bucket, merchant_id, entry_date);
create index advance_tax_of on advance_tax (bucket, merchant_id, receipt_id);
grant select, insert on advance_tax to nodal_server;
select protect_tenant_table('advance_tax');

-- The claim of the tax that a customer deducted from a payment or a receipt; without a row its certificate is missing.
-- docs/accounts.md#tds-claims
create table tds_claim (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The payment or the receipt.
  claim_id bigint not null,
  -- Of the certificate (Form 16A); empty while there is none.
  certificate_number text not null,
  -- When, and why, the tax became due again because the customer did not deposit it.
  put_back_at timestamptz,
  put_back_reason text,
  primary key (bucket, merchant_id, claim_id),
  constraint tds_claim_put_back check ((put_back_at is null) = (put_back_reason is null))
);
grant select, insert, update on tds_claim to nodal_server;
select protect_tenant_table('tds_claim');
