// Databases of tests: an embedded PostgreSQL, and databases beside another one in it, for runs that need hundreds. No
// assertion.
import { randomUUID } from "node:crypto";
import { openEmbeddedDatabase } from "../../src/platform/database/embedded.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import { createLogger } from "../../src/platform/log.ts";
import { makeDataDir, removeDataDir } from "./nodal.ts";
import { prepareTestSecrets, withTestSecrets } from "./secrets.ts";

/** Names the URL of a migrated database that nobody is connected to, for runs that open a database very often. */
export const TEMPLATE_VARIABLE = "NODAL_TEST_TEMPLATE";

export type TestDatabase = { readonly url: string; release(): Promise<void> };

/** Starts the embedded database of a data folder. `release` stops it and removes the folder. */
export async function startDatabase(dataDir: string): Promise<TestDatabase> {
  const logger = createLogger("warn");
  const database = await openEmbeddedDatabase({ dataDir, isDefaultDataDir: false, purpose: "command", logger });
  return {
    url: database.url,
    release: async () => {
      await database.release();
      await removeDataDir(dataDir);
    },
  };
}

/** Starts an embedded database with a template in it, for TEMPLATE_VARIABLE. */
export async function openTemplate(): Promise<TestDatabase> {
  const database = await startDatabase(await makeDataDir());
  return { url: await makeTemplate(database.url), release: () => database.release() };
}

/** Creates a migrated database beside another one, without open connections. Returns its URL. */
export async function makeTemplate(besideUrl: string): Promise<string> {
  const { url } = await createDatabase(besideUrl, null);
  const owner = withTestSecrets(createPool({ url, size: 2 }));
  await migrate(owner);
  await prepareTestSecrets(owner);
  await owner.end();
  return url;
}

/** Creates a database beside another one: empty, or a copy of one without open connections. `release` removes it. */
export async function createDatabase(besideUrl: string, templateUrl: string | null): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const template = templateUrl === null ? "template1" : new URL(templateUrl).pathname.slice(1);
  await onServer(besideUrl, (pool) => pool.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(besideUrl, name),
    release: async () => {
      await onServer(besideUrl, (pool) => pool.query(`drop database ${name} with (force)`));
    },
  };
}

function urlOf(anyUrl: string, database: string): string {
  const url = new URL(anyUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function onServer(anyUrl: string, run: (pool: OwnedPool) => Promise<unknown>): Promise<void> {
  const pool = createPool({ url: urlOf(anyUrl, "postgres"), size: 1 });
  try {
    await run(pool);
  } finally {
    await pool.end();
  }
}
