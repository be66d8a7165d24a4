-- The second wall between merchants: whatever a statement of a request says, it sees and writes the rows of one merchant.

do $$
declare
  role_name text;
begin
  foreach role_name in array array['nodal_tenant', 'nodal_payouts'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
    if not pg_has_role(current_user, role_name, 'usage') then
      execute format('grant %I to %I', role_name, current_user);
    end if;
  end loop;
end
$$;

grant usage on schema public to nodal_tenant, nodal_payouts;

-- Whose request this is: each transaction says so by `set local nodal.merchant_id`. Where none did, it is nobody's.
create function nodal_merchant_id() returns bigint
language sql stable parallel safe as $$
  select nullif(current_setting('nodal.merchant_id', true), '')::bigint
$$;

-- Puts the wall around a table of merchants' rows: requests (nodal_tenant) get their own merchant's, with the same rights
-- that the server has; the server's own work and the group commits see all. Every such table needs a call of it.
create function protect_tenant_table(p_table text) returns void
language plpgsql as $$
declare
  v_right text;
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy own_rows on %I to nodal_tenant using (merchant_id = nodal_merchant_id())', p_table);
  execute format('create policy every_row on %I to nodal_server, nodal_payouts, nodal_simulator using (true)', p_table);
  for v_right in
    select privilege_type from information_schema.role_table_grants
    where table_schema = 'public' and table_name = p_table and grantee = 'nodal_server'
  loop
    execute format('grant %s on %I to nodal_tenant', v_right, p_table);
  end loop;
end
$$;

select protect_tenant_table(table_name::text)
from information_schema.columns
where table_schema = 'public' and column_name = 'merchant_id'
order by table_name;

-- Whether an e-mail address is free is asked of all merchants; who has it, of nobody: the table holds hashes.
create policy every_address on sign_in for select to nodal_tenant using (true);
grant select on installation, ledger_rule to nodal_tenant;

-- Group commits serve many merchants at once, and move money: they have a role that can do that and nothing else.
grant select, insert, update on transfer, ledger_book, ledger_account to nodal_payouts;
grant select, insert on ledger_posting, event, idempotency_key to nodal_payouts;
grant select, insert, update, delete on transfer_dispatch, dispatcher to nodal_payouts;
grant select on beneficiary, ledger_rule to nodal_payouts;

-- The customers of a merchant with all parts of a keyword in a column. Behind a policy the index of parts can't be used,
-- since PostgreSQL does not trust the comparison of arrays not to tell of rows that the policy hides; so this looks with
-- the owner's eyes, for the merchant of the transaction only.
create function customers_with_parts(p_bucket smallint, p_merchant_id bigint, p_column text, p_keyword text)
returns setof bigint
language plpgsql stable security definer rows 100 set search_path = public, pg_temp as $$
begin
  if p_column not in ('customer_name', 'email', 'mobile', 'city', 'state', 'zipcode') then
    raise exception 'customers are not searched by %', p_column;
  end if;
  if current_setting('role') = 'nodal_tenant' and p_merchant_id is distinct from nodal_merchant_id() then
    return;
  end if;
  return query execute format(
    'select customer_id from customer
     where bucket = $1 and merchant_id = $2 and customer_grams(%I) @> customer_grams($3)', p_column)
    using p_bucket, p_merchant_id, p_keyword;
end
$$;
revoke execute on function customers_with_parts from public;
grant execute on function customers_with_parts to nodal_tenant, nodal_server;
