-- What pages about subscriptions and invoices look up: the subscriptions of a customer, of a state that few have, and of a
-- franchise; and the invoices of a template.

create index subscription_of_customer on subscription (bucket, merchant_id, customer_id, subscription_id desc);
-- Active ones are most of them, and are written to at each invoice.
create index subscription_not_active on subscription (bucket, merchant_id, state, subscription_id desc)
  where state <> 'Active';
create index subscription_in_trouble on subscription (bucket, merchant_id, subscription_id desc)
  where state = 'Active' and parked_code is not null;

-- Whose the invoices are; 0 for nobody's.
alter table subscription add column franchise_id bigint not null default 0;
update subscription set franchise_id = (invoice ->> 'franchise_id')::bigint
where invoice ->> 'franchise_id' ~ '^[0-9]{1,16}$';
create index subscription_of_franchise on subscription (bucket, merchant_id, franchise_id, subscription_id desc)
  where franchise_id <> 0;

create index invoice_of_template on invoice (bucket, merchant_id, template_id, bill_date desc, invoice_id desc);
