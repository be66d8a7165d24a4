// An installation to measure: a server process on a fresh database, with merchants that have money to send. The
// database is an embedded one, or one of the Citus that CITUS_URL names, with all its nodes on this machine. The load
// comes from elsewhere.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { findEmbeddedDatabaseUrl } from "../src/platform/database/embedded.ts";
import { readFamilySeconds } from "./process-use.ts";
import { findPostmasters } from "./postmasters.ts";
import { CITUS_URL, createCitusDatabase } from "../test/support/citus.ts";
import type { TestDatabase } from "../test/support/database-copy.ts";
import {
  makeDataDir,
  nodal,
  NodalProcess,
  nodalJson,
  removeDataDir,
  send,
  type Environment,
} from "../test/support/nodal.ts";

/** A merchant that can send transfers. */
export type Payer = { readonly merchantId: string; readonly token: string; readonly beneficiaryId: string };

/** What the server's process uses: memory now, processor time since its start. */
export type ServerUse = { readonly residentBytes: number; readonly cpuSeconds: number };

/** What `nodal verify` says of the books. */
export type Verdict = { readonly ok: boolean; readonly violations?: readonly unknown[] };

export type InstallationOptions = {
  /** Where to write a CPU profile of the server when it stops; `null` for none. */
  readonly profileFolder: string | null;
  /** Further settings of the server. */
  readonly settings?: Environment;
  /** Where it is to be; left out, a database of its own is made. Released with the installation. */
  readonly database?: TestDatabase;
};

const FUNDS_RUPEES = "100000000.00";
const RENDERER = /platform\/pdf\/worker\.ts$/;
const POLL_MS = 50;
const DRAIN_TIMEOUT_MS = 300_000;
const SIGN_INS_AT_ONCE = 32;

/** A merchant with money and one beneficiary, and its keys. */
type SeededMerchant = {
  readonly merchant_id: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly beneficiary_id: string;
};

export class Installation {
  readonly #place: Place;
  readonly #running: Running;
  readonly #options: InstallationOptions;

  private constructor(place: Place, running: Running, options: InstallationOptions) {
    this.#place = place;
    this.#running = running;
    this.#options = options;
  }

  /** Starts a server of its own, on data that `close` removes. */
  static async start(options: InstallationOptions): Promise<Installation> {
    const place = await placeOf(options);
    try {
      return new Installation(place, await startOn(place, options), options);
    } catch (error) {
      await place.release();
      throw error;
    }
  }

  /** The owner's. */
  get databaseUrl(): string {
    return this.#running.databaseUrl;
  }

  /** What a command line of this installation needs. */
  get environment(): Environment {
    return this.#place.environment;
  }

  /** On how many machines its database is, of which each is a process here. */
  get nodes(): number {
    return this.#running.postmasters.length;
  }

  get baseUrl(): string {
    return this.#running.server.baseUrl;
  }

  /** The server's process. */
  get processId(): number {
    return this.#running.server.child.pid!;
  }

  get port(): number {
    return Number(new URL(this.baseUrl).port);
  }

