-- Roles, the installation, ids, and the double-entry ledger.

do $$
declare
  role_name text;
begin
  foreach role_name in array array['nodal_server', 'nodal_simulator'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
    if not pg_has_role(current_user, role_name, 'usage') then
      execute format('grant %I to %I', role_name, current_user);
    end if;
  end loop;
end
$$;

grant usage on schema public to nodal_server;

-- One row: what is true of this installation. The secret signs tokens and keys the hashes of access key secrets.
create table installation (
  singleton boolean primary key default true check (singleton),
  secret bytea not null,
  created_at timestamptz not null default now()
);
insert into installation (secret)
values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
grant select on installation to nodal_server;

-- Ids are leased in blocks of 1,000: block n is the ids n * 1000 to n * 1000 + 999.
create sequence id_block start with 1000;
grant usage on sequence id_block to nodal_server;

-- A merchant's book numbers its postings and events without gaps. Its row is the lock of the merchant's money:
-- whoever posts holds it, and whoever needs several takes them in key order.
create table ledger_book (
  bucket smallint not null,
  merchant_id bigint not null,
  last_posting_no bigint not null default 0,
  last_event_no bigint not null default 0,
  primary key (bucket, merchant_id)
) with (fillfactor = 50);

-- balance is credits minus debits, in paise. owner_id tells apart accounts of one kind, 0 where there is one.
create table ledger_account (
  bucket smallint not null,
  merchant_id bigint not null,
  kind text not null,
  owner_id bigint not null default 0,
  balance bigint not null default 0,
  primary key (bucket, merchant_id, kind, owner_id),
  constraint ledger_account_kind check (kind in (
    'nodal_bank', 'available', 'held', 'payout_clearing', 'receivable')),
  constraint ledger_account_never_negative check (kind not in ('available', 'held') or balance >= 0)
) with (fillfactor = 50);

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
  constraint ledger_posting_once unique (bucket, merchant_id, subject_id, kind),
  constraint ledger_posting_amount check (amount_paise > 0),
  constraint ledger_posting_accounts check ((debit_kind, debit_owner_id) <> (credit_kind, credit_owner_id))
);

-- Which accounts a posting of each kind moves money between. Owned accounts belong to the posting's owner, such as a
-- franchise; of the others the merchant has one each.
create table ledger_rule (
  kind text primary key,
  debit_kind text not null,
  credit_kind text not null,
  debit_owned boolean not null default false,
  credit_owned boolean not null default false
);
insert into ledger_rule (kind, debit_kind, credit_kind) values
  ('funds_in', 'nodal_bank', 'available'),
  ('reserve', 'available', 'held'),
  ('success', 'held', 'payout_clearing'),
  ('failed', 'held', 'available'),
  ('reversed', 'payout_clearing', 'available'),
  ('late_success', 'available', 'payout_clearing'),
  ('late_success_unfunded', 'receivable', 'payout_clearing');

-- Money that came in, once for each reference.
create table funding (
  bucket smallint not null,
  merchant_id bigint not null,
  funding_id bigint not null,
  reference text not null,
  amount_paise bigint not null check (amount_paise > 0),
  created_at timestamptz not null,
  primary key (bucket, merchant_id, funding_id),
  constraint funding_reference unique (bucket, merchant_id, reference)
);

-- The outbox: what happened, in order, for each merchant.
create table event (
  bucket smallint not null,
  merchant_id bigint not null,
  event_no bigint not null,
  type text not null,
  subject_id bigint not null,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, event_no)
);

-- Takes the books of the given merchants, which the caller has put in key order.
create function ledger_lock(p_bucket smallint[], p_merchant_id bigint[]) returns void
language plpgsql as $$
declare
  locked integer;
begin
  with book as (
    select 1
    from unnest(p_bucket, p_merchant_id) with ordinality as wanted (bucket, merchant_id, place)
    join ledger_book using (bucket, merchant_id)
    order by wanted.place
    for update of ledger_book
  )
  select count(*) into locked from book;
  if locked <> cardinality(p_merchant_id) then
    raise exception 'a merchant has no book' using errcode = 'no_data_found';
  end if;
end
$$;

-- Writes postings with their events, in the given order, numbers them in their books, and moves the balances.
-- p_bucket, p_merchant_id: the merchants, once each, whose books the caller holds; p_slot points into them.
-- A posting whose event type is null has no event; p_owner_id is needed by kinds with owned accounts only. Numbers are
-- handed over in arrays by slot, because a join of two lists takes the square of their length.
create function ledger_post(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_slot integer[], p_kind text[],
  p_event_type text[], p_subject_id bigint[], p_amount_paise bigint[], p_owner_id bigint[] default null
) returns void
language plpgsql as $$
declare
  v_postings integer[] := array_fill(0, array[cardinality(p_merchant_id)]);
  v_events integer[] := v_postings;
  v_posting_place integer[] := p_slot;
  v_event_place integer[] := p_slot;
  v_slot integer;
  v_posting_no bigint[];
  v_event_no bigint[];
  v_written integer;
  v_unmoved integer;
