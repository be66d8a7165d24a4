-- People who sign in to the dashboard: their credentials, roles and sessions.

-- permissions: those of a role that the merchant defined. The permissions of the built-in roles are in the code.
create table role (
  bucket smallint not null,
  merchant_id bigint not null,
  role_name text not null,
  permissions text[] not null default '{}',
  -- A keyed hash which proves that the server wrote the permissions. Checked with each request.
  proof bytea,
  primary key (bucket, merchant_id, role_name)
);
grant select, insert, update, delete on role to nodal_server;
select protect_tenant_table('role');

-- The logins of an e-mail address at all merchants. It is the only such table without a merchant in its key, because a
-- sign-in has to find the merchant. The login's own row has the address. One address may have a login at each of
-- several merchants: creating one must not reveal whether there is another.
create table sign_in (
  email_hash bytea not null,
  bucket smallint not null,
  merchant_id bigint not null,
  subject_kind text not null,
  subject_id bigint not null,
  -- Since when the address signs in to this login without naming the merchant; null if the merchant must be named. If
  -- several logins have it, the earliest wins. Only operators and commands set it: a merchant that could would learn
  -- whether the address has an earlier login elsewhere.
  alone_since timestamptz,
  primary key (email_hash, merchant_id),
  constraint sign_in_subject_kind check (subject_kind in ('franchise', 'user', 'operator')),
  constraint sign_in_operator_alone check (merchant_id <> 0 or alone_since is not null)
);
create index sign_in_alone on sign_in (email_hash, alone_since) where alone_since is not null;
grant select, insert, delete on sign_in to nodal_server;
select protect_tenant_table('sign_in');

-- One row for each login: a user of a merchant, a franchise (its id is the franchise's), or an operator of the
-- installation. Operators belong to no merchant: they have the bucket and merchant 0, which no merchant has.
create table login (
  bucket smallint not null,
  merchant_id bigint not null,
  login_id bigint not null,
  kind text not null check (kind in ('user', 'franchise', 'operator')),
  email text not null,
  name text not null,
  role_name text not null,
  password_hash text not null,
  must_change_password boolean not null,
  -- Send mail about approvals that this person can decide?
  approval_mail boolean not null default true,
  -- The second factor. It is required once confirmed. Each code works once: the number of its 30-second step is kept.
  totp_secret text,
  totp_confirmed_at timestamptz,
  totp_last_step bigint,
  disabled_at timestamptz,
  created_at timestamptz not null,
  last_sign_in_at timestamptz,
  -- A keyed hash which proves that the server wrote what gives the login its rights: its kind, address and role,
  -- whether it has a second factor, and whether it is disabled.
  proof bytea,
  primary key (bucket, merchant_id, login_id),
  constraint login_encrypted check (totp_secret is null or totp_secret like 'enc1:%'),
  constraint login_of_its_kind check ((kind = 'operator') = (merchant_id = 0)),
  constraint login_confirms_a_secret check (totp_confirmed_at is null or totp_secret is not null)
) with (fillfactor = 80);
grant select, insert, update, delete on login to nodal_server;
select protect_tenant_table('login');

create table recovery_code (
  bucket smallint not null,
  merchant_id bigint not null,
  login_id bigint not null,
  code_hash bytea not null,
  primary key (bucket, merchant_id, login_id, code_hash)
);
grant select, insert, delete on recovery_code to nodal_server;
select protect_tenant_table('recovery_code');

-- Password reset links that were sent by mail.
create table password_reset (
  bucket smallint not null,
  merchant_id bigint not null,
  login_id bigint not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  primary key (bucket, merchant_id, login_id, token_hash)
);
create index password_reset_age on password_reset (expires_at);
grant select, insert, delete on password_reset to nodal_server;
select protect_tenant_table('password_reset');

-- New sign-in addresses that are not confirmed yet, by opening a link sent to them.
create table email_change (
  bucket smallint not null,
  merchant_id bigint not null,
  login_id bigint not null,
  token_hash bytea not null,
  email text not null,
  expires_at timestamptz not null,
  primary key (bucket, merchant_id, login_id, token_hash)
);
create index email_change_age on email_change (expires_at);
grant select, insert, delete on email_change to nodal_server;
select protect_tenant_table('email_change');

-- The cookie contains bucket, merchant, session and a secret. Only a hash of the secret is stored.
create table login_session (
  bucket smallint not null,
  merchant_id bigint not null,
  session_id bigint not null,
  login_id bigint not null,
  secret_hash bytea not null,
  -- A step to complete before anything else: the second factor, or a new password.
  state text not null check (state in ('second_factor', 'change_password', 'signed_in')),
  address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (bucket, merchant_id, session_id)
) with (fillfactor = 80);
create index login_session_of_login on login_session (login_id, bucket, merchant_id);
create index login_session_age on login_session (expires_at);
grant select, insert, update, delete on login_session to nodal_server;
select protect_tenant_table('login_session');
