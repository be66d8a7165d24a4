// SQL that checks the ledger against itself: balances, numbering, rules, incoming money. Read-only.
import type { Queryable } from "../platform/database/pool.ts";
import { isSpread } from "../platform/database/citus/index.ts";
import { CHART, isOwned } from "./chart.ts";
import { KEPT_EVERY } from "./place-store.ts";
import { POSTING_RULES, type PostingKind } from "./posting-rules.ts";

/** The scope of a check: one merchant, all of a bucket if no merchant is given, or all merchants if it is `null`. */
export type VerifyScope = { readonly bucket: number; readonly merchantId: bigint | null } | null;

/**
 * A rule for the data. `sql` selects violations: merchant_id, subject_id (may be null), what, expected, found. It
 * limits every table with `inScope`.
 */
export type Check = { readonly name: string; readonly sql: string };

export type Violation = {
  readonly check: string;
  readonly merchantId: bigint;
  /** The transfer, funding or entry number with the problem; `null` for the book as a whole. */
  readonly subjectId: bigint | null;
  readonly what: string;
  readonly expected: string;
  readonly found: string;
};

export type Findings = {
  readonly violations: readonly Violation[];
  /** The number of violations, including those that are not listed. */
  readonly count: number;
};

/**
 * The condition that limits a table to the scope. Both parameters are null for all merchants, only the second for all
 * of a bucket.
 */
export function inScope(table: string): string {
  return `(($1::smallint is null or ${table}.bucket = $1) and ($2::bigint is null or ${table}.merchant_id = $2))`;
}

/**
 * The parts in which a scope is checked. On Citus all merchants are checked bucket by bucket, since a statement there
 * has no common snapshot of several buckets. Otherwise the scope is one part.
 */
async function partsOf(db: Queryable, scope: VerifyScope): Promise<VerifyScope[]> {
  if (scope !== null || !isSpread(db)) return [scope];
  return (await listBuckets(db)).map((bucket) => ({ bucket, merchantId: null }));
}

/** The buckets with any books, or with rows that need a book. */
export async function listBuckets(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ bucket: number }>(
    `select bucket from merchant union select bucket from ledger_book union select bucket from journal
     union select bucket from transfer order by bucket`,
  );
  return rows.map(({ bucket }) => bucket);
}

/** SQL that prints an amount in paise as rupees. */
export function rupees(paise: string): string {
  return `round(${paise} / 100.0, 2)::text`;
}

/** POSTING_RULES as a table. The database also has them as a constraint, but its owner can drop that. */
const RULES = `(values ${Object.entries(POSTING_RULES)
  .map(([kind, [debit, credit]]) => `('${kind}', '${debit}', '${credit}', ${isOwned(debit)}, ${isOwned(credit)})`)
  .join(", ")}) as rule (kind, debit_kind, credit_kind, debit_owned, credit_owned)`;

/** The chart as a table. */
const ACCOUNTS = `(values ${CHART.map(
  ({ name, book, owned, mayBeNegative, hot }) => `('${name}', '${book}', ${owned}, ${mayBeNegative}, ${hot})`,
).join(", ")}) as chart (kind, book, owned, may_be_negative, hot)`;

const PAYOUT_TYPE = "(transfer|withdrawal|commission)\\.";

/** The types of entries that move money, as patterns by posting kind. All other kinds have the type `posting.<kind>`. */
const TYPES_OF_POSTINGS: { readonly [Kind in PostingKind]?: string } = {
  funds_in: "balance\\.funded",
  reserve: `${PAYOUT_TYPE}(accepted|awaiting_approval)`,
  success: `${PAYOUT_TYPE}success`,
  late_success: `${PAYOUT_TYPE}success`,
  late_success_unfunded: `${PAYOUT_TYPE}success`,
  failed: `${PAYOUT_TYPE}(failed|rejected|reversed)`,
  reversed: `${PAYOUT_TYPE}reversed`,
  commission_accrued: "commission\\.accrued",
  commission_reversed: "commission\\.accrual_reversed",
  commission_paid_outside: "commission\\.payment_recorded",
  commission_payment_reversed: "commission\\.payment_reversed",
};

