-- Seals over the journal, which tell whether anybody changed it: docs/audit.md. Requests only read them.

-- Each seal covers the entries that came after those of the one before it, and names that one. digest is computed from
-- the rows, seal from digest and the seal before under a key that is not in the database in plain text.
create table journal_seal (
  bucket smallint not null,
  merchant_id bigint not null,
  seal_no bigint not null check (seal_no > 0),
  -- The link of the chain over all merchants that covers it.
  link_no bigint not null,
  first_entry_no bigint not null,
  last_entry_no bigint not null,
  -- How many sealed_thing the merchant has.
  things bigint not null,
  -- Four bytes for each entry, which tell which of them was changed.
  marks bytea not null,
  digest bytea not null,
  seal bytea not null,
  sealed_at timestamptz not null,
  primary key (bucket, merchant_id, seal_no),
  constraint journal_seal_range check (last_entry_no >= first_entry_no)
);
create index journal_seal_of_link on journal_seal (link_no, bucket, merchant_id, seal_no);
grant select, insert on journal_seal to nodal_server;
select protect_tenant_table('journal_seal');
revoke insert on journal_seal from nodal_tenant;

-- How far each merchant's book is sealed: its last seal, in one place, so that those with something new are found by
-- comparing two small tables. The process that moves it from one seal to the next has made that seal.
create table sealed_book (
  bucket smallint not null,
  merchant_id bigint not null,
  seal_no bigint not null,
  last_entry_no bigint not null,
  things bigint not null,
  seal bytea not null,
  primary key (bucket, merchant_id)
) with (fillfactor = 50);
grant select, insert, update on sealed_book to nodal_server;
select protect_tenant_table('sealed_book');
revoke insert, update on sealed_book from nodal_tenant;

-- What the entries are about, as it was when the last entry about it was sealed: a short keyed hash of each thing that its row
-- says, and the mark over all of them. A merchant has as many as its last seal says.
create table sealed_thing (
  bucket smallint not null,
  merchant_id bigint not null,
  kind text not null,
  thing_id bigint not null,
  entry_no bigint not null,
  facts bytea not null,
  mac bytea not null,
  primary key (bucket, merchant_id, kind, thing_id)
) with (fillfactor = 70);
grant select, insert, update on sealed_thing to nodal_server;
select protect_tenant_table('sealed_thing');
revoke insert, update on sealed_thing from nodal_tenant;

-- The chain over the seals of all merchants. A link covers the seals that were written with it, and names the link
-- before.
create table seal_link (
  link_no bigint primary key check (link_no > 0),
  head bytea not null,
  made_at timestamptz not null
);
grant select, insert on seal_link to nodal_server;

-- Its last link, in one row: who seals has it locked, so that links follow one another.
create table seal_head (
  is_only boolean primary key default true check (is_only),
  link_no bigint not null,
  head bytea not null
);
insert into seal_head (link_no, head) values (0, '');
grant select, update on seal_head to nodal_server;
