-- Sending what is owed to customers: how each message stands, what was said in it, and which addresses are dead.

alter table notification
  drop constraint notification_kind_check,
  add constraint notification_kind check (kind in ('invoice', 'receipt', 'reminder')),
  add column channel text not null default 'mail' check (channel in ('mail', 'sms', 'whatsapp')),
  -- Of a reminder: how many days after the invoice's due date it belongs, below zero for those before it.
  add column reminder_days smallint,
  add column state text not null default 'Queued' check (state in (
    'Queued', 'Sending', 'Sent', 'Held', 'Failed', 'Suppressed')),
  -- When the next attempt is due; of one that is being sent, when its lease ends.
  add column due_at timestamptz default now(),
  -- How many attempts were begun. Whoever is sending it holds it only as long as this stays the same.
  add column attempts integer not null default 0,
  -- Why the last attempt failed, or why it is held or suppressed.
  add column reason text,
  add column sent_at timestamptz,
  -- What was said, to whom, when it was last put into words. Attachments are made again when they are asked for.
  add column recipient text,
  add column message_id text,
  add column subject text,
  add column html text,
  add column body text,
  add constraint notification_reminder check ((kind = 'reminder') = (reminder_days is not null)),
  add constraint notification_due check ((state in ('Queued', 'Sending')) = (due_at is not null)),
  add constraint notification_sent check ((state = 'Sent') = (sent_at is not null));

create index notification_due on notification (due_at) where due_at is not null;
-- For lists, newest first, and for counting those that wait or failed.
create index notification_by_age on notification (bucket, merchant_id, created_at desc, notification_id desc);
create index notification_by_state on notification (
  state, bucket, merchant_id, created_at desc, notification_id desc);
-- A reminder is sent once for each invoice, distance to its due date and channel.
create unique index notification_reminder_once on notification (
  subject_id, reminder_days, channel, bucket, merchant_id) where kind = 'reminder';

-- What a merchant chose; without a row no reminders, and mail alone.
create table notification_setting (
  bucket smallint not null,
  merchant_id bigint not null,
  channels text[] not null default '{mail}' check (channels <@ array['mail', 'sms', 'whatsapp'] and cardinality(channels) > 0),
  reminder_days smallint[] not null default '{}',
  -- The merchant's day for which all reminders have been queued.
  reminded_on date,
  primary key (bucket, merchant_id)
);

-- Addresses that a mail server refused for good: nothing is sent to them until somebody revives them. The address is in
-- lower case.
create table mail_address (
  bucket smallint not null,
  merchant_id bigint not null,
  address text not null,
  reason text not null,
  dead_since timestamptz not null,
  primary key (bucket, merchant_id, address)
);

grant update on notification to nodal_server;
grant select, insert, update on notification_setting to nodal_server;
grant select, insert, delete on mail_address to nodal_server;
