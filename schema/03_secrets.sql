-- The keys that encrypt secrets and personal data.

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
grant select on data_key to nodal_server, nodal_tenant, nodal_payouts, nodal_invoices;
