// Data that a run of the tests creates once, since that takes longer than most test files: a data folder
// with a migrated, encrypted, empty database in it, to copy, and a PostgreSQL with a template, for databases of one
// file each. No assertion.
import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { chooseFreePort } from "../../src/platform/database/embedded/connection.ts";
import { processExists } from "../../src/platform/database/embedded/processes.ts";
import { openEmbeddedDatabase } from "../../src/platform/database/embedded.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createPool } from "../../src/platform/database/pool.ts";
import { Disk } from "../../src/platform/disk.ts";
import { createLogger } from "../../src/platform/log.ts";
import { CITUS_URL, createCitusDatabase, nameCitusDatabases } from "./citus.ts";
import { createDatabase, makeTemplate, startDatabase, TEMPLATE_VARIABLE, type TestDatabase } from "./database-copy.ts";
import { makeDataDir, type Environment } from "./nodal.ts";
import { createPooledLogin, killPooler, startPooler, throughPooler } from "./pgbouncer.ts";
import { prepareTestSecrets, withTestSecrets } from "./secrets.ts";

/** Names the folder of this run in the environment of every test process. */
const FOLDER_VARIABLE = "NODAL_TEST_PREPARED_DATA";
/** If it is `on`, servers of tests reach their database through PgBouncer. */
const POOLED_VARIABLE = "NODAL_TEST_PGBOUNCER";
/** In that folder: the data folder to copy, that of the shared PostgreSQL, and a file with the URL of its template, and what is for PgBouncer. */
const MASTER = "master";
const SHARED = "shared";
const TEMPLATE = "template";
const POOLER = "pooler";
const POOLER_FILES = "pooler-files";
const POLL_MS = 50;
const PATIENCE_MS = 100_000;
/** Servers of several files at once are connected to the shared one. */
const CONNECTIONS = 600;
/** The folder of a run, before the number of its process. */
const FOLDER_PREFIX = "nodal-tests-";
/** Linux's in-memory folder. */
const IN_MEMORY = "/dev/shm";
/** A run of all tests needs a third of that. */
const ROOM_BYTES = 6 * 1024 ** 3;

/**
 * Vitest calls it before the tests, and what it returns after them. What it sets up ends with the process, however that ends;
 * on Citus only where the tests were not killed.
 */
export async function setup(): Promise<(() => Promise<void>) | void> {
  const place = (await hasRoomInMemory()) ? IN_MEMORY : tmpdir();
  await removeLeft(place);
  const folder = await mkdtemp(join(place, `${FOLDER_PREFIX}${process.pid}-`));
  await chmod(folder, 0o755);
  process.env[FOLDER_VARIABLE] = folder;
  // The tests' temporary folders are removed with it.
  process.env["TMPDIR"] = folder;
  process.once("exit", () => {
    killPooler(join(folder, POOLER_FILES));
    quitShared(folder);
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    } catch (error) {
      // Something may still be mounted there. It does not change the tests' result.
      console.error(error);
    }
  });
  if (CITUS_URL !== null) return nameCitusDatabases(CITUS_URL);
}

/** Removes what killed runs have left, perhaps in memory. */
async function removeLeft(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const processId = name.startsWith(FOLDER_PREFIX) ? Number.parseInt(name.slice(FOLDER_PREFIX.length), 10) : 0;
    if (processId > 0 && !processExists(processId)) await rm(join(place, name), { recursive: true, force: true });
  }
}

