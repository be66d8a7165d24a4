-- Beneficiaries, transfers and withdrawals, and the dispatch queue.
--
-- Unique constraints beside a primary key end with the merchant's key instead of beginning with it. Where two indexes
-- begin alike, the planner may take the wrong one for a look-up by id while a table is small, keep that plan, and then
-- read all of a merchant's rows for each.

create table beneficiary (
  bucket smallint not null,
  merchant_id bigint not null,
  beneficiary_id bigint not null,
  type text not null default 'Vendor',
  name text not null,
  email_id text not null,
  mobile text not null,
  account_number text,
  ifsc text,
  upi text,
  address text not null,
  city text not null,
  state text not null,
  zipcode text not null,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, beneficiary_id),
  constraint beneficiary_account unique (account_number, ifsc, bucket, merchant_id),
  constraint beneficiary_upi unique (upi, bucket, merchant_id),
  constraint beneficiary_payable check (upi is not null or (account_number is not null and ifsc is not null))
);

-- A transfer to a beneficiary, or a withdrawal to the merchant's own account. The payee is a copy: what was paid
-- stays what it was, whatever becomes of the beneficiary. Each row is updated once or twice: half of a page is left for
-- that, so that an update need not touch the indexes.
create table transfer (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  kind text not null check (kind in ('transfer', 'withdrawal')),
  reference_id text,
  beneficiary_id bigint,
  payee_name text not null,
  account_number text,
  ifsc text,
  upi text,
  mode text not null check (mode in ('banktransfer', 'upi')),
  rail text not null,
  rail_mode text not null check (rail_mode in ('IMPS', 'NEFT', 'RTGS', 'UPI')),
  amount_paise bigint not null check (amount_paise > 0),
  narrative text not null,
  state text not null check (state in (
    'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'SUCCESS', 'FAILED', 'REJECTED', 'REVERSED')),
  utr text,
  reason text,
  acknowledged boolean not null default false,
  added_at timestamptz not null,
  processed_at timestamptz,
  primary key (bucket, merchant_id, transfer_id),
  constraint transfer_reference unique (reference_id, bucket, merchant_id),
  constraint transfer_needs_reference check (kind = 'withdrawal' or (reference_id is not null and beneficiary_id is not null))
) with (fillfactor = 50);

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

-- The processes that dispatch. When a lease runs out, others take its claims over.
create table dispatcher (
  process_id bigint primary key,
  lease_expires_at timestamptz not null
);

-- Group commit of transfers and withdrawals that arrived together, in order of arrival.
-- p_bucket, p_merchant_id: the merchants of the batch, once each, in key order; p_slot points into them.
-- p_previous: the place of the last earlier item of the batch with the same merchant and reference, or 0.
-- Answers for each item its outcome and the transfer that stands for it: `created`, `existing` (by reference),
-- `replayed` (by idempotency key), `idempotency_conflict` or `insufficient_balance`. When a batch is tried again after
-- a broken connection, an item that had been committed finds itself: `existing` or `replayed` with its own id.
create function accept_transfers(
  p_now timestamptz, p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[],
  p_slot integer[], p_previous integer[], p_transfer_id bigint[], p_kind text[], p_reference_id text[],
  p_beneficiary_id bigint[], p_payee_name text[], p_account_number text[], p_ifsc text[], p_upi text[],
  p_mode text[], p_rail text[], p_rail_mode text[], p_amount_paise bigint[], p_narrative text[], p_claim boolean[],
  p_idempotency_key text[], p_request_hash bytea[]
) returns table (outcome text, transfer_id bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  v_available bigint[];
  v_stands_for bigint[];
  v_conflict boolean[];
  v_created boolean[] := array_fill(false, array[cardinality(p_slot)]);
  v_outcome text[] := array_fill(null::text, array[cardinality(p_slot)]);
  v_place integer;
begin
  perform ledger_lock(p_bucket, p_merchant_id);

  -- Only now, with the books held: an earlier snapshot would miss what another process has just committed.
  select array_agg(account.balance order by wanted.place) into v_available
  from unnest(p_bucket, p_merchant_id) with ordinality as wanted (bucket, merchant_id, place)
  join ledger_account account
    on account.bucket = wanted.bucket and account.merchant_id = wanted.merchant_id
    and account.kind = 'available' and account.owner_id = 0;

  select
    array_agg(
      coalesce(
        case when known.request_hash = item.request_hash then known.subject_id end,
        same_reference.transfer_id, same_id.transfer_id)
      order by item.place),
    array_agg(known.request_hash <> item.request_hash order by item.place)
  into v_stands_for, v_conflict
  from unnest(p_slot, p_transfer_id, p_reference_id, p_idempotency_key, p_request_hash) with ordinality
    as item (slot, transfer_id, reference_id, idempotency_key, request_hash, place)
  left join transfer same_reference
    on same_reference.bucket = p_bucket[item.slot] and same_reference.merchant_id = p_merchant_id[item.slot]
    and same_reference.reference_id = item.reference_id
  left join transfer same_id
    on same_id.bucket = p_bucket[item.slot] and same_id.merchant_id = p_merchant_id[item.slot]
    and same_id.transfer_id = case when item.reference_id is null then item.transfer_id end
  left join idempotency_key known
    on known.bucket = p_bucket[item.slot] and known.merchant_id = p_merchant_id[item.slot]
    and known.idempotency_key = item.idempotency_key;

  for v_place in 1 .. cardinality(p_slot) loop
    if v_stands_for[v_place] is null and p_previous[v_place] > 0 then
      v_stands_for[v_place] := v_stands_for[p_previous[v_place]];
    end if;
    if v_conflict[v_place] then
      v_outcome[v_place] := 'idempotency_conflict';
    elsif v_conflict[v_place] is not null then
      v_outcome[v_place] := 'replayed';
    elsif v_stands_for[v_place] is not null then
      v_outcome[v_place] := 'existing';
    elsif p_amount_paise[v_place] <= v_available[p_slot[v_place]] then
      v_available[p_slot[v_place]] := v_available[p_slot[v_place]] - p_amount_paise[v_place];
      v_outcome[v_place] := 'created';
      v_stands_for[v_place] := p_transfer_id[v_place];
      v_created[v_place] := true;
    else
      v_outcome[v_place] := 'insufficient_balance';
    end if;
  end loop;

  if true = any (v_created) then
    perform insert_accepted_transfers(
      p_now, p_process_id, p_bucket, p_merchant_id, p_slot, v_created, p_transfer_id, p_kind, p_reference_id,
      p_beneficiary_id, p_payee_name, p_account_number, p_ifsc, p_upi, p_mode, p_rail, p_rail_mode, p_amount_paise,
      p_narrative, p_claim, p_idempotency_key, p_request_hash);
  end if;
  return query
  select item.outcome, case when item.outcome <> 'idempotency_conflict' then item.stands_for end
  from unnest(v_outcome, v_stands_for) as item (outcome, stands_for);
end
$$;

-- The writing half of accept_transfers: the rows of what fitted, with their postings and events.
create function insert_accepted_transfers(
  p_now timestamptz, p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[],
  p_slot integer[], p_created boolean[], p_transfer_id bigint[], p_kind text[], p_reference_id text[],
  p_beneficiary_id bigint[], p_payee_name text[], p_account_number text[], p_ifsc text[], p_upi text[],
  p_mode text[], p_rail text[], p_rail_mode text[], p_amount_paise bigint[], p_narrative text[], p_claim boolean[],
  p_idempotency_key text[], p_request_hash bytea[]
) returns void
language plpgsql as $$
declare
  v_slot integer[];
  v_subject_id bigint[];
  v_amount_paise bigint[];
  v_event_type text[];
begin
  insert into transfer (
    bucket, merchant_id, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc, upi, mode,
    rail, rail_mode, amount_paise, narrative, state, added_at)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], item.transfer_id, item.kind, item.reference_id, item.beneficiary_id,
    item.payee_name, item.account_number, item.ifsc, item.upi, item.mode, item.rail, item.rail_mode, item.amount_paise,
    item.narrative, case when item.claim then 'SUBMITTING' else 'RESERVED' end, p_now
  from unnest(
    p_slot, p_created, p_transfer_id, p_kind, p_reference_id, p_beneficiary_id, p_payee_name, p_account_number, p_ifsc,
    p_upi, p_mode, p_rail, p_rail_mode, p_amount_paise, p_narrative, p_claim)
    as item (slot, created, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc,
      upi, mode, rail, rail_mode, amount_paise, narrative, claim)
  where item.created;

  insert into transfer_dispatch (bucket, merchant_id, transfer_id, claimed_by, due_at)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], item.transfer_id,
    case when item.claim then p_process_id end, case when not item.claim then p_now end
  from unnest(p_slot, p_created, p_transfer_id, p_claim) as item (slot, created, transfer_id, claim)
  where item.created;

  if array_remove(p_idempotency_key, null) <> '{}' then
    insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, subject_id, created_at)
    select
      p_bucket[item.slot], p_merchant_id[item.slot], item.idempotency_key, item.request_hash, item.transfer_id, p_now
    from unnest(p_slot, p_created, p_transfer_id, p_idempotency_key, p_request_hash)
      as item (slot, created, transfer_id, idempotency_key, request_hash)
    where item.created and item.idempotency_key is not null;
  end if;

  select
    array_agg(item.slot order by item.place), array_agg(item.transfer_id order by item.place),
    array_agg(item.amount_paise order by item.place), array_agg(item.kind || '.accepted' order by item.place)
  into v_slot, v_subject_id, v_amount_paise, v_event_type
  from unnest(p_slot, p_created, p_transfer_id, p_amount_paise, p_kind) with ordinality
    as item (slot, created, transfer_id, amount_paise, kind, place)
  where item.created;

  perform ledger_post(
    p_now, p_bucket, p_merchant_id, v_slot, array_fill('reserve'::text, array[cardinality(v_slot)]), v_event_type,
    v_subject_id, v_amount_paise);
