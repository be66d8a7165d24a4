-- Payouts: beneficiaries, transfers and withdrawals, the dispatch queue, and totals for charts.
--
-- Unique constraints beside a primary key end with the merchant's key instead of beginning with it. If two indexes
-- start with the same columns, the planner may choose the wrong one for a look-up by id while a table is small, keep
-- that plan, and later read all rows of a merchant for each look-up.

-- Encrypted values can't be compared, so equal accounts or handles of a merchant have the same index hash.
-- Transfers keep no copy of their payee: name, account and handle never change, and rows are never deleted. Only the
-- contact details, and whether the payee may be paid, can change.
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
  approval text not null default 'approved' check (approval in ('pending', 'approved', 'rejected', 'deactivated')),
  created_at timestamptz not null,
  -- The bank's result for the account, its time, and the reference of a check that has no answer yet.
  verification text not null default 'unverified' check (
    verification in ('unverified', 'pending', 'verified', 'name_differs', 'accepted', 'invalid')),
  verified_at timestamptz,
  name_at_bank text not null default '',
  bank_branch text not null default '',
  verification_utr text not null default '',
  verification_reference text,
  -- A keyed hash which proves that the server wrote what decides whether the payee may be paid.
  proof bytea,
  primary key (bucket, merchant_id, beneficiary_id),
  constraint beneficiary_payable check (upi is not null or (account_number is not null and ifsc is not null)),
  constraint beneficiary_encrypted check (
    (account_number is null or account_number like 'enc1:%') and (upi is null or upi like 'enc1:%')
    and (account_number is null) = (account_index is null) and (upi is null) = (upi_index is null))
);
-- The account of a rejected or deactivated payee can be added again.
create unique index beneficiary_account_once on beneficiary (account_index, bucket, merchant_id)
  where approval in ('pending', 'approved');
create unique index beneficiary_upi_once on beneficiary (upi_index, bucket, merchant_id)
  where approval in ('pending', 'approved');
-- For searches by IFSC, and by account number alone: the hash is then tried with each of these IFSCs.
create index beneficiary_ifsc on beneficiary (bucket, merchant_id, ifsc, beneficiary_id) where ifsc is not null;
-- Reconciliation looks for the cost of verifications in statements.
create index beneficiary_verified on beneficiary (bucket, merchant_id, verified_at) where verification_utr <> '';
grant select, insert on beneficiary to nodal_server;
grant update (
  approval, email_id, mobile, address, city, state, zipcode, verification, verified_at, name_at_bank, bank_branch,
  verification_utr, verification_reference, proof
) on beneficiary to nodal_server, nodal_tenant;
grant select on beneficiary to nodal_payouts;
select protect_tenant_table('beneficiary');

