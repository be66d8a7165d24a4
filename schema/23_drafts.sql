-- Drafts of invoices. Nothing that counts, lists or reports invoices reads them.

create table invoice_draft (
  bucket smallint not null,
  merchant_id bigint not null,
  draft_id bigint not null,
  title text not null,
  -- Null for the merchant's default template at the time of issue.
  template_id bigint,
  -- The customer's code, if any. It is also in `invoice`.
  customer_code text not null,
  -- The invoice object as in the API, as far as it is filled in; emptied when the invoice is issued.
  invoice jsonb not null,
  -- The invoice's total at the last save; null if it can't be worked out.
  amount_paise bigint check (amount_paise >= 0),
  -- Counts the saves, so that nobody overwrites a colleague's changes.
  version integer not null check (version > 0),
  created_by text not null,
  updated_by text not null,
  -- The invoice that was issued from it.
  invoice_id bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (bucket, merchant_id, draft_id),
  constraint invoice_draft_once unique (invoice_id, bucket, merchant_id),
  constraint invoice_draft_emptied check (invoice_id is null or invoice = '{}')
);
create index invoice_draft_open on invoice_draft (bucket, merchant_id, draft_id desc) where invoice_id is null;
grant select, insert, update, delete on invoice_draft to nodal_server;
select protect_tenant_table('invoice_draft');
