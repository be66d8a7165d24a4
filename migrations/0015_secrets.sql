-- Secrets and personal data: the keys that encrypt them, and exact look-ups of what is encrypted.

-- Data keys encrypt. Each is here once for every master key that may open it, and no master key is ever in the
-- database. Like the installation's own row they belong to no merchant.
create table data_key (
  data_key_id integer not null check (data_key_id > 0),
  master_key_id text not null,
  -- field: encrypts values; of several the one with the highest number. index: makes what exact look-ups compare.
  purpose text not null check (purpose in ('field', 'index')),
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (data_key_id, master_key_id)
);

-- Those who serve requests and those who commit them together read data keys too. 0016_tenant_policies.sql says what
-- else these roles may do.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['nodal_tenant', 'nodal_payouts'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
  end loop;
end
$$;
grant select on data_key to nodal_server, nodal_tenant, nodal_payouts;

-- What is encrypted can't be compared. The same account or handle of the same merchant has the same index.
alter table beneficiary
  add column account_index bytea,
  add column upi_index bytea,
  drop constraint beneficiary_account,
  drop constraint beneficiary_upi,
  add constraint beneficiary_account_once unique (account_index, bucket, merchant_id),
  add constraint beneficiary_upi_once unique (upi_index, bucket, merchant_id);

-- What signs tokens is encrypted too: whoever has a copy of the database could else sign in as any merchant with it.
-- The row has the columns of a key, as all others do, so that it is encrypted as they are. It belongs to no merchant.
alter table installation
  add column bucket smallint not null default 0 check (bucket = 0),
  add column owner_id bigint not null default 0 check (owner_id = 0),
  alter column secret type text using encode(secret, 'hex');

-- From here on these columns take nothing but encrypted text. What was in them before is encrypted by the first process
-- that opens the database; then the constraint is validated, which also marks the table as done.
alter table installation add constraint installation_encrypted check (secret like 'enc1:%') not valid;
alter table merchant add constraint merchant_encrypted check (
  (pan = '' or pan like 'enc1:%') and (bank_account = '' or bank_account like 'enc1:%')) not valid;
alter table beneficiary add constraint beneficiary_encrypted check (
  (account_number is null or account_number like 'enc1:%') and (upi is null or upi like 'enc1:%')
  and (account_number is null) = (account_index is null) and (upi is null) = (upi_index is null)) not valid;
alter table transfer add constraint transfer_encrypted check (
  (account_number is null or account_number like 'enc1:%') and (upi is null or upi like 'enc1:%')) not valid;
alter table franchise add constraint franchise_encrypted check (
  (pan_number = '' or pan_number like 'enc1:%') and (aadhar_number = '' or aadhar_number like 'enc1:%')
  and (account_number = '' or account_number like 'enc1:%')) not valid;
alter table webhook_secret add constraint webhook_secret_encrypted check (secret like 'enc1:%') not valid;
-- A receiver may answer with what it was sent.
alter table webhook_attempt add constraint webhook_attempt_encrypted check (
  answer = '' or answer like 'enc1:%') not valid;
