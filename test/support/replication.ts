// A primary and a synchronous standby of the PostgreSQL that Nodal brings, for tests of failover. No assertion.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { appendFile, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findBinaries, type Binaries } from "../../src/platform/database/embedded/binaries.ts";
import { clusterAt, type Cluster } from "../../src/platform/database/embedded/cluster.ts";
import { chooseFreePort, readConnection, urlOf } from "../../src/platform/database/embedded/connection.ts";
import { locate } from "../../src/platform/database/embedded/location.ts";
import { findPostmaster, startPostmaster, stopPostmaster } from "../../src/platform/database/embedded/postmaster.ts";
import { signal } from "../../src/platform/database/embedded/processes.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import { createLogger } from "../../src/platform/log.ts";
import { removeDataDir } from "./nodal.ts";
import { makePreparedDataDir } from "./prepared-data.ts";

const PATIENCE_MS = 180_000;
const POLL_MS = 50;

type Server = { readonly cluster: Cluster; readonly port: number };

/** Two servers, each on a port of its own that it keeps, whichever of them is the primary. */
export class ReplicatedDatabase {
  /** With both hosts, as the owner. */
  readonly url: string;
  readonly #dataDir: string;
  readonly #binaries: Binaries;
  readonly #password: string;
  #primary: Server;
  #standby: Server;

  private constructor(dataDir: string, binaries: Binaries, password: string, [primary, standby]: [Server, Server]) {
    this.#dataDir = dataDir;
    this.#binaries = binaries;
    this.#password = password;
    this.#primary = primary;
    this.#standby = standby;
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    this.url = `postgres://nodal:${password}@${hosts}/nodal?target_session_attrs=read-write`;
  }

  /** Starts both, with a database as a first start of the server leaves it. */
  static async start(): Promise<ReplicatedDatabase> {
    const dataDir = await makePreparedDataDir();
    const { home, account } = await locate({ dataDir, isDefaultDataDir: false }, createLogger("warn"));
    const { port, password } = await readConnection(home);
    const second = join(home, "second");
    await mkdir(second, { mode: 0o700 });
    if (account) await chown(second, account.uid, account.gid);
    const servers: [Server, Server] = [
      { cluster: clusterAt(home, account), port },
      { cluster: clusterAt(second, account), port: await chooseFreePort() },
    ];
    const database = new ReplicatedDatabase(dataDir, await findBinaries(account), password, servers);
    await database.#start(servers[0]);
    await database.addStandby();
    return database;
  }

  /** Recreates the standby as a copy of the primary. From then on, every acknowledged commit is on it too. */
  async addStandby(): Promise<void> {
    const { cluster, port } = this.#standby;
    await rm(cluster.folder, { recursive: true, force: true });
    await this.onPrimary(async (pool) => {
      const connection = await pool.connect();
      await connection.query("select pg_backup_start('standby', true)");
      // Files may vanish while they are copied.
      await promisify(execFile)("cp", ["-a", this.#primary.cluster.folder, cluster.folder]).catch(() => {});
      const { rows } = await connection.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
      await this.#write(join(cluster.folder, "backup_label"), rows[0]!.labelfile);
      connection.release();
    });
    await rm(join(cluster.folder, "postmaster.pid"), { force: true });
    await this.#write(join(cluster.folder, "standby.signal"), "");
    const conninfo = `host=127.0.0.1 port=${this.#primary.port} user=nodal password=${this.#password}`;
    await appendFile(join(cluster.folder, "postgresql.auto.conf"), `primary_conninfo = '${conninfo}'\n`);
    await this.#start({ cluster, port });
    await this.onPrimary(async (pool) => {
      await pool.query("alter system set synchronous_standby_names = '*'");
      await pool.query("select pg_reload_conf()");
      await until(async () => {
        const { rows } = await pool.query("select from pg_stat_replication where sync_state = 'sync'");
        return rows.length === 1;
      });
    });
  }

  /** Of the standby alone, as the owner. */
  get standbyUrl(): string {
    return urlOf({ port: this.#standby.port, password: this.#password });
  }

  killStandby(): Promise<void> {
    return signalAll(this.#standby, "SIGKILL");
  }

  /** Kills the primary with all its processes (kill -9). */
  killPrimary(): Promise<void> {
    return signalAll(this.#primary, "SIGKILL");
  }

  /** Lets the primary hang with all its processes: its connections stay open, and nothing is answered. */
  hangPrimary(): Promise<void> {
    return signalAll(this.#primary, "SIGSTOP");
  }

  /** Promotes the standby to primary, which then waits for no standby. Returns when it is done. */
  async promote(): Promise<void> {
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
    await this.onPrimary(async (pool) => {
      await pool.query("alter system set synchronous_standby_names = ''");
      await pool.query("select pg_reload_conf(), pg_promote()");
    });
  }

  /** Restarts the killed one unchanged: it still considers itself the primary. */
  async startKilled(): Promise<void> {
    await this.#start(this.#standby);
  }

  async stopKilled(): Promise<void> {
    await stopPostmaster(this.#standby.cluster);
  }

  async release(): Promise<void> {
    for (const server of [this.#standby, this.#primary]) await signalAll(server, "SIGKILL");
    await removeDataDir(this.#dataDir);
  }

  async onPrimary<T>(work: (pool: OwnedPool) => Promise<T>): Promise<T> {
    return this.#on(this.#primary, work);
  }

  async #on<T>({ port }: Server, work: (pool: OwnedPool) => Promise<T>): Promise<T> {
    const pool = createPool({ url: urlOf({ port, password: this.#password }), size: 1 });
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  }

  async #start(server: Server): Promise<void> {
    await startPostmaster(server.cluster, this.#binaries, server.port);
    await until(() =>
      this.#on(server, (pool) => pool.query("select 1")).then(
        () => true,
        () => false,
      ),
    );
  }

  async #write(file: string, text: string): Promise<void> {
    await writeFile(file, text, { mode: 0o600 });
    const { account } = this.#primary.cluster;
    if (account) await chown(file, account.uid, account.gid);
  }
}

async function signalAll({ cluster }: Server, name: NodeJS.Signals): Promise<void> {
  const postmaster = await findPostmaster(cluster);
  if (!postmaster) return;
  const { pid } = postmaster;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  for (const each of [pid, ...children.map(Number)]) signal(each, name);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("the database did not come to be as it should in time");
    await sleep(POLL_MS);
  }
}
