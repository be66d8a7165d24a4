// Entries of the log about what a benchmark has made with SQL: as the product would have left them, or `nodal verify`
// would find rows that nobody has made.
import { recordEvents } from "../src/ledger/index.ts";
import type { MerchantKey } from "../src/merchants/index.ts";
import { inTransaction, type Pool } from "../src/platform/database/pool.ts";

/** What is said of each kind of row when it is made. The id's column has the table's name. */
const TYPE_OF = {
  customer: "customer.created",
  invoice: "invoice.created",
  settlement: "settlement.recorded",
  subscription: "subscription.created",
} as const;

const PAGE_ROWS = 1000;

/** Leaves an entry about each of a merchant's rows of a table whose ids are above `after`. */
export async function tellOfSeeded(
  pool: Pool,
  { bucket, merchantId }: MerchantKey,
  table: keyof typeof TYPE_OF,
  after: bigint,
): Promise<void> {
  for (let last = after; ;) {
    const { rows } = await pool.query<{ id: bigint }>(
      `select ${table}_id as id from ${table}
       where bucket = $1 and merchant_id = $2 and ${table}_id > $3 order by 1 limit ${PAGE_ROWS}`,
      [bucket, merchantId, last],
    );
    if (rows.length === 0) return;
    const events = rows.map(({ id }) => ({ type: TYPE_OF[table], subjectId: id }));
    await inTransaction(pool, (connection) => recordEvents(connection, { bucket, merchantId }, events));
    last = rows.at(-1)!.id;
  }
}
