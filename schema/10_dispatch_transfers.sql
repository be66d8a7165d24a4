-- The dispatch queue's functions: claiming transfers for a process, and holding back what may not leave.

-- Claims queued transfers for a process and makes the attempt durable. Answers those that were free and due, with the
-- state that they had: RESERVED ones have never been sent, of the others the bank is asked first. What was never sent and
-- may not leave is held back instead; what may have been sent is claimed all the same, to ask the bank about it.
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
