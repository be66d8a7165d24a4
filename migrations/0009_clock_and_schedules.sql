-- The movable clock of merchants in the sandbox, and what runs by schedule.

-- What "today" is for a merchant in the sandbox whose clock was moved: this date, until the real one has passed it.
alter table merchant add column clock_date date;

-- One row for each thing that runs by schedule: when it is next due, who is running it, and how the last run ended. Like
-- the installation's own row it belongs to no merchant.
create table schedule (
  schedule_name text primary key,
  next_run_at timestamptz not null,
  -- While a process runs it. Whoever died is overtaken once the lease has ended.
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
