-- What `nodal verify` compares beyond the books: docs/audit.md.

-- Proof that the server wrote an entry that no posting made, and that a funding is one: a keyed hash, whose key is not in
-- the database. The first process that opens the database proves what earlier releases wrote.
alter table event add column proof bytea;
alter table funding add column proof bytea;

-- As in 0017_audit.sql, with the proof of each event.
drop function record_events(timestamptz, smallint[], bigint[], text[], bigint[], jsonb[], jsonb[]);
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

-- Seals say more from here on: what there is already is sealed anew, as it is now.
delete from event_seal;
delete from sealed_book;

-- What the entries are about, as it was when the last entry about it was sealed: a keyed hash over its columns. A merchant
-- has as many as its last seal says.
create table sealed_thing (
  bucket smallint not null,
  merchant_id bigint not null,
  kind text not null,
  thing_id bigint not null,
  event_no bigint not null,
  mac bytea not null,
  primary key (bucket, merchant_id, kind, thing_id)
) with (fillfactor = 70);

-- The chain over the seals of all merchants. A link covers the seals that were written with it, and names the link before.
create table seal_link (
  link_no bigint primary key check (link_no > 0),
  head bytea not null,
  made_at timestamptz not null
);
-- Its last link, in one row: whoever seals holds it, so that links follow one another.
create table seal_head (
  is_only boolean primary key default true check (is_only),
  link_no bigint not null,
  head bytea not null
);
insert into seal_head (link_no, head) values (0, '');

alter table event_seal
  add column link_no bigint not null,
  add column things bigint not null;
create index event_seal_of_link on event_seal (link_no, bucket, merchant_id, seal_no);
alter table sealed_book add column things bigint not null;

grant select, insert, update on sealed_thing to nodal_server;
grant select, insert on seal_link to nodal_server;
grant select, update on seal_head to nodal_server;
select protect_tenant_table('sealed_thing');
-- Requests have nothing to do with seals.
revoke insert, update on sealed_thing from nodal_tenant;

-- The hashes of sessions and of links sent by mail belong to their rows from here on, and are keyed. Nobody can tell those
-- that were there from copies: who was signed in signs in again, and a link is asked for again.
delete from login_session;
delete from password_reset;
delete from email_change;
