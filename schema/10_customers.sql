-- Customers, their groups, and the columns that merchants define for them.

-- For a GIN index of the merchant's key together with the n-grams of a text.
create extension if not exists btree_gin;

-- Folds a text for comparison: texts that differ only in case or Unicode composition become equal. Not strict, so that
-- PostgreSQL can inline it. ASCII text skips the normalization.
create function customer_fold(p_text text) returns text
language sql immutable parallel safe as $$
  select lower(case when octet_length(p_text) = length(p_text) then p_text else normalize(p_text) end)
$$;

-- The trigrams of a text, for substring searches. pg_trgm would only take letters that the database's locale knows: in
-- the C locales it finds nothing in Hindi or Tamil. This function folds like customer_fold, but can't call it: ANALYZE
-- and REINDEX run without a search path.
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
  country text not null default '',
  -- Its category under GST; empty if the GSTIN determines it.
  gst_category text not null default '',
  -- Encrypted; empty if unknown, or known only from the GSTIN.
  pan text not null default '' constraint customer_encrypted check (pan = '' or pan like 'enc1:%'),
  -- [{ id, name, type, value }], in the order of the request.
  custom_fields jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (bucket, merchant_id, customer_id),
  constraint customer_code_once unique (bucket, merchant_id, customer_code)
) with (fillfactor = 90);
-- One index for all searches: GIN indexes each column separately, and the merchant once for all of them. The bucket
-- would only add a second posting list of the same length.
create index customer_search on customer using gin (
  merchant_id, customer_grams(customer_name), customer_grams(email), customer_grams(mobile),
  customer_grams(city), customer_grams(state), customer_grams(zipcode));
grant select, insert, update on customer to nodal_server;
grant select, insert on customer to nodal_invoices;
select protect_tenant_table('customer');

-- The customers of a merchant whose column has the trigrams of its keyword, for any of the given columns. The result
-- has all customers with the keyword, and may have others. Under row-level security PostgreSQL can't use the trigram
-- index, since array comparison is not leakproof. So this function runs with its owner's rights, for the merchant of
-- the transaction only.
--
-- It looks up every third trigram of a keyword and the last one: together they cover all its characters. It skips
-- trigrams that nearly all of the merchant's newest customers have, as long as others are left. They hardly narrow the
-- result, and scanning their posting lists takes most of the time of a large merchant's search.
create function customers_with_parts(p_bucket smallint, p_merchant_id bigint, p_columns text[], p_keywords text[])
returns setof bigint
language plpgsql stable security definer rows 100
-- If nearly all customers match, PostgreSQL would compute the trigrams of every row instead of using the index. It
-- would also plan the choice of trigrams for each call, which takes longer than the choice itself.
set enable_seqscan = off set plan_cache_mode = force_generic_plan set search_path = public, pg_temp as $$
declare
  v_conditions text;
begin
  if not p_columns <@ array['customer_name', 'email', 'mobile', 'city', 'state', 'zipcode'] then
    raise exception 'customers are not searched by all of %', p_columns;
  end if;
  if current_setting('role') = 'nodal_tenant' and p_merchant_id is distinct from nodal_merchant_id() then
    return;
  end if;
  with newest as materialized (
    select customer_fold(customer_name) as customer_name, customer_fold(email) as email, customer_fold(mobile) as mobile,
      customer_fold(city) as city, customer_fold(state) as state, customer_fold(zipcode) as zipcode
    from customer where bucket = p_bucket and merchant_id = p_merchant_id order by customer_id desc limit 16
  ), searched as (
    select name, customer_grams(keyword) as grams from unnest(p_columns, p_keywords) as given (name, keyword)
  ), looked_up as (
    select name, array(
      select grams[least(place, cardinality(grams))]
      from generate_series(1, cardinality(grams) + 2, 3) as place where grams <> '{}') as parts
    from searched
  ), chosen as materialized (
    select name, parts, array(
      select part from unnest(parts) as part
      where (
        select count(*) from newest
        where strpos(case name when 'customer_name' then customer_name when 'email' then email when 'mobile' then mobile
          when 'city' then city when 'state' then state else zipcode end, part) > 0
      ) <= 12) as rare_parts
    from looked_up
  )
  select string_agg(
    format('customer_grams(%I) @> %L', name, case rare_parts when '{}' then parts else rare_parts end), ' or ')
  into v_conditions from chosen;
  return query execute format(
    'select customer_id from customer where bucket = $1 and merchant_id = $2 and (%s)', v_conditions)
    using p_bucket, p_merchant_id;
end
$$;
revoke execute on function customers_with_parts from public;
grant execute on function customers_with_parts to nodal_tenant, nodal_server;

-- name_key is the folded name: two groups of a merchant never differ only in case.
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

-- A column that a merchant defined, with the values that its customers' fields of this id may have.
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
