// Databases of tests on a Citus that CITUS_URL names: its coordinator, as a superuser. Each has the same name on every node.
// What belongs here: making and removing them. No assertion.
import { randomUUID } from "node:crypto";
import { distribute } from "../../src/platform/database/citus.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import type { TestDatabase } from "./database-copy.ts";
import { prepareTestSecrets, withTestSecrets } from "./secrets.ts";

/** The coordinator's URL, where this run is for Citus. */
export const CITUS_URL = process.env["CITUS_URL"] ?? null;

type Node = { readonly host: string; readonly port: number; readonly coordinates: boolean };

/** Makes a migrated database that is spread over the nodes of the one that a URL names. */
export async function createCitusDatabase(besideUrl: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const beside = createPool({ url: besideUrl, size: 1 });
  try {
    // Roles are those of the whole cluster: two that are migrated at once would meet there.
    await beside.query("select pg_advisory_lock(hashtext('a database of a test'))");
    return await makeDatabase(besideUrl, name, await listNodes(beside));
  } finally {
    await beside.end();
  }
}

async function makeDatabase(besideUrl: string, name: string, nodes: readonly Node[]): Promise<TestDatabase> {
  const urlOf = ({ host, port }: Node, database: string): string => {
    const url = new URL(besideUrl);
    Object.assign(url, { hostname: host, port: String(port), pathname: `/${database}` });
    return url.href;
  };
  for (const node of nodes) {
    await withPool(urlOf(node, "postgres"), (pool) => pool.query(`create database ${name}`));
    await withPool(urlOf(node, name), (pool) => pool.query("create extension citus"));
  }
  const url = urlOf(
    nodes.find(({ coordinates }) => coordinates)!,
    name,
  );
  await withPool(url, async (pool) => {
    for (const { host, port, coordinates } of nodes) {
      const call = coordinates ? "citus_set_coordinator_host" : "citus_add_node";
      await pool.query(`select ${call}($1, $2)`, [host, port]);
    }
    await migrate(pool);
    await distribute(pool);
  });
  await withPool(url, prepareTestSecrets);
  return {
    url,
    release: async () => {
      // The coordinator first: it would go on calling the others.
      for (const node of nodes) {
        await withPool(urlOf(node, "postgres"), (pool) => pool.query(`drop database ${name} with (force)`));
      }
    },
  };
}

/** The coordinator, then the workers. */
async function listNodes(pool: OwnedPool): Promise<Node[]> {
  const { rows } = await pool.query<Node>(
    `select nodename as host, nodeport as port, groupid = 0 as coordinates from pg_dist_node
     where noderole = 'primary' order by groupid`,
  );
  if (rows.some(({ coordinates }) => coordinates)) return rows;
  throw new Error("CITUS_URL must lead to a coordinator that has called citus_set_coordinator_host");
}

async function withPool<T>(url: string, run: (pool: OwnedPool) => Promise<T>): Promise<T> {
  const pool = withTestSecrets(createPool({ url, size: 2 }));
  try {
    return await run(pool);
  } finally {
    await pool.end();
  }
}
