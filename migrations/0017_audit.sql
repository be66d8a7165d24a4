-- The audit log: who changed what, from where, from what to what. It is the outbox itself, so that a transfer costs no
-- further row: docs/audit.md.

-- actor: who, such as key:nk_5_1000001_0123456789ab or job:subscriptions. address: the caller's, where there is one.
-- before, after: what changed, with what is secret masked; null where the posting or the row says it all.
alter table event
  add column actor text not null default 'unrecorded',
  add column address text,
  add column before jsonb,
  add column after jsonb;
alter table event alter column actor drop default;

-- Who acts and from where: each transaction says so by `set local nodal.actor` and `nodal.address`, or its connection does
-- once and for all. Null where nobody did, which no event takes.
create function nodal_actor() returns text
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.actor', true), '')
$$;

create function nodal_address() returns text
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.address', true), '')
$$;

-- Seals: each covers the events and the postings that came after those of the one before it, and names that one. digest
-- is computed from the rows, seal from digest and the seal before under a key that is not in the database in plain text.
create table event_seal (
  bucket smallint not null,
  merchant_id bigint not null,
  seal_no bigint not null check (seal_no > 0),
  -- The range of events, and up to which posting. Where there was none, the first is one after the last.
  first_event_no bigint not null,
  last_event_no bigint not null,
  last_posting_no bigint not null,
  -- Four bytes for each event, which tell which of them was changed.
  marks bytea not null,
  digest bytea not null,
  seal bytea not null,
  sealed_at timestamptz not null,
  primary key (bucket, merchant_id, seal_no),
  constraint event_seal_range check (last_event_no >= first_event_no - 1)
);

-- How far each merchant's book is sealed: its last seal, in one place, so that those with something new are found by
-- comparing two small tables. Whoever moves it from one seal to the next has made that seal.
create table sealed_book (
  bucket smallint not null,
  merchant_id bigint not null,
  seal_no bigint not null,
  last_event_no bigint not null,
  last_posting_no bigint not null,
  seal bytea not null,
  primary key (bucket, merchant_id)
) with (fillfactor = 50);

grant select, insert on event_seal to nodal_server;
grant select, insert, update on sealed_book to nodal_server;
select protect_tenant_table('event_seal');
select protect_tenant_table('sealed_book');
-- Requests have nothing to do with seals but read them.
revoke insert on event_seal from nodal_tenant;
revoke insert, update on sealed_book from nodal_tenant;

-- ledger_post, as 0014_ledger_book.sql describes it. p_actor, p_address: whose each posting is, where the transaction
-- serves many; null where it is whoever acts in the transaction.
drop function ledger_post(
  timestamptz, smallint[], bigint[], integer[], text[], text[], bigint[], bigint[], bigint[]);
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

-- Adds events that have no posting to the outbox, in the given order, in the name of whoever acts in this transaction.
drop function record_events(timestamptz, smallint[], bigint[], text[], bigint[]);
create function record_events(
  p_now timestamptz, p_bucket smallint[], p_merchant_id bigint[], p_type text[], p_subject_id bigint[],
  p_before jsonb[] default null, p_after jsonb[] default null
) returns void
language sql as $$
  with happening as (
    select
      given.*, row_number() over (partition by given.bucket, given.merchant_id order by given.place) as place_in_book
    from unnest(p_bucket, p_merchant_id, p_type, p_subject_id, p_before, p_after) with ordinality
      as given (bucket, merchant_id, type, subject_id, before, after, place)
  ), book as (
    update ledger_book
    set last_event_no = ledger_book.last_event_no + counted.events
    from (select bucket, merchant_id, count(*) as events from happening group by bucket, merchant_id) as counted
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id
    returning ledger_book.bucket, ledger_book.merchant_id, ledger_book.last_event_no - counted.events as earlier
  )
  insert into event (
    bucket, merchant_id, event_no, type, subject_id, created_at, actor, address, before, after)
  select
    happening.bucket, happening.merchant_id, book.earlier + happening.place_in_book, happening.type,
    happening.subject_id, p_now, nodal_actor(), nodal_address(), happening.before, happening.after
  from happening
  join book using (bucket, merchant_id);
$$;

-- Group commit of transfers and withdrawals, as 0014_ledger_book.sql describes it, each in the name of who asked for it.
drop function insert_accepted_transfers(
  timestamptz, bigint, smallint[], bigint[], integer[], boolean[], bigint[], text[], text[], bigint[], text[], text[],
  text[], text[], text[], text[], text[], bigint[], text[], boolean[], text[], bytea[]);
