-- The simulated bank's own book: the payments it was asked to make, and their results.
-- Only the simulator's role has access. The service learns about payments as from any bank: by calls and reports.

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
  -- Assigned at booking to every payment that will succeed; reported only once it has.
  utr text check (length(utr) <= 30),
  reason text,
  acknowledged boolean not null,
  booked_at timestamptz not null default now(),
  -- When the next step is due, for payments such as PENDING, then SUCCESS.
  next_step_at timestamptz,
  next_status text check (next_status in ('SUCCESS', 'FAILED', 'REVERSED')),
  next_reason text,
  -- False from a later step until the service has accepted the report of it.
  delivered boolean not null default true,
  updated_at timestamptz not null default now(),
  primary key (bucket, merchant_id, transfer_id),
  check ((next_step_at is null) = (next_status is null)),
  check (utr is not null or status in ('PENDING', 'FAILED'))
);
-- Partial, so that a payment without a later step only needs one index entry, that of its key.
create index payment_next_step on simulator.payment (next_step_at) where next_step_at is not null;
create index payment_undelivered on simulator.payment (updated_at) where not delivered;
grant usage on schema simulator to nodal_simulator;
grant select, insert, update on simulator.payment to nodal_simulator;
