-- Messages to customers and approvers: their status and content, dead addresses, and how many were sent.

create table notification (
  bucket smallint not null,
  merchant_id bigint not null,
  notification_id bigint not null,
  kind text not null,
  -- An invoice, a payment, the customer of a statement, or the oldest of the approvals that a mail is about.
  subject_id bigint not null,
  -- The recipient: a customer or a login.
  customer_id bigint,
  login_id bigint,
  channel text not null default 'mail' check (channel in ('mail', 'sms', 'whatsapp')),
  -- Reminders only: days after the invoice's due date, negative for days before.
  reminder_days smallint,
  -- Statements of account only: the first and the last day.
  from_date date,
  to_date date,
  -- An address for this message only; null for the customer's own.
  send_to text,
  state text not null default 'Queued' check (state in (
    'Queued', 'Sending', 'Sent', 'Held', 'Failed', 'Suppressed')),
  -- When the next attempt is due; while it is being sent, when the lease ends.
  due_at timestamptz default now(),
  -- How many attempts were started. The sending process has lost its lease if this changes.
  attempts integer not null default 0,
  -- Why the last attempt failed, or why the message is held or suppressed.
  reason text,
  sent_at timestamptz,
  -- The message as last rendered, with its recipient. Attachments are rendered again on request.
  recipient text,
  message_id text,
  subject text,
  html text,
  body text,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, notification_id),
  constraint notification_kind check (kind in ('invoice', 'receipt', 'reminder', 'statement', 'approval')),
  constraint notification_to_one check ((customer_id is null) <> (login_id is null)),
  constraint notification_to_login check ((kind = 'approval') = (login_id is not null)),
  constraint notification_by_mail check ((login_id is null and kind <> 'statement') or channel = 'mail'),
  constraint notification_reminder check ((kind = 'reminder') = (reminder_days is not null)),
  constraint notification_period check ((kind = 'statement') = (from_date is not null and to_date is not null)),
  constraint notification_due check ((state in ('Queued', 'Sending')) = (due_at is not null)),
  constraint notification_sent check ((state = 'Sent') = (sent_at is not null))
);
-- Finds the merchants with due messages, and the oldest due message of each, to serve merchants in turn.
create index notification_due_of_merchant on notification (bucket, merchant_id, due_at) where due_at is not null;
-- Finds the oldest due message of all merchants.
create index notification_due on notification (due_at) where due_at is not null;
-- For lists, newest first, and for counts of waiting and failed messages.
create index notification_by_age on notification (bucket, merchant_id, created_at desc, notification_id desc);
create index notification_by_state on notification (
  state, bucket, merchant_id, created_at desc, notification_id desc);
-- What a customer was sent, newest first.
create index notification_by_customer on notification (
  bucket, merchant_id, customer_id, created_at desc, notification_id desc) where customer_id is not null;
-- The messages about an invoice.
create index notification_by_subject on notification (subject_id, bucket, merchant_id, notification_id);
-- The messages to a person, newest first.
create index notification_by_login on notification (bucket, merchant_id, login_id, created_at desc)
  where login_id is not null;
-- A reminder is sent once for each invoice, distance to its due date and channel.
create unique index notification_reminder_once on notification (
  subject_id, reminder_days, channel, bucket, merchant_id) where kind = 'reminder';
grant select, insert, update on notification to nodal_server;
grant insert on notification to nodal_invoices;
select protect_tenant_table('notification');

-- A merchant's settings. Without a row there are no reminders, and mail is the only channel.
create table notification_setting (
  bucket smallint not null,
  merchant_id bigint not null,
  channels text[] not null default '{mail}' check (channels <@ array['mail', 'sms', 'whatsapp'] and cardinality(channels) > 0),
  reminder_days smallint[] not null default '{}',
  -- The date, in the merchant's time zone, for which all reminders have been queued.
  reminded_on date,
  primary key (bucket, merchant_id)
);
grant select, insert, update on notification_setting to nodal_server;
grant select on notification_setting to nodal_invoices;
select protect_tenant_table('notification_setting');

-- Addresses that a mail server rejected permanently. Nothing is sent to them until somebody reactivates them. In lower case.
create table mail_address (
  bucket smallint not null,
  merchant_id bigint not null,
  address text not null,
  reason text not null,
  dead_since timestamptz not null,
  primary key (bucket, merchant_id, address)
);
grant select, insert, delete on mail_address to nodal_server;
select protect_tenant_table('mail_address');

-- How many messages were handed to the mail server on a day in the merchant's time zone, per recipient; an empty
-- recipient is the total. purpose: customers, logins or approvals are counted separately, so that a flood of one does
-- not stop the others.
create table message_day (
  bucket smallint not null,
  merchant_id bigint not null,
  day date not null,
  purpose text not null check (purpose in ('customers', 'logins', 'approvals')),
  recipient text not null,
  messages integer not null check (messages >= 0),
  primary key (bucket, merchant_id, day, purpose, recipient)
);
create index message_day_age on message_day (day);
grant select, insert, update, delete on message_day to nodal_server;
select protect_tenant_table('message_day');
-- Requests only read it.
revoke insert, update, delete on message_day from nodal_tenant;