/** Hundreds of databases are made and removed, and nothing of them has to outlast the machine. */
async function hasRoomInMemory(): Promise<boolean> {
  try {
    const mounts = (await readFile("/proc/mounts", "utf8")).split("\n").map((line) => line.split(" "));
    const [, , type, options] = mounts.findLast(([, folder]) => folder === IN_MEMORY) ?? [];
    const { freeBytes } = await new Disk(IN_MEMORY).room();
    const roomBytes = Math.min(freeBytes, process.availableMemory() / 2, freemem() / 2);
    // Some tests run what they write; containers often forbid that there.
    return type === "tmpfs" && options?.split(",").includes("noexec") === false && roomBytes >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/** A data folder as after a server's first start, without the demo merchant. */
export async function makePreparedDataDir(): Promise<string> {
  const dataDir = await makeDataDir();
  await copyMaster(dataDir);
  return dataDir;
}

/**
 * Puts one in a place where there is nothing yet, with PostgreSQL as the product sets it: commits are forced to the disk.
 * Leaves the place as it is where no run has prepared data: there the first start makes it.
 */
export async function putDurableDataDir(dataDir: string): Promise<void> {
  if (process.env[FOLDER_VARIABLE] === undefined) return;
  await copyMaster(dataDir);
  // What `prepare` has changed for the other tests.
  await truncate(join(dataDir, "postgresql", "cluster", "postgresql.auto.conf"));
}

/** A separate database as after a server's first start, in a PostgreSQL that all files share, or on Citus. */
export async function makePreparedDatabase(): Promise<TestDatabase> {
  return CITUS_URL === null ? makePlainDatabase() : createCitusDatabase(CITUS_URL);
}

/** The same, never on Citus. */
export async function makePlainDatabase(): Promise<TestDatabase> {
  const templateUrl = process.env[TEMPLATE_VARIABLE] ?? (await sharedTemplate());
  return createDatabase(templateUrl, templateUrl);
}

/** The settings with which a server uses such a database: through PgBouncer if this run is for that. */
export async function environmentOf(database: TestDatabase): Promise<Environment> {
  return process.env[POOLED_VARIABLE] === "on" ? pooledEnvironmentOf(database) : { DATABASE_URL: database.url };
}

/** The settings with which a server uses such a database through PgBouncer. */
export async function pooledEnvironmentOf({ url }: TestDatabase): Promise<Environment> {
  return { DATABASE_URL: throughPooler(url, await sharedPooler()), DATABASE_DIRECT_URL: url };
}

async function copyMaster(dataDir: string): Promise<void> {
  const folder = folderOfRun();
  await onlyOnce(folder, MASTER, prepare);
  await promisify(execFile)("cp", ["-a", join(folder, MASTER), dataDir]);
  const file = join(dataDir, "postgresql", "connection.json");
  const connection = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...connection, port: await chooseFreePort() }));
}

/** The URL of the shared PostgreSQL's template. It is never released: it ends with the run. */
async function sharedTemplate(): Promise<string> {
  const folder = folderOfRun();
  await onlyOnce(folder, TEMPLATE, async (draft) => {
    const dataDir = join(folder, SHARED);
    await copyMaster(dataDir);
    const { url } = await startDatabase(dataDir);
    await writeFile(draft, await makeTemplate(url));
  });
  return readFile(join(folder, TEMPLATE), "utf8");
}

/** The port of the PgBouncer before the shared PostgreSQL. */
async function sharedPooler(): Promise<number> {
  const folder = folderOfRun();
  const templateUrl = await sharedTemplate();
  await onlyOnce(folder, POOLER, async (draft) => {
    await createPooledLogin(templateUrl);
    await writeFile(draft, String(await startPooler(templateUrl, join(folder, POOLER_FILES))));
  });
  return Number(await readFile(join(folder, POOLER), "utf8"));
}

/** At once, without a clean shutdown: its data is not needed again. */
function quitShared(folder: string): void {
  try {
    const file = join(folder, SHARED, "postgresql", "cluster", "postmaster.pid");
    process.kill(Number.parseInt(readFileSync(file, "utf8"), 10), "SIGQUIT");
  } catch {
    // No file of the run needed it.
  }
}

function folderOfRun(): string {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder !== undefined) return folder;
  throw new Error(`prepared data needs the test runner's set-up, which sets ${FOLDER_VARIABLE}`);
}

/** The first process that needs `name` in the folder makes it, as a draft that then gets the name; the others wait. */
async function onlyOnce(folder: string, name: string, make: (draft: string) => Promise<void>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  const draft = join(folder, `draft-${name}`);
  while (performance.now() < deadline) {
    if (await exists(join(folder, name))) return;
    if (await takeTurn(folder, name)) return make(draft).then(() => rename(draft, join(folder, name)));
    await sleep(POLL_MS);
  }
  throw new Error(`another test process did not finish making ${name}`);
}

async function takeTurn(folder: string, name: string): Promise<boolean> {
  return mkdir(join(folder, `turn-${name}`)).then(
    () => true,
    () => false,
  );
}

async function prepare(draft: string): Promise<void> {
  const logger = createLogger("warn");
  const database = await openEmbeddedDatabase({ dataDir: draft, isDefaultDataDir: false, purpose: "command", logger });
  const owner = withTestSecrets(createPool({ url: database.url, size: 2 }));
  await migrate(owner);
  await prepareTestSecrets(owner);
  // Tests end processes, never the operating system, which keeps what was written.
  await owner.query("alter system set fsync = off");
  // Databases of tests do not live for long, and each of them would be looked at by a process of its own every minute.
  await owner.query("alter system set autovacuum_naptime = '1h'");
  // A password hash that is slow to guess would make thousands of connections slow too.
  await owner.query(`set scram_iterations = 1; alter role current_user password '${new URL(database.url).password}'`);
  await owner.query(`alter system set max_connections = ${CONNECTIONS}`);
  await owner.end();
  await database.release();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
