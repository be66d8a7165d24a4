-- Merchants, their access keys, and the saved answers of requests with an Idempotency-Key.

-- The n-grams by which operators search merchants: all runs of one, two and three characters of a text, in any case. A
-- keyword (p_is_keyword) only gives those of its own length, or of three: a text that contains it has all of them. They
-- are cheap to look up, but expensive to compute.
create function merchant_parts(p_text text, p_is_keyword boolean) returns text[]
language plpgsql immutable strict parallel safe cost 1000 as $$
declare
  v_folded text := lower(normalize(p_text));
  v_longest integer := least(3, length(v_folded));
  v_parts text[] := '{}';
begin
  for v_length in case when p_is_keyword then v_longest else 1 end .. v_longest loop
    for v_place in 1 .. length(v_folded) - v_length + 1 loop
      v_parts := v_parts || substr(v_folded, v_place, v_length);
    end loop;
  end loop;
  return v_parts;
end
$$;

-- pan and bank_account only take encrypted text.
create table merchant (
  bucket smallint not null,
  merchant_id bigint not null,
  name text not null,
  email text not null,
  mobile text not null default '',
  address text not null default '',
  city text not null default '',
  state text not null default '',
  zipcode text not null default '',
  gstin text not null default '',
  pan text not null default '',
  -- The letter of undertaking (LUT) for exports without tax, with its first and last day; and last year's turnover.
  lut_number text not null default '',
  lut_from text not null default '',
  lut_to text not null default '',
  turnover_class text not null default '',
  bank_account text not null default '',
  ifsc text not null default '',
  bank_holder text not null default '',
  time_zone text not null default 'Asia/Kolkata',
  rate_limit_per_minute integer check (rate_limit_per_minute > 0),
  status text not null default 'active' check (status in ('active', 'suspended')),
  -- Never changes after the merchant was created.
  live boolean not null default false,
  -- The sandbox that belongs to a live merchant, or the live merchant that a sandbox belongs to.
  counterpart_id bigint,
  -- Who pays the payout provider's fees.
  fees_paid_by text not null default 'merchant' check (fees_paid_by in ('merchant', 'platform')),
  -- KYC: the status, and as JSON the reason for a rejection and where the documents are kept.
  kyc_status text not null default 'not_started'
    check (kyc_status in ('not_started', 'pending', 'approved', 'rejected')),
  kyc jsonb not null default '{"reasons": [], "documents": []}',
  -- The provider account that pays a live merchant's transfers, for each of IMPS, NEFT, RTGS and UPI:
  -- <provider>:<account_id>. Derived from its connected accounts; null if there are none. The sandbox always uses its
  -- simulated bank.
  payout_rails jsonb,
  -- What happens to unsent payouts while a provider is down or its balance is too low, and after how many minutes of
  -- waiting they fail; null for never.
  when_down text not null default 'wait' check (when_down in ('wait', 'next', 'fail')),
  give_up_minutes integer check (give_up_minutes > 0),
  -- "Today" for a sandbox merchant whose clock was moved, until the real date is later.
  clock_date date,
  created_at timestamptz not null,
  -- A keyed hash which proves that the server wrote the columns that decide about its money: src/ledger/payer-proof.ts.
  proof bytea,
  primary key (bucket, merchant_id),
  constraint merchant_encrypted check (
    (pan = '' or pan like 'enc1:%') and (bank_account = '' or bank_account like 'enc1:%')),
  constraint merchant_kyc check ((kyc_status = 'rejected') = (kyc -> 'reasons' <> '[]'))
);
-- For operators, who give a merchant's id without its bucket.
create index merchant_by_id on merchant (merchant_id);
-- Every search scans the pending list of this GIN index, so it is kept short.
create index merchant_search on merchant using gin (merchant_parts(name, false), merchant_parts(email, false))
  with (gin_pending_list_limit = 128);
-- For operators' lists by KYC.
create index merchant_by_kyc on merchant (kyc_status, merchant_id);
-- The merchants whose clock was moved.
create index merchant_with_moved_clock on merchant (merchant_id) where clock_date is not null and not live;
grant select, insert, update on merchant to nodal_server;
grant select (bucket, merchant_id, time_zone, status, live, fees_paid_by, clock_date, when_down, give_up_minutes,
  payout_rails, counterpart_id, ifsc, bank_holder, proof) on merchant to nodal_payouts;
-- Locking a row requires the right to update one of its columns.
grant select (bucket, merchant_id), update (city) on merchant to nodal_invoices;
select protect_tenant_table('merchant');

-- The current time of a merchant. A moved clock changes the date, but not the time of day. Same as nowOf in
-- src/merchants/merchant.ts.
create function merchant_now(p_now timestamptz, p_time_zone text, p_live boolean, p_clock_date date) returns timestamptz
language sql stable as $$
  select case
    when not p_live and p_clock_date > (p_now at time zone p_time_zone)::date then
      (p_clock_date + (p_now at time zone p_time_zone)::time) at time zone p_time_zone
    else p_now
  end
$$;

-- Changes of merchants for the installation's webhooks. A change writes a row in its transaction. A server then moves
-- the row to the installation's journal, from where the webhooks send it.
create table merchant_notice (
  bucket smallint not null,
  merchant_id bigint not null,
  noted_at timestamptz not null,
  type text not null check (type in ('created', 'live', 'profile_changed', 'kyc_changed', 'suspended', 'resumed')),
  -- Who changed the merchant, and from where.
  actor text not null,
  address text,
  primary key (bucket, merchant_id, noted_at, type)
);
grant select, insert, delete on merchant_notice to nodal_server;
select protect_tenant_table('merchant_notice');

create table access_key (
  bucket smallint not null,
  merchant_id bigint not null,
  access_key_id text not null,
  secret_hash bytea not null,
  name text not null,
  -- Its scopes and the addresses it may be used from, separated by spaces. No address means any address.
  scopes text not null,
  addresses text not null,
  expires_at timestamptz,
  -- The person who created it, named as in the journal. If a key created it, the person who created that key.
  made_by text not null,
  -- Proves the columns above and whether the key is revoked: src/merchants/keys/key-terms.ts.
  proof bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- To within an hour.
  last_used_at timestamptz,
  primary key (bucket, merchant_id, access_key_id)
);
grant select, insert, update on access_key to nodal_server;
select protect_tenant_table('access_key');

-- The first answer to a request with an Idempotency-Key: the created object, or the whole answer.
create table idempotency_key (
  bucket smallint not null,
  merchant_id bigint not null,
  idempotency_key text not null,
  request_hash bytea not null,
  subject_id bigint,
  response jsonb,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, idempotency_key)
);
create index idempotency_key_age on idempotency_key (created_at);
grant select, insert, update, delete on idempotency_key to nodal_server, nodal_invoices;
grant select, insert on idempotency_key to nodal_payouts;
select protect_tenant_table('idempotency_key');
