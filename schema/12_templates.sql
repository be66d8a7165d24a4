-- Number series and invoice templates.

create table number_series (
  bucket smallint not null,
  merchant_id bigint not null,
  series_id bigint not null,
  -- {FY} in it becomes 2627 in the financial year 2026-27.
  prefix text not null,
  width smallint not null check (width between 1 and 12),
  yearly boolean not null default true,
  primary key (bucket, merchant_id, series_id)
);
-- To the tax authority, upper and lower case are the same.
create unique index number_series_prefix on number_series (bucket, merchant_id, upper(prefix));
grant select, insert on number_series to nodal_server;
grant select on number_series to nodal_invoices;
select protect_tenant_table('number_series');

-- The last number of a series in a financial year (the year in which it begins; 0 for a series that never resets).
create table number_counter (
  bucket smallint not null,
  merchant_id bigint not null,
  series_id bigint not null,
  financial_year smallint not null,
  last_number bigint not null,
  primary key (bucket, merchant_id, series_id, financial_year)
) with (fillfactor = 50);
grant select, insert, update on number_counter to nodal_server, nodal_invoices;
select protect_tenant_table('number_counter');

create table template (
  bucket smallint not null,
  merchant_id bigint not null,
  template_id bigint not null,
  name text not null,
  is_default boolean not null default false,
  -- The ids of the series that number its documents, as text, by the names in src/invoices/document-kind.ts.
  series jsonb not null,
  -- [{ id, name, type, value }]: the header fields, with their default values.
  header_fields jsonb not null default '[]',
  -- Rows and taxes that a new invoice starts with, as in the API.
  default_rows jsonb not null default '[]',
  default_taxes jsonb not null default '[]',
  -- Company details that differ from the merchant's profile: { name, address, city, state, zipcode, gstin, … }.
  company jsonb not null default '{}',
  terms text not null default '',
  signatory text not null default '',
  accent_colour text not null default '#1f5fae',
  upi_handle text,
  -- Print the bank account of the merchant's profile on unpaid invoices?
  prints_bank_account boolean not null default false,
  -- A bitmap that Nodal rendered from the uploaded logo, never the uploaded file.
  logo bytea,
  logo_type text check (logo_type = 'image/png'),
  created_at timestamptz not null,
  -- A keyed hash over the UPI handle and the bank account switch, which proves that the server wrote where customers pay.
  proof bytea,
  primary key (bucket, merchant_id, template_id),
  constraint template_name unique (bucket, merchant_id, name),
  constraint template_logo check ((logo is null) = (logo_type is null))
);
create unique index template_default on template (bucket, merchant_id) where is_default;
grant select, insert, update on template to nodal_server;
grant select on template to nodal_invoices;
select protect_tenant_table('template');
