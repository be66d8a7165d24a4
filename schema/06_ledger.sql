-- The double-entry ledger: books, accounts, and the journal.

-- A merchant's book numbers its entries without gaps, and has the balances that payouts move (the hot accounts of
-- src/ledger/chart.ts): credits minus debits, in paise. Its row is the lock of the merchant's money. Every posting
-- locks it; several books are locked in key order. No balance that money is paid from can fall below zero:
-- docs/rules/payouts.md#balance.
create table ledger_book (
  bucket smallint not null,
  merchant_id bigint not null,
  last_entry_no bigint not null default 0,
  nodal_bank_paise bigint not null default 0,
  available_paise bigint not null default 0,
  held_paise bigint not null default 0,
  payout_clearing_paise bigint not null default 0,
  owed_by_merchant_paise bigint not null default 0,
  fee_expense_paise bigint not null default 0,
  -- Counts the entries that may affect payouts, such as a suspension or a new policy. A server whose cached version is
  -- older reads the terms again before it accepts payouts.
  terms_version bigint not null default 0,
  -- The time of its last entry, rounded down to 10 s so that it seldom changes while a merchant is busy.
  changed_at timestamptz not null default date_bin('10 s', now(), 'epoch'),
  primary key (bucket, merchant_id),
  constraint ledger_book_never_negative check (available_paise >= 0 and held_paise >= 0),
  -- A debt (below zero) is paid from incoming money before anything else can be spent:
  -- docs/rules/payouts.md#owed-by-the-merchant.
  constraint ledger_book_owes_first check (owed_by_merchant_paise = 0 or (owed_by_merchant_paise < 0 and available_paise <= 0))
) with (fillfactor = 50);
-- A BRIN index that finds recently changed books without scanning all. It costs a posting nothing: since PostgreSQL 16,
-- an update that changes no other index can be a heap-only (HOT) update. Older versions don't allow that, so they get
-- no index.
do $$
begin
  if current_setting('server_version_num')::integer >= 160000 then
    create index ledger_book_changed on ledger_book using brin (changed_at)
      with (pages_per_range = 4, autosummarize = on);
  end if;
end
$$;
grant select, insert, update on ledger_book to nodal_server, nodal_payouts;
grant select, update on ledger_book to nodal_invoices;
select protect_tenant_table('ledger_book');

-- All other accounts of the chart (src/ledger/chart.ts). The first posting opens an account's row; accounts with an
-- owner, such as a franchise, are opened with the owner. The merchant's own accounts have the owner 0. balance is
-- credits minus debits, in paise.
create table ledger_account (
  bucket smallint not null,
  merchant_id bigint not null,
  kind text not null,
  owner_id bigint not null,
  balance bigint not null default 0,
  primary key (bucket, merchant_id, kind, owner_id),
  constraint ledger_account_owner check ((owner_id <> 0) = (kind in ('commission_payable', 'commission_settled')))
) with (fillfactor = 50);
grant select, insert, update on ledger_account to nodal_server, nodal_payouts;
select protect_tenant_table('ledger_account');

-- All balances in one list, for reading.
create view ledger_balances with (security_invoker = true) as
  select bucket, merchant_id, own.kind, 0::bigint as owner_id, own.balance
  from ledger_book
  cross join lateral (values
    ('nodal_bank', nodal_bank_paise), ('available', available_paise), ('held', held_paise),
    ('payout_clearing', payout_clearing_paise), ('owed_by_merchant', owed_by_merchant_paise),
    ('fee_expense', fee_expense_paise)) as own (kind, balance)
  union all
  select bucket, merchant_id, kind, owner_id, balance from ledger_account;

-- A merchant's balances after every 2,000th entry, so that a statement need not add up the book from its beginning.
-- They stay correct because entries never change.
create table book_balance (
  bucket smallint not null,
  merchant_id bigint not null,
  entry_no bigint not null check (entry_no > 0 and entry_no % 2000 = 0),
  available_paise bigint not null,
  held_paise bigint not null,
  primary key (bucket, merchant_id, entry_no)
);
grant select, insert on book_balance to nodal_server;
select protect_tenant_table('book_balance');