/** The same for all kinds, as a table. */
const TYPES = `(values ${(Object.keys(POSTING_RULES) as PostingKind[])
  .map((kind) => `('${kind}', '^${TYPES_OF_POSTINGS[kind] ?? `posting\\.${kind}`}$')`)
  .join(", ")}) as fit (kind, pattern)`;

export const LEDGER_CHECKS: readonly Check[] = [
  {
    name: "account_balance",
    sql: `
      with side as (
        select bucket, merchant_id, credit_kind as kind, credit_owner_id as owner_id, amount_paise
        from journal where kind is not null and ${inScope("journal")}
        union all
        select bucket, merchant_id, debit_kind, debit_owner_id, -amount_paise
        from journal where kind is not null and ${inScope("journal")}
      ), posted as (
        select bucket, merchant_id, kind, owner_id, sum(amount_paise) as balance
        from side
        group by bucket, merchant_id, kind, owner_id
      ), account as (
        select * from ledger_balances where ${inScope("ledger_balances")}
      )
      select
        merchant_id, nullif(owner_id, 0) as subject_id, 'balance of ' || kind || ', recomputed from its postings' as what,
        ${rupees("coalesce(posted.balance, 0)")} as expected,
        coalesce(${rupees("account.balance")}, 'no such account') as found
      from posted
      full join account using (bucket, merchant_id, kind, owner_id)
      where account.balance is distinct from coalesce(posted.balance, 0)`,
  },
  {
    // For books with stored balances: the sum of the changes of each part, up to the stored balance.
    name: "kept_balance",
    sql: `
      with kept as (
        select * from book_balance where ${inScope("book_balance")}
      ), ending as (
        select bucket, merchant_id, max(entry_no) as entry_no from kept group by bucket, merchant_id
      ), part as (
        select
          bucket, merchant_id, (journal.entry_no + ${KEPT_EVERY - 1}) / ${KEPT_EVERY} * ${KEPT_EVERY} as entry_no,
          sum(case 'available' when credit_kind then amount_paise when debit_kind then -amount_paise else 0 end) as available,
          sum(case 'held' when credit_kind then amount_paise when debit_kind then -amount_paise else 0 end) as held
        from journal
        join ending using (bucket, merchant_id)
        where kind is not null and journal.entry_no <= ending.entry_no and ${inScope("journal")}
        group by 1, 2, 3
      ), compared as (
        select
          bucket, merchant_id, entry_no, available_paise, held_paise, kept.entry_no is not null as is_kept,
          sum(coalesce(available, 0)) over running as available, sum(coalesce(held, 0)) over running as held
        from part
        full join kept using (bucket, merchant_id, entry_no)
        window running as (partition by bucket, merchant_id order by entry_no)
      )
      select
        merchant_id, entry_no as subject_id, 'available and held that are kept of the entries up to here' as what,
        ${rupees("available")} || ', ' || ${rupees("held")} as expected,
        ${rupees("available_paise")} || ', ' || ${rupees("held_paise")} as found
      from compared
      where is_kept and (available_paise, held_paise) <> (available, held)`,
  },
  {
    // Each posting stays in one book, so that each book adds up to zero.
    name: "sum_of_accounts",
    sql: `
      select
        merchant_id, null::bigint as subject_id, 'sum of all accounts in the book of the ' || chart.book as what,
        '0.00' as expected, ${rupees("sum(balance)")} as found
      from ledger_balances
      join ${ACCOUNTS} using (kind)
      where ${inScope("ledger_balances")}
      group by bucket, merchant_id, chart.book
      having sum(balance) <> 0`,
  },
  {
    name: "account_kind",
    sql: `
      select
        merchant_id, nullif(owner_id, 0) as subject_id, 'account ' || kind as what,
        case
          when chart.hot then 'a column of the book'
          when chart.owned then 'an account with an owner'
          when chart.kind is not null then 'an account without an owner'
          else 'an account of the chart'
        end as expected,
        case owner_id when 0 then 'a row without an owner' else 'a row with an owner' end as found
      from ledger_account
      left join ${ACCOUNTS} using (kind)
      where ${inScope("ledger_account")} and (chart.kind is null or chart.hot or chart.owned <> (owner_id <> 0))`,
  },
  {
    name: "negative_balance",
    sql: `
      select
        merchant_id, null::bigint as subject_id, 'balance of ' || kind as what, 'at least 0.00' as expected,
        ${rupees("balance")} as found
      from ledger_balances
      join ${ACCOUNTS} using (kind)
      where balance < 0 and not chart.may_be_negative and ${inScope("ledger_balances")}`,
  },
  {
    name: "owed_and_available",
    sql: `
      select
        merchant_id, null::bigint as subject_id, 'what the merchant owes, and has available' as what,
        'nothing owed, or nothing available' as expected,
        ${rupees("-owed_by_merchant_paise")} || ' owed, ' || ${rupees("available_paise")} || ' available' as found
      from ledger_book
      where (owed_by_merchant_paise > 0 or (owed_by_merchant_paise < 0 and available_paise > 0)) and ${inScope("ledger_book")}`,
  },
  {
    // From 1 to the book's last number, without gaps.
    name: "entry_numbers",
    sql: `
      select
        merchant_id, null::bigint as subject_id, 'numbers of entries in the merchant''s book' as what,
        '1 to ' || coalesce(book.last::text, '0 (there is no book)') as expected,
        coalesce(numbered.count, 0) || ' entries from ' || coalesce(numbered.first, 0) || ' to '
          || coalesce(numbered.last, 0) as found
      from (
        select bucket, merchant_id, last_entry_no as last from ledger_book where ${inScope("ledger_book")}
      ) as book
      full join (
        select bucket, merchant_id, count(*) as count, min(entry_no) as first, max(entry_no) as last
        from journal where ${inScope("journal")}
        group by bucket, merchant_id
      ) as numbered using (bucket, merchant_id)
      where book.last is distinct from coalesce(numbered.count, 0) or book.last is distinct from coalesce(numbered.last, 0)
        or (numbered.count > 0 and numbered.first <> 1)`,
  },
  {
    name: "posting_rule",
    sql: `
      select
        posting.merchant_id, posting.entry_no as subject_id,
        'accounts of posting ' || posting.entry_no || ' (' || posting.kind || ')' as what,
        coalesce(
          rule.debit_kind || case when rule.debit_owned then ' of an owner' else '' end || ' to ' || rule.credit_kind
            || case when rule.credit_owned then ' of an owner' else '' end,
          'a kind that has a rule') as expected,
        posting.debit_kind || case when posting.debit_owner_id <> 0 then ' of an owner' else '' end || ' to '
          || posting.credit_kind || case when posting.credit_owner_id <> 0 then ' of an owner' else '' end as found
      from journal posting
      left join ${RULES} using (kind)
      where posting.kind is not null and ${inScope("posting")} and (
        posting.debit_kind is distinct from rule.debit_kind or posting.credit_kind is distinct from rule.credit_kind
        or (posting.debit_owner_id <> 0) is distinct from rule.debit_owned
        or (posting.credit_owner_id <> 0) is distinct from rule.credit_owned
        or (rule.debit_owned and rule.credit_owned and posting.debit_owner_id <> posting.credit_owner_id))`,
  },
  {
    // A posting has no proof: with another type it would report an event that never happened.
    name: "posting_type",
    sql: `
      select
        merchant_id, entry_no as subject_id, 'type of entry ' || entry_no || ' (' || kind || ')' as what,
        fit.pattern as expected, journal.type as found
      from journal
      join ${TYPES} using (kind)
      where journal.type !~ fit.pattern and ${inScope("journal")}`,
  },
  {
    // Only the merchant's book may have several postings of a kind, with change numbers.
    name: "posting_once",
    sql: `
      with posting as (
        select
          bucket, merchant_id, subject_id, journal.kind, case chart.book when 'merchant' then change_no else 0 end as change_no,
          chart.book = 'operator' and change_no <> 0 as is_wrong
        from journal
        left join ${ACCOUNTS} on chart.kind = journal.debit_kind
        where journal.kind is not null and ${inScope("journal")}
      )
      select
        merchant_id, subject_id, 'postings of kind ' || kind || ' for one subject' as what, 'at most 1' as expected,
        count(*) || case when bool_or(is_wrong) then ', with a change number' else '' end as found
      from posting
      group by bucket, merchant_id, subject_id, kind, change_no
      having count(*) > 1 or bool_or(is_wrong)`,
  },
  {
    name: "funding_posting",
    sql: `
      with posting as (
        select * from journal where kind = 'funds_in' and ${inScope("journal")}
      )
      select
        funding.merchant_id, funding.funding_id as subject_id, 'posting of a funding' as what,
        ${rupees("funding.amount_paise")} as expected,
        coalesce(${rupees("posting.amount_paise")}, 'no posting') as found
      from funding
      left join posting
        on posting.bucket = funding.bucket and posting.merchant_id = funding.merchant_id
        and posting.subject_id = funding.funding_id
      where ${inScope("funding")} and posting.amount_paise is distinct from funding.amount_paise`,
  },
  {
    // Every funding has a deposit, so that the database prevents a second credit.
    name: "funding_deposit",
    sql: `
      with credited as (
        select bucket, merchant_id, funding_id from funding where ${inScope("funding")}
      ), claimed as (
        select distinct bucket, merchant_id, funding_id from deposit where ${inScope("deposit")}
      )
      select
        merchant_id, funding_id as subject_id, 'deposit that a funding was credited for' as what,
        'a funding and its deposit' as expected,
        case when claimed.funding_id is null then 'no deposit' else 'no funding' end as found
      from credited
      full join claimed using (bucket, merchant_id, funding_id)
      where credited.funding_id is null or claimed.funding_id is null`,
  },
  {
    name: "posting_subject",
    sql: `
      select
        posting.merchant_id, posting.subject_id, 'funding of posting ' || posting.entry_no as what,
        'a funding' as expected, 'none with this id' as found
      from journal posting
      where posting.kind = 'funds_in' and ${inScope("posting")} and not exists (
        select from funding
        where funding.bucket = posting.bucket and funding.merchant_id = posting.merchant_id
          and funding.funding_id = posting.subject_id)`,
  },
];

