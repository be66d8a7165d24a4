-- Merchants, their access keys, and the answers that an Idempotency-Key gives again.

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
  bank_account text not null default '',
  ifsc text not null default '',
  bank_holder text not null default '',
  time_zone text not null default 'Asia/Kolkata',
  rate_limit_per_minute integer check (rate_limit_per_minute > 0),
  status text not null default 'active' check (status in ('active', 'suspended')),
  live boolean not null default false,
  created_at timestamptz not null,
  primary key (bucket, merchant_id)
);
-- For operators, who name a merchant by its id alone.
create index merchant_by_id on merchant (merchant_id);

create table access_key (
  bucket smallint not null,
  merchant_id bigint not null,
  access_key_id text not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (bucket, merchant_id, access_key_id)
);

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

grant select, insert, update on merchant, access_key to nodal_server;
grant select, insert, update, delete on idempotency_key to nodal_server;
