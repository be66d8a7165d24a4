-- Money leaves over its merchant's rail only, and not while the merchant is suspended: the database refuses whatever the
-- server says. Approvals expire by the merchant's clock.

grant select (status) on merchant to nodal_payouts;

-- What is due never: held back for as long as its merchant's money may not leave. Few merchants have such rows.
create index transfer_dispatch_held on transfer_dispatch (bucket, merchant_id, transfer_id) where due_at = 'infinity';

-- Why a payout may not leave over a rail: null where it may. The simulator carries the sandbox and nothing else, and the
-- sandbox goes nowhere else.
create function payout_refusal(p_status text, p_live boolean, p_rail text) returns text
language sql immutable parallel safe as $$
  select case
    when p_status <> 'active' then 'suspended'
    when p_live = (p_rail = 'simulator') then 'wrong_rail'
  end
$$;

-- The same for each item of a batch. Who holds the books sees what cannot change meanwhile: whoever suspends a merchant,
-- or takes it live, holds its book too.
create function payout_refusals(p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_rail text[])
returns text[]
language plpgsql stable as $$
declare
  v_status text[];
  v_live boolean[];
begin
  select array_agg(merchant.status order by slot), array_agg(merchant.live order by slot) into v_status, v_live
  from generate_subscripts(p_merchant_id, 1) as slot
  join merchant on merchant.bucket = p_bucket[slot] and merchant.merchant_id = p_merchant_id[slot];
  return array(
    select payout_refusal(v_status[p_slot[place]], v_live[p_slot[place]], p_rail[place])
    from generate_subscripts(p_slot, 1) as place
    order by place);
end
$$;

-- The instant that a merchant's clock shows: the time of day is the real one. The same as nowOf in src/merchants/today.ts.
create function merchant_now(p_now timestamptz, p_time_zone text, p_live boolean, p_clock_date date) returns timestamptz
language sql stable as $$
  select case
    when not p_live and p_clock_date > (p_now at time zone p_time_zone)::date then
      (p_clock_date + (p_now at time zone p_time_zone)::time) at time zone p_time_zone
    else p_now
  end
$$;

-- The terms of a batch's merchants, as 0018_approvals.sql describes them; what waits expires by the merchant's clock.
create or replace function read_payout_terms(p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[])
returns payout_terms[]
language plpgsql stable as $$
declare
  v_terms payout_terms[];
  v_row record;
begin
  for v_row in
    select
      slot, policy.*, clock.time_zone, clock.shown_at, clock.today,
      policy.daily_limit_paise - coalesce(payout_day.counted_paise, 0) as left_paise
    from generate_subscripts(p_merchant_id, 1) as slot
    join payout_policy policy on policy.bucket = p_bucket[slot] and policy.merchant_id = p_merchant_id[slot]
    join lateral (
      select time_zone, shown_at, (shown_at at time zone time_zone)::date as today
      from (
        select time_zone, merchant_now(p_now, time_zone, live, clock_date) as shown_at
        from merchant
        where merchant.bucket = policy.bucket and merchant.merchant_id = policy.merchant_id
      ) as shown
    ) as clock on true
    left join payout_day
      on payout_day.bucket = policy.bucket and payout_day.merchant_id = policy.merchant_id
      and payout_day.day = clock.today
  loop
    v_terms[v_row.slot] := row(
      v_row.approve_over_paise, make_interval(mins => v_row.cooling_off_minutes), v_row.transfer_limit_paise,
      v_row.daily_limit_paise, v_row.left_paise, v_row.today, v_row.time_zone,
      v_row.shown_at + make_interval(hours => v_row.approval_expires_hours))::payout_terms;
  end loop;
  return v_terms;
end
$$;

-- Group commit of transfers, withdrawals and payouts of commission, as 0018_approvals.sql describes it. Further outcomes:
-- `suspended` and `wrong_rail`, for what may not leave.
create or replace function accept_transfers(
  p_now timestamptz, p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[],
  p_slot integer[], p_previous integer[], p_transfer_id bigint[], p_kind text[], p_reference_id text[],
  p_beneficiary_id bigint[], p_payee_name text[], p_account_number text[], p_ifsc text[], p_upi text[],
  p_mode text[], p_rail text[], p_rail_mode text[], p_amount_paise bigint[], p_narrative text[], p_claim boolean[],
  p_idempotency_key text[], p_request_hash bytea[], p_actor text[], p_address text[], p_franchise_id bigint[],
  p_payee_since timestamptz[]
) returns table (
  outcome text, transfer_id bigint, limit_paise bigint, left_paise bigint, payable_at timestamptz, time_zone text
)
language plpgsql as $$
#variable_conflict use_column
declare
  v_available bigint[];
  v_terms payout_terms[];
  v_refusal text[];
  v_stands_for bigint[];
  v_conflict boolean[];
  v_state text[] := array_fill(null::text, array[cardinality(p_slot)]);
  v_outcome text[] := v_state;
  v_counted_on date[];
  v_place integer;
  v_slot integer;