-- A transfer to a beneficiary, a withdrawal to the merchant's own account, or a payout of commission. Nodal requests
-- the latter itself, so it has no merchant reference. The beneficiary's row has the payee's account, which never
-- changes. The merchant's own account may change, so a withdrawal keeps a copy. Each row is updated once or twice: half
-- of each page is left free for that, so that updates need not touch the indexes.
create table transfer (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  kind text not null,
  reference_id text,
  beneficiary_id bigint,
  franchise_id bigint,
  -- Withdrawals only: a copy of the merchant's account.
  account_holder text,
  account_number text,
  ifsc text,
  mode text not null check (mode in ('banktransfer', 'upi')),
  rail text not null,
  rail_mode text not null check (rail_mode in ('IMPS', 'NEFT', 'RTGS', 'UPI')),
  amount_paise bigint not null check (amount_paise > 0),
  narrative text not null,
  -- While it waits for approval, its amount is held and it is not sent.
  state text not null check (state in (
    'AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'SUCCESS', 'FAILED', 'REJECTED', 'REVERSED')),
  utr text,
  reason text,
  acknowledged boolean not null default false,
  -- The outcome that people recorded, if the bank reported none in time.
  resolved_as text check (resolved_as in ('success', 'failed')),
  -- The day whose limit it counts towards.
  counted_on date,
  -- The claim of the process that is sending it; null while it waits, and once it has ended. It must not be in any
  -- index: updates at the start and the end of sending would then have to write all indexes.
  claim_id bigint,
  added_at timestamptz not null,
  processed_at timestamptz,
  -- The rail chosen at acceptance, if it was sent over a different one.
  first_rail text,
  -- Since when it has waited, unsent, for a provider that could not take it; usually null.
  waits_since timestamptz,
  -- A keyed hash which proves that the server wrote the UTR. Set once there is a UTR or the transfer has ended.
  utr_proof bytea,
  -- A keyed hash which proves that the server wrote amount, payee and rail, and the number of journal entries so far.
  -- It is hashed again once the transfer may have been sent, and again once it has ended.
  instruction_proof bytea,
  primary key (bucket, merchant_id, transfer_id),
  constraint transfer_reference unique (reference_id, bucket, merchant_id),
  constraint transfer_of_its_kind check (
    case kind
      when 'transfer' then reference_id is not null and beneficiary_id is not null and franchise_id is null
      when 'withdrawal' then beneficiary_id is null and franchise_id is null and mode = 'banktransfer'
      when 'commission' then reference_id is null and beneficiary_id is not null and franchise_id is not null
      else false
    end),
  constraint transfer_own_account check (
    (account_holder is not null) = (kind = 'withdrawal') and (account_number is not null) = (kind = 'withdrawal')
    and (ifsc is not null) = (kind = 'withdrawal')),
  constraint transfer_encrypted check (account_number like 'enc1:%')
) with (fillfactor = 50);
-- Partial indexes over few rows, so that ordinary transfers don't pay for them.
create index transfer_of_franchise on transfer (franchise_id, bucket, merchant_id) where kind = 'commission';
create index transfer_resolved on transfer (bucket, merchant_id, transfer_id) where resolved_as is not null;
create index transfer_of_other_kind on transfer (bucket, merchant_id, kind, transfer_id) where kind <> 'transfer';
-- One write per payment, with its result. It prevents that a returned payment is credited as a deposit.
create index transfer_utr on transfer ((ltrim(translate(upper(utr), ' -_/.:,;#*|()', ''), '0')), bucket, merchant_id)
  where utr is not null;
grant select, insert, update on transfer to nodal_server, nodal_payouts;
select protect_tenant_table('transfer');

-- Tags of payouts: labels that people sort and search by. They move no money, and a payout without tags has no row. The
-- id may also be that of the transfer that a scheduled payout will become.
create table transfer_tag (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  -- The tag in lower case: tags that differ only in case are the same.
  tag_key text collate "C" not null,
  tag text not null,
  -- Its position among the payout's tags.
  place smallint not null check (place between 0 and 9),
  primary key (bucket, merchant_id, transfer_id, tag_key)
);
-- The payouts of a tag, and a merchant's tags.
create index transfer_tag_by_tag on transfer_tag (bucket, merchant_id, tag_key, transfer_id);
grant select, insert, delete on transfer_tag to nodal_server;
select protect_tenant_table('transfer_tag');

-- Files that are attached to payouts, such as bills: PDF, JPEG or PNG.
create table transfer_attachment (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  attachment_id bigint not null,
  file_name text not null,
  file_type text not null check (file_type in ('application/pdf', 'image/jpeg', 'image/png')),
  size_bytes integer not null check (size_bytes between 1 and 5242880),
  -- The actor who attached it.
  added_by text not null,
  added_at timestamptz not null,
  -- The file, encrypted with a key of its own, which is itself encrypted. Both are bound to the row.
  file_key text not null,
  content bytea not null,
  primary key (bucket, merchant_id, transfer_id, attachment_id),
  constraint transfer_attachment_encrypted check (file_key like 'enc1:%')
);
-- Encrypted bytes can't be compressed.
alter table transfer_attachment alter column content set storage external;
grant select, insert, delete, update (file_key) on transfer_attachment to nodal_server, nodal_tenant;
select protect_tenant_table('transfer_attachment');

-- Finds the payment that has one of these UTRs, among live merchants for a live one and among sandboxes for a sandbox.
-- Returns the id of the merchant's own payment, 0 for another merchant's, null for none. Requests can't read other
-- merchants' rows, so this function runs with its owner's rights.
create function payment_with_utr(p_bucket smallint, p_merchant_id bigint, p_keys text[]) returns bigint
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  v_live boolean;
begin
  if current_setting('role') = 'nodal_tenant' and p_merchant_id is distinct from nodal_merchant_id() then
    return null;
  end if;
  select live into v_live from merchant where bucket = p_bucket and merchant_id = p_merchant_id;
  return (
    select case when transfer.merchant_id = p_merchant_id then transfer.transfer_id else 0 end
    from transfer
    join merchant on merchant.bucket = transfer.bucket and merchant.merchant_id = transfer.merchant_id
    where ltrim(translate(upper(transfer.utr), ' -_/.:,;#*|()', ''), '0') = any (p_keys) and transfer.utr is not null
      and merchant.live = v_live
    order by transfer.merchant_id <> p_merchant_id, transfer.transfer_id limit 1);
end
$$;
revoke execute on function payment_with_utr from public;
grant execute on function payment_with_utr to nodal_tenant, nodal_server;

-- A provider's fee for a transfer that an operator booked from a statement, and may have reversed:
-- docs/rules/reconciliation.md#late-fees
create table late_fee (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The subject of its postings.
  fee_id bigint not null,
  transfer_id bigint not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- Does the platform bear it?
  is_expensed boolean not null,
  booked_at timestamptz not null,
  undone_at timestamptz,
  primary key (bucket, merchant_id, fee_id)
);
create unique index late_fee_once on late_fee (transfer_id, bucket, merchant_id) where undone_at is null;
grant select, insert, update on late_fee to nodal_server;
grant select on late_fee to nodal_payouts;
select protect_tenant_table('late_fee');

-- The queue: one row for each transfer that waits to be sent, and the time from which any process may claim it. A
-- claimed transfer has no row: an open transfer has either a row here or a claim. Rows are added and removed while the
-- merchant's book is locked.
create table transfer_dispatch (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  due_at timestamptz not null,
  -- How often the bank was called, as far as is known.
  attempts integer not null default 0,
  primary key (bucket, merchant_id, transfer_id)
);
create index transfer_dispatch_due on transfer_dispatch (due_at);
-- Transfers without a due time: on hold while their merchant's money can't leave. Few merchants have such rows.
create index transfer_dispatch_held on transfer_dispatch (bucket, merchant_id, transfer_id) where due_at = 'infinity';
grant select, insert, update, delete on transfer_dispatch to nodal_server, nodal_payouts;
select protect_tenant_table('transfer_dispatch');

-- The processes that dispatch. When a lease expires, others take over its claims.
create table dispatcher (
  process_id bigint primary key,
  lease_expires_at timestamptz not null
);
grant select, insert, update, delete on dispatcher to nodal_server, nodal_payouts;

-- One row for each batch that a process has claimed. The same commit puts the claim's id into the transfers, so that a
-- claimed transfer is always listed here. The list may have more: a transfer that has been released or claimed again
-- has a different claim_id. A transfer's slot is the position of its merchant. The process removes the row some time
-- after it has released the last transfer.
create table dispatch_claim (
  process_id bigint not null,
  claim_id bigint not null,
  -- The bucket of its first transfer. On Citus, all its transfers are in one shard group.
  bucket smallint not null,
  buckets smallint[] not null,
  merchant_ids bigint[] not null,
  slots integer[] not null,
  transfer_ids bigint[] not null,
  primary key (process_id, claim_id, bucket)
-- Keeps most rows inline and uncompressed: they live for a few seconds, so compression would cost more than it saves.
) with (toast_tuple_target = 8160);
grant select, insert, delete on dispatch_claim to nodal_server, nodal_payouts;

-- The transfers that are claimed, with their claims. Transfers that a claim lists but no longer holds are left out.
create view transfer_in_hand with (security_invoker = true) as
select
  claim.process_id, claim.claim_id, transfer.bucket, transfer.merchant_id, transfer.transfer_id, transfer.rail, transfer.state,
  transfer.amount_paise, transfer.added_at
from dispatch_claim claim
cross join lateral unnest(claim.slots, claim.transfer_ids) as listed (slot, transfer_id)
join transfer
  on transfer.bucket = claim.buckets[listed.slot] and transfer.merchant_id = claim.merchant_ids[listed.slot]
  and transfer.transfer_id = listed.transfer_id and transfer.claim_id = claim.claim_id;
grant select on transfer_in_hand to nodal_server, nodal_payouts;

-- The same for one merchant; 0 for all merchants. Claims contain several merchants, so requests can't read them. This
-- function runs with its owner's rights, for the merchant of the transaction only.
create function transfers_in_hand_of(p_merchant_id bigint) returns setof transfer_in_hand
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  if current_setting('role') = 'nodal_tenant' and p_merchant_id is distinct from nodal_merchant_id() then
    return;
  end if;
  return query select * from transfer_in_hand where p_merchant_id = 0 or merchant_id = p_merchant_id;
end
$$;
revoke execute on function transfers_in_hand_of from public;
grant execute on function transfers_in_hand_of to nodal_tenant, nodal_server;

-- Daily totals of a merchant's payouts, and of credits and debits to its available balance, for charts. Stored once the
-- day is over; they stay correct because postings never change.
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
  in_paise bigint not null,
  out_paise bigint not null,
  primary key (bucket, merchant_id, time_zone, day)
);
grant select, insert, delete on payout_day_sum to nodal_server;
select protect_tenant_table('payout_day_sum');
