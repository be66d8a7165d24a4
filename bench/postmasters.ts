// Which processes a database is: PostgreSQL's first one on each node, to read the processor time of its family.
import { createPool } from "../src/platform/database/pool.ts";
import { isDistributed } from "../src/platform/database/citus.ts";
import { readParent } from "./process-use.ts";

/** The process of PostgreSQL on each node of a database, all on this machine: the coordinator's first on Citus, else the one. */
export async function findPostmasters(url: string): Promise<number[]> {
  const pool = createPool({ url, size: 1 });
  try {
    const { rows: nodes } = (await isDistributed(pool))
      ? await pool.query<{ host: string; port: number }>(
          "select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by groupid",
        )
      : { rows: [] };
    const others = nodes.map(({ host, port }) => {
      const other = new URL(url);
      Object.assign(other, { hostname: host, port: String(port) });
      return other.href;
    });
    return await Promise.all([url, ...others].map(readPostmaster));
  } finally {
    await pool.end();
  }
}

async function readPostmaster(url: string): Promise<number> {
  const pool = createPool({ url, size: 1 });
  try {
    const { rows } = await pool.query<{ process_id: number }>("select pg_backend_pid() as process_id");
    return await readParent(rows[0]!.process_id);
  } finally {
    await pool.end();
  }
}
