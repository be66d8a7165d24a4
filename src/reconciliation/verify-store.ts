// SQL that checks reconciliation against the ledger: each statement match is posted once, and nothing else is. Read-only.
import { inScope, rupees, type Check } from "../ledger/index.ts";
import { CLEARED_BY_POSTING, ITEM_OF_POSTING } from "./follow-journal-store.ts";
import { POSTING_OF_ITEM, REVERSAL_OF_ITEM } from "./reconcile.ts";

/** The item that each kind of posting creates (1) or clears (-1). */
const ITEMS = `(values ${[
  ...Object.entries(ITEM_OF_POSTING).map((made) => [...made, 1]),
  ...Object.entries(CLEARED_BY_POSTING).map((cleared) => [...cleared, -1]),
]
  .map(([posting, item, sign]) => `('${posting}', '${item}', ${sign})`)
  .join(", ")}) as made (posting_kind, kind, sign)`;
/** The posting for an item once a statement shows it, and the posting that reverses it. */
const MATCHINGS = `(values ${Object.entries(POSTING_OF_ITEM)
  .map(([item, posting]) => `('${item}', '${posting}', '${REVERSAL_OF_ITEM[item as keyof typeof REVERSAL_OF_ITEM]}')`)
  .join(", ")}) as matching (kind, posting_kind, reversal_kind)`;

/** A condition: whether a posting of a match, a row of `found` and `matching`, was reversed. */
const IS_REVERSED = `exists (
  select from journal undone
  where undone.bucket = found.bucket and undone.merchant_id = found.merchant_id
    and undone.subject_id = found.subject_id and undone.kind = matching.reversal_kind and ${inScope("undone")})`;

