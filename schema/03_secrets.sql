-- The keys that encrypt secrets and personal data.

-- Data keys. Each has a row for every master key that can open it. Master keys are never in the database. Like the
-- installation's own row, data keys belong to no merchant.
create table data_key (
  data_key_id integer not null check (data_key_id > 0),
  master_key_id text not null,
  -- field: encrypts values; the key with the highest number encrypts new ones. index: keys the hashes for exact look-ups.
  purpose text not null check (purpose in ('field', 'index')),
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (data_key_id, master_key_id)
);
grant select on data_key to nodal_server, nodal_tenant, nodal_payouts, nodal_invoices;
