-- What pages about customers and franchises look up: a franchise's customers, and what it earned, latest first.

-- Groups of customers may be given other names.
grant update on customer_group to nodal_server, nodal_tenant;

create index invoice_of_franchise on invoice (bucket, merchant_id, franchise_id, customer_id) where franchise_id <> 0;
create index commission_of_franchise on commission (bucket, merchant_id, franchise_id, settlement_id desc);