/** Runs checks on one snapshot, if `db` is in a transaction that has one. Lists at most `limit` violations of each. */
export async function runChecks(
  db: Queryable,
  checks: readonly Check[],
  scope: VerifyScope,
  limit: number,
): Promise<Findings> {
  const violations: Violation[] = [];
  let count = 0;
  const parts = await partsOf(db, scope);
  for (const [check, part] of checks.flatMap((each) => parts.map((some) => [each, some] as const))) {
    const { rows } = await db.query<{
      merchant_id: bigint;
      subject_id: bigint | null;
      what: string;
      expected: string;
      found: string;
      total: bigint;
    }>(
      `select violation.*, count(*) over () as total from (${check.sql}) as violation
       order by merchant_id, subject_id, what limit $3`,
      [part?.bucket ?? null, part?.merchantId ?? null, limit],
    );
    count += Number(rows[0]?.total ?? 0);
    for (const { merchant_id: merchantId, subject_id: subjectId, what, expected, found } of rows) {
      violations.push({ check: check.name, merchantId, subjectId, what, expected, found });
    }
  }
  return { violations, count };
}

/** The number of merchants with a book, and of the postings in these books. */
export async function countLedger(db: Queryable, scope: VerifyScope): Promise<{ merchants: number; postings: number }> {
  const { rows } = await db.query<{ merchants: bigint; postings: bigint }>(
    `select
       (select count(*) from ledger_book where merchant_id <> 0 and ${inScope("ledger_book")}) as merchants,
       (select count(*) from journal where kind is not null and ${inScope("journal")}) as postings`,
    [scope?.bucket ?? null, scope?.merchantId ?? null],
  );
  return { merchants: Number(rows[0]!.merchants), postings: Number(rows[0]!.postings) };
}
