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
grant select, insert, update on payout_policy to nodal_server;
grant select on payout_policy to nodal_payouts;
select protect_tenant_table('payout_policy');

-- What a merchant's transfers of a day come to, of those that count towards a daily limit and have not come back.
create table payout_day (
  bucket smallint not null,
  merchant_id bigint not null,
  day date not null,
  counted_paise bigint not null check (counted_paise >= 0),
  primary key (bucket, merchant_id, day)
) with (fillfactor = 50);
grant select, insert, update on payout_day to nodal_server, nodal_payouts;
select protect_tenant_table('payout_day');

-- What waits, or waited, for a second person. A transfer, a withdrawal and a beneficiary have an approval of their own
-- id; a change of a bank account or of the policy has an id of its own, and the merchant's as its subject.
create table approval (
  bucket smallint not null,
  merchant_id bigint not null,
  approval_id bigint not null,
  -- franchise_account is the account of a new franchise, franchise_account_change that of one that there is.
  kind text not null check (kind in (
    'transfer', 'withdrawal', 'commission', 'beneficiary', 'franchise_account', 'franchise_account_change',
    'bank_account', 'policy')),
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
grant select, insert, update on approval to nodal_server;
grant select, insert on approval to nodal_payouts;
select protect_tenant_table('approval');

-- Whether something waits, or waited, for approval under this id.
create function has_approval(p_bucket smallint, p_merchant_id bigint, p_approval_id bigint) returns boolean
language sql stable as $$
  select exists (
    select from approval where bucket = p_bucket and merchant_id = p_merchant_id and approval_id = p_approval_id)
$$;

-- A merchant's policy as it is for a batch: with its day, and what is left of the day's limit.
create type payout_terms as (
  approve_over_paise bigint, cooling_off interval, transfer_limit_paise bigint, daily_limit_paise bigint,
  left_paise bigint, today date, time_zone text, expires_at timestamptz
);

-- The terms of those merchants of a batch that have a policy, by slot; null where none has. The caller holds the books.
-- The day is that of todayOf in src/merchants/today.ts; what waits expires by the merchant's clock too.
create function read_payout_terms(p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[])
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