export const RECONCILIATION_CHECKS: readonly Check[] = [
  {
    // A statement shows what the ledger had sent or received: a transfer's clearing is then its amount, or zero.
    name: "clearing_of_transfer",
    sql: `
      with posted as (
        select
          bucket, merchant_id, subject_id, made.kind, sum(made.sign * amount_paise) as amount_paise
        from journal join ${ITEMS} on made.posting_kind = journal.kind
        where ${inScope("journal")}
        group by bucket, merchant_id, subject_id, made.kind
      ), later as (
        select * from clearing_item where posting_id is not null and ${inScope("clearing_item")}
      )
      select
        found.merchant_id, found.subject_id, 'posting ' || found.kind || ' of a transfer' as what,
        coalesce(${rupees("posted.amount_paise")}, 'none, as there is nothing to find') as expected,
        ${rupees("found.amount_paise")} as found
      from journal as found
      join ${MATCHINGS} on matching.posting_kind = found.kind
      left join later
        on later.bucket = found.bucket and later.merchant_id = found.merchant_id
        and later.posting_id = found.subject_id and later.kind = matching.kind
      left join posted
        on posted.bucket = found.bucket and posted.merchant_id = found.merchant_id
        and posted.subject_id = coalesce(later.subject_id, found.subject_id) and posted.kind = matching.kind
      where ${inScope("found")} and found.amount_paise is distinct from posted.amount_paise and not ${IS_REVERSED}`,
  },
  {
    name: "matched_posting",
    sql: `
      with posted as (
        select bucket, merchant_id, subject_id, matching.kind, amount_paise
        from journal found join ${MATCHINGS} on matching.posting_kind = found.kind
        where ${inScope("found")} and not ${IS_REVERSED}
      ), matched as (
        select bucket, merchant_id, coalesce(posting_id, subject_id) as subject_id, kind, amount_paise
        from clearing_item
        where match_id is not null and kind in (${Object.keys(POSTING_OF_ITEM)
          .map((kind) => `'${kind}'`)
          .join(", ")}) and ${inScope("clearing_item")}
      )
      select
        merchant_id, subject_id, 'posting of an item (' || kind || ') that a statement has shown' as what,
        coalesce(${rupees("matched.amount_paise")}, 'none') as expected,
        coalesce(${rupees("posted.amount_paise")}, 'none') as found
      from matched full join posted using (bucket, merchant_id, subject_id, kind)
      where matched.amount_paise is distinct from posted.amount_paise`,
  },
  {
    // A match is undone once, after it was posted, and in full.
    name: "undone_match",
    sql: `
      select
        found.merchant_id, found.subject_id, 'posting ' || found.kind || ', which undoes a match' as what,
        coalesce(matching.posting_kind || ' ' || ${rupees("matched.amount_paise")} || ' before it', 'a match before it')
          as expected,
        ${rupees("found.amount_paise")} as found
      from journal found
      join ${MATCHINGS} on matching.reversal_kind = found.kind
      left join journal matched
        on matched.bucket = found.bucket and matched.merchant_id = found.merchant_id
        and matched.subject_id = found.subject_id and matched.kind = matching.posting_kind
        and matched.entry_no < found.entry_no and ${inScope("matched")}
      where ${inScope("found")} and found.amount_paise is distinct from matched.amount_paise`,
  },
  {
    name: "match_sum",
    sql: `
      with line as (
        select bucket, merchant_id, match_id, sum(case side when 'in' then amount_paise else -amount_paise end) as paise
        from statement_line where match_id is not null and ${inScope("statement_line")}
        group by bucket, merchant_id, match_id
      ), item as (
        select
          bucket, merchant_id, match_id,
          sum(case kind when 'failed' then 0 when 'paid' then -amount_paise when 'fee' then -amount_paise
            else amount_paise end) as paise
        from clearing_item where match_id is not null and ${inScope("clearing_item")}
        group by bucket, merchant_id, match_id
      )
      select
        merchant_id, match_id as subject_id, 'lines of a match, and what they are matched with' as what,
        coalesce(${rupees("item.paise")}, '0.00') as expected, coalesce(${rupees("line.paise")}, '0.00') as found
      from line full join item using (bucket, merchant_id, match_id)
      where coalesce(line.paise, 0) <> coalesce(item.paise, 0)`,
  },
  {
    name: "clearing_items",
    sql: `
      with posted as (
        select
          journal.bucket, journal.merchant_id, subject_id, made.kind, sum(made.sign * amount_paise) as amount_paise
        from reconciliation
        join journal
          on journal.bucket = reconciliation.bucket and journal.merchant_id = reconciliation.merchant_id
          and journal.entry_no <= reconciliation.last_entry_no
        join ${ITEMS} on made.posting_kind = journal.kind
        where ${inScope("reconciliation")}
        group by journal.bucket, journal.merchant_id, subject_id, made.kind
        having sum(made.sign * amount_paise) <> 0
      ), item as (
        select * from clearing_item where ${inScope("clearing_item")}
      )
      select
        merchant_id, subject_id, 'what statements have to show of a payout or a funding (' || kind || ')' as what,
        coalesce(${rupees("posted.amount_paise")}, 'nothing') as expected,
        coalesce(${rupees("item.amount_paise")}, 'nothing') as found
      from posted full join item using (bucket, merchant_id, subject_id, kind)
      where posted.amount_paise is distinct from item.amount_paise`,
  },
  {
    // Each imported file has its row and all of its new lines, and each line has an account.
    name: "imported_lines",
    sql: `
      with told as (
        select bucket, merchant_id, subject_id as import_id, (after ->> 'new_lines')::integer as lines
        from journal where type = 'statement.imported' and ${inScope("journal")}
      ), made as (
        select import.bucket, import.merchant_id, import_id, import.account_id, new_count as lines,
          account.account_id is not null as has_account
        from statement_import import
        left join statement_account account
          on account.bucket = import.bucket and account.merchant_id = import.merchant_id
          and account.account_id = import.account_id
        where ${inScope("import")}
      ), kept as (
        select bucket, merchant_id, import_id, account_id, count(*)::integer as lines
        from statement_line where ${inScope("statement_line")}
        group by bucket, merchant_id, import_id, account_id
      )
      select
        merchant_id, import_id as subject_id, 'new lines of an import' as what,
        coalesce(told.lines::text, 'no such import') as expected,
        coalesce(kept.lines, 0) || case
          when made.import_id is null then ', without the import'
          when not made.has_account then ', without the account' else ' of ' || made.lines end as found
      from told
      full join made using (bucket, merchant_id, import_id)
      full join kept using (bucket, merchant_id, import_id)
      where told.lines is distinct from made.lines or made.lines is distinct from coalesce(kept.lines, 0)
        or made.has_account is not true or kept.account_id <> made.account_id`,
  },
];
