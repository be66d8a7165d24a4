// Which processes a database is: PostgreSQL's first one on each node, to read the processor time of its family.
import { createPool } from "../src/platform/database/pool.ts";
import { isDistributed } from "../src/platform/database/citus/index.ts";
import { listNodes, urlAt } from "../test/support/citus.ts";
import { readParent } from "./process-use.ts";

/** The process of PostgreSQL on each node of a database, all on this machine: the coordinator's first on Citus, else the one. */
export async function findPostmasters(url: string): Promise<number[]> {
  const pool = createPool({ url, size: 1 });
  try {
    if (!(await isDistributed(pool))) return [await readPostmaster(url)];
    const database = new URL(url).pathname.slice(1);
    const nodes = await listNodes(pool);
    return await Promise.all(nodes.map((node) => readPostmaster(urlAt(url, node, database))));
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
