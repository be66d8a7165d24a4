-- A franchise may get other terms: each invoice keeps those that it was first paid or credited under. A franchise's new bank
-- account may wait for a second person.

create table commission_rate (
  bucket smallint not null,
  merchant_id bigint not null,
  invoice_id bigint not null,
  franchise_id bigint not null,
  commission_type text not null check (commission_type in ('Percentage', 'Fixed')),
  -- Hundredths of a per cent, or paise.
  commission_hundredths bigint not null check (commission_hundredths >= 0),
  primary key (bucket, merchant_id, invoice_id)
);
-- Until now the terms could not change.
insert into commission_rate (bucket, merchant_id, invoice_id, franchise_id, commission_type, commission_hundredths)
select bucket, merchant_id, invoice_id, franchise_id, commission_type, commission_hundredths
from invoice
join franchise using (bucket, merchant_id, franchise_id)
where exists (select from settlement where settlement.bucket = invoice.bucket
    and settlement.merchant_id = invoice.merchant_id and settlement.invoice_id = invoice.invoice_id)
  or exists (select from credit_note where credit_note.bucket = invoice.bucket
    and credit_note.merchant_id = invoice.merchant_id and credit_note.invoice_id = invoice.invoice_id);

grant select, insert, update on commission_rate to nodal_server;
select protect_tenant_table('commission_rate');

-- franchise_account_change: the account of a franchise that there is, where franchise_account is that of a new one.
alter table approval
  drop constraint approval_kind_check,
  add constraint approval_kind_check check (kind in (
    'transfer', 'withdrawal', 'commission', 'beneficiary', 'franchise_account', 'franchise_account_change',
    'bank_account', 'policy'));

-- What follows from an approval, and what earns commission a second time, takes its id in the transaction of a request.
grant usage on sequence id_block to nodal_tenant;
