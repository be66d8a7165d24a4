-- Payouts that are asked for many at once, or for a later day.

-- What one request asks for. A single payout for a later day is a batch of one line, of its own kind. Money is held for a
-- line from when its transfer is made on, and not before.
create table payout_batch (
  bucket smallint not null,
  merchant_id bigint not null,
  batch_id bigint not null,
  kind text not null check (kind in ('bulk', 'scheduled')),
  name text not null,
  -- Of the file that it was read from, to know the same one again.
  file_hash bytea,
  line_count integer not null check (line_count > 0),
  total_paise bigint not null check (total_paise > 0),
  status text not null check (status in ('awaiting_approval', 'running', 'finished', 'cancelled', 'rejected')),
  -- Whether a second person has approved all of it: then no line is asked about by itself.
  is_approved boolean not null default false,
  -- In whose name its transfers are made.
  requested_by text not null,
  requested_from text,
  added_at timestamptz not null,
  finished_at timestamptz,
  -- When a process is to look after it; null where there is nothing to do. Whoever takes it moves this on for as long as it
  -- has it, and counts the turn: what an earlier turn found out is not written any more.
  due_at timestamptz,
  turn bigint not null default 0,
  -- That the server wrote it as it is: a keyed hash over what it asks for, how it stands, and whether it is approved.
  proof bytea,
  primary key (bucket, merchant_id, batch_id),
  constraint payout_batch_waits check (status <> 'awaiting_approval' or due_at is null)
) with (fillfactor = 50);
create index payout_batch_due on payout_batch (due_at) where due_at is not null;
create index payout_batch_file on payout_batch (file_hash, bucket, merchant_id) where file_hash is not null;
grant select, insert, update on payout_batch to nodal_server;
select protect_tenant_table('payout_batch');

-- The payouts of a batch, in its order. One whose transfer is asked for is 'requesting' until it is known what became of it:
-- whoever goes on after a crash asks again under the same id and reference, and so for the same transfer.
create table payout_batch_line (
  bucket smallint not null,
  merchant_id bigint not null,
  batch_id bigint not null,
  -- Its line in the file, or else its place in the request, from 1.
  line_no integer not null,
  -- What its transfer is called once there is one; of a repeated line the one that stands for it.
  transfer_id bigint not null,
  reference_id text not null,
  -- Null where a new payee is given, until that one is saved.
  beneficiary_id bigint,
  payee_name text not null,
  account_number text,
  ifsc text,
  upi text,
  mode text check (mode in ('banktransfer', 'upi')),
  amount_paise bigint not null check (amount_paise > 0),
  narrative text not null,
  -- The day on which it is to be made; null for at once.
  scheduled_for date,
  state text not null check (state in ('waiting', 'requesting', 'requested', 'repeated', 'refused', 'cancelled')),
  -- Why it was refused.
  code text,
  reason text,
  -- The same of a line that is still to be paid, compared before it is; null once it has ended.
  proof bytea,
  primary key (bucket, merchant_id, batch_id, line_no),
  constraint payout_batch_line_payee check (
    beneficiary_id is not null or upi is not null or (account_number is not null and ifsc is not null)),
  constraint payout_batch_line_encrypted check (
    (account_number is null or account_number like 'enc1:%') and (upi is null or upi like 'enc1:%'))
) with (fillfactor = 50);
create unique index payout_batch_line_reference on payout_batch_line (reference_id, bucket, merchant_id)
  where state in ('waiting', 'requesting', 'requested');
create index payout_batch_line_any_reference on payout_batch_line (reference_id, bucket, merchant_id);
create index payout_batch_line_transfer on payout_batch_line (transfer_id, bucket, merchant_id);
create index payout_batch_line_open on payout_batch_line (bucket, merchant_id, batch_id, line_no)
  where state in ('waiting', 'requesting');
create index payout_batch_line_scheduled on payout_batch_line (bucket, merchant_id, scheduled_for, transfer_id)
  where scheduled_for is not null and state in ('waiting', 'requesting');
-- Few lines are of later days: a look at this index costs a transfer next to nothing.
create index payout_batch_line_kept on payout_batch_line (reference_id, bucket, merchant_id)
  where scheduled_for is not null and state in ('waiting', 'cancelled');
grant select, insert, update on payout_batch_line to nodal_server;
-- Which references are kept without a transfer.
grant select (bucket, merchant_id, transfer_id, reference_id, state, scheduled_for) on payout_batch_line to nodal_payouts;
select protect_tenant_table('payout_batch_line');
