// A PostgreSQL cluster on disk: the layout of its home, and its atomic creation. postmaster.ts runs it.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, open, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Logger } from "../../log.ts";
import { type Account, asAccount } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { DATABASE, USER, chooseFreePort, writeConnection } from "./connection.ts";
import { EmbeddedDatabaseError, hasCode, messageOf } from "./errors.ts";
import type { Location } from "./location.ts";
import { processExists } from "./processes.ts";

export type Cluster = {
  /** The folder of everything: the cluster, its log, how to connect. */
  readonly home: string;
  /** PostgreSQL's own folder (PGDATA). */
  readonly folder: string;
  readonly logFile: string;
  readonly account: Account | undefined;
};

// Written to postgresql.conf when the cluster is created: an operator may tune them there. Commits stay durable: fsync,
// synchronous_commit and full_page_writes keep PostgreSQL's defaults.
const INITIAL_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: "200",
  shared_buffers: "128MB",
  huge_pages: "off",
  max_wal_size: "1GB",
  checkpoint_timeout: "15min",
  jit: "off",
  // In containers /dev/shm often has only 64 MB. System V segments don't have that limit, and PostgreSQL needs one anyway.
  ...(process.platform === "linux" ? { dynamic_shared_memory_type: "sysv" } : {}),
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  // Nodal logs refused statements itself, and statements and their details contain merchants' data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};

/** The parts of the cluster at `home`. */
export function clusterAt(home: string, account: Account | undefined): Cluster {
  return { home, folder: join(home, "cluster"), logFile: join(home, "postgresql.log"), account };
}

/** Environment of every PostgreSQL program, without ours: PG* and locale variables would change its behaviour. */
export const PROGRAM_ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C" };

/** Runs one program to its end; `input` goes to its standard input. */
async function run(program: string, args: readonly string[], cluster: Cluster, input: string): Promise<void> {
  const options = { ...asAccount(cluster.account), cwd: cluster.home, env: PROGRAM_ENVIRONMENT };
  await new Promise<void>((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve();
      const said = `${stdout}\n${stderr}`.trim().split("\n").slice(-4).join(" ");
      reject(new EmbeddedDatabaseError(`The database could not be created: ${said || error.message}`, error));
    });
    // A program that ends early closes its input. Its exit status has the reason, not this stream.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

async function fillCluster(cluster: Cluster, binaries: Binaries, password: string): Promise<void> {
  const passwordFile = join(cluster.home, "password");
  await writeFile(passwordFile, password, { mode: 0o600, flag: "wx" });
  if (cluster.account) await chown(passwordFile, cluster.account.uid, cluster.account.gid);
  const settings = Object.entries(INITIAL_SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const args = [
    "-D",
    cluster.folder,
    "-U",
    USER,
    "-A",
    "scram-sha-256",
    `--pwfile=${passwordFile}`,
    "-E",
    "UTF8",
    "-k",
  ];
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"];
  await run(binaries.initdb, [...args, ...locale, ...settings], cluster, "");
  await rm(passwordFile);
  // Single-user mode: no port, no race, and the database is there before anyone can see the cluster.
  const single = ["--single", "-D", cluster.folder, "-c", "exit_on_error=on", "postgres"];
  await run(binaries.postgres, single, cluster, `create database ${DATABASE};\n`);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes leftovers of interrupted creations (kill -9, power cut) next to `home`. */
async function removeLeftovers(home: string): Promise<void> {
  const parent = dirname(home);
  for (const name of await readdir(parent)) {
    const pid = /^\.postgresql-new-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !processExists(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true });
  }
}

/**
 * Creates the cluster at `location.home`: in a folder beside it that gets the name only when all is written.
 * @returns false when another process created it first.
 * @throws EmbeddedDatabaseError when it can't be created.
 */
export async function createCluster(location: Location, binaries: Binaries, logger: Logger): Promise<boolean> {
  const { home, account } = location;
  const draftHome = join(dirname(home), `.postgresql-new-${process.pid}-${randomBytes(4).toString("hex")}`);
  const draft = clusterAt(draftHome, account);
  logger.info({ dataDir: location.dataDir }, `Creating the database in ${location.dataDir}`);
  try {
    await removeLeftovers(home);
    await mkdir(draftHome, { mode: 0o700 });
    if (account) await chown(draftHome, account.uid, account.gid);
    const password = randomBytes(24).toString("hex");
    await fillCluster(draft, binaries, password);
    await writeConnection(draftHome, { port: await chooseFreePort(), password }, account);
    await chmod(draftHome, 0o700);
    await syncFolder(draftHome);
    await rename(draftHome, home);
    await syncFolder(dirname(home));
    return true;
  } catch (error) {
    await rm(draftHome, { recursive: true, force: true });
    if (hasCode(error, "ENOTEMPTY", "EEXIST")) return false;
    if (error instanceof EmbeddedDatabaseError) throw error;
    throw new EmbeddedDatabaseError(
      `The database in ${location.dataDir} could not be created: ${messageOf(error)}.`,
      error,
    );
  }
}

/** Checks that these programs can run this cluster: PostgreSQL's major versions don't read each other's files. */
export async function checkVersion(cluster: Cluster, binaries: Binaries): Promise<void> {
  const version = (await readFile(join(cluster.folder, "PG_VERSION"), "utf8")).trim();
  if (version === binaries.majorVersion) return;
  throw new EmbeddedDatabaseError(
    `The database in ${cluster.home} was made by PostgreSQL ${version}, and Nodal brings ${binaries.majorVersion}. ` +
      "Run the version of Nodal that made it, or move the data over with pg_dump and pg_restore.",
  );
}
