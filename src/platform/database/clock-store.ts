// SQL of the database's clock.
import type { Queryable } from "./pool.ts";

/** The database's current time. */
export async function readDatabaseClock(db: Queryable): Promise<Temporal.Instant> {
  const { rows } = await db.query<{ now: Temporal.Instant }>("select clock_timestamp() as now");
  return rows[0]!.now;
}
