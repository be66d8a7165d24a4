// Audit entries for rows that a test writes with SQL: without them `nodal verify` reports the change.
import { recordEvents } from "../../src/ledger/index.ts";
import { inTransaction, type Pool } from "../../src/platform/database/pool.ts";

/**
 * Records an event of this type for each of these subjects of a merchant. The event that creates a subject accounts for all that its
 * row says.
 */
export async function recordEventsOf(
  pool: Pool,
  merchantId: string | bigint,
  type: string,
  subjectIds: readonly (string | bigint | number)[],
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ bucket: number }>("select bucket from merchant where merchant_id = $1", [
      merchantId,
    ]);
    const key = { bucket: rows[0]!.bucket, merchantId: BigInt(merchantId) };
    const events = subjectIds.map((subjectId) => ({ type, subjectId: BigInt(subjectId) }));
    await recordEvents(connection, key, events);
  });
}

/** Records events for all customers of a merchant, and for the merchant. */
export async function recordCustomerEvents(pool: Pool, merchantId: string | bigint): Promise<void> {
  const { rows } = await pool.query<{ customer_id: bigint }>(
    "select customer_id from customer where merchant_id = $1",
    [merchantId],
  );
  const customers = rows.map((row) => row.customer_id);
  await recordEventsOf(pool, merchantId, "customer.created", customers);
  await recordEventsOf(pool, merchantId, "merchant.created", [merchantId]);
}
