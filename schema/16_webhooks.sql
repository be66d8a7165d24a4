-- Webhooks: endpoints, signing secrets, events that are retried separately, and every attempt.

-- An endpoint receives the events of its merchant's log in order. Its row is its queue: events have no row before the
-- first attempt.
create table webhook_endpoint (
  bucket smallint not null,
  merchant_id bigint not null,
  endpoint_id bigint not null,
  url text not null,
  description text not null,
  -- Types such as invoice.paid, and patterns such as transfer.*; null for every event.
  event_types text[],
  status text not null check (status in ('Enabled', 'Disabled')),
  disabled_reason text not null default '',
  created_at timestamptz not null,
  -- The endpoint gets no events up to start_event_no. Events after that, up to cursor_event_no, are done: delivered, in
  -- webhook_delivery, or not of its types.
  start_event_no bigint not null,
  cursor_event_no bigint not null,
  -- The first event after the cursor, while it is undelivered: number of attempts, and the time of the first.
  head_tries integer not null default 0,
  head_first_at timestamptz,
  -- Since when in-order deliveries have failed; null while they succeed.
  failing_since timestamptz,
  -- The earliest time for the next attempt at the event after the cursor.
  next_attempt_at timestamptz not null,
  -- When the first of its rows in webhook_delivery is due; null if none is.
  delivery_due_at timestamptz,
  -- The process that is sending to it. If that process dies, another takes over when the lease ends.
  holder text,
  lease_until timestamptz,
  released_at timestamptz not null,
  -- A keyed hash which proves that the server wrote the URL and the event types. Checked before each send.
  proof bytea,
  primary key (bucket, merchant_id, endpoint_id),
  constraint webhook_endpoint_held check ((holder is null) = (lease_until is null)),
  constraint webhook_endpoint_cursor check (cursor_event_no >= start_event_no)
) with (fillfactor = 50);
grant select, insert, update on webhook_endpoint to nodal_server;
select protect_tenant_table('webhook_endpoint');

-- The signing secrets. After a rotation the old secret also signs until it expires.
create table webhook_secret (
  bucket smallint not null,
  merchant_id bigint not null,
  endpoint_id bigint not null,
  secret_id bigint not null,
  secret text not null,
  created_at timestamptz not null,
  ends_at timestamptz,
  primary key (bucket, merchant_id, endpoint_id, secret_id),
  constraint webhook_secret_encrypted check (secret like 'enc1:%')
);
create index webhook_secret_end on webhook_secret (ends_at) where ends_at is not null;
grant select, insert, update, delete on webhook_secret to nodal_server;
select protect_tenant_table('webhook_secret');

-- An event with its own retry schedule: it was set aside after failing in order, or somebody asked to send it again.
-- The row is deleted on delivery. It becomes Failed once the retries are used up.
create table webhook_delivery (
  bucket smallint not null,
  merchant_id bigint not null,
  endpoint_id bigint not null,
  event_no bigint not null,
  status text not null check (status in ('Waiting', 'Failed')),
  tries integer not null,
  -- Null before the first attempt.
  first_attempt_at timestamptz,
  next_attempt_at timestamptz not null,
  failed_at timestamptz,
  primary key (bucket, merchant_id, endpoint_id, event_no),
  constraint webhook_delivery_failed check ((status = 'Failed') = (failed_at is not null))
);
create index webhook_delivery_due on webhook_delivery (bucket, merchant_id, endpoint_id, next_attempt_at)
  where status = 'Waiting';
create index webhook_delivery_age on webhook_delivery (failed_at) where status = 'Failed';
grant select, insert, update, delete on webhook_delivery to nodal_server;
select protect_tenant_table('webhook_delivery');

-- Every attempt to send. Test events have the number 0.
create table webhook_attempt (
  bucket smallint not null,
  merchant_id bigint not null,
  endpoint_id bigint not null,
  attempted_at timestamptz not null,
  event_no bigint not null,
  event_type text not null,
  duration_ms integer not null,
  -- Null if there was no answer.
  http_status integer,
  succeeded boolean not null,
  -- Why it failed; empty if it succeeded.
  error text not null,
  -- The beginning of the answer's body, encrypted: a receiver may echo what it was sent.
  answer text not null,
  primary key (bucket, merchant_id, endpoint_id, attempted_at, event_no),
  constraint webhook_attempt_encrypted check (answer = '' or answer like 'enc1:%')
);
create index webhook_attempt_age on webhook_attempt (attempted_at);
-- The log of an endpoint: failed attempts, and attempts by event.
create index webhook_attempt_refused on webhook_attempt (bucket, merchant_id, endpoint_id, attempted_at, event_no)
  where not succeeded;
create index webhook_attempt_of_event on webhook_attempt (event_no, bucket, merchant_id, endpoint_id);
grant select, insert, delete on webhook_attempt to nodal_server;
select protect_tenant_table('webhook_attempt');
