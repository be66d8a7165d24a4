// Databases of tests on a Citus that CITUS_URL names: its coordinator, as a superuser. Each has the same name on every
// node. No assertion.
import { randomUUID } from "node:crypto";
import { distribute } from "../../src/platform/database/citus/index.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import type { TestDatabase } from "./database-copy.ts";
import { prepareTestSecrets, withTestSecrets } from "./secrets.ts";

/** The coordinator's URL, where this run is for Citus. */
export const CITUS_URL = process.env["CITUS_URL"] ?? null;

type Node = { readonly host: string; readonly port: number; readonly coordinates: boolean };

/** What the databases of this run are called: those that no file has released end with it. */
const PREFIX_VARIABLE = "NODAL_TEST_CITUS_PREFIX";

/** For a run's set-up: what it returns removes the databases that are left in the end. */
export function nameCitusDatabases(besideUrl: string): () => Promise<void> {
  const prefix = `test_${randomUUID().slice(0, 8)}_`;
  process.env[PREFIX_VARIABLE] = prefix;
  return async () => {
    const nodes = await withPool(besideUrl, listNodes);
    const left = await withPool(besideUrl, async (pool) => {
      const sql = "select datname::text as name from pg_database where starts_with(datname, $1)";
      return (await pool.query<{ name: string }>(sql, [prefix])).rows;
    });
    for (const { name } of left) await dropDatabase(besideUrl, nodes, name);
  };
}

/** Makes a migrated database that is spread over the nodes of the one that a URL names. */
export async function createCitusDatabase(besideUrl: string): Promise<TestDatabase> {
  const name = `${process.env[PREFIX_VARIABLE] ?? "test_"}${randomUUID().replaceAll("-", "")}`;
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
  const urlOf = (node: Node, database: string): string => urlAt(besideUrl, node, database);
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
    release: () => dropDatabase(besideUrl, nodes, name),
  };
}

async function dropDatabase(besideUrl: string, nodes: readonly Node[], name: string): Promise<void> {
  // The coordinator first: it would go on calling the others.
  for (const node of nodes) {
    await withPool(urlAt(besideUrl, node, "postgres"), (pool) =>
      pool.query(`drop database if exists ${name} with (force)`),
    );
  }
}

/** The ports of the workers of a database's Citus. */
export async function listWorkerPorts(databaseUrl: string): Promise<number[]> {
  const nodes = await withPool(databaseUrl, listNodes);
  return nodes.filter(({ coordinates }) => !coordinates).map(({ port }) => port);
}

/** Makes a worker of a database's Citus refuse connections, and cuts the existing ones. The returned function undoes it. */
export async function cutOff(databaseUrl: string, port: number): Promise<() => Promise<void>> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const nodes = await withPool(databaseUrl, listNodes);
  const node = nodes.find((each) => each.port === port && !each.coordinates)!;
  const beside = urlAt(databaseUrl, node, "postgres");
  const allow = (pool: OwnedPool, isAllowed: boolean) =>
    pool.query(`alter database ${name} with allow_connections ${String(isAllowed)}`);
  await withPool(beside, async (pool) => {
    await allow(pool, false);
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  });
  return () => withPool(beside, async (pool) => void (await allow(pool, true)));
}

/**
 * Makes everybody wait who needs a key or a beneficiary on a worker of a database's Citus, until the returned function is called.
 */
export async function holdUp(databaseUrl: string, port: number): Promise<() => Promise<void>> {
  const nodes = await withPool(databaseUrl, listNodes);
  const node = nodes.find((each) => each.port === port && !each.coordinates)!;
  const pool = createPool({ url: urlAt(databaseUrl, node, new URL(databaseUrl).pathname.slice(1)), size: 1 });
  const holder = await pool.connect();
  await holder.query("set citus.override_table_visibility = off; set citus.enable_manual_changes_to_shards = on");
  const { rows } = await holder.query<{ shard: string }>(
    "select oid::regclass::text as shard from pg_class where relkind = 'r' and relname ~ '^(access_key|beneficiary)_[0-9]+$'",
  );
  if (rows.length === 0) throw new Error(`the node at ${port} has no shards`);
  await holder.query(`begin; lock table ${rows.map(({ shard }) => shard).join(", ")} in access exclusive mode`);
  return async () => {
    await holder.query("rollback");
    holder.release();
    await pool.end();
  };
}

/** The URL of a database of this name at a node, for the user of another URL. */
export function urlAt(besideUrl: string, { host, port }: Node, database: string): string {
  const url = new URL(besideUrl);
  Object.assign(url, { hostname: host, port: String(port), pathname: `/${database}` });
  return url.href;
}

/** The coordinator, then the workers. */
export async function listNodes(pool: OwnedPool): Promise<Node[]> {
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
