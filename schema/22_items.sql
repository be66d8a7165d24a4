-- The catalogue: what a merchant sells. Rows of invoices keep copies, so a change here changes no document.

create table item (
  bucket smallint not null,
  merchant_id bigint not null,
  item_id bigint not null,
  item_code text not null,
  -- The folded code: no two codes of a merchant differ only in case.
  code_key text not null,
  name text not null,
  description text not null,
  sac_code text not null,
  -- A unit quantity code (UQC), or empty.
  unit text not null,
  unit_price_paise bigint check (unit_price_paise >= 0),
  price_includes_tax boolean not null,
  -- Thousandths of a percent.
  gst_thousandths bigint not null check (gst_thousandths between 0 and 100000),
  cess_thousandths bigint not null check (cess_thousandths between 0 and 100000),
  tax_treatment text not null check (tax_treatment in ('taxable', 'nil', 'exempt', 'non_gst')),
  -- Null while it is in use.
  archived_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (bucket, merchant_id, item_id),
  constraint item_code_once unique (bucket, merchant_id, code_key),
  constraint item_untaxed check (tax_treatment = 'taxable' or (gst_thousandths = 0 and cess_thousandths = 0))
);
grant select, insert, update on item to nodal_server;
select protect_tenant_table('item');
