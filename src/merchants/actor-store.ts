// Who acts in the transactions of a connection.
import type { Queryable } from "../platform/database/pool.ts";

/** Who acts in the transactions of a connection or pool, as the journal names people and programs. */
export async function readActor(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ actor: string }>({
    name: "read-actor",
    text: "select nodal_actor() as actor",
    values: [],
  });
  return rows[0]!.actor;
}