create function insert_accepted_transfers(
  p_now timestamptz, p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[],
  p_slot integer[], p_created boolean[], p_transfer_id bigint[], p_kind text[], p_reference_id text[],
  p_beneficiary_id bigint[], p_payee_name text[], p_account_number text[], p_ifsc text[], p_upi text[],
  p_mode text[], p_rail text[], p_rail_mode text[], p_amount_paise bigint[], p_narrative text[], p_claim boolean[],
  p_idempotency_key text[], p_request_hash bytea[], p_actor text[], p_address text[]
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
    rail, rail_mode, amount_paise, narrative, state, added_at)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], item.transfer_id, item.kind, item.reference_id, item.beneficiary_id,
    item.payee_name, item.account_number, item.ifsc, item.upi, item.mode, item.rail, item.rail_mode, item.amount_paise,
    item.narrative, case when item.claim then 'SUBMITTING' else 'RESERVED' end, p_now
  from unnest(
    p_slot, p_created, p_transfer_id, p_kind, p_reference_id, p_beneficiary_id, p_payee_name, p_account_number, p_ifsc,
    p_upi, p_mode, p_rail, p_rail_mode, p_amount_paise, p_narrative, p_claim)
    as item (slot, created, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc,
      upi, mode, rail, rail_mode, amount_paise, narrative, claim)
  where item.created;

  insert into transfer_dispatch (bucket, merchant_id, transfer_id, claimed_by, due_at)
  select
    p_bucket[item.slot], p_merchant_id[item.slot], item.transfer_id,
    case when item.claim then p_process_id end, case when not item.claim then p_now end
  from unnest(p_slot, p_created, p_transfer_id, p_claim) as item (slot, created, transfer_id, claim)
  where item.created;

  if array_remove(p_idempotency_key, null) <> '{}' then
    insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, subject_id, created_at)
    select
      p_bucket[item.slot], p_merchant_id[item.slot], item.idempotency_key, item.request_hash, item.transfer_id, p_now
    from unnest(p_slot, p_created, p_transfer_id, p_idempotency_key, p_request_hash)
      as item (slot, created, transfer_id, idempotency_key, request_hash)
    where item.created and item.idempotency_key is not null;
  end if;

  select
    array_agg(item.slot order by item.place), array_agg(item.transfer_id order by item.place),
    array_agg(item.amount_paise order by item.place), array_agg(item.kind || '.accepted' order by item.place),
    array_agg(item.actor order by item.place), array_agg(item.address order by item.place)
  into v_slot, v_subject_id, v_amount_paise, v_event_type, v_actor, v_address
  from unnest(p_slot, p_created, p_transfer_id, p_amount_paise, p_kind, p_actor, p_address) with ordinality
    as item (slot, created, transfer_id, amount_paise, kind, actor, address, place)
  where item.created;

  perform ledger_post(
    p_now, p_bucket, p_merchant_id, v_slot, array_fill('reserve'::text, array[cardinality(v_slot)]), v_event_type,
    v_subject_id, v_amount_paise, null, v_actor, v_address);
end
$$;

drop function accept_transfers(
  timestamptz, bigint, smallint[], bigint[], integer[], integer[], bigint[], text[], text[], bigint[], text[], text[],
  text[], text[], text[], text[], text[], bigint[], text[], boolean[], text[], bytea[]);
create function accept_transfers(
  p_now timestamptz, p_process_id bigint, p_bucket smallint[], p_merchant_id bigint[],
  p_slot integer[], p_previous integer[], p_transfer_id bigint[], p_kind text[], p_reference_id text[],
  p_beneficiary_id bigint[], p_payee_name text[], p_account_number text[], p_ifsc text[], p_upi text[],
  p_mode text[], p_rail text[], p_rail_mode text[], p_amount_paise bigint[], p_narrative text[], p_claim boolean[],
  p_idempotency_key text[], p_request_hash bytea[], p_actor text[], p_address text[]
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
      p_narrative, p_claim, p_idempotency_key, p_request_hash, p_actor, p_address);
  end if;
  return query
  select item.outcome, case when item.outcome <> 'idempotency_conflict' then item.stands_for end
  from unnest(v_outcome, v_stands_for) as item (outcome, stands_for);
end
$$;
