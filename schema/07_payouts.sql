-- Payouts: beneficiaries, transfers and withdrawals, the dispatch queue, and sums for charts.
--
-- Unique constraints beside a primary key end with the merchant's key instead of beginning with it. Where two indexes
-- begin alike, the planner may take the wrong one for a look-up by id while a table is small, keep that plan, and then
-- read all of a merchant's rows for each.

-- What is encrypted can't be compared: the same account or handle of the same merchant has the same index.
create table beneficiary (
  bucket smallint not null,
  merchant_id bigint not null,
  beneficiary_id bigint not null,
  type text not null default 'Vendor',
  name text not null,
  email_id text not null,
  mobile text not null,
  account_number text,
  account_index bytea,
  ifsc text,
  upi text,
  upi_index bytea,
  address text not null,
  city text not null,
  state text not null,
  zipcode text not null,
  approval text not null default 'approved' check (approval in ('pending', 'approved', 'rejected')),
  created_at timestamptz not null,
  primary key (bucket, merchant_id, beneficiary_id),
  constraint beneficiary_payable check (upi is not null or (account_number is not null and ifsc is not null)),
  constraint beneficiary_encrypted check (
    (account_number is null or account_number like 'enc1:%') and (upi is null or upi like 'enc1:%')
    and (account_number is null) = (account_index is null) and (upi is null) = (upi_index is null))
);
-- A payee that was rejected leaves its account free to be saved again.
create unique index beneficiary_account_once on beneficiary (account_index, bucket, merchant_id)
  where approval <> 'rejected';
create unique index beneficiary_upi_once on beneficiary (upi_index, bucket, merchant_id) where approval <> 'rejected';
grant select, insert on beneficiary to nodal_server;
grant update (approval) on beneficiary to nodal_server, nodal_tenant;
grant select on beneficiary to nodal_payouts;
select protect_tenant_table('beneficiary');

-- A transfer to a beneficiary, a withdrawal to the merchant's own account, or a payout of commission, which Nodal asks for
-- by itself: it has no reference of the merchant's. The payee is a copy: what was paid stays what it was, whatever becomes
-- of the beneficiary. Each row is updated once or twice: half of a page is left for that, so that an update need not touch
-- the indexes.
create table transfer (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  kind text not null,
  reference_id text,
  beneficiary_id bigint,
  franchise_id bigint,
  payee_name text not null,
  account_number text,
  ifsc text,
  upi text,
  mode text not null check (mode in ('banktransfer', 'upi')),
  rail text not null,
  rail_mode text not null check (rail_mode in ('IMPS', 'NEFT', 'RTGS', 'UPI')),
  amount_paise bigint not null check (amount_paise > 0),
  narrative text not null,
  -- One that waits for approval has its amount held, and nobody takes it to the bank.
  state text not null check (state in (
    'AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'SUCCESS', 'FAILED', 'REJECTED', 'REVERSED')),
  utr text,
  reason text,
  acknowledged boolean not null default false,
  -- The day whose limit it counts towards.
  counted_on date,
  added_at timestamptz not null,
  processed_at timestamptz,
  primary key (bucket, merchant_id, transfer_id),
  constraint transfer_reference unique (reference_id, bucket, merchant_id),
  constraint transfer_of_its_kind check (
    case kind
      when 'transfer' then reference_id is not null and beneficiary_id is not null and franchise_id is null
      when 'withdrawal' then franchise_id is null
      when 'commission' then reference_id is null and beneficiary_id is not null and franchise_id is not null
      else false
    end),
  constraint transfer_encrypted check (
    (account_number is null or account_number like 'enc1:%') and (upi is null or upi like 'enc1:%'))
) with (fillfactor = 50);
-- What finds the rare ones covers few rows, so that what moves money does not pay for it.
create index transfer_of_franchise on transfer (franchise_id, bucket, merchant_id) where kind = 'commission';
create index transfer_of_other_kind on transfer (bucket, merchant_id, kind, transfer_id) where kind <> 'transfer';
grant select, insert, update on transfer to nodal_server, nodal_payouts;
select protect_tenant_table('transfer');

-- One row for each transfer that is not finished: who works on it, or from when on anybody may.
-- Apart from the transfer, so that finishing one touches none of its indexes.
create table transfer_dispatch (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  claimed_by bigint,
  due_at timestamptz,
  attempts integer not null default 0,
  primary key (bucket, merchant_id, transfer_id),
  constraint transfer_dispatch_claimed_or_due check ((claimed_by is null) <> (due_at is null))
);
create index transfer_dispatch_due on transfer_dispatch (due_at) where due_at is not null;
create index transfer_dispatch_claims on transfer_dispatch (claimed_by) where claimed_by is not null;
-- What is due never: held back for as long as its merchant's money may not leave. Few merchants have such rows.
create index transfer_dispatch_held on transfer_dispatch (bucket, merchant_id, transfer_id) where due_at = 'infinity';
grant select, insert, update, delete on transfer_dispatch to nodal_server, nodal_payouts;
select protect_tenant_table('transfer_dispatch');

-- The processes that dispatch. When a lease runs out, others take its claims over.
create table dispatcher (
  process_id bigint primary key,
  lease_expires_at timestamptz not null
);
grant select, insert, update, delete on dispatcher to nodal_server, nodal_payouts;

-- What a merchant's payouts of a day come to, for charts: kept once the day is over, since postings are never changed.
create table payout_day_sum (
  bucket smallint not null,
  merchant_id bigint not null,
  -- A day begins and ends in the merchant's time zone.
  time_zone text not null,
  day date not null,
  accepted_count bigint not null,
  accepted_paise bigint not null,
  paid_count bigint not null,
  paid_paise bigint not null,
  returned_count bigint not null,
  returned_paise bigint not null,
  primary key (bucket, merchant_id, time_zone, day)
);
grant select, insert, delete on payout_day_sum to nodal_server;
select protect_tenant_table('payout_day_sum');