  /** Starts one more server on its database, with the same settings. It must be stopped before `close`. */
  startAnother(): Promise<NodalProcess> {
    const place = { ...this.#place, environment: { DATABASE_URL: this.databaseUrl } };
    return startServer(place, this.#options);
  }

  /** Makes merchants with money and one beneficiary each, in the order of their ids. */
  seedMerchants(merchants: number): Promise<SeededMerchant[]> {
    const options = ["--merchants", String(merchants), "--fund", FUNDS_RUPEES];
    return nodalJson<SeededMerchant[]>(this.environment, "seed", ...options);
  }

  /** Makes such merchants, and signs them in. */
  async seedPayers(merchants: number): Promise<Payer[]> {
    const seeded = await this.seedMerchants(merchants);
    const payers: Payer[] = [];
    for (let first = 0; first < seeded.length; first += SIGN_INS_AT_ONCE) {
      const group = seeded.slice(first, first + SIGN_INS_AT_ONCE);
      payers.push(...(await Promise.all(group.map((merchant) => this.#signIn(merchant)))));
    }
    return payers;
  }

  /** Waits until no transfer waits for the bank. Returns how long that took, in seconds. */
  async drain(): Promise<number> {
    const startedAtMs = performance.now();
    for (;;) {
      const { rows } = await this.#running.database.query<{ waiting: boolean }>(
        `select (select count(*) from (select bucket from transfer_dispatch limit 1) as one)
           + (select count(*) from (select bucket from transfer_in_hand limit 1) as one) > 0 as waiting`,
      );
      const elapsedMs = performance.now() - startedAtMs;
      if (!rows[0]!.waiting) return elapsedMs / 1000;
      if (elapsedMs > DRAIN_TIMEOUT_MS) throw new Error("transfers were still waiting for the bank after 5 minutes");
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async countTransfers(): Promise<number> {
    const { rows } = await this.#running.database.query<{ count: string }>("select count(*) as count from transfer");
    return Number(rows[0]!.count);
  }

  /** PostgreSQL's version and the settings that make a commit durable. */
  async readDatabaseSettings(): Promise<Readonly<Record<string, string>>> {
    const names = ["server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers"];
    const { rows } = await this.#running.database.query<{ name: string; setting: string }>(
      "select name, current_setting(name) as setting from pg_settings where name = any ($1) order by name",
      [names],
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.setting]));
  }

  /** Reads the server's own metrics, added up over its workers. */
  async readServerUse(): Promise<ServerUse> {
    const text = await (await fetch(`${this.#running.server.baseUrl}/metrics`)).text();
    const read = (name: string): number => {
      const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? ([0-9.e+-]+)`, "gm"))];
      if (values.length === 0) throw new Error(`the server's metrics have no ${name}`);
      return values.reduce((sum, [, value]) => sum + Number(value), 0);
    };
    return { residentBytes: read("process_resident_memory_bytes"), cpuSeconds: read("process_cpu_seconds_total") };
  }

  /** The processor time that all processes of the database have used since its start, in seconds. */
  async readDatabaseCpuSeconds(): Promise<number> {
    return (await this.readNodeCpuSeconds()).reduce((sum, seconds) => sum + seconds, 0);
  }

  /** The same for each node by itself, the coordinator first. */
  readNodeCpuSeconds(): Promise<number[]> {
    return Promise.all(this.#running.postmasters.map((processId) => readFamilySeconds(processId)));
  }

  /** What Nodal's tables take on disk, indexes included; the simulated bank's book is not Nodal's. */
  async readTableBytes(): Promise<number> {
    const { rows } = await this.#running.database.query<{ bytes: string }>(
      this.nodes > 1
        ? "select sum(citus_total_relation_size(logicalrelid)) as bytes from pg_dist_partition"
        : `select sum(pg_total_relation_size(oid)) as bytes from pg_class
           where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    return Number(rows[0]!.bytes);
  }

  /** The memory of the processes that the server has started to render PDFs; 0 while there is none. */
  async readRendererBytes(): Promise<number> {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "ppid=,rss=,args="]);
    const kilobytes = stdout.split("\n").map((line) => {
      const [parent, resident, ...command] = line.trim().split(/ +/);
      const isRenderer =
        Number(parent) === this.#running.server.child.pid && command.some((word) => RENDERER.test(word));
      return isRenderer ? Number(resident) : 0;
    });
    return kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
  }

  /** Checks every balance and invariant. */
  async verify(): Promise<Verdict> {
    const { code, stdout, stderr } = await nodal(this.environment, "verify", "--json");
    if (stdout === "") throw new Error(`nodal verify ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Verdict;
  }

  /** Stops the server and removes its data. Returns the lines of its log: warnings and errors. */
  async close(): Promise<string> {
    await this.#stop();
    await this.#place.release();
    return logOf(this.#running.server);
  }

  async #stop(): Promise<void> {
    await this.#running.database.end();
    await this.#running.server.stop();
  }

  async #signIn({ merchant_id, access_key_id, secret_access_key, beneficiary_id }: SeededMerchant): Promise<Payer> {
    const answer = await send(this.#running.server.baseUrl, "POST", "/api/token", { access_key_id, secret_access_key });
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${JSON.stringify(answer.body)}`);
    const { success } = answer.body as { success: { token: string } };
    return { merchantId: String(merchant_id), token: success.token, beneficiaryId: String(beneficiary_id) };
  }
}

/** The lines of a server's log so far: warnings and errors. */
export function logOf({ output }: NodalProcess): string {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .join("\n");
}

/** Where an installation's data is. */
type Place = {
  /** For server and commands. */
  readonly environment: Environment;
  /** The database's owner. */
  findUrl(): Promise<string>;
  /** Removes the data; nothing may run on them. */
  release(): Promise<void>;
};

async function placeOf(options: InstallationOptions): Promise<Place> {
  const database = options.database ?? (CITUS_URL === null ? null : await createCitusDatabase(CITUS_URL));
  if (database !== null) {
    const { url } = database;
    return { environment: { DATABASE_URL: url }, findUrl: async () => url, release: () => database.release() };
  }
  const dataDir = await makeDataDir();
  const findUrl = async (): Promise<string> => {
    const url = await findEmbeddedDatabaseUrl({ dataDir, isDefaultDataDir: false });
    if (url === null) throw new Error("the server has no embedded database");
    return url;
  };
  return { environment: { DATA_DIR: dataDir }, findUrl, release: () => removeDataDir(dataDir) };
}

/** A server that runs, a connection to its database, and the process of PostgreSQL on each node. */
type Running = {
  readonly server: NodalProcess;
  readonly database: pg.Client;
  readonly databaseUrl: string;
  readonly postmasters: readonly number[];
};

async function startOn(place: Place, options: InstallationOptions): Promise<Running> {
  const server = await startServer(place, options);
  try {
    const databaseUrl = await place.findUrl();
    const postmasters = await findPostmasters(databaseUrl);
    const database = new pg.Client({ connectionString: databaseUrl });
    // Where the server ends first, it ends this too: what went wrong with it is said elsewhere.
    database.on("error", () => {});
    await database.connect();
    return { server, database, databaseUrl, postmasters };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function startServer({ environment }: Place, { profileFolder, settings }: InstallationOptions): Promise<NodalProcess> {
  return NodalProcess.start({
    ...environment,
    TRANSFER_WAIT_MS: "0",
    RATE_LIMIT_PER_MINUTE: "10000000",
    PROVIDER_CALLS_PER_SECOND: "0",
    LOG_LEVEL: "warn",
    ...settings,
    ...(profileFolder ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` } : {}),
  });
}
