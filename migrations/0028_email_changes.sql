-- Addresses that somebody wants to sign in with, until a link that was sent there is opened.

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
