-- The installation itself: its secret, its ids, and what it runs by schedule. These rows belong to no merchant.

-- One row, made when a database is opened for the first time. The secret signs tokens and keys the hashes of access key
-- secrets; it is encrypted, since anybody who has a copy of the database could else sign in as any merchant with it.
-- bucket and owner_id are the columns of a key that all encrypted rows have.
create table installation (
  singleton boolean primary key default true check (singleton),
  bucket smallint not null default 0 check (bucket = 0),
  owner_id bigint not null default 0 check (owner_id = 0),
  secret text not null,
  created_at timestamptz not null default now(),
  -- The same as merchant.payout_rails, for live merchants that have no account of their own.
  payout_rails jsonb,
  constraint installation_encrypted check (secret like 'enc1:%')
);
grant select on installation to nodal_server, nodal_tenant;
grant update (payout_rails) on installation to nodal_server;
grant select (payout_rails) on installation to nodal_payouts;

-- Ids are leased in blocks of 1,000: block n is the ids n * 1000 to n * 1000 + 999. What follows from an approval, and
-- what earns commission a second time, takes its id in the transaction of a request.
create sequence id_block start with 1000;
grant usage on sequence id_block to nodal_server, nodal_tenant;

-- One row for each thing that runs by schedule: when it is next due, who is running it, and how the last run ended. What people or
-- their timers start (backups, checks of the books) has one too, as a note of its last run.
create table schedule (
  schedule_name text primary key,
  -- Null for what no server runs by itself.
  next_run_at timestamptz,
  -- While a process runs it. A process that died is overtaken once the lease has ended.
  holder text,
  lease_until timestamptz,
  last_started_at timestamptz,
  last_finished_at timestamptz,
  -- Null where the last run that ended went well.
  last_error text,
  runs bigint not null default 0,
  failures bigint not null default 0,
  constraint schedule_held check ((holder is null) = (lease_until is null))
);
grant select, insert, update on schedule to nodal_server;
