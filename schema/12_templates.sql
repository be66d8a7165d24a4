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
-- The tax authority does not tell the case of letters apart.
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
  -- [{ id, name, type, value }]: the header fields, with the values that they have when none is sent.
  header_fields jsonb not null default '[]',
  -- Rows and taxes as the wire writes them, to begin an invoice with.
  default_rows jsonb not null default '[]',
  default_taxes jsonb not null default '[]',
  -- Company details that differ from the merchant's profile: { name, address, city, state, zipcode, gstin, … }.
  company jsonb not null default '{}',
  terms text not null default '',
  signatory text not null default '',
  accent_colour text not null default '#1f5fae',
  upi_handle text,
  -- Whether invoices that are to be paid show the bank account of the merchant's profile.
  prints_bank_account boolean not null default false,
  -- A bitmap that Nodal drew when the logo was given, never the file that was sent.
  logo bytea,
  logo_type text check (logo_type = 'image/png'),
  created_at timestamptz not null,
  -- That the server wrote where customers pay: a keyed hash over the UPI handle, and whether the bank account is printed.
  proof bytea,
  primary key (bucket, merchant_id, template_id),
  constraint template_name unique (bucket, merchant_id, name),
  constraint template_logo check ((logo is null) = (logo_type is null))
);
create unique index template_default on template (bucket, merchant_id) where is_default;
grant select, insert, update on template to nodal_server;
grant select on template to nodal_invoices;
select protect_tenant_table('template');
