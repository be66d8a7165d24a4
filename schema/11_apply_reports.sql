-- Group commit of what banks report about transfers.

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

-- Applies what was reported, at most one report for each transfer of the batch; daily limits follow.
-- p_status is a bank's status, or UNKNOWN where the call broke off. p_due_at is when to ask again, if it stays open.
-- Answers the transfers as they stand now.
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
  v_counted boolean;
begin
  perform ledger_lock(p_bucket, p_merchant_id);

  with outcome as (
    select
      t.bucket, t.merchant_id, t.transfer_id, t.kind, t.amount_paise, t.counted_on, report.slot, report.place, report.utr,
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
    array_agg(posting_kind order by place), array_agg(kind || '.' || lower(new_state) order by place),
    bool_or(counted_on is not null)
  into v_slot, v_transfer_id, v_amount_paise, v_posting_kind, v_event_type, v_counted
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
    if v_counted then
      perform recount_payout_days(p_bucket, p_merchant_id, v_slot, v_transfer_id, v_posting_kind);
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
    select available_paise - v_used_paise[p_slot[v_index]] into v_available_paise
    from ledger_book
    where bucket = p_bucket[p_slot[v_index]] and merchant_id = p_merchant_id[p_slot[v_index]];
    if v_available_paise >= p_amount_paise[v_index] then
      v_used_paise[p_slot[v_index]] := v_used_paise[p_slot[v_index]] + p_amount_paise[v_index];
    else
      v_posting_kind[v_index] := 'late_success_unfunded';
    end if;
  end loop;
  return v_posting_kind;
end
$$;

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