-- The events of a merchant, with the money that each moved. This one table is ledger, audit log and outbox, so that a
-- transfer needs no further rows. docs/audit.md, docs/payouts.md.
create table journal (
  bucket smallint not null,
  -- Numbers the postings of one kind about the subject; 0 if there can be only one. Placed after bucket, it fits into
  -- the alignment padding.
  change_no integer not null default 0,
  merchant_id bigint not null,
  -- From 1 for each merchant, without gaps, assigned by its book.
  entry_no bigint not null,
  -- The event, its subject, time, actor and address; and what changed, unless a row or the posting shows it, with
  -- secrets masked.
  type text not null,
  subject_id bigint not null,
  created_at timestamptz not null,
  actor text not null,
  address text,
  before jsonb,
  after jsonb,
  -- A keyed hash which proves that the server wrote it. Postings need none: the balances prove them.
  proof bytea,
  -- The posting, where money moved: from one account to another, so that an unbalanced one can't be written.
  kind text,
  debit_kind text,
  debit_owner_id bigint,
  credit_kind text,
  credit_owner_id bigint,
  amount_paise bigint,
  primary key (bucket, merchant_id, entry_no),
  constraint journal_amount check (amount_paise > 0),
  constraint journal_accounts check ((debit_kind, debit_owner_id) <> (credit_kind, credit_owner_id)),
  -- POSTING_RULES in src/ledger/posting-rules.ts. Each rule is one text: PostgreSQL loads a check's expression for each
  -- writing statement, and a list of three-column rows would take longer than the rest of the statement.
  constraint journal_rule check (kind || ' ' || debit_kind || ' ' || credit_kind in (
    'reserve available held',
    'success held payout_clearing',
    'failed held available',
    'funds_in nodal_bank available',
    'reversed payout_clearing available',
    'late_success available payout_clearing',
    'late_success_unfunded owed_by_merchant payout_clearing',
    'owed_settled available owed_by_merchant',
    'fee available payout_clearing',
    'fee_tax available payout_clearing',
    'fee_unfunded owed_by_merchant payout_clearing',
    'fee_tax_unfunded owed_by_merchant payout_clearing',
    'fee_expensed fee_expense payout_clearing',
    'fee_tax_expensed fee_expense payout_clearing',
    'fee_returned payout_clearing available',
    'fee_tax_returned payout_clearing available',
    'fee_expense_returned payout_clearing fee_expense',
    'fee_tax_expense_returned payout_clearing fee_expense',
    'late_fee available payout_clearing',
    'late_fee_unfunded owed_by_merchant payout_clearing',
    'late_fee_expensed fee_expense payout_clearing',
    'late_fee_undone payout_clearing available',
    'late_fee_expense_undone payout_clearing fee_expense',
    'fee_matched payout_clearing nodal_bank',
    'fee_return_matched nodal_bank payout_clearing',
    'bank_matched payout_clearing nodal_bank',
    'return_matched nodal_bank payout_clearing',
    'fee_unmatched nodal_bank payout_clearing',
    'fee_return_unmatched payout_clearing nodal_bank',
    'bank_unmatched nodal_bank payout_clearing',
    'return_unmatched payout_clearing nodal_bank',
    'commission_accrued commission_expense commission_payable',
    'commission_reversed commission_payable commission_expense',
    'commission_paid commission_payable commission_settled',
    'commission_unpaid commission_settled commission_payable',
    'commission_paid_outside commission_payable commission_settled',
    'commission_payment_reversed commission_settled commission_payable')),
  -- Only the merchant's own book may have several postings of a kind about one subject, such as an invoice that changes. The
  -- operator's book (src/ledger/chart.ts) has one, so that no payout is posted twice.
  constraint journal_change check (
    change_no = 0 or (
      change_no > 0 and kind is not null and debit_kind not in (
        'nodal_bank', 'available', 'held', 'payout_clearing', 'owed_by_merchant', 'fee_expense'))),
  constraint journal_posting check (
    num_nulls(kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise) in (0, 6))
);
-- The subject comes first: new postings have new subjects, so their index entries are written next to each other at its end.
create unique index journal_once on journal (subject_id, kind, bucket, change_no, merchant_id) where kind is not null;
create index journal_money on journal (bucket, merchant_id, entry_no) where kind is not null;
-- Returned payouts, in the order of their return.
create index journal_given_back on journal (bucket, merchant_id, entry_no) where kind in ('failed', 'reversed');
-- A franchise's statement: the postings of its commission, in their order. One of the two owners is the franchise.
create index journal_commission on journal (bucket, merchant_id, greatest(debit_owner_id, credit_owner_id), entry_no)
  where kind like 'commission%';
-- By subject, and by the people who acted. Neither index has the usual entries of transfers, so that moving money costs
-- no write to them. The first one has the rare entries of transfers that have no posting:
-- src/payouts/instruction-proof.ts counts them.
create index journal_of_subject on journal (subject_id, bucket, merchant_id, entry_no)
  where type not like 'transfer.%' or kind is null;
create index journal_of_person on journal (actor, bucket, merchant_id, entry_no)
  where actor not like 'key:%' and actor not like 'job:%' and actor <> 'bank';
grant select, insert on journal to nodal_server, nodal_payouts, nodal_invoices;
select protect_tenant_table('journal');

