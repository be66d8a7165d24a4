// SQL that counts the statement lines that need a person.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";

/** The number of lines of each state that need a person, counted up to a limit. */
export async function countUnmatched(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  most: number,
): Promise<Readonly<Record<"missing_here" | "different", number>>> {
  const { rows } = await db.query<{ missing_here: bigint; different: bigint }>(
    `select count(*) filter (where state = 'missing_here') as missing_here,
       count(*) filter (where state = 'different') as different
     from (
       select state from statement_line
       where bucket = $1 and merchant_id = $2 and state in ('missing_here', 'different') limit $3
     ) as open`,
    [bucket, merchantId, most],
  );
  return { missing_here: Number(rows[0]!.missing_here), different: Number(rows[0]!.different) };
}
