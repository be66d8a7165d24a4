-- Merchants, their access keys, and the answers that an Idempotency-Key gives again.

-- What operators find merchants by: every one, two and three characters that follow one another in a text, in any case. Of a keyword
-- (p_is_keyword) only those that are as long as it, or three: whoever has it has them all. Looking them up is cheap, making them is not.
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

-- pan and bank_account take nothing but encrypted text.
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
  -- The letter of undertaking for exports without tax, with its first and last day; and the turnover of the year before.
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
  -- What it was opened as, for good.
  live boolean not null default false,
  -- Of a live merchant the sandbox that it was opened beside; of that sandbox the live merchant.
  counterpart_id bigint,
  -- Who bears what a payout provider takes for a transfer.
  fees_paid_by text not null default 'merchant' check (fees_paid_by in ('merchant', 'platform')),
  -- KYC: the state, and as JSON why it was rejected and where its documents are kept.
  kyc_status text not null default 'not_started'
    check (kyc_status in ('not_started', 'pending', 'approved', 'rejected')),
  kyc jsonb not null default '{"reasons": [], "documents": []}',
  -- Over which provider's account the money of a live merchant leaves, by IMPS, NEFT, RTGS and UPI: <provider>:<account_id>.
  -- It follows from its connected accounts; null where it has none. The sandbox has a rail of its own.
  payout_rails jsonb,
  -- What becomes of payouts that were never sent while a provider is down or its balance is short, and after how many
  -- minutes of waiting they fail; null for never.
  when_down text not null default 'wait' check (when_down in ('wait', 'next', 'fail')),
  give_up_minutes integer check (give_up_minutes > 0),
  -- What "today" is for a merchant in the sandbox whose clock was moved: this date, until the real one has passed it.
  clock_date date,
  created_at timestamptz not null,
  -- That the server wrote what decides about its money: a keyed hash, src/ledger/payer-proof.ts.
  proof bytea,
  primary key (bucket, merchant_id),
  constraint merchant_encrypted check (
    (pan = '' or pan like 'enc1:%') and (bank_account = '' or bank_account like 'enc1:%')),
  constraint merchant_kyc check ((kyc_status = 'rejected') = (kyc -> 'reasons' <> '[]'))
);
-- For operators, who name a merchant by its id alone.
create index merchant_by_id on merchant (merchant_id);
-- What waits to be entered is gone through by each search, so it is kept short.
create index merchant_search on merchant using gin (merchant_parts(name, false), merchant_parts(email, false))
  with (gin_pending_list_limit = 128);
-- For operators' lists by KYC.
create index merchant_by_kyc on merchant (kyc_status, merchant_id);
-- Those whose day is not the real one.
create index merchant_with_moved_clock on merchant (merchant_id) where clock_date is not null and not live;
grant select, insert, update on merchant to nodal_server;
grant select (bucket, merchant_id, time_zone, status, live, fees_paid_by, clock_date, when_down, give_up_minutes,
  payout_rails, counterpart_id, ifsc, bank_holder, proof) on merchant to nodal_payouts;
-- Locking a row takes the right to change something of it.
grant select (bucket, merchant_id), update (city) on merchant to nodal_invoices;
select protect_tenant_table('merchant');

-- The instant that a merchant's clock shows: the time of day is the real one. The same as nowOf in src/merchants/merchant.ts.
create function merchant_now(p_now timestamptz, p_time_zone text, p_live boolean, p_clock_date date) returns timestamptz
language sql stable as $$
  select case
    when not p_live and p_clock_date > (p_now at time zone p_time_zone)::date then
      (p_clock_date + (p_now at time zone p_time_zone)::time) at time zone p_time_zone
    else p_now
  end
$$;

-- What the installation is to be told of its merchants. A change of a merchant writes a row in its own transaction; a server
-- moves it to the journal of the installation, whose webhooks send it.
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
  -- What it may do, and from where: with a space between items. From anywhere where none is named.
  scopes text not null,
  addresses text not null,
  expires_at timestamptz,
  -- Who created it, as the journal names people; where a key did, who created that one.
  made_by text not null,
  -- Of the terms above and of whether it is revoked: src/merchants/keys/key-terms.ts.
  proof bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- To within an hour.
  last_used_at timestamptz,
  primary key (bucket, merchant_id, access_key_id)
);
grant select, insert, update on access_key to nodal_server;
select protect_tenant_table('access_key');

-- The first answer to a request with an Idempotency-Key: the object it made, or the whole answer.
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
