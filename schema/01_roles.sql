-- The roles of the database, what each transaction says of itself, and the wall between merchants.
--
-- nodal_server: the server's own work. nodal_tenant: one request of one merchant. nodal_payouts: group commits of payouts.
-- nodal_invoices: group commits of invoices. nodal_simulator: the simulated bank, which has nothing in common with the
-- others. What a role may do stands with each table.

do $$
declare
  role_name text;
begin
  foreach role_name in array
    array['nodal_server', 'nodal_tenant', 'nodal_payouts', 'nodal_invoices', 'nodal_simulator'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
    if not pg_has_role(current_user, role_name, 'usage') then
      execute format('grant %I to %I', role_name, current_user);
    end if;
  end loop;
end
$$;

grant usage on schema public to nodal_server, nodal_tenant, nodal_payouts, nodal_invoices;

-- Whose request this is: each transaction says so by `set local nodal.merchant_id`. Where none did, it is nobody's.
create function nodal_merchant_id() returns bigint
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.merchant_id', true), '')::bigint
$$;

-- Whose requests share this transaction: each says so by `set local nodal.merchant_ids`, as an array. Where none did, they
-- are nobody's.
create function nodal_merchant_ids() returns bigint[]
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.merchant_ids', true), '')::bigint[]
$$;

-- Who acts and from where: each transaction says so by `set local nodal.actor` and `nodal.address`, or its connection does
-- once and for all. Null where nobody did, which no event takes.
create function nodal_actor() returns text
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.actor', true), '')
$$;

create function nodal_address() returns text
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.address', true), '')
$$;

-- Puts the second wall between merchants around a table of their rows: requests (nodal_tenant) see and write their own
-- merchant's, whatever a statement says, with the same rights that the server has; group commits of invoices those of the
-- merchants that their transaction names; the server's own work and the group commits of payouts see all. Every table with a merchant_id needs a call of it, after its grants.
create function protect_tenant_table(p_table text) returns void
language plpgsql as $$
declare
  v_right text;
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy own_rows on %I to nodal_tenant using (merchant_id = nodal_merchant_id())', p_table);
  -- In a subquery, so that the list is read once for a statement, and not for each row.
  execute format(
    'create policy named_rows on %I to nodal_invoices using (merchant_id = any ((select nodal_merchant_ids())::bigint[]))',
    p_table);
  execute format('create policy every_row on %I to nodal_server, nodal_payouts, nodal_simulator using (true)', p_table);
  for v_right in
    select privilege_type from information_schema.role_table_grants
    where table_schema = 'public' and table_name = p_table and grantee = 'nodal_server'
  loop
    execute format('grant %s on %I to nodal_tenant', v_right, p_table);
  end loop;
  -- A merchant has one bucket. PostgreSQL takes the two columns for independent otherwise, and a merchant with a thousandth of
  -- the rows for one with a millionth: beside a large one, it would read all of a small one's rows for each row of a page.
  execute format('create statistics %I (dependencies) on bucket, merchant_id from %I', p_table || '_of_merchant', p_table);
end
$$;
