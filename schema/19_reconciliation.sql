-- Reconciliation: what banks and providers say moved, beside what the ledger says. docs/reconciliation.md

-- An account whose statements are imported: at a bank, or at a payout provider.
create table statement_account (
  bucket smallint not null,
  merchant_id bigint not null,
  account_id bigint not null,
  name text not null,
  -- Of CSV: which column is what, by their headings, as somebody has said.
  mapping jsonb,
  -- Of CSV: whether its dates have the day or the month first, as a file has shown or somebody has said.
  date_order text check (date_order in ('day-first', 'month-first')),
  -- That the server wrote the row: a keyed hash over the name and over how files are read.
  proof bytea,
  created_at timestamptz not null,
  primary key (bucket, merchant_id, account_id),
  constraint statement_account_name unique (name, bucket, merchant_id)
);
grant select, insert, update on statement_account to nodal_server;
select protect_tenant_table('statement_account');

create table statement_import (
  bucket smallint not null,
  merchant_id bigint not null,
  import_id bigint not null,
  account_id bigint not null,
  file_name text not null,
  format text not null,
  -- What the file's table looks like: a hash over its headings, or the kind of message.
  layout text not null,
  from_on date,
  to_on date,
  opening_paise bigint,
  closing_paise bigint,
  line_count integer not null,
  -- Those that no earlier import had.
  new_count integer not null,
  imported_at timestamptz not null,
  -- That the server wrote the row: a keyed hash over all of it.
  proof bytea,
  primary key (bucket, merchant_id, import_id)
);
grant select, insert on statement_import to nodal_server;
select protect_tenant_table('statement_import');

-- A line of a statement, once, however often and in whatever files it comes.
create table statement_line (
  bucket smallint not null,
  merchant_id bigint not null,
  line_id bigint not null,
  account_id bigint not null,
  import_id bigint not null,
  file_line integer not null,
  booked_on date not null,
  side text not null check (side in ('in', 'out')),
  amount_paise bigint not null check (amount_paise > 0),
  reference text,
  -- As references are compared: in capitals, without zeros and an apostrophe before it.
  compared_reference text,
  -- Other dates that the file has for it, such as that of the value, with spaces between.
  other_days text not null,
  -- It names people; the index stands for it where lines are compared.
  narration text,
  narration_index bytea,
  -- Who paid or was paid, as the narration names them: a keyed hash that finds other lines of the same payer.
  payer_index bytea,
  balance_paise bigint,
  -- Two equal lines of one file are two payments: which of them it is.
  copy_no integer not null,
  -- The references in it, each in its plain form, with spaces between.
  keys text not null,
  -- The transfer whose id at the provider it has.
  payment_of bigint,
  is_charge boolean not null,
  state text not null check (state in ('missing_here', 'different', 'matched', 'noted')),
  -- What it is matched with: items and other lines of the same number.
  match_id bigint,
  matched_by text check (matched_by in ('utr', 'payment_id', 'reference', 'sum', 'hand')),
  -- The line of an earlier file that it may be, until somebody has said that it is not.
  duplicate_of bigint,
  -- Where it differs: from what, and how.
  about_id bigint,
  difference text check (difference in ('amount', 'side', 'failed', 'again', 'duplicate', 'fee', 'undone')),
  note text,
  -- That the server read it from the file: a keyed hash over what the file says, and over which line it may repeat.
  proof bytea,
  primary key (bucket, merchant_id, line_id),
  constraint statement_line_encrypted check (narration is null or narration = '' or narration like 'enc1:%'),
  constraint statement_line_matched check ((match_id is not null) = (state = 'matched')
    and (matched_by is not null) = (state = 'matched') and (difference is not null) = (state = 'different'))
);
create unique index statement_line_once on statement_line (
  account_id, booked_on, amount_paise, side, compared_reference, balance_paise, narration_index, copy_no, bucket, merchant_id)
  nulls not distinct;
create index statement_line_open on statement_line (bucket, merchant_id, line_id)
  where state in ('missing_here', 'different');
create index statement_line_payer on statement_line (payer_index, bucket, merchant_id, line_id)
  where payer_index is not null and state = 'noted';
create index statement_line_match on statement_line (match_id, bucket, merchant_id) where match_id is not null;
grant select, insert, update on statement_line to nodal_server;
select protect_tenant_table('statement_line');

-- What a statement has to show, as the journal says: a payout that left, one that came back, the fee of one, a fee that the
-- provider gave back, money that came in. And payouts that failed, which it must not show. Made of the journal, up to the number that `reconciliation` has.
create table clearing_item (
  bucket smallint not null,
  merchant_id bigint not null,
  -- The transfer or the funding.
  subject_id bigint not null,
  kind text not null check (kind in ('paid', 'returned', 'fee', 'fee_returned', 'funding', 'failed')),
  amount_paise bigint not null check (amount_paise > 0),
  posted_on date not null,
  utr_key text,
  reference_key text,
  match_id bigint,
  -- The subject of its next posting, where an earlier match was undone: a subject has each kind of posting once.
  posting_id bigint,
  note text,
  -- That the server made it: a keyed hash over the day and the references by which lines are matched.
  proof bytea,
  primary key (bucket, merchant_id, subject_id, kind)
);
create index clearing_item_utr on clearing_item (utr_key, bucket, merchant_id) where utr_key is not null;
create index clearing_item_reference on clearing_item (reference_key, bucket, merchant_id)
  where reference_key is not null;
create index clearing_item_open on clearing_item (bucket, merchant_id, posted_on, subject_id) where match_id is null;
create index clearing_item_amount on clearing_item (bucket, merchant_id, amount_paise, posted_on) where match_id is null;
create index clearing_item_match on clearing_item (match_id, bucket, merchant_id) where match_id is not null;
-- A late fee that was taken back is no longer expected.
grant select, insert, update, delete on clearing_item to nodal_server;
select protect_tenant_table('clearing_item');

-- How far a merchant's journal has become items. Its row is the lock of the merchant's reconciliation.
create table reconciliation (
  bucket smallint not null,
  merchant_id bigint not null,
  last_entry_no bigint not null default 0,
  primary key (bucket, merchant_id)
);
grant select, insert, update on reconciliation to nodal_server;
select protect_tenant_table('reconciliation');
