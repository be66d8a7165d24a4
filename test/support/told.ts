// Entries of the log that go with what a test writes with SQL, as they go with all that is written otherwise: without them
// `nodal verify` finds the change. What belongs here: leaving them. No assertion.
import { recordEvents } from "../../src/ledger/index.ts";
import { inTransaction, type Pool } from "../../src/platform/database/pool.ts";

/**
 * Leaves an entry of this type about each of these things of a merchant. One that creates a thing accounts for all that its
 * row says.
 */
export async function tell(
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

/** The same about all customers of a merchant, and the merchant. */
export async function tellOfCustomers(pool: Pool, merchantId: string | bigint): Promise<void> {
  const { rows } = await pool.query<{ customer_id: bigint }>(
    "select customer_id from customer where merchant_id = $1",
    [merchantId],
  );
  const customers = rows.map((row) => row.customer_id);
  await tell(pool, merchantId, "customer.created", customers);
  await tell(pool, merchantId, "merchant.created", [merchantId]);
}
