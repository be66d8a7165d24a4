-- Subscriptions: recurring invoices, and the result of each occurrence.

create table subscription (
  bucket smallint not null,
  merchant_id bigint not null,
  subscription_id bigint not null,
  customer_id bigint not null,
  -- Null for the merchant's default template at the time an invoice is made.
  template_id bigint,
  -- The franchise of the invoices; 0 for none.
  franchise_id bigint not null default 0,
  mode text not null check (mode in ('Daily', 'Weekly', 'Monthly', 'Yearly')),
  repeat_every integer not null check (repeat_every > 0),
  start_date date not null,
  due_days integer not null check (due_days >= 0),
  end_mode text not null check (end_mode in ('Never', 'Occurences', 'End date')),
  occurrences integer check (occurrences > 0),
  end_date date check (end_date >= start_date),
  carry_dues boolean not null,
  -- The invoice object as in the API, without dates and customer.
  invoice jsonb not null,
  state text not null check (state in ('Active', 'Paused', 'Cancelled', 'Completed')),
  -- The first occurrence, from 0, that has neither been billed nor skipped, and its date; null once there is none.
  next_occurrence integer not null default 0 check (next_occurrence >= 0),
  next_bill_date date,
  -- The date of the pause in the merchant's time zone.
  paused_date date,
  -- Why its next invoice could not be made, since when, and when it is tried again.
  parked_code text,
  parked_reason text,
  parked_since timestamptz,
  parked_attempts integer,
  retry_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (bucket, merchant_id, subscription_id),
  constraint subscription_ends check (
    (end_mode = 'Occurences') = (occurrences is not null) and (end_mode = 'End date') = (end_date is not null)),
  constraint subscription_goes_on check ((state in ('Active', 'Paused')) = (next_bill_date is not null)),
  constraint subscription_paused check ((state = 'Paused') = (paused_date is not null)),
  constraint subscription_parked check (
    num_nonnulls(parked_code, parked_reason, parked_since, parked_attempts, retry_at) in (0, 5)
    and coalesce(parked_attempts, 1) > 0)
) with (fillfactor = 80);
-- Finds the due subscriptions of one merchant, oldest first, and the merchants that have any.
create index subscription_due on subscription (bucket, merchant_id, next_bill_date, subscription_id)
  where state = 'Active';
create index subscription_due_anywhere on subscription (next_bill_date, bucket, merchant_id) where state = 'Active';
create index subscription_of_customer on subscription (bucket, merchant_id, customer_id, subscription_id desc);
-- Without active ones: they are the majority, and each invoice updates them.
create index subscription_not_active on subscription (bucket, merchant_id, state, subscription_id desc)
  where state <> 'Active';
create index subscription_in_trouble on subscription (bucket, merchant_id, subscription_id desc)
  where state = 'Active' and parked_code is not null;
create index subscription_of_franchise on subscription (bucket, merchant_id, franchise_id, subscription_id desc)
  where franchise_id <> 0;
grant select, insert, update on subscription to nodal_server;
select protect_tenant_table('subscription');

-- One row for each past occurrence, without gaps, and for future ones that a pause has skipped.
create table subscription_occurrence (
  bucket smallint not null,
  merchant_id bigint not null,
  subscription_id bigint not null,
  occurrence_no integer not null,
  bill_date date not null,
  due_date date not null,
  state text not null check (state in ('Billed', 'Skipped')),
  invoice_id bigint,
  -- The invoice's date if that of the occurrence was in a locked period: the first open day.
  moved_to date,
  primary key (bucket, merchant_id, subscription_id, occurrence_no),
  constraint subscription_invoice_once unique (invoice_id, bucket, merchant_id),
  constraint subscription_occurrence_billed check ((state = 'Billed') = (invoice_id is not null)),
  constraint subscription_occurrence_later check (moved_to is null or (moved_to > bill_date and invoice_id is not null))
);
grant select, insert on subscription_occurrence to nodal_server;
select protect_tenant_table('subscription_occurrence');
