-- The simulated bank's own book: what it was told to pay, and what became of it.
-- Only the simulator's role comes in here. The service learns of payments as from any bank: by calls and reports.

create schema simulator;

create table simulator.payment (
  bucket smallint not null,
  merchant_id bigint not null,
  transfer_id bigint not null,
  amount_paise bigint not null check (amount_paise > 0),
  mode text not null check (mode in ('IMPS', 'NEFT', 'RTGS', 'UPI')),
  account_number text,
  ifsc text,
  upi text,
  payee_name text not null,
  -- SUCCESS: paid and not taken back. REVERSED: paid and taken back. The others moved no money.
  status text not null check (status in ('PENDING', 'SUCCESS', 'FAILED', 'REVERSED')),
  -- Made at booking for every payment that is or will be paid; told only once it is.
  utr text check (length(utr) <= 30),
  reason text,
  acknowledged boolean not null,
  booked_at timestamptz not null default now(),
  -- The later step of payments that have one, such as PENDING, then SUCCESS.
  next_step_at timestamptz,
  next_status text check (next_status in ('SUCCESS', 'FAILED', 'REVERSED')),
  next_reason text,
  -- False from the moment a later step is taken until the service has taken the report of it.
  delivered boolean not null default true,
  updated_at timestamptz not null default now(),
  primary key (bucket, merchant_id, transfer_id),
  check ((next_step_at is null) = (next_status is null)),
  check (utr is not null or status in ('PENDING', 'FAILED'))
);
-- Partial, so that a payment without a later step costs one index entry: its key's.
create index payment_next_step on simulator.payment (next_step_at) where next_step_at is not null;
create index payment_undelivered on simulator.payment (updated_at) where not delivered;
grant usage on schema simulator to nodal_simulator;
grant select, insert, update on simulator.payment to nodal_simulator;

-- Whether the simulated bank has yet to take a step for a merchant, or to be heard of one. With the owner's eyes, since
-- nobody else may read its book, and for the merchant of the transaction only.
create function simulator_is_busy(p_bucket smallint, p_merchant_id bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select (current_setting('role') <> 'nodal_tenant' or p_merchant_id is not distinct from nodal_merchant_id())
    and exists (
      select from simulator.payment
      where bucket = p_bucket and merchant_id = p_merchant_id and (next_step_at is not null or not delivered))
$$;
revoke execute on function simulator_is_busy from public;
grant execute on function simulator_is_busy to nodal_tenant, nodal_server;