begin
  for v_index in 1 .. cardinality(p_slot) loop
    v_slot := p_slot[v_index];
    v_postings[v_slot] := v_postings[v_slot] + 1;
    v_posting_place[v_index] := v_postings[v_slot];
    if p_event_type[v_index] is not null then
      v_events[v_slot] := v_events[v_slot] + 1;
      v_event_place[v_index] := v_events[v_slot];
    end if;
  end loop;

  with numbered as (
    update ledger_book
    set last_posting_no = last_posting_no + book.postings, last_event_no = last_event_no + book.events
    from unnest(p_bucket, p_merchant_id, v_postings, v_events) with ordinality
      as book (bucket, merchant_id, postings, events, slot)
    where ledger_book.bucket = book.bucket and ledger_book.merchant_id = book.merchant_id
    returning book.slot, last_posting_no - book.postings as posting_no, last_event_no - book.events as event_no
  )
  select array_agg(posting_no order by slot), array_agg(event_no order by slot)
  into v_posting_no, v_event_no
  from numbered;

  insert into ledger_posting (
    bucket, merchant_id, posting_no, kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise,
    subject_id, posted_at)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], v_posting_no[item.slot] + item.place, item.kind, rule.debit_kind,
    case when rule.debit_owned then item.owner_id else 0 end, rule.credit_kind,
    case when rule.credit_owned then item.owner_id else 0 end, item.amount_paise, item.subject_id, p_now
  from unnest(p_slot, v_posting_place, p_kind, p_subject_id, p_amount_paise, p_owner_id)
    as item (slot, place, kind, subject_id, amount_paise, owner_id)
  join ledger_rule rule using (kind);
  get diagnostics v_written = row_count;

  insert into event (bucket, merchant_id, event_no, type, subject_id, created_at)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], v_event_no[item.slot] + item.place, item.type, item.subject_id, p_now
  from unnest(p_slot, v_event_place, p_event_type, p_subject_id) as item (slot, place, type, subject_id)
  where item.type is not null;

  with movement as (
    select item.slot, side.kind, side.owner_id, sum(side.sign * item.amount_paise)::bigint as amount_paise
    from unnest(p_slot, p_kind, p_amount_paise, p_owner_id) as item (slot, kind, amount_paise, owner_id)
    join ledger_rule rule using (kind)
    cross join lateral (values
      (rule.credit_kind, case when rule.credit_owned then item.owner_id else 0 end, 1),
      (rule.debit_kind, case when rule.debit_owned then item.owner_id else 0 end, -1)) as side (kind, owner_id, sign)
    group by item.slot, side.kind, side.owner_id
  ), account as (
    update ledger_account
    set balance = ledger_account.balance + movement.amount_paise
    from movement
    where ledger_account.bucket = p_bucket[movement.slot] and ledger_account.merchant_id = p_merchant_id[movement.slot]
      and ledger_account.kind = movement.kind and ledger_account.owner_id = movement.owner_id
    returning 1
  )
  select (select count(*) from movement) - (select count(*) from account) into v_unmoved;
  if v_written <> cardinality(p_slot) or v_unmoved <> 0 then
    raise exception 'a posting has no rule, book or account' using errcode = 'no_data_found';
  end if;
end
$$;

-- Adds events that have no posting to the outbox, in the given order. The caller holds the merchants' books.
create function record_events(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_type text[], p_subject_id bigint[]
) returns void
language sql as $$
  with happening as (
    select
      given.*, row_number() over (partition by given.bucket, given.merchant_id order by given.place) as place_in_book
    from unnest(p_bucket, p_merchant_id, p_type, p_subject_id) with ordinality
      as given (bucket, merchant_id, type, subject_id, place)
  ), book as (
    update ledger_book
    set last_event_no = ledger_book.last_event_no + counted.events
    from (select bucket, merchant_id, count(*) as events from happening group by bucket, merchant_id) as counted
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id
    returning ledger_book.bucket, ledger_book.merchant_id, ledger_book.last_event_no - counted.events as before
  )
  insert into event (bucket, merchant_id, event_no, type, subject_id, created_at)
  select
    happening.bucket, happening.merchant_id, book.before + happening.place_in_book, happening.type,
    happening.subject_id, p_now
  from happening
  join book using (bucket, merchant_id);
$$;

grant select, insert on ledger_posting, funding, event to nodal_server;
grant select, insert, update on ledger_book, ledger_account to nodal_server;
grant select on ledger_rule to nodal_server;
