-- The database roles, the settings that each transaction makes, and the isolation of merchants from each other.
--
-- nodal_server: the server's own work. nodal_tenant: one request of one merchant. nodal_payouts: group commits of payouts.
-- nodal_invoices: group commits of invoices. nodal_simulator: the simulated bank, which has nothing in common with the
-- others. Each table lists the grants of the roles.

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

-- The merchant of this request. Each transaction sets it by `set local nodal.merchant_id`; null if it did not.
create function nodal_merchant_id() returns bigint
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.merchant_id', true), '')::bigint
$$;

-- The merchants whose requests share this transaction. Each transaction sets them by `set local nodal.merchant_ids`, as
-- an array; null if it did not.
create function nodal_merchant_ids() returns bigint[]
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.merchant_ids', true), '')::bigint[]
$$;

-- The actor and the address. Each transaction sets them by `set local nodal.actor` and `nodal.address`, or its
-- connection sets them once. No event can be recorded while they are null.
create function nodal_actor() returns text
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.actor', true), '')
$$;

create function nodal_address() returns text
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.address', true), '')
$$;

-- Adds row-level security to a table of merchants' rows, in case a statement forgets its merchant. Requests
-- (nodal_tenant) have the server's rights, but only on the rows of their own merchant. Group commits of invoices only
-- reach the rows of the merchants in nodal.merchant_ids. The server's own work and the group commits of payouts see all
-- rows. Call it for every table with a merchant_id, after its grants.
create function protect_tenant_table(p_table text) returns void
language plpgsql as $$
declare
  v_right text;
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy own_rows on %I to nodal_tenant using (merchant_id = nodal_merchant_id())', p_table);
  -- In a subquery, so that PostgreSQL reads the list once per statement and not once per row.
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
  -- A merchant has one bucket. Without these statistics, PostgreSQL assumes that the two columns are independent: it
  -- expects a millionth of the rows where a merchant has a thousandth. Its plan would then read all rows of a small
  -- merchant for each row of a page.
  execute format('create statistics %I (dependencies) on bucket, merchant_id from %I', p_table || '_of_merchant', p_table);
end
$$;
