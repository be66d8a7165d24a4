-- Roles of merchants, the sign-in directory, franchises, and commission: its accounts, accruals and payouts.

create table role (
  bucket smallint not null,
  merchant_id bigint not null,
  role_name text not null,
  primary key (bucket, merchant_id, role_name)
);
insert into role (bucket, merchant_id, role_name)
select bucket, merchant_id, role_name
from merchant
cross join unnest(array['Franchise', 'Manager', 'Viewer']) as role_name;

-- Who signs in with an e-mail address, over all merchants: the one table that is not kept by merchant, so that a sign-in
-- finds its merchant. The address itself is with the one who has it.
create table sign_in (
  email_hash bytea primary key,
  bucket smallint not null,
  merchant_id bigint not null,
  subject_kind text not null check (subject_kind in ('franchise')),
  subject_id bigint not null
);

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
  -- The beneficiary that has this account; null without one.
  beneficiary_id bigint,
  -- Null where there is no login.
  login_email text,
  password_hash text,
  role_name text,
  -- From when on the next automatic payout of commission is due: what ran last, for all processes.
  next_payout_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (bucket, merchant_id, franchise_id),
  constraint franchise_percentage check (commission_type = 'Fixed' or commission_hundredths <= 10000),
  constraint franchise_online_needs_account check (not online_settlement or beneficiary_id is not null),
  constraint franchise_login_complete check (
    (login_email is null) = (password_hash is null) and (login_email is null) = (role_name is null))
);
create unique index franchise_code_once on franchise (franchise_code, bucket, merchant_id) where deleted_at is null;
create index franchise_payout_due on franchise (next_payout_at, bucket, merchant_id, franchise_id)
  where settlement_type = 'Auto' and online_settlement and deleted_at is null;

-- What a franchise earned by a settlement of one of its invoices, and how much of that was taken back.
create table commission (
  bucket smallint not null,
  merchant_id bigint not null,
  settlement_id bigint not null,
  invoice_id bigint not null,
  franchise_id bigint not null,
  amount_paise bigint not null check (amount_paise > 0),
  reversed_paise bigint not null default 0,
  accrued_at timestamptz not null,
  primary key (bucket, merchant_id, settlement_id),
  constraint commission_reversed_in_part check (reversed_paise between 0 and amount_paise)
) with (fillfactor = 90);
create index commission_by_invoice on commission (invoice_id, bucket, merchant_id);

grant select, insert on role to nodal_server;
grant select, insert, delete on sign_in to nodal_server;
grant select, insert, update on franchise, commission to nodal_server;

-- A franchise has accounts of its own: their owner is its id.
alter table ledger_account
  drop constraint ledger_account_kind,
  add constraint ledger_account_kind check (kind in (
    'nodal_bank', 'available', 'held', 'payout_clearing', 'receivable', 'commission_expense', 'commission_payable',
    'commission_settled')),
  add constraint ledger_account_owner check ((owner_id <> 0) = (kind in ('commission_payable', 'commission_settled')));
insert into ledger_account (bucket, merchant_id, kind)
select bucket, merchant_id, 'commission_expense' from ledger_book;

insert into ledger_rule (kind, debit_kind, credit_kind, debit_owned, credit_owned) values
  ('commission_accrued', 'commission_expense', 'commission_payable', false, true),
  ('commission_reversed', 'commission_payable', 'commission_expense', true, false),
  ('commission_paid', 'commission_payable', 'commission_settled', true, true),
  ('commission_unpaid', 'commission_settled', 'commission_payable', true, true);

-- A payout of commission is a transfer that Nodal asks for by itself: it has no reference of the merchant's.
alter table transfer
  add column franchise_id bigint,
  drop constraint transfer_kind_check,
  drop constraint transfer_needs_reference,
  add constraint transfer_of_its_kind check (
    case kind
      when 'transfer' then reference_id is not null and beneficiary_id is not null and franchise_id is null
      when 'withdrawal' then franchise_id is null
      when 'commission' then reference_id is null and beneficiary_id is not null and franchise_id is not null
      else false
    end);
create index transfer_of_franchise on transfer (franchise_id, bucket, merchant_id) where kind = 'commission';

-- Adds to the postings of apply_reports what a paid or returned commission means for the franchise.
create function post_commissions(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_posting_kind text[],
  p_transfer_id bigint[]
) returns void
language sql as $$
  select ledger_post(
    p_now, p_bucket, p_merchant_id, array_agg(slot order by place),
    array_agg(case posting_kind when 'reversed' then 'commission_unpaid' else 'commission_paid' end order by place),
    array_agg(null::text), array_agg(t.transfer_id order by place), array_agg(t.amount_paise order by place),
    array_agg(t.franchise_id order by place))
  from unnest(p_slot, p_posting_kind, p_transfer_id) with ordinality as outcome (slot, posting_kind, transfer_id, place)
  join transfer t
    on t.bucket = p_bucket[outcome.slot] and t.merchant_id = p_merchant_id[outcome.slot]
    and t.transfer_id = outcome.transfer_id
  where t.kind = 'commission' and posting_kind <> 'failed'
  having count(*) > 0;
$$;
