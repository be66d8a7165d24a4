-- Bulk and scheduled payouts.

-- The batch of one request. A single scheduled payout is a batch of one line, with its own kind. Money is held for a
-- line only once its transfer is created.
create table payout_batch (
  bucket smallint not null,
  merchant_id bigint not null,
  batch_id bigint not null,
  kind text not null check (kind in ('bulk', 'scheduled')),
  name text not null,
  -- The hash of the uploaded file, to recognize a second upload.
  file_hash bytea,
  line_count integer not null check (line_count > 0),
  total_paise bigint not null check (total_paise > 0),
  status text not null check (status in ('awaiting_approval', 'running', 'finished', 'cancelled', 'rejected')),
  -- Did a second person approve the whole batch? Its lines then need no approval.
  is_approved boolean not null default false,
  -- The actor of its transfers.
  requested_by text not null,
  requested_from text,
  added_at timestamptz not null,
  finished_at timestamptz,
  -- When it is next to be processed; null if there is nothing to do. A process that takes it moves this on as its
  -- lease, and counts the turn: results of an earlier turn are no longer written.
  due_at timestamptz,
  turn bigint not null default 0,
  -- A keyed hash over the request, its status and its approval, which proves that the server wrote them.
  proof bytea,
  primary key (bucket, merchant_id, batch_id),
  constraint payout_batch_waits check (status <> 'awaiting_approval' or due_at is null)
) with (fillfactor = 50);
create index payout_batch_due on payout_batch (due_at) where due_at is not null;
create index payout_batch_file on payout_batch (file_hash, bucket, merchant_id) where file_hash is not null;
grant select, insert, update on payout_batch to nodal_server;
select protect_tenant_table('payout_batch');

-- The payouts of a batch, in order. A line is 'requesting' from the request for its transfer until the result is known.
-- After a crash the request is repeated with the same id and reference, and so for the same transfer.
create table payout_batch_line (
  bucket smallint not null,
  merchant_id bigint not null,
  batch_id bigint not null,
  -- Its line in the file, or its position in the request, from 1.
  line_no integer not null,
  -- The id that its transfer will have; for a duplicate line, the id of the original's transfer.
  transfer_id bigint not null,
  reference_id text not null,
  -- Null for a new payee, until that is saved.
  beneficiary_id bigint,
  payee_name text not null,
  account_number text,
  ifsc text,
  upi text,
  mode text check (mode in ('banktransfer', 'upi')),
  amount_paise bigint not null check (amount_paise > 0),
  narrative text not null,
  -- The day to pay it; null for at once.
  scheduled_for date,
  state text not null check (state in ('waiting', 'requesting', 'requested', 'repeated', 'refused', 'cancelled')),
  -- Why it was refused.
  code text,
  reason text,
  -- The same for an unpaid line, checked before it is paid; null once it has ended.
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
-- Few lines are scheduled, so checking this index costs a transfer next to nothing.
create index payout_batch_line_kept on payout_batch_line (reference_id, bucket, merchant_id)
  where scheduled_for is not null and state in ('waiting', 'cancelled');
grant select, insert, update on payout_batch_line to nodal_server;
-- To check which references are reserved without a transfer.
grant select (bucket, merchant_id, transfer_id, reference_id, state, scheduled_for) on payout_batch_line to nodal_payouts;
select protect_tenant_table('payout_batch_line');