-- Incoming money, once for each reference. proof: as in journal, and also over the rows of deposit.
create table funding (
  bucket smallint not null,
  merchant_id bigint not null,
  funding_id bigint not null,
  reference text not null,
  amount_paise bigint not null check (amount_paise > 0),
  created_at timestamptz not null,
  proof bytea,
  primary key (bucket, merchant_id, funding_id),
  constraint funding_reference unique (bucket, merchant_id, reference)
);
grant select, insert on funding to nodal_server;
select protect_tenant_table('funding');

-- The deposit that a funding credited: the bank's reference, or a statement line without one, as a keyed hash. Each is
-- credited once: among the live merchants that share the installation's account (scope 0), or within any other merchant
-- (scope: its id).
create table deposit (
  scope bigint not null,
  deposit_key bytea not null,
  bucket smallint not null,
  merchant_id bigint not null,
  funding_id bigint not null,
  primary key (scope, deposit_key)
);
create index deposit_funding on deposit (bucket, merchant_id, funding_id);
grant select, insert on deposit to nodal_server;
select protect_tenant_table('deposit');

-- The words of a reference, the whole reference without separators, and a UTR that was typed with spaces. They find a
-- deposit whose row was deleted with SQL.
create index funding_words on funding using gin ((
    regexp_split_to_array(regexp_replace(upper(reference), '(^|[^A-Z0-9])0+(?=[A-Z0-9])', '\1', 'g'), '[^A-Z0-9]+')
    || array[
      ltrim(regexp_replace(upper(reference), '[^A-Z0-9]+', '', 'g'), '0'),
      substring(regexp_replace(upper(reference), '[^A-Z0-9]+', '', 'g') from '[A-Z]{4}(?:[A-Z][0-9]20[0-9]{14}|[A-Z0-9][0-9]{11})')]));

-- Finds the funding whose words contain one of these bank references, or whose whole reference is this one. It may be
-- the merchant's own, or (without an id) that of another merchant which can't be credited for the same deposit.
-- Requests can't read other merchants' rows, so this function runs with its owner's rights. Its rules are those of
-- makeDeposits in src/ledger/deposit-store.ts.
create function funding_with_reference(
  p_bucket smallint, p_merchant_id bigint, p_whole text, p_references text[], p_utrs text[]
) returns table (funding_id bigint, amount_paise bigint)
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  v_live boolean;
  v_shares boolean;
begin
  if current_setting('role') = 'nodal_tenant' and p_merchant_id is distinct from nodal_merchant_id() then
    return;
  end if;
  select merchant.live, merchant.live and merchant.payout_rails is null into v_live, v_shares
  from merchant where merchant.bucket = p_bucket and merchant.merchant_id = p_merchant_id;
  return query
    select case when found.merchant_id = p_merchant_id then found.funding_id end, found.amount_paise
    from (
      select funding.bucket, funding.merchant_id, funding.funding_id, funding.amount_paise,
        ltrim(regexp_replace(upper(funding.reference), '[^A-Z0-9]+', '', 'g'), '0') = p_whole as is_whole, (
    regexp_split_to_array(regexp_replace(upper(funding.reference), '(^|[^A-Z0-9])0+(?=[A-Z0-9])', '\1', 'g'), '[^A-Z0-9]+')
    || array[
      ltrim(regexp_replace(upper(funding.reference), '[^A-Z0-9]+', '', 'g'), '0'),
      substring(regexp_replace(upper(funding.reference), '[^A-Z0-9]+', '', 'g') from '[A-Z]{4}(?:[A-Z][0-9]20[0-9]{14}|[A-Z0-9][0-9]{11})')]) as words
      from funding
      where (
    regexp_split_to_array(regexp_replace(upper(funding.reference), '(^|[^A-Z0-9])0+(?=[A-Z0-9])', '\1', 'g'), '[^A-Z0-9]+')
    || array[
      ltrim(regexp_replace(upper(funding.reference), '[^A-Z0-9]+', '', 'g'), '0'),
      substring(regexp_replace(upper(funding.reference), '[^A-Z0-9]+', '', 'g') from '[A-Z]{4}(?:[A-Z][0-9]20[0-9]{14}|[A-Z0-9][0-9]{11})')]) && (p_references || p_whole)
    ) as found
    join merchant on merchant.bucket = found.bucket and merchant.merchant_id = found.merchant_id
    where (found.is_whole or found.words && p_references) and (
      found.merchant_id = p_merchant_id
      or (v_live and merchant.live and (found.words && p_utrs or (v_shares and merchant.payout_rails is null))))
    order by found.merchant_id <> p_merchant_id, found.funding_id limit 1;
end
$$;
revoke execute on function funding_with_reference from public;
grant execute on function funding_with_reference to nodal_tenant, nodal_server;
