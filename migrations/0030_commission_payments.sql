-- Commission that waits for somebody who may move money, and commission that was paid by other means than a transfer.

-- Earned by what somebody did who may not move money: it is not paid out by itself, until somebody who may has settled it.
alter table commission add column waits boolean not null default false;
create index commission_waiting on commission (franchise_id, bucket, merchant_id) where waits;

create table commission_payment (
  bucket smallint not null,
  merchant_id bigint not null,
  payment_id bigint not null,
  franchise_id bigint not null,
  amount_paise bigint not null check (amount_paise > 0),
  paid_date date not null,
  mode text not null,
  bank_ref_no text not null,
  note text not null,
  recorded_at timestamptz not null,
  reversed_at timestamptz,
  reversal_reason text,
  primary key (bucket, merchant_id, payment_id),
  constraint commission_payment_reversed_with_reason check ((reversed_at is null) = (reversal_reason is null))
);
create index commission_payment_of_franchise on commission_payment (franchise_id, payment_id, bucket, merchant_id);

insert into ledger_rule (kind, debit_kind, credit_kind, debit_owned, credit_owned) values
  ('commission_paid_outside', 'commission_payable', 'commission_settled', true, true),
  ('commission_payment_reversed', 'commission_settled', 'commission_payable', true, true);

grant select, insert, update on commission_payment to nodal_server;
select protect_tenant_table('commission_payment');
