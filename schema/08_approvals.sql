-- Approvals: payouts over a limit, new payees and changed bank accounts wait for a second person; limits on payouts.
-- docs/approvals.md says who may do what.

-- Every merchant has one row from the start: a row that is missing was deleted with SQL. Null means that a rule is off.
create table payout_policy (
  bucket smallint not null,
  merchant_id bigint not null,
  -- What is larger waits for a second person; 0 for all.
  approve_over_paise bigint check (approve_over_paise >= 0),
  -- Whether new payees and changes of bank accounts wait for a second person.
  approve_payees boolean not null default false,
  -- Whether payees can be paid only where the bank has the payee's name for the account, or somebody has accepted another.
  verified_payees_only boolean not null default false,
  -- A new payee can't be paid before it is this old.
  cooling_off_minutes integer check (cooling_off_minutes > 0),
  transfer_limit_paise bigint check (transfer_limit_paise > 0),
  daily_limit_paise bigint check (daily_limit_paise > 0),
  approval_expires_hours integer not null default 72 check (approval_expires_hours > 0),
  -- That the server wrote the policy: a keyed hash, compared with each payout.
  proof bytea,
  primary key (bucket, merchant_id)
);
grant select, insert, update on payout_policy to nodal_server;
grant select on payout_policy to nodal_payouts;
select protect_tenant_table('payout_policy');

-- What a merchant's transfers of a day come to, of those that count towards a daily limit and have not come back.
create table payout_day (
  bucket smallint not null,
  merchant_id bigint not null,
  day date not null,
  counted_paise bigint not null check (counted_paise >= 0),
  primary key (bucket, merchant_id, day)
) with (fillfactor = 50);
grant select, insert, update on payout_day to nodal_server, nodal_payouts;
select protect_tenant_table('payout_day');

-- What waits, or waited, for a second person. A transfer, a withdrawal, a batch of payouts and a beneficiary have an approval of their own
-- id; a change of a bank account or of the policy has an id of its own, and the merchant's as its subject; what a stuck transfer
-- came to an id of its own, and the transfer's.
create table approval (
  bucket smallint not null,
  merchant_id bigint not null,
  approval_id bigint not null,
  -- franchise_account is the account of a new franchise, franchise_account_change that of one that there is.
  kind text not null check (kind in (
    'transfer', 'withdrawal', 'commission', 'beneficiary', 'franchise_account', 'franchise_account_change',
    'bank_account', 'policy', 'payout_batch', 'transfer_resolution', 'funding')),
  subject_id bigint not null,
  requested_by text not null,
  requested_at timestamptz not null,
  -- Null where it came back with a backup: then nothing but a person decides.
  expires_at timestamptz,
  -- What becomes true once it is approved, where no other row has it. The account number is encrypted.
  change jsonb,
  account_number text,
  decision text check (decision in ('approved', 'rejected', 'expired', 'withdrawn')),
  decided_by text,
  decided_at timestamptz,
  note text not null default '',
  -- A keyed hash over what was asked for, when and by whom, and over the waiting payout: src/merchants/approvals/approval-proof.ts
  proof bytea,
  -- When mail about it was queued for those who may decide; null until then.
  told_at timestamptz,
  primary key (bucket, merchant_id, approval_id),
  constraint approval_encrypted check (account_number is null or account_number like 'enc1:%'),
  constraint approval_decided check (
    (decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  -- Who has asked for it may take it back, and nothing else.
  constraint approval_by_another check (decided_by <> requested_by or decision = 'withdrawn')
);
create index approval_open on approval (bucket, merchant_id, approval_id) where decision is null;
create index approval_expiry on approval (expires_at) where decision is null;
create index approval_untold on approval (bucket, merchant_id, requested_at, approval_id)
  where decision is null and told_at is null;
grant select, insert, update on approval to nodal_server;
grant select, insert on approval to nodal_payouts;
select protect_tenant_table('approval');