end
$$;

-- What a bank's report makes of a transfer: its new state and posting, by rank of the states, so that reports may come
-- twice and out of order. Null where the report changes nothing; a second SUCCESS may bring the acknowledgement.
-- Source: rails.md, "The transfer's life".
create function transfer_transition(p_state text, p_status text)
returns table (new_state text, posting_kind text)
language sql immutable as $$
  select
    case
      when p_state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING') and p_status in (
        'PENDING', 'SUCCESS', 'FAILED', 'REJECTED', 'REVERSED') then p_status
      when p_state in ('RESERVED', 'SUBMITTING') and p_status = 'UNKNOWN' then 'UNKNOWN'
      when p_state = 'SUCCESS' and p_status in ('SUCCESS', 'REVERSED') then p_status
      when p_state in ('FAILED', 'REJECTED') and p_status = 'SUCCESS' then 'SUCCESS'
    end,
    case
      when p_state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING') then
        case
          when p_status = 'SUCCESS' then 'success'
          when p_status in ('FAILED', 'REJECTED', 'REVERSED') then 'failed'
        end
      when p_state = 'SUCCESS' and p_status = 'REVERSED' then 'reversed'
      when p_state in ('FAILED', 'REJECTED') and p_status = 'SUCCESS' then 'late_success'
    end
