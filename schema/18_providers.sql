-- Merchants' accounts at payout providers, and what the providers reported. The installation's accounts, for merchants
-- without one, belong to bucket 0 and merchant 0.

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
  -- Cashfree only: the fund source that pays, if not the account's first; the keys of Secure ID, which verifies
  -- accounts; the public key that signs calls from an address that is not allowlisted; further webhook secrets, one a
  -- line.
  fund_source text,
  verify_key_id text,
  verify_secret text,
  signing_key text,
  more_webhook_secrets text,
  -- Part of its payment ids, so that no other installation at the same account uses the same ids.
  tag text not null check (tag ~ '^[0-9a-z]{6}$'),
  -- Its position among its owner's accounts for IMPS, NEFT, RTGS and UPI, from 1; missing for modes it is not used for.
  priorities jsonb not null,
  -- Does the provider refund its fee, and the tax on it, when a payout is reversed?
  returns_fees boolean not null,
  -- Limit of calls per second over all processes; null for PROVIDER_CALLS_PER_SECOND, 0 for no limit.
  calls_per_second integer check (calls_per_second between 0 and 10000),
  -- Counts changes of the credentials, so that each process notices them.
  version integer not null default 1,
  -- The previous webhook secret, and when the credentials changed.
  older_webhook_secret text,
  credentials_changed_at timestamptz,
  -- Since when it has been failing, and how; null while it works.
  failing_since timestamptz,
  failing_reason text,
  connected_at timestamptz not null,
  -- No new payments are sent over it from then on; the status of sent ones is still polled.
  disconnected_at timestamptz,
  -- A keyed hash which proves that the server wrote whether and how it pays. Checked before each payment.
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

-- The ids of payees at a provider: a row for each bank account or handle that a merchant pays over its own provider
-- account or the installation's. If the provider no longer knows a payee, its row is deleted.
create table provider_payee (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The account at the provider; unique in the installation.
  account_id bigint not null,
  -- A keyed hash of the payee's account or handle.
  payee_index bytea not null,
  provider_id text not null,
  made_at timestamptz not null,
  primary key (bucket, merchant_id, account_id, payee_index),
  constraint provider_payee_encrypted check (provider_id like 'enc1:%')
);
grant select, insert, update, delete on provider_payee to nodal_server, nodal_payouts;
select protect_tenant_table('provider_payee');

-- A provider's report that a bank is down. It applies to every merchant that pays over the account.
create table provider_downtime (
  bucket smallint not null,
  merchant_id bigint not null,
  account_id bigint not null,
  downtime_id text not null,
  -- The affected modes; empty for all.
  modes text[] not null,
  -- The first letters of the IFSC of the payees' bank; empty for every bank.
  bank text not null,
  begun_at timestamptz not null,
  -- The end as reported by the provider; null if it reported none.
  ended_at timestamptz,
  primary key (bucket, merchant_id, account_id, downtime_id)
);
grant select, delete on provider_downtime to nodal_server;
grant select, insert, update, delete on provider_downtime to nodal_payouts;
select protect_tenant_table('provider_downtime');

-- Webhooks of providers, each event once. Their content is not trusted: the provider is asked for the facts. Each
-- product that uses providers processes its own.
create table provider_notice (
  bucket smallint not null,
  merchant_id bigint not null,
  account_id bigint not null,
  event_id text not null,
  product text not null check (product in ('payouts')),
  -- The subject, for payouts the transfer; null if there is nothing to ask about.
  subject_id bigint,
  -- The status that it claims; null for none.
  claims text,
  received_at timestamptz not null,
  tries integer not null default 0,
  -- When it is to be processed; null once it is.
  due_at timestamptz,
  primary key (bucket, merchant_id, account_id, event_id)
);
create index provider_notice_due on provider_notice (product, due_at) where due_at is not null;
grant select, delete on provider_notice to nodal_server;
grant select, insert, update on provider_notice to nodal_payouts;
select protect_tenant_table('provider_notice');

-- The re-check of ended payments, since the webhook of a return or a late success may be lost: for each delay, the last
-- entry of a live merchant's journal that was re-checked.
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
