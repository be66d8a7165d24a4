-- Approvals: payouts over a limit, new payees and changed bank accounts wait for a second person; limits on payouts.
-- docs/approvals.md says who may do what.

-- A merchant without a row has no policy. Null means that a rule is off.
create table payout_policy (
  bucket smallint not null,
  merchant_id bigint not null,
  -- What is larger waits for a second person; 0 for all.
  approve_over_paise bigint check (approve_over_paise >= 0),
  -- Whether new payees and changes of bank accounts wait for a second person.
  approve_payees boolean not null default false,
  -- A new payee can't be paid before it is this old.
  cooling_off_minutes integer check (cooling_off_minutes > 0),
  transfer_limit_paise bigint check (transfer_limit_paise > 0),
  daily_limit_paise bigint check (daily_limit_paise > 0),
  approval_expires_hours integer not null default 72 check (approval_expires_hours > 0),
  primary key (bucket, merchant_id)
);

-- What a merchant's transfers of a day come to, of those that count towards a daily limit and have not come back.
create table payout_day (
  bucket smallint not null,
  merchant_id bigint not null,
  day date not null,
  counted_paise bigint not null check (counted_paise >= 0),
  primary key (bucket, merchant_id, day)
) with (fillfactor = 50);

-- What waits, or waited, for a second person. A transfer, a withdrawal and a beneficiary have an approval of their own
-- id; a change of a bank account or of the policy has an id of its own, and the merchant's as its subject.
create table approval (
  bucket smallint not null,
  merchant_id bigint not null,
  approval_id bigint not null,
  kind text not null check (kind in (
    'transfer', 'withdrawal', 'commission', 'beneficiary', 'franchise_account', 'bank_account', 'policy')),
  subject_id bigint not null,
  requested_by text not null,
  requested_at timestamptz not null,
  -- Null where it came back with a backup: then nothing but a person decides.
  expires_at timestamptz,
  -- What becomes true once it is approved, where no other row has it. The account number is encrypted.
  change jsonb,
  account_number text,
  decision text check (decision in ('approved', 'rejected', 'expired')),
  decided_by text,
  decided_at timestamptz,
  note text not null default '',
  primary key (bucket, merchant_id, approval_id),
  constraint approval_encrypted check (account_number is null or account_number like 'enc1:%'),
  constraint approval_decided check (
    (decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  constraint approval_by_another check (decided_by <> requested_by)
);
create index approval_open on approval (bucket, merchant_id, approval_id) where decision is null;
create index approval_expiry on approval (expires_at) where decision is null;

-- A payee that was rejected leaves its account free to be saved again.
alter table beneficiary
  add column approval text not null default 'approved' check (approval in ('pending', 'approved', 'rejected')),
  drop constraint beneficiary_account_once,
  drop constraint beneficiary_upi_once;
create unique index beneficiary_account_once on beneficiary (account_index, bucket, merchant_id)
  where approval <> 'rejected';
create unique index beneficiary_upi_once on beneficiary (upi_index, bucket, merchant_id) where approval <> 'rejected';

-- A transfer that waits for approval has its amount held, and nobody takes it to the bank. counted_on is the day whose
-- limit it counts towards.
alter table transfer
  add column counted_on date,
  drop constraint transfer_state_check,
  add constraint transfer_state_check check (state in (
    'AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'SUCCESS', 'FAILED', 'REJECTED', 'REVERSED'));

grant select, insert, update on payout_policy, payout_day, approval to nodal_server;
select protect_tenant_table(table_name) from unnest(array['payout_policy', 'payout_day', 'approval']) as table_name;
grant update (approval) on beneficiary to nodal_server, nodal_tenant;
grant select on payout_policy to nodal_payouts;
grant select, insert, update on payout_day to nodal_payouts;
grant select, insert on approval to nodal_payouts;
grant select (bucket, merchant_id, time_zone, live, clock_date) on merchant to nodal_payouts;

-- A merchant's policy as it is for a batch: with its day, and what is left of the day's limit.
create type payout_terms as (
  approve_over_paise bigint, cooling_off interval, transfer_limit_paise bigint, daily_limit_paise bigint,
  left_paise bigint, today date, time_zone text, expires_at timestamptz
);

-- The terms of those merchants of a batch that have a policy, by slot; null where none has. The caller holds the books.
-- The day is that of todayOf in src/merchants/today.ts.
create function read_payout_terms(p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[]) returns payout_terms[]
language plpgsql stable as $$
declare
  v_terms payout_terms[];
  v_row record;
begin
  for v_row in
    select
      slot, policy.*, clock.time_zone, clock.today,
      policy.daily_limit_paise - coalesce(payout_day.counted_paise, 0) as left_paise
    from generate_subscripts(p_merchant_id, 1) as slot
    join payout_policy policy on policy.bucket = p_bucket[slot] and policy.merchant_id = p_merchant_id[slot]
    join lateral (
      select
        time_zone, greatest((p_now at time zone time_zone)::date, case when not live then clock_date end) as today
      from merchant
      where merchant.bucket = policy.bucket and merchant.merchant_id = policy.merchant_id
    ) as clock on true
    left join payout_day
      on payout_day.bucket = policy.bucket and payout_day.merchant_id = policy.merchant_id
      and payout_day.day = clock.today
  loop
    v_terms[v_row.slot] := row(
      v_row.approve_over_paise, make_interval(mins => v_row.cooling_off_minutes), v_row.transfer_limit_paise,
      v_row.daily_limit_paise, v_row.left_paise, v_row.today, v_row.time_zone,
      p_now + make_interval(hours => v_row.approval_expires_hours))::payout_terms;
  end loop;
  return v_terms;
end
$$;

-- What the terms say of a payout: `created`, `awaiting_approval`, or which of them forbids it. A rule that is off is null,
-- and forbids nothing.
create function judge_payout(
  p_terms payout_terms, p_now timestamptz, p_amount_paise bigint, p_payee_since timestamptz
) returns text
language sql stable as $$
  select case
    when p_amount_paise > p_terms.transfer_limit_paise then 'transfer_limit'
    when p_payee_since + p_terms.cooling_off > p_now then 'cooling_off'
    when p_amount_paise > p_terms.left_paise then 'daily_limit'
    when p_amount_paise > p_terms.approve_over_paise then 'awaiting_approval'
    else 'created'
  end
$$;

-- Group commit of transfers, withdrawals and payouts of commission, as 0014_ledger_book.sql describes it, under the
-- policies of their merchants. Further outcomes: `awaiting_approval` (accepted, and held until somebody decides),
-- `transfer_limit`, `daily_limit` and `cooling_off`, with what the sentence about them needs.
-- p_payee_since: since when the payee has been there; null where it is not one that cools off.
drop function accept_transfers;
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

-- Whether something waits, or waited, for approval under this id.
create function has_approval(p_bucket smallint, p_merchant_id bigint, p_approval_id bigint) returns boolean
language sql stable as $$
  select exists (
    select from approval where bucket = p_bucket and merchant_id = p_merchant_id and approval_id = p_approval_id)
$$;

-- The writing half of accept_transfers: the rows of what was accepted (p_state is null for the others), with their
-- postings and events.
drop function insert_accepted_transfers;
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

-- The part of accept_transfers for merchants that have a policy: asks for approvals, and counts towards daily limits.
create function follow_payout_terms(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_state text[],
  p_transfer_id bigint[], p_kind text[], p_amount_paise bigint[], p_actor text[], p_counted_on date[],
  p_terms payout_terms[]
) returns void
language plpgsql as $$
begin
  insert into approval (
    bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, expires_at)
  select
    p_bucket[p_slot[place]], p_merchant_id[p_slot[place]], p_transfer_id[place], p_kind[place], p_transfer_id[place],
    coalesce(p_actor[place], nodal_actor()), p_now, (p_terms[p_slot[place]]).expires_at
  from generate_subscripts(p_slot, 1) as place
  where p_state[place] = 'AWAITING_APPROVAL';

  insert into payout_day (bucket, merchant_id, day, counted_paise)
  select p_bucket[p_slot[place]], p_merchant_id[p_slot[place]], p_counted_on[place], sum_paise(p_amount_paise[place])
  from generate_subscripts(p_slot, 1) as place
  where p_counted_on[place] is not null
  group by p_slot[place], p_counted_on[place]
  on conflict (bucket, merchant_id, day)
  do update set counted_paise = payout_day.counted_paise + excluded.counted_paise;
end
$$;

-- Gives what comes back to the limit of the day that it counted towards, and takes what was paid after all from it.
create function recount_payout_days(
  p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_transfer_id bigint[], p_posting_kind text[]
) returns void
language sql as $$
  update payout_day
  set counted_paise = payout_day.counted_paise + moved.amount_paise
  from (
    select
      t.bucket, t.merchant_id, t.counted_on,
      sum_paise(case
        when p_posting_kind[place] in ('failed', 'reversed') then - t.amount_paise
        when p_posting_kind[place] in ('late_success', 'late_success_unfunded') then t.amount_paise
        else 0
      end) as amount_paise
    from generate_subscripts(p_slot, 1) as place
    join transfer t
      on t.bucket = p_bucket[p_slot[place]] and t.merchant_id = p_merchant_id[p_slot[place]]
      and t.transfer_id = p_transfer_id[place]
    where t.counted_on is not null
    group by t.bucket, t.merchant_id, t.counted_on
  ) as moved
  where payout_day.bucket = moved.bucket and payout_day.merchant_id = moved.merchant_id
    and payout_day.day = moved.counted_on
$$;

-- Group commit of what the bank reported, as 0004_payouts.sql describes it; daily limits follow.
create or replace function apply_reports(
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
