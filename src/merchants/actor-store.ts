// The actor of a connection's transactions.
import type { Queryable } from "../platform/database/pool.ts";

/** The actor of a connection's or pool's transactions, as named in the journal. */
export async function readActor(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ actor: string }>({
    name: "read-actor",
    text: "select nodal_actor() as actor",
    values: [],
  });
  return rows[0]!.actor;
}