$$;

-- Group commit of what the bank reported, at most one report for each transfer of the batch.
-- p_status is a bank's status, or UNKNOWN where the call broke off. p_due_at is when to ask again, if it stays open.
-- Answers the transfers as they stand now. What a paid commission means for its franchise is post_commissions, in
-- 0005_franchises.sql.
create function apply_reports(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_transfer_id bigint[],
  p_status text[], p_utr text[], p_reason text[], p_acknowledged boolean[], p_due_at timestamptz[]
) returns table (transfer_id bigint, state text, utr text, reason text)
language plpgsql as $$
#variable_conflict use_column
declare
  v_slot integer[];
  v_transfer_id bigint[];
  v_amount_paise bigint[];
  v_posting_kind text[];
  v_event_type text[];
begin
  perform ledger_lock(p_bucket, p_merchant_id);

  with outcome as (
    select
      t.bucket, t.merchant_id, t.transfer_id, t.kind, t.amount_paise, report.slot, report.place, report.utr,
      report.reason, report.acknowledged, next.new_state, next.posting_kind
    from unnest(p_slot, p_transfer_id, p_status, p_utr, p_reason, p_acknowledged) with ordinality
      as report (slot, transfer_id, status, utr, reason, acknowledged, place)
    join transfer t
      on t.bucket = p_bucket[report.slot] and t.merchant_id = p_merchant_id[report.slot]
      and t.transfer_id = report.transfer_id
    cross join lateral transfer_transition(t.state, report.status) as next
    where next.new_state is not null
  ), updated as (
    update transfer t
    set
      state = outcome.new_state,
      utr = coalesce(outcome.utr, t.utr),
      reason = case when outcome.new_state = 'SUCCESS' then null else coalesce(outcome.reason, t.reason) end,
      acknowledged = t.acknowledged or outcome.acknowledged,
      processed_at = case when outcome.posting_kind is null then t.processed_at else p_now end
    from outcome
    where t.bucket = outcome.bucket and t.merchant_id = outcome.merchant_id and t.transfer_id = outcome.transfer_id
  )
  select
    array_agg(slot order by place), array_agg(transfer_id order by place), array_agg(amount_paise order by place),
    array_agg(posting_kind order by place), array_agg(kind || '.' || lower(new_state) order by place)
  into v_slot, v_transfer_id, v_amount_paise, v_posting_kind, v_event_type
  from outcome
  where posting_kind is not null;

  if v_slot is not null then
    if 'late_success' = any (v_posting_kind) then
      v_posting_kind := fund_late_successes(p_bucket, p_merchant_id, v_slot, v_posting_kind, v_amount_paise);
    end if;
    perform ledger_post(
      p_now, p_bucket, p_merchant_id, v_slot, v_posting_kind, v_event_type, v_transfer_id, v_amount_paise);
    if v_event_type && array['commission.success', 'commission.reversed'] then
      perform post_commissions(p_now, p_bucket, p_merchant_id, v_slot, v_posting_kind, v_transfer_id);
    end if;
  end if;
  perform settle_dispatch(p_bucket, p_merchant_id, p_slot, p_transfer_id, p_status, p_due_at);

  return query
  select t.transfer_id, t.state, t.utr, t.reason
  from unnest(p_slot, p_transfer_id) as report (slot, transfer_id)
  join transfer t
    on t.bucket = p_bucket[report.slot] and t.merchant_id = p_merchant_id[report.slot]
    and t.transfer_id = report.transfer_id;
