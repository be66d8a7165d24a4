-- The tax register: what returns and reports say of each invoice and credit note, written with the document.

-- One row for each revision of an invoice, and one for each credit note. What a document says of tax is here and in gst_line.
create table gst_document (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The invoice's or the credit note's.
  document_id bigint not null,
  revision integer not null,
  -- The latest revision. Reports leave the others out.
  is_current boolean not null,
  kind text not null,
  -- False for what is no supply under GST: the supplier has no GSTIN, or the invoice has only previous dues. Such a document has
  -- no lines, and is in no report but the document series, since it has a number.
  is_supply boolean not null,
  -- Null where the merchant gave the number.
  series_id bigint,
  financial_year smallint not null,
  document_number text not null,
  document_date date not null,
  party_name text not null,
  party_gstin text not null,
  -- Two digits, 96 for other countries; empty where it is not known.
  place_of_supply text not null,
  supply text not null,
  supply_type text not null,
  reverse_charge boolean not null,
  -- With taxes and round-off, without previous dues.
  value_paise bigint not null,
  -- The invoice of a credit note.
  original_document_id bigint,
  cancelled_at timestamptz,
  primary key (bucket, merchant_id, document_id, revision)
);
create index gst_document_by_date on gst_document (bucket, merchant_id, document_date, document_id) where is_current;
grant select, insert, update (is_current, cancelled_at) on gst_document to nodal_server, nodal_tenant;
grant insert on gst_document to nodal_invoices;
select protect_tenant_table('gst_document');

-- The only source of what reports add up. Amounts of credit notes are positive here; reports subtract them.
create table gst_line (
  bucket smallint not null,
  merchant_id bigint not null,
  document_id bigint not null,
  revision integer not null,
  -- The row of the invoice, from 1. 0 holds taxes that could not be tied to rows.
  line smallint not null,
  hsn text not null,
  description text not null,
  -- The unit quantity code: NA for services, OTH where the row has none.
  uqc text not null,
  quantity_thousandths bigint not null,
  -- Thousandths of a percent: of GST without cess.
  rate_thousandths bigint not null,
  -- taxable, nil, exempt, non_gst; untied in line 0.
  treatment text not null,
  taxable_paise bigint not null,
  igst_paise bigint not null,
  cgst_paise bigint not null,
  -- SGST or UTGST.
  sgst_paise bigint not null,
  cess_paise bigint not null,
  -- Taxes that are none of these by their names: in line 0 alone.
  other_paise bigint not null,
  primary key (bucket, merchant_id, document_id, revision, line)
);
grant select, insert on gst_line to nodal_server;
grant insert on gst_line to nodal_invoices;
select protect_tenant_table('gst_line');

-- What an accountant must mend before returns: of each revision, so that a new one without the problem mends it.
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
