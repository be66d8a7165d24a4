-- Estimates: numbered offers that can become invoices. Nothing that counts, lists or reports invoices
-- reads them.

create table estimate (
  bucket smallint not null,
  merchant_id bigint not null,
  estimate_id bigint not null,
  series_id bigint not null,
  financial_year smallint not null,
  estimate_number text not null,
  customer_id bigint not null,
  template_id bigint not null,
  estimate_date date not null,
  -- The last day on which it can become an invoice.
  valid_until date not null,
  -- How many days after its date the invoice is due.
  due_days integer not null check (due_days >= 0),
  sub_total_paise bigint not null check (sub_total_paise >= 0),
  tax_total_paise bigint not null check (tax_total_paise >= 0),
  amount_paise bigint not null check (amount_paise >= 0),
  -- The invoice object as in the API, without dates and customer; the invoice is made from it.
  invoice jsonb not null,
  -- The printed content, as in `invoice.content`.
  content jsonb not null,
  state text not null check (state in ('Open', 'Accepted', 'Declined')),
  reason text not null,
  -- Counts the changes, so that nobody overwrites a colleague's.
  version integer not null check (version > 0),
  -- The invoice that was made from it.
  invoice_id bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (bucket, merchant_id, estimate_id),
  constraint estimate_invoice_once unique (invoice_id, bucket, merchant_id),
  constraint estimate_valid check (valid_until >= estimate_date),
  constraint estimate_accepted check ((state = 'Accepted') = (invoice_id is not null))
);
create unique index estimate_number_once on estimate (bucket, merchant_id, financial_year, upper(estimate_number));
create index estimate_of_customer on estimate (bucket, merchant_id, customer_id, estimate_id desc);
grant select, insert, update on estimate to nodal_server;
select protect_tenant_table('estimate');
