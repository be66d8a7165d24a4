-- A merchant's own balances move into the row of its book, so that posting for a merchant is one update.
-- ledger_account keeps the accounts that have owners, such as franchises.

alter table ledger_book
  add column nodal_bank_paise bigint not null default 0,
  add column available_paise bigint not null default 0,
  add column held_paise bigint not null default 0,
  add column payout_clearing_paise bigint not null default 0,
  add column receivable_paise bigint not null default 0,
  add column commission_expense_paise bigint not null default 0;

update ledger_book
set
  nodal_bank_paise = own.nodal_bank_paise, available_paise = own.available_paise, held_paise = own.held_paise,
  payout_clearing_paise = own.payout_clearing_paise, receivable_paise = own.receivable_paise,
  commission_expense_paise = own.commission_expense_paise
from (
  select
    bucket, merchant_id,
    sum(balance) filter (where kind = 'nodal_bank') as nodal_bank_paise,
    sum(balance) filter (where kind = 'available') as available_paise,
    sum(balance) filter (where kind = 'held') as held_paise,
    sum(balance) filter (where kind = 'payout_clearing') as payout_clearing_paise,
    sum(balance) filter (where kind = 'receivable') as receivable_paise,
    sum(balance) filter (where kind = 'commission_expense') as commission_expense_paise
  from ledger_account
  where owner_id = 0
  group by bucket, merchant_id
) as own
where ledger_book.bucket = own.bucket and ledger_book.merchant_id = own.merchant_id;

alter table ledger_book
  add constraint ledger_book_never_negative check (available_paise >= 0 and held_paise >= 0);

delete from ledger_account where owner_id = 0;
alter table ledger_account
  alter column owner_id drop default,
  drop constraint ledger_account_kind,
  drop constraint ledger_account_owner,
  drop constraint ledger_account_never_negative,
  add constraint ledger_account_kind check (kind in ('commission_payable', 'commission_settled')),
  add constraint ledger_account_owner check (owner_id <> 0);

-- Every balance in one list, for those who read.
create function ledger_balances() returns table (
  bucket smallint, merchant_id bigint, kind text, owner_id bigint, balance bigint
)
language sql stable as $$
  select bucket, merchant_id, own.kind, 0::bigint, own.balance
  from ledger_book
  cross join lateral (values
    ('nodal_bank', nodal_bank_paise), ('available', available_paise), ('held', held_paise),
    ('payout_clearing', payout_clearing_paise), ('receivable', receivable_paise),
    ('commission_expense', commission_expense_paise)) as own (kind, balance)
  union all
  select bucket, merchant_id, kind, owner_id, balance from ledger_account
$$;

