-- Seals over the journal, which show whether it was changed: docs/audit.md. Requests can only read them.

-- Each seal covers the entries after the previous seal, and refers to that seal. digest is computed from
-- the rows, seal from digest and the seal before under a key that is not in the database in plain text.
create table journal_seal (
  bucket smallint not null,
  merchant_id bigint not null,
  seal_no bigint not null check (seal_no > 0),
  -- The link of the chain over all merchants that covers it.
  link_no bigint not null,
  first_entry_no bigint not null,
  last_entry_no bigint not null,
  -- The merchant's number of rows in sealed_thing.
  things bigint not null,
  -- Four bytes for each entry, to find the changed ones.
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

-- The last seal of each merchant's book. Kept apart, so that comparing two small tables finds the books with new
-- entries. Moving it from one seal to the next must succeed for the new seal to count.
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

-- The subjects of entries, as they were when the last entry about them was sealed: a short keyed hash of each fact in
-- the subject's row, and a hash over all of them. The merchant's last seal has their number.
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

-- The chain over the seals of all merchants. A link covers the seals written with it, and refers to the previous link.
create table seal_link (
  link_no bigint primary key check (link_no > 0),
  head bytea not null,
  made_at timestamptz not null
);
grant select, insert on seal_link to nodal_server;

-- The last link of the chain, in one row. Sealing locks it, so that links are written one after the other.
create table seal_head (
  is_only boolean primary key default true check (is_only),
  link_no bigint not null,
  head bytea not null
);
insert into seal_head (link_no, head) values (0, '');
grant select, update on seal_head to nodal_server;
