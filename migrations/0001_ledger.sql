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

-- Which accounts a posting of each kind moves money between.
create table ledger_rule (
  kind text primary key,
  debit_kind text not null,
  credit_kind text not null
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

-- Writes postings in the given order and moves the balances. The caller holds the merchants' books.
create function ledger_post(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_kind text[], p_subject_id bigint[],
  p_amount_paise bigint[]
) returns void
language plpgsql as $$
declare
  written integer;
  moved integer;
  touched integer;
begin
  if cardinality(p_kind) = 0 then
    return;
  end if;

  with posting as (
    select
      given.*, ledger_rule.debit_kind, ledger_rule.credit_kind,
      row_number() over (partition by given.bucket, given.merchant_id order by given.place) as place_in_book
    from unnest(p_bucket, p_merchant_id, p_kind, p_subject_id, p_amount_paise) with ordinality
      as given (bucket, merchant_id, kind, subject_id, amount_paise, place)
    join ledger_rule using (kind)
  ), book as (
    update ledger_book
    set last_posting_no = ledger_book.last_posting_no + counted.postings
    from (select bucket, merchant_id, count(*) as postings from posting group by bucket, merchant_id) as counted
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id
    returning ledger_book.bucket, ledger_book.merchant_id, ledger_book.last_posting_no - counted.postings as before
  ), inserted as (
    insert into ledger_posting (
      bucket, merchant_id, posting_no, kind, debit_kind, credit_kind, amount_paise, subject_id, posted_at)
    select
      posting.bucket, posting.merchant_id, book.before + posting.place_in_book, posting.kind, posting.debit_kind,
      posting.credit_kind, posting.amount_paise, posting.subject_id, p_now
    from posting
    join book using (bucket, merchant_id)
    returning 1
  ), movement as (
    select bucket, merchant_id, kind, sum(amount_paise)::bigint as amount_paise
    from (
      select bucket, merchant_id, credit_kind as kind, amount_paise from posting
      union all
      select bucket, merchant_id, debit_kind, -amount_paise from posting
    ) as side
    group by bucket, merchant_id, kind
  ), account as (
    update ledger_account
    set balance = ledger_account.balance + movement.amount_paise
    from movement
    where ledger_account.bucket = movement.bucket and ledger_account.merchant_id = movement.merchant_id
      and ledger_account.kind = movement.kind and ledger_account.owner_id = 0
    returning 1
  )
  select (select count(*) from inserted), (select count(*) from movement), (select count(*) from account)
  into written, moved, touched;

  if written <> cardinality(p_kind) or moved <> touched then
    raise exception 'a posting has no rule, book or account' using errcode = 'no_data_found';
  end if;
end
$$;

-- Adds events to the outbox, in the given order. The caller holds the merchants' books.
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
