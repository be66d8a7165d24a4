-- Reconciliation of the statements of banks and providers with the ledger. docs/reconciliation.md

-- An account whose statements are imported: at a bank, or at a payout provider.
create table statement_account (
  bucket smallint not null,
  merchant_id bigint not null,
  account_id bigint not null,
  name text not null,
  -- CSV only: the meaning of each column, by heading, as a user has chosen.
  mapping jsonb,
  -- CSV only: the order of day and month in dates, as found in a file or chosen by a user.
  date_order text check (date_order in ('day-first', 'month-first')),
  -- A keyed hash over the name and the reading of files, which proves that the server wrote the row.
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
  -- The layout of the file's table: a hash over its headings, or the kind of message.
  layout text not null,
  from_on date,
  to_on date,
  opening_paise bigint,
  closing_paise bigint,
  line_count integer not null,
  -- Lines that no earlier import had.
  new_count integer not null,
  imported_at timestamptz not null,
  -- A keyed hash over the whole row, which proves that the server wrote it.
  proof bytea,
  primary key (bucket, merchant_id, import_id)
);
grant select, insert on statement_import to nodal_server;
select protect_tenant_table('statement_import');

-- A statement line, stored once even if several files contain it.
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
  -- The reference normalized for comparison: in capitals, without leading zeros or apostrophe.
  compared_reference text,
  -- Other dates that the file has for it, such as the value date, separated by spaces.
  other_days text not null,
  -- Encrypted, since it names people. Its index hash is used to compare lines.
  narration text,
  narration_index bytea,
  -- A keyed hash of the payer or payee that the narration names, to find other lines of the same one.
  payer_index bytea,
  balance_paise bigint,
  -- Two equal lines of one file are two payments; this numbers them.
  copy_no integer not null,
  -- The references in it, each in its plain form, separated by spaces.
  keys text not null,
  -- The transfer whose provider id the line contains.
  payment_of bigint,
  is_charge boolean not null,
  state text not null check (state in ('missing_here', 'different', 'matched', 'noted')),
  -- Lines and items with the same number are matched.
  match_id bigint,
  matched_by text check (matched_by in ('utr', 'payment_id', 'reference', 'sum', 'hand')),
  -- A line of an earlier file that it may duplicate, until a user says that it does not.
  duplicate_of bigint,
  -- For a line that differs: the item, and the difference.
  about_id bigint,
  difference text check (difference in ('amount', 'side', 'failed', 'again', 'duplicate', 'fee', 'undone')),
  note text,
  -- A keyed hash over the file's content of the line, and over the line it may duplicate, which proves that the server
  -- read it from the file.
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

-- What a statement must show according to the journal: payouts sent and returned, fees, refunded fees and incoming
-- money. Also failed payouts, which it must not show. Built from the journal, up to the number in `reconciliation`.
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
  -- The subject of its next posting if an earlier match was undone, since a subject has each kind of posting only once.
  posting_id bigint,
  note text,
  -- A keyed hash over the day and the references for matching, which proves that the server wrote it.
  proof bytea,
  primary key (bucket, merchant_id, subject_id, kind)
);
create index clearing_item_utr on clearing_item (utr_key, bucket, merchant_id) where utr_key is not null;
create index clearing_item_reference on clearing_item (reference_key, bucket, merchant_id)
  where reference_key is not null;
create index clearing_item_open on clearing_item (bucket, merchant_id, posted_on, subject_id) where match_id is null;
create index clearing_item_amount on clearing_item (bucket, merchant_id, amount_paise, posted_on) where match_id is null;
create index clearing_item_match on clearing_item (match_id, bucket, merchant_id) where match_id is not null;
-- A reversed late fee is no longer expected.
grant select, insert, update, delete on clearing_item to nodal_server;
select protect_tenant_table('clearing_item');

-- The last journal entry that was turned into items. Its row is the lock of the merchant's reconciliation.
create table reconciliation (
  bucket smallint not null,
  merchant_id bigint not null,
  last_entry_no bigint not null default 0,
  primary key (bucket, merchant_id)
);
grant select, insert, update on reconciliation to nodal_server;
select protect_tenant_table('reconciliation');
