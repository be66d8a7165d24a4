-- Customers, their groups, and the columns that merchants define for them.

-- For an index that holds a merchant's key beside the parts of a text.
create extension if not exists btree_gin;

-- What two texts have in common that differ only in case or in how their characters are composed. Not strict, so that
-- it becomes part of the statement that uses it; and text that is all ASCII is spared the composition.
create function customer_fold(p_text text) returns text
language sql immutable parallel safe as $$
  select lower(case when octet_length(p_text) = length(p_text) then p_text else normalize(p_text) end)
$$;

-- Every three characters of a text that follow one another: what a search for a part of it looks up. pg_trgm would do
-- the same, but only for letters that the database's locale knows: in the C locales it finds nothing in Hindi or Tamil.
-- It folds as customer_fold does, but can't call it: ANALYZE and REINDEX run without a search path to find it by.
create function customer_grams(p_text text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  v_folded text := lower(case when octet_length(p_text) = length(p_text) then p_text else normalize(p_text) end);
  v_grams text[] := '{}';
begin
  for v_place in 1 .. length(v_folded) - 2 loop
    v_grams[v_place] := substr(v_folded, v_place, 3);
  end loop;
  return v_grams;
end
$$;

create table customer (
  bucket smallint not null,
  merchant_id bigint not null,
  customer_id bigint not null,
  customer_code text not null,
  customer_name text not null,
  email text not null,
  mobile text not null,
  address text not null,
  city text not null,
  state text not null,
  zipcode text not null,
  -- [{ id, name, type, value }], in the order in which they came.
  custom_fields jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (bucket, merchant_id, customer_id),
  constraint customer_code_once unique (bucket, merchant_id, customer_code)
) with (fillfactor = 90);
-- One index for all searches: GIN keeps the columns apart, and the merchant's key once for all of them.
create index customer_search on customer using gin (
  bucket, merchant_id, customer_grams(customer_name), customer_grams(email), customer_grams(mobile),
  customer_grams(city), customer_grams(state), customer_grams(zipcode));
grant select, insert, update on customer to nodal_server;
grant select, insert on customer to nodal_invoices;
select protect_tenant_table('customer');

-- The customers of a merchant that have the parts of a keyword in a column, for any of several columns with a keyword each: all
-- with the keyword in it, and perhaps others. Behind a policy the index of parts can't be used, since PostgreSQL does not trust
-- the comparison of arrays not to tell of rows that the policy hides; so this looks with the owner's eyes, for the merchant of
-- the transaction only.
create function customers_with_parts(p_bucket smallint, p_merchant_id bigint, p_columns text[], p_keywords text[])
returns setof bigint
language plpgsql stable security definer rows 100
-- Where nearly all customers match, PostgreSQL would rather make the parts of each again than look them up.
set enable_seqscan = off set search_path = public, pg_temp as $$
declare
  v_grams text[];
  v_conditions text[];
begin
  if not p_columns <@ array['customer_name', 'email', 'mobile', 'city', 'state', 'zipcode'] then
    raise exception 'customers are not searched by all of %', p_columns;
  end if;
  if current_setting('role') = 'nodal_tenant' and p_merchant_id is distinct from nodal_merchant_id() then
    return;
  end if;
  for v_place in 1 .. cardinality(p_columns) loop
    v_grams := customer_grams(p_keywords[v_place]);
    -- Every third part, and the last: together they have all characters of the keyword. Each is a look into the index.
    v_conditions[v_place] := format('customer_grams(%I) @> %L', p_columns[v_place], array(
      select v_grams[least(place, cardinality(v_grams))]
      from generate_series(1, cardinality(v_grams) + 2, 3) as place
      where v_grams <> '{}'));
  end loop;
  return query execute format(
    'select customer_id from customer where bucket = $1 and merchant_id = $2 and (%s)',
    array_to_string(v_conditions, ' or '))
    using p_bucket, p_merchant_id;
end
$$;
revoke execute on function customers_with_parts from public;
grant execute on function customers_with_parts to nodal_tenant, nodal_server;

-- name_key is the name as it is compared: two groups of a merchant never differ in case only.
create table customer_group (
  bucket smallint not null,
  merchant_id bigint not null,
  group_id bigint not null,
  name text not null,
  name_key text not null,
  primary key (bucket, merchant_id, group_id),
  constraint customer_group_once unique (bucket, merchant_id, name_key)
);
grant select, insert, update on customer_group to nodal_server;
grant select, insert on customer_group to nodal_invoices;
select protect_tenant_table('customer_group');

-- place keeps a customer's groups in the order in which the merchant named them.
create table customer_group_member (
  bucket smallint not null,
  merchant_id bigint not null,
  customer_id bigint not null,
  group_id bigint not null,
  place smallint not null,
  primary key (bucket, merchant_id, customer_id, group_id)
);
create index customer_group_members on customer_group_member (bucket, merchant_id, group_id, customer_id);
grant select, insert, delete on customer_group_member to nodal_server;
grant insert on customer_group_member to nodal_invoices;
select protect_tenant_table('customer_group_member');

-- A column that a merchant defined: what values its customers' fields of this id may have.
create table customer_column (
  bucket smallint not null,
  merchant_id bigint not null,
  column_id bigint not null,
  name text not null,
  name_key text not null,
  type text not null check (type in (
    'text', 'textarea', 'number', 'date', 'gst', 'company_name', 'email', 'mobile')),
  created_at timestamptz not null,
  primary key (bucket, merchant_id, column_id),
  constraint customer_column_once unique (bucket, merchant_id, name_key)
);
grant select, insert on customer_column to nodal_server;
select protect_tenant_table('customer_column');
