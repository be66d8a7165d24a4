// How many rows the database reads for a query, according to its own plans: independent of the machine's load. No assertions.
import { inTransaction, type Connection, type Pool } from "../../src/platform/database/pool.ts";

type Plan = {
  readonly "Actual Loops": number;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly Plan[];
};
type Statement = { readonly text: string; readonly values?: readonly unknown[] };

/**
 * Runs `work` on a connection, and returns how many rows the steps of its statements' plans have read, including those they
 * dropped. Each statement runs twice, so it must be read-only.
 */
export function countRowsRead(pool: Pool, work: (connection: Connection) => Promise<unknown>): Promise<number> {
  return inTransaction(pool, async (connection) => {
    let count = 0;
    const query = connection.query.bind(connection) as (...statement: unknown[]) => Promise<{ rows: unknown[] }>;
    // On the connection itself: secrets are found by it.
    connection.query = (async (given: string | Statement, givenValues?: readonly unknown[]) => {
      const { text, values } = typeof given === "string" ? { text: given, values: givenValues } : given;
      const { rows } = await query(`explain (analyze, timing off, format json) ${text}`, values);
      count += rowsOf((rows[0] as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan);
      return query(text, values);
    }) as Connection["query"];
    try {
      await work(connection);
    } finally {
      connection.query = query as Connection["query"];
    }
    return Math.round(count);
  });
}

function rowsOf(plan: Plan): number {
  const { "Actual Loops": loops, "Actual Rows": rows, Plans = [] } = plan;
  const dropped = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Join Filter"] ?? 0);
  return loops * (rows + dropped) + Plans.reduce((sum, each) => sum + rowsOf(each), 0);
}
