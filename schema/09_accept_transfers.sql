-- Group commit of transfers, withdrawals and payouts of commission that were asked for together.

-- Why a payout may not leave over a rail: null where it may. The simulator carries the sandbox and nothing else, and the
-- sandbox goes nowhere else. The database refuses, whatever the server says.
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

-- Accepts what arrived together, in order of arrival, each in the name of who asked for it and under its merchant's policy.
-- p_bucket, p_merchant_id: the merchants of the batch, once each, in key order; p_slot points into them.
-- p_previous: the place of the last earlier item of the batch with the same merchant and reference, or 0.
-- p_payee_since: since when the payee has been there; null where it is not one that cools off.
-- Answers for each item its outcome and the transfer that stands for it: `created`, `awaiting_approval` (accepted, and held
-- until somebody decides), `existing` (by reference), `replayed` (by idempotency key), `idempotency_conflict` or
-- `insufficient_balance`; `suspended` and `wrong_rail` for what may not leave; `transfer_limit`, `daily_limit` and
-- `cooling_off`, with what the sentence about them needs. When a batch is tried again after a broken connection, an item
-- that had been committed finds itself: `existing`, `replayed` or `awaiting_approval` with its own id.
-- The reference is looked up with the merchant's id hidden from the planner, which might take the primary key's index for
-- it and read all of the merchant's transfers.
create function accept_transfers(
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

-- The writing half of accept_transfers: the rows of what was accepted (p_state is null for the others), with their
-- postings and events.
create function insert_accepted_transfers(
  p_now timestamptz, p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[],
  p_slot integer[], p_state text[], p_transfer_id bigint[], p_kind text[], p_reference_id text[],
  p_beneficiary_id bigint[], p_payee_name text[], p_account_number text[], p_ifsc text[], p_upi text[],
  p_mode text[], p_rail text[], p_rail_mode text[], p_amount_paise bigint[], p_narrative text[],
  p_idempotency_key text[], p_request_hash bytea[], p_actor text[], p_address text[], p_franchise_id bigint[],
  p_counted_on date[]
) returns void
language plpgsql as $$
declare
  v_slot integer[];
  v_subject_id bigint[];
  v_amount_paise bigint[];
  v_event_type text[];
  v_actor text[];
  v_address text[];
begin
  insert into transfer (
    bucket, merchant_id, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc, upi, mode,
    rail, rail_mode, amount_paise, narrative, state, added_at, franchise_id, counted_on)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], item.transfer_id, item.kind, item.reference_id, item.beneficiary_id,
    item.payee_name, item.account_number, item.ifsc, item.upi, item.mode, item.rail, item.rail_mode, item.amount_paise,
    item.narrative, item.state, p_now, item.franchise_id, item.counted_on
  from unnest(
    p_slot, p_state, p_transfer_id, p_kind, p_reference_id, p_beneficiary_id, p_payee_name, p_account_number, p_ifsc,
    p_upi, p_mode, p_rail, p_rail_mode, p_amount_paise, p_narrative, p_franchise_id, p_counted_on)
    as item (slot, state, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc,
      upi, mode, rail, rail_mode, amount_paise, narrative, franchise_id, counted_on)
  where item.state is not null;

  insert into transfer_dispatch (bucket, merchant_id, transfer_id, claimed_by, due_at)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], item.transfer_id,
    case when item.state = 'SUBMITTING' then p_process_id end, case when item.state = 'RESERVED' then p_now end
  from unnest(p_slot, p_state, p_transfer_id) as item (slot, state, transfer_id)
  where item.state <> 'AWAITING_APPROVAL';

  if array_remove(p_idempotency_key, null) <> '{}' then
    insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, subject_id, created_at)
    select
      p_bucket[item.slot], p_merchant_id[item.slot], item.idempotency_key, item.request_hash, item.transfer_id, p_now
    from unnest(p_slot, p_state, p_transfer_id, p_idempotency_key, p_request_hash)
      as item (slot, state, transfer_id, idempotency_key, request_hash)
    where item.state is not null and item.idempotency_key is not null;
  end if;

  select
    array_agg(item.slot order by item.place), array_agg(item.transfer_id order by item.place),
    array_agg(item.amount_paise order by item.place),
    array_agg(
      item.kind || case item.state when 'AWAITING_APPROVAL' then '.awaiting_approval' else '.accepted' end
      order by item.place),
    array_agg(item.actor order by item.place), array_agg(item.address order by item.place)
  into v_slot, v_subject_id, v_amount_paise, v_event_type, v_actor, v_address
  from unnest(p_slot, p_state, p_transfer_id, p_amount_paise, p_kind, p_actor, p_address) with ordinality
    as item (slot, state, transfer_id, amount_paise, kind, actor, address, place)
  where item.state is not null;

  perform ledger_post(
    p_now, p_bucket, p_merchant_id, v_slot, array_fill('reserve'::text, array[cardinality(v_slot)]), v_event_type,
    v_subject_id, v_amount_paise, null, v_actor, v_address);
end
$$;
