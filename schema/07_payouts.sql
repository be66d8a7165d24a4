-- Payouts: beneficiaries, transfers and withdrawals, the dispatch queue, and sums for charts.
--
-- Unique constraints beside a primary key end with the merchant's key instead of beginning with it. Where two indexes
-- begin alike, the planner may take the wrong one for a look-up by id while a table is small, keep that plan, and then
-- read all of a merchant's rows for each.

-- What is encrypted can't be compared: the same account or handle of the same merchant has the same index.
-- Transfers keep no copy of whom they went to: name, account and handle never change, and a row is never deleted. What may
-- change is how to reach the payee, and whether it may be paid.
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
  -- What the bank said of the account, when, and under which reference an answer is still waited for.
  verification text not null default 'unverified' check (
    verification in ('unverified', 'pending', 'verified', 'name_differs', 'accepted', 'invalid')),
  verified_at timestamptz,
  name_at_bank text not null default '',
  bank_branch text not null default '',
  verification_utr text not null default '',
  verification_reference text,
  -- That the server wrote what decides whether it may be paid: a keyed hash.
  proof bytea,
  primary key (bucket, merchant_id, beneficiary_id),
  constraint beneficiary_payable check (upi is not null or (account_number is not null and ifsc is not null)),
  constraint beneficiary_encrypted check (
    (account_number is null or account_number like 'enc1:%') and (upi is null or upi like 'enc1:%')
    and (account_number is null) = (account_index is null) and (upi is null) = (upi_index is null))
);
-- A payee that was rejected or deactivated leaves its account free to be saved again.
create unique index beneficiary_account_once on beneficiary (account_index, bucket, merchant_id)
  where approval in ('pending', 'approved');
create unique index beneficiary_upi_once on beneficiary (upi_index, bucket, merchant_id)
  where approval in ('pending', 'approved');
-- Beneficiaries are found by IFSC; and by the account number alone, which is tried with each of these IFSCs.
create index beneficiary_ifsc on beneficiary (bucket, merchant_id, ifsc, beneficiary_id) where ifsc is not null;
-- What verifications cost is looked for in statements.
create index beneficiary_verified on beneficiary (bucket, merchant_id, verified_at) where verification_utr <> '';
grant select, insert on beneficiary to nodal_server;
grant update (
  approval, email_id, mobile, address, city, state, zipcode, verification, verified_at, name_at_bank, bank_branch,
  verification_utr, verification_reference, proof
) on beneficiary to nodal_server, nodal_tenant;
grant select on beneficiary to nodal_payouts;
select protect_tenant_table('beneficiary');

-- A transfer to a beneficiary, a withdrawal to the merchant's own account, or a payout of commission, which Nodal asks for
-- by itself: it has no reference of the merchant's. Whom it went to is said by its beneficiary's row, where that never changes. The
-- merchant's own account may change, so a withdrawal keeps the one that it went to. Each row is updated once or twice: half
-- of a page is left for that, so that an update need not touch the indexes.
create table transfer (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  kind text not null,
  reference_id text,
  beneficiary_id bigint,
  franchise_id bigint,
  -- Of a withdrawal: the merchant's account as it was.
  account_holder text,
  account_number text,
  ifsc text,
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
  -- What people have said it came to, where no bank did in time.
  resolved_as text check (resolved_as in ('success', 'failed')),
  -- The day whose limit it counts towards.
  counted_on date,
  -- The claim under which a process has it in hand; null where it waits, and once it is finished. No index may have it, or
  -- taking a transfer in hand and finishing it would touch all of them.
  claim_id bigint,
  added_at timestamptz not null,
  processed_at timestamptz,
  -- Over which rail it was to leave when it was accepted, where it leaves over another one.
  first_rail text,
  -- Since when it has waited, never sent, for a provider that could not take it; null for most.
  waits_since timestamptz,
  -- That the server wrote the UTR: a keyed hash. Whatever has a UTR or has ended has one.
  utr_proof bytea,
  -- That the server wrote what is to be paid, to whom and how, and after how many steps of its journal: a keyed hash. Once it may have
  -- been sent, and once it has ended, it is hashed once more each time.
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
-- What finds the rare ones covers few rows, so that what moves money does not pay for it.
create index transfer_of_franchise on transfer (franchise_id, bucket, merchant_id) where kind = 'commission';
create index transfer_resolved on transfer (bucket, merchant_id, transfer_id) where resolved_as is not null;
create index transfer_of_other_kind on transfer (bucket, merchant_id, kind, transfer_id) where kind <> 'transfer';
-- Written once for a payment, with its result: no return of it may be credited as a deposit.
create index transfer_utr on transfer ((ltrim(translate(upper(utr), ' -_/.:,;#*|()', ''), '0')), bucket, merchant_id)
  where utr is not null;
grant select, insert, update on transfer to nodal_server, nodal_payouts;
select protect_tenant_table('transfer');

-- Whose payment has one of these UTRs, of the merchants that are live as this one is, or in the sandbox as it is: a payment of its
-- own by its id, 0 for one of another merchant, null for none. Requests can't read those of others; this looks with the owner's eyes.
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

-- A provider's fee for a transfer that an operator booked from a statement, and perhaps took back: docs/rules/reconciliation.md#late-fees
create table late_fee (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The subject of its postings.
  fee_id bigint not null,
  transfer_id bigint not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- Whether the platform bears it.
  is_expensed boolean not null,
  booked_at timestamptz not null,
  undone_at timestamptz,
  primary key (bucket, merchant_id, fee_id)
);
create unique index late_fee_once on late_fee (transfer_id, bucket, merchant_id) where undone_at is null;
grant select, insert, update on late_fee to nodal_server;
grant select on late_fee to nodal_payouts;
select protect_tenant_table('late_fee');

-- One row for each transfer that waits for the bank: from when on anybody may take it in hand. One that a process has in hand
-- has none: an open transfer has either a row here or a claim. Rows are added and removed with the merchant's book held.
create table transfer_dispatch (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  due_at timestamptz not null,
  -- How often the bank was asked, as far as is known.
  attempts integer not null default 0,
  primary key (bucket, merchant_id, transfer_id)
);
create index transfer_dispatch_due on transfer_dispatch (due_at);
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

-- What processes have in hand: a row for each batch that one took on, written by the commit that put the claim's id into the
-- transfers, so that there is no moment at which a transfer is in hand and not listed here. It lists at least these transfers;
-- one that is in hand no more, or under another claim, has another claim_id. The place of a transfer's merchant is its slot.
-- The process removes the row some time after the last of them has left its hand.
create table dispatch_claim (
  process_id bigint not null,
  claim_id bigint not null,
  -- That of its first transfer. On Citus all are of one group of shards.
  bucket smallint not null,
  buckets smallint[] not null,
  merchant_ids bigint[] not null,
  slots integer[] not null,
  transfer_ids bigint[] not null,
  primary key (process_id, claim_id, bucket)
-- Most rows stay in their page as they are: they live for a few seconds, and compressing them would cost more than it saves.
) with (toast_tuple_target = 8160);
grant select, insert, delete on dispatch_claim to nodal_server, nodal_payouts;

-- What processes have in hand, and the claim that each is under: what a claim lists beside it has left it.
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

-- The same of one merchant; of all merchants for 0. Claims are of many merchants, so that requests can't read them; this looks
-- with the owner's eyes, for the merchant of the transaction only.
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

-- What a merchant's payouts of a day come to, and what the available balance got and lost, for charts: kept once the day
-- is over, since postings are never changed.
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
