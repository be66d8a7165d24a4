import type pg from "pg";
import { createPool, inTransaction, type PoolOptions, type Queryable } from "../pool.ts";
import { setLocal } from "../scoped-query.ts";
import { isSpread, recallOptions } from "./spread.ts";

/**
 * Calls a `security definer` function that reads rows which the transaction's role can't see. Returns its rows.
 *
 * Citus refuses such a function in a transaction that has written or locked rows of the same shards ("modified in this transaction by a
 * different user"). There it runs over a short-lived connection of the same role and merchant, and only sees committed rows.
 */
export async function readAsOwner<R extends pg.QueryResultRow>(
  db: Queryable,
  text: string,
  values: readonly unknown[],
): Promise<R[]> {
  const options = isSpread(db) ? (recallOptions(db) as PoolOptions | undefined) : undefined;
  if (!options) return (await db.query<R>(text, [...values])).rows;
  const { rows } = await db.query<{ merchant: string | null }>(
    "select nullif(current_setting('nodal.merchant_id', true), '') as merchant",
  );
  const { merchant } = rows[0]!;
  const beside = createPool({ ...options, size: 1 });
  try {
    return await inTransaction(beside, async (connection) => {
      if (merchant !== null) await connection.query(setLocal([["nodal.merchant_id", merchant]]));
      return (await connection.query<R>(text, [...values])).rows;
    });
  } finally {
    await beside.end();
  }
}