begin
  -- Only after this, with the books held: an earlier snapshot would miss what another process has just committed.
  v_available := ledger_lock(p_bucket, p_merchant_id);
  v_terms := read_payout_terms(p_now, p_bucket, p_merchant_id);
  v_refusal := payout_refusals(p_bucket, p_merchant_id, p_slot, p_rail);

  select
    array_agg(
      coalesce(
        case when known.request_hash = item.request_hash then known.subject_id end,
        same_reference.transfer_id, same_id.transfer_id)
      order by item.place),
    array_agg(known.request_hash <> item.request_hash order by item.place)
  into v_stands_for, v_conflict
  from (
    select place, p_slot[place] as slot, p_transfer_id[place] as transfer_id, p_reference_id[place] as reference_id,
      p_idempotency_key[place] as idempotency_key, p_request_hash[place] as request_hash
    from generate_subscripts(p_slot, 1) as place
  ) as item
  left join transfer same_reference
    on same_reference.bucket = p_bucket[item.slot] and same_reference.merchant_id + 0 = p_merchant_id[item.slot]
    and same_reference.reference_id = item.reference_id
  left join transfer same_id
    on same_id.bucket = p_bucket[item.slot] and same_id.merchant_id = p_merchant_id[item.slot]
    and same_id.transfer_id = case when item.reference_id is null then item.transfer_id end
  left join idempotency_key known
    on known.bucket = p_bucket[item.slot] and known.merchant_id = p_merchant_id[item.slot]
    and known.idempotency_key = item.idempotency_key;

  for v_place in 1 .. cardinality(p_slot) loop
    v_slot := p_slot[v_place];
    if v_stands_for[v_place] is null and p_previous[v_place] > 0 then
      v_stands_for[v_place] := v_stands_for[p_previous[v_place]];
    end if;
    if v_conflict[v_place] then
      v_outcome[v_place] := 'idempotency_conflict';
    elsif v_stands_for[v_place] = p_transfer_id[v_place] and has_approval(p_bucket[v_slot], p_merchant_id[v_slot], p_transfer_id[v_place]) then
      -- Tried again after a broken connection: it must not seem to be on its way to the bank.
      v_outcome[v_place] := 'awaiting_approval';
    elsif v_conflict[v_place] is not null then
      v_outcome[v_place] := 'replayed';
    elsif v_stands_for[v_place] is not null then
      v_outcome[v_place] := 'existing';
    else
      v_outcome[v_place] := case
        when v_refusal[v_place] is not null then v_refusal[v_place]
        when v_terms is null then 'created'
        else judge_payout(v_terms[v_slot], p_now, p_amount_paise[v_place], p_payee_since[v_place])
      end;
      continue when v_outcome[v_place] not in ('created', 'awaiting_approval');
      if p_amount_paise[v_place] > v_available[v_slot] then
        v_outcome[v_place] := 'insufficient_balance';
        continue;
      end if;
      v_available[v_slot] := v_available[v_slot] - p_amount_paise[v_place];
      v_stands_for[v_place] := p_transfer_id[v_place];
      v_state[v_place] := case
        when v_outcome[v_place] = 'awaiting_approval' then 'AWAITING_APPROVAL'
        when p_claim[v_place] then 'SUBMITTING'
        else 'RESERVED'
      end;
      if (v_terms[v_slot]).left_paise is not null then
        v_terms[v_slot].left_paise := (v_terms[v_slot]).left_paise - p_amount_paise[v_place];
        v_counted_on[v_place] := (v_terms[v_slot]).today;
      end if;
    end if;
  end loop;

  if array_remove(v_state, null) <> '{}' then
    perform insert_accepted_transfers(
      p_now, p_process_id, p_bucket, p_merchant_id, p_slot, v_state, p_transfer_id, p_kind, p_reference_id,
      p_beneficiary_id, p_payee_name, p_account_number, p_ifsc, p_upi, p_mode, p_rail, p_rail_mode, p_amount_paise,
      p_narrative, p_idempotency_key, p_request_hash, p_actor, p_address, p_franchise_id, v_counted_on);
    if v_terms is not null then
      perform follow_payout_terms(
        p_now, p_bucket, p_merchant_id, p_slot, v_state, p_transfer_id, p_kind, p_amount_paise, p_actor, v_counted_on,
        v_terms);
    end if;
  end if;
  return query
  select
    item.outcome, case when item.outcome <> 'idempotency_conflict' then item.stands_for end,
    case item.outcome
      when 'transfer_limit' then (v_terms[item.slot]).transfer_limit_paise
      when 'daily_limit' then (v_terms[item.slot]).daily_limit_paise
    end,
    (v_terms[item.slot]).left_paise, item.payee_since + (v_terms[item.slot]).cooling_off, (v_terms[item.slot]).time_zone
  from unnest(v_outcome, v_stands_for, p_slot, p_payee_since) as item (outcome, stands_for, slot, payee_since);
