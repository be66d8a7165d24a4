-- Approvals: payouts over a limit, new payees and changed bank accounts wait for a second person; limits on payouts.
-- docs/approvals.md says who may do what.

-- Every merchant has a row from the start, so a missing row was deleted with SQL. Null means that a rule is off.
create table payout_policy (
  bucket smallint not null,
  merchant_id bigint not null,
  -- Larger payouts wait for a second person; 0 for all payouts.
  approve_over_paise bigint check (approve_over_paise >= 0),
  -- Do new payees and changed bank accounts wait for a second person?
  approve_payees boolean not null default false,
  -- Require that the bank's name for the account matches the payee's, or that somebody has accepted the difference?
  verified_payees_only boolean not null default false,
  -- A new payee can't be paid before it is this old.
  cooling_off_minutes integer check (cooling_off_minutes > 0),
  transfer_limit_paise bigint check (transfer_limit_paise > 0),
  daily_limit_paise bigint check (daily_limit_paise > 0),
  approval_expires_hours integer not null default 72 check (approval_expires_hours > 0),
  -- A keyed hash which proves that the server wrote the policy. Checked with each payout.
  proof bytea,
  primary key (bucket, merchant_id)
);
grant select, insert, update on payout_policy to nodal_server;
grant select on payout_policy to nodal_payouts;
select protect_tenant_table('payout_policy');

-- Daily totals of the transfers that count towards a merchant's daily limit and were not returned.
create table payout_day (
  bucket smallint not null,
  merchant_id bigint not null,
  day date not null,
  counted_paise bigint not null check (counted_paise >= 0),
  primary key (bucket, merchant_id, day)
) with (fillfactor = 50);
grant select, insert, update on payout_day to nodal_server, nodal_payouts;
select protect_tenant_table('payout_day');

-- Open and decided approvals. The approval of a transfer, withdrawal, batch of payouts or beneficiary has the id of its
-- subject. A change of a bank account or of the policy has a new id, and the merchant as its subject. The outcome of a
-- stuck transfer has a new id, and the transfer as its subject.
create table approval (
  bucket smallint not null,
  merchant_id bigint not null,
  approval_id bigint not null,
  -- franchise_account is the account of a new franchise, franchise_account_change that of an existing one.
  kind text not null check (kind in (
    'transfer', 'withdrawal', 'commission', 'beneficiary', 'franchise_account', 'franchise_account_change',
    'bank_account', 'policy', 'payout_batch', 'transfer_resolution', 'funding')),
  subject_id bigint not null,
  requested_by text not null,
  requested_at timestamptz not null,
  -- Null after a restore from a backup: it does not expire, so only a person can decide it.
  expires_at timestamptz,
  -- The change that approval makes, unless another row has it. The account number is encrypted.
  change jsonb,
  account_number text,
  decision text check (decision in ('approved', 'rejected', 'expired', 'withdrawn')),
  decided_by text,
  decided_at timestamptz,
  note text not null default '',
  -- A keyed hash over the request, its time and requester, and the waiting payout: src/merchants/approvals/approval-proof.ts
  proof bytea,
  -- When mail to the approvers was queued; null before.
  told_at timestamptz,
  primary key (bucket, merchant_id, approval_id),
  constraint approval_encrypted check (account_number is null or account_number like 'enc1:%'),
  constraint approval_decided check (
    (decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  -- The requester can only cancel it.
  constraint approval_by_another check (decided_by <> requested_by or decision = 'withdrawn')
);
create index approval_open on approval (bucket, merchant_id, approval_id) where decision is null;
create index approval_expiry on approval (expires_at) where decision is null;
create index approval_untold on approval (bucket, merchant_id, requested_at, approval_id)
  where decision is null and told_at is null;
grant select, insert, update on approval to nodal_server;
grant select, insert on approval to nodal_payouts;
select protect_tenant_table('approval');
