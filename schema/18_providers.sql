-- Accounts that merchants have at payout providers, and what the providers told of them. Those of the installation, for merchants
-- that have none, belong to bucket 0 and merchant 0.

create table provider_account (
  bucket smallint not null,
  merchant_id bigint not null,
  account_id bigint not null,
  provider text not null check (provider in ('cashfree', 'razorpayx')),
  base_url text not null,
  key_id text not null,
  secret text not null,
  webhook_secret text not null,
  source_account text,
  -- Of Cashfree: the fund source that pays, where it is not the account's first; keys of Secure ID, which verifies accounts; the
  -- public key that signs calls from an address that is not listed; further secrets that may sign webhooks, one a line.
  fund_source text,
  verify_key_id text,
  verify_secret text,
  signing_key text,
  more_webhook_secrets text,
  -- In the ids of its payments, so that no other installation at the same account has them.
  tag text not null check (tag ~ '^[0-9a-z]{6}$'),
  -- Its place among the accounts of its owner by IMPS, NEFT, RTGS and UPI, the first at 1; none for what it does not carry.
  priorities jsonb not null,
  -- Whether the provider gives its fee and the tax on it back with a payout that is reversed.
  returns_fees boolean not null,
  -- How many calls a second all processes may make to it together; null for PROVIDER_CALLS_PER_SECOND, 0 for any number.
  calls_per_second integer check (calls_per_second between 0 and 10000),
  -- Counts changes of the credentials, so that each process notices them.
  version integer not null default 1,
  -- What webhooks were signed with before the credentials changed, and when they did.
  older_webhook_secret text,
  credentials_changed_at timestamptz,
  -- Since when a server has found it out of order, and how; null while it works.
  failing_since timestamptz,
  failing_reason text,
  connected_at timestamptz not null,
  -- Nothing new leaves over it from then on; what it has sent is still asked about.
  disconnected_at timestamptz,
  -- That the server wrote whether and how money leaves over it: a keyed hash, compared before each payment.
  proof bytea,
  primary key (bucket, merchant_id, account_id),
  constraint provider_account_encrypted check (
    secret like 'enc1:%' and webhook_secret like 'enc1:%' and (source_account is null or source_account like 'enc1:%')
    and (older_webhook_secret is null or older_webhook_secret like 'enc1:%')
    and (verify_secret is null or verify_secret like 'enc1:%') and (signing_key is null or signing_key like 'enc1:%')
    and (more_webhook_secrets is null or more_webhook_secrets like 'enc1:%')),
  constraint provider_account_verification check ((verify_key_id is null) = (verify_secret is null))
);
grant select, insert, update on provider_account to nodal_server;
grant select, update (failing_since, failing_reason) on provider_account to nodal_payouts;
select protect_tenant_table('provider_account');

-- What payees are called at a provider: a row for each account or handle that a merchant pays over an account of its own or of
-- the installation. The provider may no longer know a payee; then its row is deleted.
create table provider_payee (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The account at the provider; unique in the installation.
  account_id bigint not null,
  -- The account or handle that is paid, as a keyed hash.
  payee_index bytea not null,
  provider_id text not null,
  made_at timestamptz not null,
  primary key (bucket, merchant_id, account_id, payee_index),
  constraint provider_payee_encrypted check (provider_id like 'enc1:%')
);
grant select, insert, update, delete on provider_payee to nodal_server, nodal_payouts;
select protect_tenant_table('provider_payee');

-- What a provider tells of a bank that takes no payments now. It counts for every merchant that pays over the account.
create table provider_downtime (
  bucket smallint not null,
  merchant_id bigint not null,
  account_id bigint not null,
  downtime_id text not null,
  -- The ways of sending that it is about; empty for all.
  modes text[] not null,
  -- The first letters of the IFSC of the payees' bank; empty for every bank.
  bank text not null,
  begun_at timestamptz not null,
  -- When it is over, as far as the provider says; null while it does not.
  ended_at timestamptz,
  primary key (bucket, merchant_id, account_id, downtime_id)
);
grant select, delete on provider_downtime to nodal_server;
grant select, insert, update, delete on provider_downtime to nodal_payouts;
select protect_tenant_table('provider_downtime');

-- Webhooks of providers, each event once. What one is about is asked of the provider; what it says is not believed. Each product
-- that works with providers works off its own.
create table provider_notice (
  bucket smallint not null,
  merchant_id bigint not null,
  account_id bigint not null,
  event_id text not null,
  product text not null check (product in ('payouts')),
  -- What it is about, of payouts the transfer; null where there is nothing to ask about.
  subject_id bigint,
  -- The status that it claims; null for none.
  claims text,
  received_at timestamptz not null,
  tries integer not null default 0,
  -- When it is to be worked off; null once it is.
  due_at timestamptz,
  primary key (bucket, merchant_id, account_id, event_id)
);
create index provider_notice_due on provider_notice (product, due_at) where due_at is not null;
grant select, delete on provider_notice to nodal_server;
grant select, insert, update on provider_notice to nodal_payouts;
select protect_tenant_table('provider_notice');

-- Ended payments are re-checked at their provider, since the webhook of a return or of a late success may be lost: the last
-- entry of a live merchant's journal that was re-checked, for each wait.
create table payment_review (
  bucket smallint not null,
  merchant_id bigint not null,
  wait text not null check (wait in ('hour', 'day', 'working_days')),
  entry_no bigint not null default 0,
  due_at timestamptz not null,
  primary key (bucket, merchant_id, wait)
);
create index payment_review_due on payment_review (due_at);
grant select on payment_review to nodal_server;
grant select, insert, update on payment_review to nodal_payouts;
select protect_tenant_table('payment_review');
