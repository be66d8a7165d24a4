-- The double-entry ledger: books, accounts, postings, and the log of events.

-- A merchant's book numbers its postings and events without gaps, and has its own balances: credits minus debits, in
-- paise. Its row is the lock of the merchant's money: whoever posts holds it, and whoever needs several takes them in key
-- order.
create table ledger_book (
  bucket smallint not null,
  merchant_id bigint not null,
  last_posting_no bigint not null default 0,
  last_event_no bigint not null default 0,
  nodal_bank_paise bigint not null default 0,
  available_paise bigint not null default 0,
  held_paise bigint not null default 0,
  payout_clearing_paise bigint not null default 0,
  receivable_paise bigint not null default 0,
  commission_expense_paise bigint not null default 0,
  primary key (bucket, merchant_id),
  constraint ledger_book_never_negative check (available_paise >= 0 and held_paise >= 0)
) with (fillfactor = 50);
grant select, insert, update on ledger_book to nodal_server, nodal_payouts;
select protect_tenant_table('ledger_book');

-- The accounts that have owners, such as franchises. balance is credits minus debits, in paise.
create table ledger_account (
  bucket smallint not null,
  merchant_id bigint not null,
  kind text not null,
  owner_id bigint not null,
  balance bigint not null default 0,
  primary key (bucket, merchant_id, kind, owner_id),
  constraint ledger_account_kind check (kind in ('commission_payable', 'commission_settled')),
  constraint ledger_account_owner check (owner_id <> 0)
) with (fillfactor = 50);
grant select, insert, update on ledger_account to nodal_server, nodal_payouts;
select protect_tenant_table('ledger_account');

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

