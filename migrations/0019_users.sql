-- People: who signs in to the dashboard, with what, what their roles allow, and where they are signed in.

-- One row for whoever signs in: a user of a merchant, a franchise (its id is the franchise's), or an operator of the
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
  -- Of the second factor. It counts once it is confirmed; a code counts once, by the number of its 30 seconds.
  totp_secret text,
  totp_confirmed_at timestamptz,
  totp_last_step bigint,
  disabled_at timestamptz,
  created_at timestamptz not null,
  last_sign_in_at timestamptz,
  primary key (bucket, merchant_id, login_id),
  constraint login_encrypted check (totp_secret is null or totp_secret like 'enc1:%'),
  constraint login_of_its_kind check ((kind = 'operator') = (merchant_id = 0)),
  constraint login_confirms_a_secret check (totp_confirmed_at is null or totp_secret is not null)
) with (fillfactor = 80);

create table recovery_code (
  bucket smallint not null,
  merchant_id bigint not null,
  login_id bigint not null,
  code_hash bytea not null,
  primary key (bucket, merchant_id, login_id, code_hash)
);

-- Links to a new password, which were sent by mail.
create table password_reset (
  bucket smallint not null,
  merchant_id bigint not null,
  login_id bigint not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  primary key (bucket, merchant_id, login_id, token_hash)
);
create index password_reset_age on password_reset (expires_at);

-- The cookie names bucket, merchant and session; of its secret there is only a hash.
create table login_session (
  bucket smallint not null,
  merchant_id bigint not null,
  session_id bigint not null,
  login_id bigint not null,
  secret_hash bytea not null,
  -- What is still to be done before anything else: the second factor, or a new password.
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

alter table sign_in
  drop constraint sign_in_subject_kind_check,
  add constraint sign_in_subject_kind check (subject_kind in ('franchise', 'user', 'operator'));

-- What a role of the merchant's own allows. What the built-in roles allow is in the code.
alter table role add column permissions text[] not null default '{}';
grant update, delete on role to nodal_server, nodal_tenant;

-- The password of a franchise's login moves to where all others are.
insert into login (
  bucket, merchant_id, login_id, kind, email, name, role_name, password_hash, must_change_password, created_at)
select bucket, merchant_id, franchise_id, 'franchise', login_email, contact_person_name, role_name, password_hash, false,
  created_at
from franchise where login_email is not null;
alter table franchise
  drop constraint franchise_login_complete,
  drop column password_hash,
  add constraint franchise_login_complete check ((login_email is null) = (role_name is null));

grant select, insert, update, delete on login, login_session to nodal_server;
grant select, insert, delete on recovery_code, password_reset to nodal_server;
select protect_tenant_table(name) from unnest(array['login', 'login_session', 'recovery_code', 'password_reset']) as name;
