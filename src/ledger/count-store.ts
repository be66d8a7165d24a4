// SQL that counts entries of a journal, and adds up postings, between two numbers.
import type { Queryable } from "../platform/database/pool.ts";

type BookKey = { readonly bucket: number; readonly merchantId: bigint };

/** A range of entry numbers, without its end. */
export type EntryRange = { readonly first: bigint; readonly end: bigint };

/** The number of entries of a posting kind or an event type, and the total amount. */
export type EntryCount = { readonly count: bigint; readonly amountPaise: bigint };

/** Entries that one statement counts. */
const STEP = 500_000n;

/**
 * Counts the entries of a range that post one of these kinds, or are of one of these types, by the kind or type. It reads
 * every entry of the range.
 */
export async function countEntries(
  db: Queryable,
  { bucket, merchantId }: BookKey,
  { first, end }: EntryRange,
  { kinds, types }: { readonly kinds: readonly string[]; readonly types: readonly string[] },
): Promise<ReadonlyMap<string, EntryCount>> {
  const counts = new Map<string, EntryCount>();
  for (let from = first; from < end; from += STEP) {
    const before = from + STEP < end ? from + STEP : end;
    const { rows } = await db.query<{ name: string; count: bigint; amount_paise: bigint }>(
      `select case when kind = any ($5) then kind else type end as name, count(*) as count,
         coalesce(sum(amount_paise), 0)::bigint as amount_paise
       from journal
       where bucket = $1 and merchant_id = $2 and entry_no >= $3 and entry_no < $4
         and (kind = any ($5) or type = any ($6))
       group by 1`,
      [bucket, merchantId, from, before, kinds, types],
    );
    for (const { name, count, amount_paise } of rows) {
      const sum = counts.get(name) ?? { count: 0n, amountPaise: 0n };
      counts.set(name, { count: sum.count + count, amountPaise: sum.amountPaise + amount_paise });
    }
  }
  return counts;
}
