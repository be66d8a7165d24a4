// PgBouncer in transaction mode before a PostgreSQL, for tests. No assertion.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chooseFreePort } from "../../src/platform/database/embedded/connection.ts";
import { createPool } from "../../src/platform/database/pool.ts";

const USUAL_PLACES = ["/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer", "/usr/bin/pgbouncer"];

/** The remedy if there is none. */
export const PGBOUNCER_REMEDY =
  "Tests through PgBouncer need it. Install it (on Debian: sudo apt-get install pgbouncer), or name one in PGBOUNCER_PATH.";

/** The user of its connections: can only take Nodal's roles (docs/scale.md). */
const LOGIN = { name: "nodal_app", password: "only-for-tests" };
/** Enough for the concurrent transactions of a few test servers. */
const CONNECTIONS = 30;

/** The path of the program: `PGBOUNCER_PATH`, or the distributions' usual places; `null` if there is none. */
export function findPgbouncer(): string | null {
  const places = process.env["PGBOUNCER_PATH"] ? [process.env["PGBOUNCER_PATH"]] : USUAL_PLACES;
  return places.find((path) => existsSync(path)) ?? null;
}

/** Makes the user that connects through PgBouncer, in a migrated database of which `ownerUrl` names the owner. */
export async function createPooledLogin(ownerUrl: string): Promise<void> {
  const owner = createPool({ url: ownerUrl, size: 1 });
  await owner.query(`create role ${LOGIN.name} login noinherit password '${LOGIN.password}'`);
  await owner.query(
    `grant nodal_server, nodal_tenant, nodal_payouts, nodal_invoices, nodal_simulator to ${LOGIN.name}`,
  );
  await owner.end();
}

/** A database's URL through the PgBouncer that listens on a port. */
export function throughPooler(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  Object.assign(url, { port: String(port), username: LOGIN.name, password: LOGIN.password, search: "pgbouncer=true" });
  return url.href;
}

/**
 * Starts it before the PostgreSQL of a URL, for all its databases, with its files in a new `folder`. It goes on until
 * `killPooler`. Answers its port.
 */
export async function startPooler(databaseUrl: string, folder: string): Promise<number> {
  const program = findPgbouncer();
  if (program === null) throw new Error(PGBOUNCER_REMEDY);
  const { hostname, port, username, password } = new URL(databaseUrl);
  const listenPort = await chooseFreePort();
  await mkdir(folder, { recursive: true });
  // The owner too, to test that it is refused here.
  const users = [LOGIN, { name: username, password }].map((user) => `"${user.name}" "${user.password}"\n`);
  await writeFile(join(folder, "users.txt"), users.join(""));
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${listenPort}`,
    "unix_socket_dir =",
    "pool_mode = transaction",
    "auth_type = scram-sha-256",
    `auth_file = ${join(folder, "users.txt")}`,
    `default_pool_size = ${CONNECTIONS}`,
    "max_client_conn = 3000",
    // Each file of tests has a database of its own.
    "server_idle_timeout = 5",
    `logfile = ${join(folder, "log")}`,
    `pidfile = ${join(folder, "pid")}`,
    "log_connections = 0",
    "log_disconnections = 0",
  ];
  await writeFile(join(folder, "pgbouncer.ini"), lines.join("\n"));
  // It does not run as root.
  const account = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  if (account.length > 0) await chown(folder, idOf("-u"), idOf("-g"));
  execFileSync(program, ["-d", "-q", ...account, join(folder, "pgbouncer.ini")], { stdio: "inherit" });
  return listenPort;
}

function idOf(flag: string): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

/** Ends the one that was started with its files in a folder; none where none was. */
export function killPooler(folder: string): void {
  try {
    process.kill(Number.parseInt(readFileSync(join(folder, "pid"), "utf8"), 10), "SIGKILL");
  } catch {
    // Nobody needed it, or it is gone.
  }
}
