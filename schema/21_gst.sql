-- The tax register: the figures of each invoice and credit note for returns and reports, written with the document.

-- A row of a document with its tax: the only source of report totals. Amounts of credit notes are positive here;
-- reports subtract them. A type and not a table: separate rows and their keys would double the register's cost of a
-- save.
create type gst_line as (
  -- The row of the invoice, from 1. 0 holds taxes that could not be tied to rows.
  line smallint,
  hsn text,
  description text,
  -- The unit quantity code: NA for services, OTH where the row has none.
  uqc text,
  quantity_thousandths bigint,
  -- Thousandths of a percent; GST without cess.
  rate_thousandths bigint,
  -- taxable, nil, exempt, non_gst; untied in line 0.
  treatment text,
  taxable_paise bigint,
  igst_paise bigint,
  cgst_paise bigint,
  -- SGST or UTGST.
  sgst_paise bigint,
  cess_paise bigint,
  -- Taxes with other names; only in line 0.
  other_paise bigint
);

-- One row for each revision of an invoice, and one for each credit note.
create table gst_document (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The invoice's or the credit note's.
  document_id bigint not null,
  revision integer not null,
  -- The latest revision. Reports leave the others out.
  is_current boolean not null,
  kind text not null,
  -- False if it is no supply under GST: the supplier has no GSTIN, or the invoice has only previous dues. Such a
  -- document has no lines, and is only in the report of document series, since it has a number.
  is_supply boolean not null,
  -- Null if the merchant chose the number.
  series_id bigint,
  financial_year smallint not null,
  document_number text not null,
  document_date date not null,
  party_name text not null,
  party_gstin text not null,
  -- Two digits, 96 for other countries; empty if unknown.
  place_of_supply text not null,
  supply text not null,
  supply_type text not null,
  reverse_charge boolean not null,
  -- The GSTIN of the platform that it was sold through; empty for none.
  ecommerce_gstin text not null default '',
  -- The shipping bill of an export of goods; empty until known.
  shipping_bill_number text not null default '',
  shipping_bill_date text not null default '',
  port_code text not null default '',
  -- With taxes and round-off, without previous dues.
  value_paise bigint not null,
  -- The invoice of a credit note.
  original_document_id bigint,
  cancelled_at timestamptz,
  lines gst_line[] not null,
  primary key (bucket, merchant_id, document_id, revision)
);
create index gst_document_by_date on gst_document (bucket, merchant_id, document_date, document_id) where is_current;
grant select, insert, update (is_current, cancelled_at) on gst_document to nodal_server, nodal_tenant;
grant insert on gst_document to nodal_invoices;
select protect_tenant_table('gst_document');

-- Problems that an accountant must fix before filing returns. Each belongs to a revision, so a new revision without it
-- fixes it.
create table gst_problem (
  bucket smallint not null,
  merchant_id bigint not null,
  document_date date not null,
  document_id bigint not null,
  revision integer not null,
  -- 0 for the whole document.
  line smallint not null,
  code text not null,
  primary key (bucket, merchant_id, document_date, document_id, revision, line, code)
);
grant select, insert on gst_problem to nodal_server;
grant insert on gst_problem to nodal_invoices;
select protect_tenant_table('gst_problem');