-- What a posting of the kind adds to each of the merchant's own accounts: 1, -1 or 0 times its amount.
alter table ledger_rule
  add column nodal_bank smallint not null
    generated always as (case 'nodal_bank' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  add column available smallint not null
    generated always as (case 'available' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  add column held smallint not null
    generated always as (case 'held' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  add column payout_clearing smallint not null
    generated always as (case 'payout_clearing' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  add column receivable smallint not null
    generated always as (case 'receivable' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  add column commission_expense smallint not null
    generated always as (case 'commission_expense' when credit_kind then 1 when debit_kind then -1 else 0 end) stored;

-- The subject first: new postings are of new subjects, so that their entries come together at the end of the index.
alter table ledger_posting
  drop constraint ledger_posting_once,
  add constraint ledger_posting_once unique (subject_id, kind, bucket, merchant_id);

-- sum() of bigint goes by way of numeric; this stays whole, and refuses what does not fit.
create aggregate sum_paise(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

-- Takes the books of the given merchants, which the caller has put in key order. Answers what each has available.
drop function ledger_lock(smallint[], bigint[]);
create function ledger_lock(p_bucket smallint[], p_merchant_id bigint[]) returns bigint[]
language plpgsql as $$
declare
  v_available_paise bigint[];
begin
  with book as (
    select wanted.place, ledger_book.available_paise
    from generate_subscripts(p_merchant_id, 1) as wanted (place)
    join ledger_book
      on ledger_book.bucket = p_bucket[wanted.place] and ledger_book.merchant_id = p_merchant_id[wanted.place]
    order by wanted.place
    for update of ledger_book
  )
  select coalesce(array_agg(available_paise order by place), '{}') into v_available_paise from book;
  if cardinality(v_available_paise) <> cardinality(p_merchant_id) then
    raise exception 'a merchant has no book' using errcode = 'no_data_found';
  end if;
  return v_available_paise;
end
$$;

-- Writes postings with their events, in the given order, numbers them in their books, and moves the balances.
-- p_bucket, p_merchant_id: the merchants, once each, whose books the caller holds; p_slot points into them.
-- A posting whose event type is null has no event; p_owner_id is needed by kinds with owned accounts only. Numbers are
-- handed over in arrays by slot, because a join of two lists takes the square of their length.
create or replace function ledger_post(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_kind text[],
  p_event_type text[], p_subject_id bigint[], p_amount_paise bigint[], p_owner_id bigint[] default null
) returns void
language plpgsql as $$
declare
  v_posting_no bigint[];
  v_event_no bigint[];
  v_written integer;
begin
  -- Each merchant has a line without a posting, so that the numbers of all come back, in the order of the slots.
  with movement as (
    select
      item.slot, count(item.kind) as postings, count(item.event_type) as events,
      sum_paise(item.amount_paise * rule.nodal_bank) as nodal_bank_paise,
      sum_paise(item.amount_paise * rule.available) as available_paise,
      sum_paise(item.amount_paise * rule.held) as held_paise,
      sum_paise(item.amount_paise * rule.payout_clearing) as payout_clearing_paise,
      sum_paise(item.amount_paise * rule.receivable) as receivable_paise,
      sum_paise(item.amount_paise * rule.commission_expense) as commission_expense_paise
    from (
      select
        p_slot[place] as slot, p_kind[place] as kind, p_event_type[place] as event_type,
        p_amount_paise[place] as amount_paise
      from generate_subscripts(p_slot, 1) as place
      union all
      select slot, null, null, null
      from generate_subscripts(p_merchant_id, 1) as slot
    ) as item
    left join ledger_rule rule on rule.kind = item.kind
    group by item.slot
  ), numbered as (
    update ledger_book
    set
      last_posting_no = last_posting_no + movement.postings,
      last_event_no = last_event_no + movement.events,
      nodal_bank_paise = ledger_book.nodal_bank_paise + movement.nodal_bank_paise,
      available_paise = ledger_book.available_paise + movement.available_paise,
      held_paise = ledger_book.held_paise + movement.held_paise,
      payout_clearing_paise = ledger_book.payout_clearing_paise + movement.payout_clearing_paise,
      receivable_paise = ledger_book.receivable_paise + movement.receivable_paise,
      commission_expense_paise = ledger_book.commission_expense_paise + movement.commission_expense_paise
    from movement
    where ledger_book.bucket = p_bucket[movement.slot] and ledger_book.merchant_id = p_merchant_id[movement.slot]
    returning
      movement.slot, last_posting_no - movement.postings as posting_no, last_event_no - movement.events as event_no
  )
  select array_agg(posting_no order by slot), array_agg(event_no order by slot)
  into v_posting_no, v_event_no
  from numbered;

  insert into ledger_posting (
    bucket, merchant_id, posting_no, kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise,
    subject_id, posted_at)
  select
    p_bucket[p_slot[place]], p_merchant_id[p_slot[place]],
    v_posting_no[p_slot[place]] + row_number() over (partition by p_slot[place] order by place), rule.kind,
    rule.debit_kind, case when rule.debit_owned then p_owner_id[place] else 0 end, rule.credit_kind,
    case when rule.credit_owned then p_owner_id[place] else 0 end, p_amount_paise[place], p_subject_id[place], p_now
  from generate_subscripts(p_slot, 1) as place
  join ledger_rule rule on rule.kind = p_kind[place];
  get diagnostics v_written = row_count;
  if v_written <> cardinality(p_slot) or cardinality(v_posting_no) <> cardinality(p_merchant_id) then
    raise exception 'a posting has no rule or book' using errcode = 'no_data_found';
  end if;

  insert into event (bucket, merchant_id, event_no, type, subject_id, created_at)
  select
    p_bucket[p_slot[place]], p_merchant_id[p_slot[place]],
    v_event_no[p_slot[place]] + row_number() over (partition by p_slot[place] order by place), p_event_type[place],
    p_subject_id[place], p_now
  from generate_subscripts(p_slot, 1) as place
  where p_event_type[place] is not null;

  if p_owner_id is not null then
    perform ledger_post_owned(p_bucket, p_merchant_id, p_slot, p_kind, p_amount_paise, p_owner_id);
  end if;
end
$$;

-- The part of ledger_post that moves the balances of accounts with owners.
create function ledger_post_owned(
  p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_kind text[], p_amount_paise bigint[],
  p_owner_id bigint[]
) returns void
language plpgsql as $$
declare
  v_unmoved integer;
begin
  with movement as (
    select item.slot, side.kind, item.owner_id, sum_paise(side.sign * item.amount_paise) as amount_paise
    from unnest(p_slot, p_kind, p_amount_paise, p_owner_id) as item (slot, kind, amount_paise, owner_id)
    join ledger_rule rule using (kind)
    cross join lateral (values (rule.credit_kind, rule.credit_owned, 1), (rule.debit_kind, rule.debit_owned, -1))
      as side (kind, owned, sign)
    where side.owned
    group by item.slot, side.kind, item.owner_id
  ), account as (
    update ledger_account
    set balance = ledger_account.balance + movement.amount_paise
    from movement
    where ledger_account.bucket = p_bucket[movement.slot] and ledger_account.merchant_id = p_merchant_id[movement.slot]
      and ledger_account.kind = movement.kind and ledger_account.owner_id = movement.owner_id
    returning 1
  )
  select (select count(*) from movement) - (select count(*) from account) into v_unmoved;
  if v_unmoved <> 0 then
    raise exception 'a posting has no account' using errcode = 'no_data_found';
  end if;
end
$$;

-- Group commit of transfers and withdrawals, as 0004_payouts.sql describes it; what is available comes with the lock.
-- The reference is looked up with the merchant's id hidden from the planner, which might take the primary key's index
-- for it and read all of the merchant's transfers.
create or replace function accept_transfers(
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
  -- Only after this, with the books held: an earlier snapshot would miss what another process has just committed.
  v_available := ledger_lock(p_bucket, p_merchant_id);

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

-- Decides what each late success of a batch debits, as in 0004_payouts.sql.
create or replace function fund_late_successes(
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

