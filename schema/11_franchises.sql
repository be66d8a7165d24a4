-- Franchises and their commission: rates, earnings, and payments outside Nodal.

create table franchise (
  bucket smallint not null,
  merchant_id bigint not null,
  franchise_id bigint not null,
  franchise_code text not null,
  franchise_name text not null,
  contact_person_name text not null,
  email_id text not null,
  mobile text not null,
  pan_number text not null,
  aadhar_number text not null,
  gst_number text not null,
  address text not null,
  city text not null,
  state text not null,
  zipcode text not null,
  online_settlement boolean not null,
  commission_type text not null check (commission_type in ('Percentage', 'Fixed')),
  -- Hundredths of a per cent, or paise.
  commission_hundredths bigint not null check (commission_hundredths >= 0),
  settlement_type text not null check (settlement_type in ('Auto', 'Manual')),
  bank_holder_name text not null,
  account_number text not null,
  bank_name text not null,
  account_type text not null check (account_type in ('', 'Saving', 'Current')),
  ifsc text not null,
  -- The beneficiary with this account; null if there is no account.
  beneficiary_id bigint,
  -- Null where there is no login.
  login_email text,
  role_name text,
  -- When the next automatic payout of commission is due.
  next_payout_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  -- A keyed hash which proves that the server wrote its rate and account. Checked before commission is earned or paid.
  proof bytea,
  primary key (bucket, merchant_id, franchise_id),
  constraint franchise_percentage check (commission_type = 'Fixed' or commission_hundredths <= 10000),
  constraint franchise_online_needs_account check (not online_settlement or beneficiary_id is not null),
  constraint franchise_login_complete check ((login_email is null) = (role_name is null)),
  constraint franchise_encrypted check (
    (pan_number = '' or pan_number like 'enc1:%') and (aadhar_number = '' or aadhar_number like 'enc1:%')
    and (account_number = '' or account_number like 'enc1:%'))
);
create unique index franchise_code_once on franchise (franchise_code, bucket, merchant_id) where deleted_at is null;
create index franchise_payout_due on franchise (next_payout_at, bucket, merchant_id, franchise_id)
  where settlement_type = 'Auto' and online_settlement and deleted_at is null;
grant select, insert, update on franchise to nodal_server;
grant select (bucket, merchant_id, franchise_id, deleted_at) on franchise to nodal_invoices;
select protect_tenant_table('franchise');

-- The commission that a franchise earned by a settlement of one of its invoices, and how much of it was reversed.
create table commission (
  bucket smallint not null,
  merchant_id bigint not null,
  settlement_id bigint not null,
  invoice_id bigint not null,
  franchise_id bigint not null,
  amount_paise bigint not null check (amount_paise > 0),
  reversed_paise bigint not null default 0,
  -- On hold: it was earned through an action of a user who can't move money. It is not paid out automatically until a
  -- user with that permission releases it.
  waits boolean not null default false,
  accrued_at timestamptz not null,
  -- A keyed hash over the row, checked before any of it is reversed or released.
  proof bytea,
  primary key (bucket, merchant_id, settlement_id),
  constraint commission_reversed_in_part check (reversed_paise between 0 and amount_paise)
) with (fillfactor = 90);
create index commission_by_invoice on commission (invoice_id, bucket, merchant_id);
-- The earnings of a franchise, newest first.
create index commission_of_franchise on commission (bucket, merchant_id, franchise_id, settlement_id desc);
create index commission_waiting on commission (franchise_id, bucket, merchant_id) where waits;
grant select, insert, update on commission to nodal_server;
select protect_tenant_table('commission');

-- The total of a franchise's commission on hold, over its rows of commission. Every franchise has a row from the start.
-- A missing row was deleted with SQL, and stops automatic payouts.
create table commission_hold (
  bucket smallint not null,
  merchant_id bigint not null,
  franchise_id bigint not null,
  waiting_paise bigint not null check (waiting_paise >= 0),
  proof bytea,
  primary key (bucket, merchant_id, franchise_id)
);
grant select, insert, update on commission_hold to nodal_server;
select protect_tenant_table('commission_hold');

-- A franchise's rate may change: each invoice keeps the rate at its first payment or credit note.
create table commission_rate (
  bucket smallint not null,
  merchant_id bigint not null,
  invoice_id bigint not null,
  franchise_id bigint not null,
  commission_type text not null check (commission_type in ('Percentage', 'Fixed')),
  -- Hundredths of a per cent, or paise.
  commission_hundredths bigint not null check (commission_hundredths >= 0),
  proof bytea,
  primary key (bucket, merchant_id, invoice_id)
);
grant select, insert, update on commission_rate to nodal_server;
select protect_tenant_table('commission_rate');

-- Commission that was paid outside Nodal.
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
grant select, insert, update on commission_payment to nodal_server;
select protect_tenant_table('commission_payment');