end
$$;

-- Decides what each late success of a batch debits: the available balance, or the receivable where the earlier ones of
-- the batch have left too little. Answers the posting kinds.
create function fund_late_successes(
  p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_posting_kind text[], p_amount_paise bigint[]
) returns text[]
language plpgsql as $$
declare
  v_posting_kind text[] := p_posting_kind;
  v_used_paise bigint[] := array_fill(0::bigint, array[cardinality(p_merchant_id)]);
  v_available_paise bigint;
begin
  for v_index in 1 .. cardinality(p_slot) loop
    continue when p_posting_kind[v_index] <> 'late_success';
    select balance - v_used_paise[p_slot[v_index]] into v_available_paise
    from ledger_account
    where bucket = p_bucket[p_slot[v_index]] and merchant_id = p_merchant_id[p_slot[v_index]]
      and kind = 'available' and owner_id = 0;
    if v_available_paise >= p_amount_paise[v_index] then
      v_used_paise[p_slot[v_index]] := v_used_paise[p_slot[v_index]] + p_amount_paise[v_index];
    else
      v_posting_kind[v_index] := 'late_success_unfunded';
    end if;
  end loop;
  return v_posting_kind;
end
$$;

-- Takes finished transfers out of the queue and says of the others when to look again.
create function settle_dispatch(
  p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_transfer_id bigint[], p_status text[],
  p_due_at timestamptz[]
) returns void
language plpgsql as $$
begin
  delete from transfer_dispatch queued
  using unnest(p_slot, p_transfer_id) as report (slot, transfer_id), transfer t
  where queued.bucket = p_bucket[report.slot] and queued.merchant_id = p_merchant_id[report.slot]
    and queued.transfer_id = report.transfer_id
    and t.bucket = queued.bucket and t.merchant_id = queued.merchant_id and t.transfer_id = queued.transfer_id
    and t.state in ('SUCCESS', 'FAILED', 'REJECTED', 'REVERSED');

  if p_status && array['PENDING', 'UNKNOWN'] then
    update transfer_dispatch queued
    set claimed_by = null, due_at = report.due_at, attempts = queued.attempts + 1
    from unnest(p_slot, p_transfer_id, p_due_at) as report (slot, transfer_id, due_at)
    where queued.bucket = p_bucket[report.slot] and queued.merchant_id = p_merchant_id[report.slot]
      and queued.transfer_id = report.transfer_id and report.due_at is not null;
  end if;
end
$$;

-- Claims queued transfers for a process and makes the attempt durable. Answers those that were free and due, with the
-- state that they had: RESERVED ones have never been sent, of the others the bank is asked first.
create function claim_transfers(
  p_now timestamptz, p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[],
  p_transfer_id bigint[]
) returns table (
  bucket smallint, merchant_id bigint, transfer_id bigint, state text, payee_name text, account_number text, ifsc text,
  upi text, rail text, rail_mode text, amount_paise bigint, narrative text, attempts integer
)
language plpgsql as $$
#variable_conflict use_column
begin
  perform ledger_lock(p_bucket, p_merchant_id);
  return query
  with claimed as (
    update transfer_dispatch queued
    set claimed_by = p_process_id, due_at = null
    from unnest(p_slot, p_transfer_id) as wanted (slot, transfer_id)
    where queued.bucket = p_bucket[wanted.slot] and queued.merchant_id = p_merchant_id[wanted.slot]
      and queued.transfer_id = wanted.transfer_id and queued.due_at <= p_now
    returning queued.bucket, queued.merchant_id, queued.transfer_id, queued.attempts
  ), submitting as (
    update transfer t
    set state = 'SUBMITTING'
    from claimed
    where t.bucket = claimed.bucket and t.merchant_id = claimed.merchant_id and t.transfer_id = claimed.transfer_id
      and t.state = 'RESERVED'
  )
  select
    t.bucket, t.merchant_id, t.transfer_id, t.state, t.payee_name, t.account_number, t.ifsc, t.upi, t.rail, t.rail_mode,
    t.amount_paise, t.narrative, claimed.attempts
  from claimed
  join transfer t
    on t.bucket = claimed.bucket and t.merchant_id = claimed.merchant_id and t.transfer_id = claimed.transfer_id;
end
$$;

grant select, insert on beneficiary to nodal_server;
grant select, insert, update on transfer to nodal_server;
grant select, insert, update, delete on transfer_dispatch, dispatcher to nodal_server;