end
$$;

-- Claims queued transfers for a process, as 0004_payouts.sql describes it. What was never sent and may not leave is held
-- back instead; what may have been sent is claimed all the same, to ask the bank about it.
create or replace function claim_transfers(
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
  with wanted as (
    select
      t.bucket, t.merchant_id, t.transfer_id,
      t.state = 'RESERVED' and payout_refusal(merchant.status, merchant.live, t.rail) is not null as is_held
    from unnest(p_slot, p_transfer_id) as given (slot, transfer_id)
    join transfer t
      on t.bucket = p_bucket[given.slot] and t.merchant_id = p_merchant_id[given.slot]
      and t.transfer_id = given.transfer_id
    join merchant on merchant.bucket = t.bucket and merchant.merchant_id = t.merchant_id
  ), taken as (
    update transfer_dispatch queued
    set
      claimed_by = case when not wanted.is_held then p_process_id end,
      due_at = case when wanted.is_held then 'infinity'::timestamptz end
    from wanted
    where queued.bucket = wanted.bucket and queued.merchant_id = wanted.merchant_id
      and queued.transfer_id = wanted.transfer_id and queued.due_at <= p_now
    returning queued.bucket, queued.merchant_id, queued.transfer_id, queued.attempts, queued.claimed_by
  ), claimed as (
    select * from taken where taken.claimed_by is not null
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

-- Holds back what a process claimed and never sent, since it may not leave after all. It is the process's no more.
create function hold_claims(
  p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[],
  p_transfer_id bigint[]
) returns void
language plpgsql as $$
begin
  -- Whoever writes these rows holds the book.
  perform ledger_lock(p_bucket, p_merchant_id);
  with held as (
    update transfer_dispatch queued
    set claimed_by = null, due_at = 'infinity'
    from generate_subscripts(p_slot, 1) as place
    where queued.bucket = p_bucket[p_slot[place]] and queued.merchant_id = p_merchant_id[p_slot[place]]
      and queued.transfer_id = p_transfer_id[place] and queued.claimed_by = p_process_id
    returning queued.bucket, queued.merchant_id, queued.transfer_id
  )
  update transfer t
  set state = 'RESERVED'
  from held
  where t.bucket = held.bucket and t.merchant_id = held.merchant_id and t.transfer_id = held.transfer_id
    and t.state = 'SUBMITTING';
end
$$;

-- The merchants of whom something is held back, found by as many look-ups as there are of them.
create function merchants_held() returns table (bucket smallint, merchant_id bigint)
language sql stable as $$
  with recursive held as (
    (
      select bucket, merchant_id from transfer_dispatch
      where due_at = 'infinity' order by bucket, merchant_id limit 1
    )
    union all
    select later.bucket, later.merchant_id
    from held
    cross join lateral (
      select bucket, merchant_id from transfer_dispatch
      where due_at = 'infinity' and (bucket, merchant_id) > (held.bucket, held.merchant_id)
      order by bucket, merchant_id limit 1
    ) as later
  )
  select bucket, merchant_id from held
$$;

-- Lets what is held back of a merchant go on, at most p_limit of it, where it may leave by now. Answers how many.
create function free_held_transfers(p_now timestamptz, p_bucket smallint, p_merchant_id bigint, p_limit integer)
returns integer
language plpgsql as $$
declare
  v_freed integer;
begin
  perform ledger_lock(array[p_bucket], array[p_merchant_id]);
  update transfer_dispatch queued
  set due_at = p_now
  from (
    select t.transfer_id
    from transfer_dispatch held
    join transfer t using (bucket, merchant_id, transfer_id)
    join merchant using (bucket, merchant_id)
    where held.bucket = p_bucket and held.merchant_id = p_merchant_id and held.due_at = 'infinity'
      and payout_refusal(merchant.status, merchant.live, t.rail) is null
    order by t.transfer_id
    limit p_limit
  ) as freed
  where queued.bucket = p_bucket and queued.merchant_id = p_merchant_id and queued.transfer_id = freed.transfer_id;
  get diagnostics v_freed = row_count;
  return v_freed;
end
$$;

-- Whether the simulated bank has yet to take a step for a merchant, or to be heard of one. With the owner's eyes, since
-- nobody else may read its book, and for the merchant of the transaction only.
create function simulator_is_busy(p_bucket smallint, p_merchant_id bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select (current_setting('role') <> 'nodal_tenant' or p_merchant_id is not distinct from nodal_merchant_id())
    and exists (
      select from simulator.payment
      where bucket = p_bucket and merchant_id = p_merchant_id and (next_step_at is not null or not delivered))
$$;
revoke execute on function simulator_is_busy from public;
grant execute on function simulator_is_busy to nodal_tenant, nodal_server;
