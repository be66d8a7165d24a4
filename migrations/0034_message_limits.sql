-- Messages are shared out: merchants take turns, and each has so many a day, and so many to one recipient.

-- How many messages were handed over on a day, in the merchant's time zone: to each recipient, and in all where recipient is
-- empty. purpose: to customers, or about logins, which a flood of the others must not stop.
create table message_day (
  bucket smallint not null,
  merchant_id bigint not null,
  day date not null,
  purpose text not null check (purpose in ('customers', 'logins')),
  recipient text not null,
  messages integer not null check (messages >= 0),
  primary key (bucket, merchant_id, day, purpose, recipient)
);
create index message_day_age on message_day (day);

-- For whose turn it is: the merchants that have something due, and what of each has been due for longest.
create index notification_due_of_merchant on notification (bucket, merchant_id, due_at) where due_at is not null;
drop index notification_due;

grant select, insert, update, delete on message_day to nodal_server;
select protect_tenant_table('message_day');
-- Requests have nothing to do with it.
revoke insert, update, delete on message_day from nodal_tenant;
