// Data folders with a migrated, encrypted, empty database in them: made once for a run of the tests, then copied, because
// creating a database costs more than most test files need for everything else. What belongs here: making and copying.
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { chooseFreePort } from "../../src/platform/database/embedded/connection.ts";
import { openEmbeddedDatabase } from "../../src/platform/database/embedded.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createPool } from "../../src/platform/database/pool.ts";
import { createLogger } from "../../src/platform/log.ts";
import { makeDataDir } from "./nodal.ts";
import { prepareTestSecrets, withTestSecrets } from "./secrets.ts";

/** Names the folder of this run in the environment of every test process. */
const FOLDER_VARIABLE = "NODAL_TEST_PREPARED_DATA";
const POLL_MS = 50;
const PATIENCE_MS = 100_000;

/** Vitest calls it before the tests, and what it answers after them. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "nodal-prepared-"));
  await chmod(folder, 0o755);
  process.env[FOLDER_VARIABLE] = folder;
  return () => rm(folder, { recursive: true, force: true });
}

/** A data folder as a first start of the server leaves it, but for the demo merchant. */
export async function makePreparedDataDir(): Promise<string> {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined)
    throw new Error(`prepared data needs the test runner's set-up, which sets ${FOLDER_VARIABLE}`);
  const master = join(folder, "data");
  await untilPrepared(folder, master);
  const dataDir = await makeDataDir();
  await promisify(execFile)("cp", ["-a", master, dataDir]);
  const file = join(dataDir, "postgresql", "connection.json");
  const connection = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...connection, port: await chooseFreePort() }));
  return dataDir;
}

/** The first process that needs it makes it; the others wait. */
async function untilPrepared(folder: string, master: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    if (await exists(master)) return;
    if (await takeTurn(folder)) return prepare(folder, master);
    await sleep(POLL_MS);
  }
  throw new Error("another test process did not finish preparing the database");
}

async function takeTurn(folder: string): Promise<boolean> {
  return mkdir(join(folder, "turn")).then(
    () => true,
    () => false,
  );
}

async function prepare(folder: string, master: string): Promise<void> {
  const draft = join(folder, "draft");
  const logger = createLogger("warn");
  const database = await openEmbeddedDatabase({ dataDir: draft, isDefaultDataDir: false, purpose: "command", logger });
  const owner = withTestSecrets(createPool({ url: database.url, size: 2 }));
  await migrate(owner);
  await prepareTestSecrets(owner);
  // Tests end processes, never the operating system, which keeps what was written.
  await owner.query("alter system set fsync = off");
  await owner.end();
  await database.release();
  await rename(draft, master);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
