-- The installation itself: its secret, its ids and its scheduled jobs. These rows belong to no merchant.

-- One row, written when the database is first opened. The secret signs tokens and keys the hashes of access key
-- secrets. It is encrypted: with a copy of the database, anybody could otherwise sign in as any merchant. bucket and
-- owner_id are the columns of a key that all encrypted rows have.
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

-- Ids are leased in blocks of 1,000: block n is the ids n * 1000 to n * 1000 + 999. Rows that follow from an approval,
-- and commission earned again, take their id in the transaction of a request.
create sequence id_block start with 1000;
grant usage on sequence id_block to nodal_server, nodal_tenant;

-- One row for each scheduled job: when it is next due, which process is running it, and how the last run ended. Jobs
-- that people or their timers start (backups, checks of the books) have a row too, to record the last run.
create table schedule (
  schedule_name text primary key,
  -- Null for jobs that no server starts.
  next_run_at timestamptz,
  -- The process that is running it. If that process dies, another takes over when the lease ends.
  holder text,
  lease_until timestamptz,
  last_started_at timestamptz,
  last_finished_at timestamptz,
  -- Null if the last finished run succeeded.
  last_error text,
  runs bigint not null default 0,
  failures bigint not null default 0,
  -- What the last run found, for jobs that report findings, such as a check of the books. A run without a result keeps it.
  last_result jsonb,
  constraint schedule_held check ((holder is null) = (lease_until is null))
);
grant select, insert, update on schedule to nodal_server;

-- The recent use of each rate limit: requests, failed attempts. It is counted here, so that limits hold across all
-- processes. Unlogged: after a crash of PostgreSQL, counting starts again from zero.
create unlogged table rate_count (
  -- The kind of count and its owner: `api merchant 1000001`.
  rate_key text primary key,
  -- Each count, and when it leaves the window, in milliseconds since 1970.
  counts integer[] not null,
  ends_ms bigint[] not null,
  last_end_ms bigint not null
) with (fillfactor = 50);
grant select, insert, update, delete on rate_count to nodal_server, nodal_payouts;

-- Takes from a limit of p_most in any window: up to p_wanted for waiting requests, and up to p_ahead for requests to
-- come within p_lease_ms. A count taken ahead stays until the last moment at which it may be used has left the window.
-- Counts are taken ahead only while plenty are left, and then a sixteenth of them, so that no process keeps the last
-- ones from others. p_back_count, taken before with the end p_back_end_ms, is given back. Calls for the same limit wait
-- for each other.
create function take_rate(
  p_key text, p_now_ms bigint, p_window_ms bigint, p_most integer, p_wanted integer, p_ahead integer, p_lease_ms bigint,
  p_back_end_ms bigint, p_back_count integer,
  out granted integer, out end_ms bigint, out granted_ahead integer, out ahead_end_ms bigint, out remaining integer,
  out reset_ms bigint
) language plpgsql as $$
declare
  v_counts integer[];
  v_ends bigint[];
  v_used integer;
  -- For large limits, counts that end within one step are merged into one, which ends with the step.
  v_step_ms bigint := case when p_most > 250 then greatest(1, p_window_ms / 250) else 1 end;
begin
  insert into rate_count values (p_key, '{}', '{}', p_now_ms + p_window_ms) on conflict do nothing;
  select counts, ends_ms into v_counts, v_ends from rate_count where rate_key = p_key for update;
  select coalesce(array_agg(left_over order by ended), '{}'), coalesce(array_agg(ended order by ended), '{}'),
    coalesce(sum(left_over), 0)
  into v_counts, v_ends, v_used
  from (
    select ended, sum(taken) - case when ended = p_back_end_ms then p_back_count else 0 end as left_over
    from unnest(v_counts, v_ends) as kept (taken, ended) where ended > p_now_ms group by ended
  ) as in_window where left_over > 0;

  granted := least(p_wanted, greatest(0, p_most - v_used));
  granted_ahead := case when p_most - v_used - granted >= 64 then least(p_ahead, (p_most - v_used - granted) / 16) else 0 end;
  remaining := greatest(0, p_most - v_used - granted - granted_ahead);
  end_ms := (p_now_ms + p_window_ms + v_step_ms - 1) / v_step_ms * v_step_ms;
  ahead_end_ms := (p_now_ms + p_lease_ms + p_window_ms + v_step_ms - 1) / v_step_ms * v_step_ms;
  if granted > 0 then
    v_counts := v_counts || granted;
    v_ends := v_ends || end_ms;
  end if;
  if granted_ahead > 0 then
    v_counts := v_counts || granted_ahead;
    v_ends := v_ends || ahead_end_ms;
  end if;
  -- The time until one more may be taken; if one may be taken now, the time until the first count ends.
  select coalesce(min(ended), p_now_ms) - p_now_ms into reset_ms
  from (select ended, sum(taken) over (order by ended) as leaving from unnest(v_counts, v_ends) as kept (taken, ended)) as leaves
  where leaving > v_used + granted + granted_ahead - p_most;
  if granted > 0 or granted_ahead > 0 or p_back_count > 0 then
    update rate_count set counts = v_counts, ends_ms = v_ends, last_end_ms = greatest(last_end_ms, ahead_end_ms)
    where rate_key = p_key;
  end if;
end
$$;
