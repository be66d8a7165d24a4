// SQL of what many invoices come to: from the sums of days and months where these tell, else from the invoices themselves.
// What belongs here: totals. The sums are written in invoice-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { conditionOf, countedFilter, type BrowseFilter } from "./invoice-browse-store.ts";
import type { InvoiceSums } from "./invoice.ts";
import { wholeMonths, type PageFilter } from "./invoice-page-store.ts";

export type InvoiceTotals = InvoiceSums & { readonly invoices: bigint };

/** More invoices than this are not added up one by one. */
const SUMMED_ONE_BY_ONE = 10_000;

type TotalsRow = { invoices: bigint; billed: string; paid: string; due: string };

/**
 * How many invoices match and what they come to, previous dues left out (`sumsOf`). `null` where they are too many to be
 * added up by something that no sums are kept of: a customer, a group, a search.
 */
export async function sumInvoices(
  db: Queryable,
  merchant: MerchantKey,
  filter: BrowseFilter,
): Promise<InvoiceTotals | null> {
  const counted = countedFilter(filter) ?? allOverdue(filter);
  const row = counted ? await sumDays(db, merchant, counted) : await sumOneByOne(db, merchant, filter);
  if (row.invoices > BigInt(SUMMED_ONE_BY_ONE) && !counted) return null;
  return {
    invoices: row.invoices,
    billedPaise: BigInt(row.billed),
    paidPaise: BigInt(row.paid),
    duePaise: BigInt(row.due),
  };
}

/** Everything overdue is found by its due date, whatever else it could be in order of. */
function allOverdue(filter: BrowseFilter): PageFilter | null {
  if (filter.status !== "Overdue" || filter.filterBy !== "bill_date" || filter.from || filter.to) return null;
  return countedFilter({ ...filter, filterBy: "due_date" });
}

async function sumDays(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { filterBy, from, to, statuses, franchiseId }: PageFilter,
): Promise<TotalsRow> {
  const matches = `bucket = $1 and merchant_id = $2 and filter_by = $3
    and ($6::text[] is null or status = any ($6)) and ($7::bigint is null or franchise_id = $7)`;
  const { rows } = await db.query<TotalsRow>({
    name: "sum-invoice-days",
    text: `select
        coalesce(sum(invoices), 0)::bigint as invoices, coalesce(sum(billed_paise), 0)::text as billed,
        coalesce(sum(paid_paise), 0)::text as paid, coalesce(sum(due_paise), 0)::text as due
      from (
        select invoices, billed_paise, paid_paise, due_paise from invoice_month
        where ${matches} and month >= $8::date and month < $9::date
        union all
        select invoices, billed_paise, paid_paise, due_paise from invoice_day
        where ${matches} and day >= $4::date and day <= $5::date and day < $8::date
        union all
        select invoices, billed_paise, paid_paise, due_paise from invoice_day
        where ${matches} and day >= greatest($8::date, $9::date) and day <= $5::date
      ) as counted`,
    values: [
      bucket,
      merchantId,
      filterBy,
      from?.toString() ?? "-infinity",
      to?.toString() ?? "infinity",
      statuses,
      franchiseId,
      ...wholeMonths(from, to),
    ],
  });
  return rows[0]!;
}

async function sumOneByOne(db: Queryable, merchant: MerchantKey, filter: BrowseFilter): Promise<TotalsRow> {
  const { condition, values } = conditionOf(merchant, filter);
  const { rows } = await db.query<TotalsRow>(
    `select
       count(*) as invoices, coalesce(sum(sums.billed_paise), 0)::text as billed,
       coalesce(sum(sums.paid_paise), 0)::text as paid, coalesce(sum(sums.due_paise), 0)::text as due
     from (select * from invoice where ${condition} limit ${SUMMED_ONE_BY_ONE + 1}) as matching
     cross join lateral invoice_sums(
       status, amount_paise, previous_dues_paise, carried_paise, matching.paid_paise, credited_paise) as sums`,
    values,
  );
  return rows[0]!;
}