-- Which accounts a posting of each kind moves money between. Owned accounts belong to the posting's owner, such as a
-- franchise; of the others the merchant has one each, in its book. What a posting adds to each of these is 1, -1 or 0 times
-- its amount.
create table ledger_rule (
  kind text primary key,
  debit_kind text not null,
  credit_kind text not null,
  debit_owned boolean not null default false,
  credit_owned boolean not null default false,
  nodal_bank smallint not null
    generated always as (case 'nodal_bank' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  available smallint not null
    generated always as (case 'available' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  held smallint not null
    generated always as (case 'held' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  payout_clearing smallint not null
    generated always as (case 'payout_clearing' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  receivable smallint not null
    generated always as (case 'receivable' when credit_kind then 1 when debit_kind then -1 else 0 end) stored,
  commission_expense smallint not null
    generated always as (case 'commission_expense' when credit_kind then 1 when debit_kind then -1 else 0 end) stored
);
insert into ledger_rule (kind, debit_kind, credit_kind, debit_owned, credit_owned) values
  ('funds_in', 'nodal_bank', 'available', false, false),
  ('reserve', 'available', 'held', false, false),
  ('success', 'held', 'payout_clearing', false, false),
  ('failed', 'held', 'available', false, false),
  ('reversed', 'payout_clearing', 'available', false, false),
  ('late_success', 'available', 'payout_clearing', false, false),
  ('late_success_unfunded', 'receivable', 'payout_clearing', false, false),
  ('commission_accrued', 'commission_expense', 'commission_payable', false, true),
  ('commission_reversed', 'commission_payable', 'commission_expense', true, false),
  ('commission_paid', 'commission_payable', 'commission_settled', true, true),
  ('commission_unpaid', 'commission_settled', 'commission_payable', true, true),
  ('commission_paid_outside', 'commission_payable', 'commission_settled', true, true),
  ('commission_payment_reversed', 'commission_settled', 'commission_payable', true, true);
grant select on ledger_rule to nodal_server, nodal_tenant, nodal_payouts;

-- One row is one posting: it debits one account and credits another, so an unbalanced one can't be written.
create table ledger_posting (
  bucket smallint not null,
  merchant_id bigint not null,
  posting_no bigint not null,
  kind text not null,
  debit_kind text not null,
  debit_owner_id bigint not null default 0,
  credit_kind text not null,
  credit_owner_id bigint not null default 0,
  amount_paise bigint not null,
  subject_id bigint not null,
  posted_at timestamptz not null,
  primary key (bucket, merchant_id, posting_no),
  -- The subject first: new postings are of new subjects, so that their entries come together at the end of the index.
  constraint ledger_posting_once unique (subject_id, kind, bucket, merchant_id),
  constraint ledger_posting_amount check (amount_paise > 0),
  constraint ledger_posting_accounts check ((debit_kind, debit_owner_id) <> (credit_kind, credit_owner_id))
);
-- Payouts that came back, in the order in which they did: few, so that what moves money does not pay for it.
create index ledger_posting_given_back on ledger_posting (bucket, merchant_id, posting_no)
  where kind in ('failed', 'reversed');
grant select, insert on ledger_posting to nodal_server, nodal_payouts;
select protect_tenant_table('ledger_posting');

-- Money that came in, once for each reference. proof: as in event.
create table funding (
  bucket smallint not null,
  merchant_id bigint not null,
  funding_id bigint not null,
  reference text not null,
  amount_paise bigint not null check (amount_paise > 0),
  created_at timestamptz not null,
  proof bytea,
  primary key (bucket, merchant_id, funding_id),
  constraint funding_reference unique (bucket, merchant_id, reference)
);
grant select, insert on funding to nodal_server;
select protect_tenant_table('funding');

-- What happened, in order, for each merchant: the outbox, and the audit log of who changed what, from where, from what to
-- what. They are one, so that a transfer costs no further row: docs/audit.md.
create table event (
  bucket smallint not null,
  merchant_id bigint not null,
  event_no bigint not null,
  type text not null,
  subject_id bigint not null,
  created_at timestamptz not null,
  -- Who, such as key:nk_5_1000001_0123456789ab or job:subscriptions.
  actor text not null,
  -- The caller's, where there is one.
  address text,
  -- What changed, with what is secret masked; null where the posting or the row says it all.
  before jsonb,
  after jsonb,
  -- That the server wrote an entry that no posting made: a keyed hash, whose key is not in the database.
  proof bytea,
  primary key (bucket, merchant_id, event_no)
);
-- The log by what it is about, and by the people who acted. Neither index holds what happens to transfers at the API, so
-- that money moves without them.
create index event_of_subject on event (subject_id, bucket, merchant_id, event_no) where type not like 'transfer.%';
create index event_of_person on event (actor, bucket, merchant_id, event_no)
  where actor not like 'key:%' and actor not like 'job:%' and actor <> 'bank';
grant select, insert on event to nodal_server, nodal_payouts;
select protect_tenant_table('event');

-- sum() of bigint goes by way of numeric; this stays whole, and refuses what does not fit.
create aggregate sum_paise(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

-- Takes the books of the given merchants, which the caller has put in key order. Answers what each has available.
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
-- A posting whose event type is null has no event; p_owner_id is needed by kinds with owned accounts only. p_actor,
-- p_address: whose each posting is, where the transaction serves many; null where it is whoever acts in the transaction.
-- Numbers are handed over in arrays by slot, because a join of two lists takes the square of their length.
create function ledger_post(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_kind text[],
  p_event_type text[], p_subject_id bigint[], p_amount_paise bigint[], p_owner_id bigint[] default null,
  p_actor text[] default null, p_address text[] default null
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

  insert into event (bucket, merchant_id, event_no, type, subject_id, created_at, actor, address)
  select
    p_bucket[p_slot[place]], p_merchant_id[p_slot[place]],
    v_event_no[p_slot[place]] + row_number() over (partition by p_slot[place] order by place), p_event_type[place],
    p_subject_id[place], p_now, coalesce(p_actor[place], nodal_actor()),
    case when p_actor[place] is null then nodal_address() else p_address[place] end
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

-- Adds events that have no posting to the log, in the given order, in the name of whoever acts in this transaction, each
-- with its proof. The caller holds the merchants' books.
create function record_events(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_type text[], p_subject_id bigint[],
  p_before jsonb[] default null, p_after jsonb[] default null, p_proof bytea[] default null
) returns void
language sql as $$
  with happening as (
    select
      given.*, row_number() over (partition by given.bucket, given.merchant_id order by given.place) as place_in_book
    from unnest(p_bucket, p_merchant_id, p_type, p_subject_id, p_before, p_after, p_proof) with ordinality
      as given (bucket, merchant_id, type, subject_id, before, after, proof, place)
  ), book as (
    update ledger_book
    set last_event_no = ledger_book.last_event_no + counted.events
    from (select bucket, merchant_id, count(*) as events from happening group by bucket, merchant_id) as counted
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id
    returning ledger_book.bucket, ledger_book.merchant_id, ledger_book.last_event_no - counted.events as earlier
  )
  insert into event (
    bucket, merchant_id, event_no, type, subject_id, created_at, actor, address, before, after, proof)
  select
    happening.bucket, happening.merchant_id, book.earlier + happening.place_in_book, happening.type,
    happening.subject_id, p_now, nodal_actor(), nodal_address(), happening.before, happening.after, happening.proof
  from happening
  join book using (bucket, merchant_id);
$$;
