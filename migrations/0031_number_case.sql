-- Numbers that differ only by their case are one number.

alter table invoice drop constraint invoice_number_once;
-- Above 0 for an invoice from before whose number an older one has in another case: both stay as they were issued.
alter table invoice add column number_twin integer not null default 0;

with numbered as (
  select bucket, merchant_id, invoice_id, row_number() over (
    partition by bucket, merchant_id, financial_year, upper(invoice_number collate "C")
    order by created_at, invoice_id) - 1 as twin
  from invoice
)
update invoice set number_twin = numbered.twin
from numbered
where numbered.bucket = invoice.bucket and numbered.merchant_id = invoice.merchant_id
  and numbered.invoice_id = invoice.invoice_id and numbered.twin > 0;

create unique index invoice_number_once
  on invoice (bucket, merchant_id, financial_year, upper(invoice_number collate "C"), number_twin);
