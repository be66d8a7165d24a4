// The yardstick: the plain interactive transaction that a payout service is usually written as, driven by pgbench on
// the same PostgreSQL.
import { execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { Latencies } from "./latencies.ts";
import { readReapedChildrenSeconds } from "./process-use.ts";

/** What a phase of the yardstick came to. */
export type YardstickResult = {
  readonly seconds: number;
  readonly succeeded: number;
  readonly perSecond: number;
  /** Of a sample of the transactions. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of pgbench itself, in seconds. */
  readonly clientCpuSeconds: number;
};

/**
 * Keys of the same kind as Nodal's (bucket and merchant first), with no more indexes than the least that such a service
 * needs: the ids, and the reference that keeps a transfer from being made twice.
 */
const CREATE_TABLES = `
  create schema yardstick;
  create table yardstick.account (
    bucket smallint not null,
    merchant_id bigint not null,
    balance bigint not null check (balance >= 0),
    primary key (bucket, merchant_id)
  ) with (fillfactor = 50);
  create table yardstick.transfer (
    bucket smallint not null,
    merchant_id bigint not null,
    transfer_id bigint not null,
    reference_id text not null,
    beneficiary_id bigint not null,
    payee_name text not null,
    account_number text not null,
    ifsc text not null,
    mode text not null,
    amount_paise bigint not null check (amount_paise > 0),
    narrative text not null,
    state text not null,
    added_at timestamptz not null,
    primary key (bucket, merchant_id, transfer_id),
    unique (bucket, merchant_id, reference_id)
  );
  create table yardstick.entry (
    bucket smallint not null,
    merchant_id bigint not null,
    entry_id bigint not null,
    transfer_id bigint not null,
    kind text not null,
    amount_paise bigint not null,
    balance bigint not null,
    posted_at timestamptz not null,
    primary key (bucket, merchant_id, entry_id)
  )`;
const BUCKETS = 128;
const FUNDS_PAISE = 1_000_000_000_000n;
const FILL_ACCOUNTS = `insert into yardstick.account (bucket, merchant_id, balance)
  select number % ${BUCKETS}, number, ${FUNDS_PAISE} from generate_series(1, $1::integer) as number`;

/** Ids rise within each client, as those of a service do, so that the indexes grow at their ends. */
const TRANSACTION = `\\set number :number + 1
\\set transfer_id :first + :client_id * 100000000 + :number
\\set merchant random(1, :merchants)
\\set bucket :merchant % ${BUCKETS}
\\set amount random(100, 999)
begin;
select balance from yardstick.account where bucket = :bucket and merchant_id = :merchant for update;
insert into yardstick.transfer (
  bucket, merchant_id, transfer_id, reference_id, beneficiary_id, payee_name, account_number, ifsc, mode,
  amount_paise, narrative, state, added_at)
values (
  :bucket, :merchant, :transfer_id, 'bench-' || :transfer_id, :merchant, 'Asha Rao', '026291800001191', 'YESB0000262',
  'banktransfer', :amount, 'Benchmark', 'RESERVED', now());
update yardstick.account set balance = balance - :amount where bucket = :bucket and merchant_id = :merchant;
insert into yardstick.entry (
  bucket, merchant_id, entry_id, transfer_id, kind, amount_paise, balance, posted_at)
values (:bucket, :merchant, :transfer_id, :transfer_id, 'reserve', :amount, 0, now());
commit;
`;
/** Ids of one phase begin where no earlier phase can have come to. */
const IDS_PER_PHASE = 100_000_000_000;
/** pgbench writes the latency of this part of the transactions down. */
const SAMPLED = "0.05";
const THREADS = 2;
const MISSING =
  "the yardstick is pgbench, which is not on the PATH or in /usr/lib/postgresql: install PostgreSQL's client programs " +
  "(Debian: apt-get install postgresql-contrib), or name the program in PGBENCH.";

/** pgbench against a database, with tables of its own in the schema `yardstick`. */
export class Yardstick {
  readonly #program: string;
  readonly #url: string;
  readonly #merchants: number;
  readonly #folder: string;
  #phases = 0;

  private constructor(program: string, url: string, merchants: number, folder: string) {
    this.#program = program;
    this.#url = url;
    this.#merchants = merchants;
    this.#folder = folder;
  }

  /** Makes the tables. `stop` removes what it leaves outside of the database. @throws Error without a pgbench */
  static async prepare(url: string, merchants: number): Promise<Yardstick> {
    const program = await findPgbench();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(CREATE_TABLES);
      await client.query(FILL_ACCOUNTS, [merchants]);
      await client.query("analyze yardstick.account");
    } finally {
      await client.end();
    }
    const folder = await mkdtemp(join(tmpdir(), "nodal-yardstick-"));
    await writeFile(join(folder, "transaction.sql"), TRANSACTION);
    return new Yardstick(program, url, merchants, folder);
  }

  /** Runs the transaction over so many connections for a time. @throws Error where one failed */
  async run(seconds: number, connections: number): Promise<YardstickResult> {
    this.#phases += 1;
    const log = join(this.#folder, `phase-${this.#phases}`);
    const cpuBefore = await readReapedChildrenSeconds();
    const output = await runProgram(this.#program, [
      "--no-vacuum",
      "--protocol=prepared",
      `--client=${connections}`,
      `--jobs=${Math.min(THREADS, connections)}`,
      `--time=${seconds}`,
      `--file=${join(this.#folder, "transaction.sql")}`,
      `--define=merchants=${this.#merchants}`,
      `--define=first=${this.#phases * IDS_PER_PHASE}`,
      "--define=number=0",
      "--log",
      `--log-prefix=${log}`,
      `--sampling-rate=${SAMPLED}`,
      this.#url,
    ]);
    const clientCpuSeconds = (await readReapedChildrenSeconds()) - cpuBefore;
    const succeeded = Number(/number of transactions actually processed: ([0-9]+)/.exec(output)?.[1]);
    const failed = Number(/number of failed transactions: ([0-9]+)/.exec(output)?.[1] ?? 0);
    const perSecond = Number(/^tps = ([0-9.]+)/m.exec(output)?.[1]);
    if (!(succeeded > 0 && perSecond > 0) || failed > 0) throw new Error(`the yardstick failed: ${output}`);
    const latencies = await this.#readLatencies(`phase-${this.#phases}.`);
    return { seconds: succeeded / perSecond, succeeded, perSecond, ...latencies, clientCpuSeconds };
  }

  async stop(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #readLatencies(prefix: string): Promise<Pick<YardstickResult, "p50Ms" | "p99Ms">> {
    const latencies = new Latencies();
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith(prefix)) continue;
      for (const line of (await readFile(join(this.#folder, name), "utf8")).split("\n")) {
        // client, transaction, microseconds, file, time
        const microseconds = line.split(" ")[2];
        if (microseconds !== undefined) latencies.record(Number(microseconds) / 1000);
      }
    }
    return { p50Ms: latencies.percentileMs(50), p99Ms: latencies.percentileMs(99) };
  }
}

function runProgram(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`pgbench failed: ${output}`))));
  });
}

async function findPgbench(): Promise<string> {
  const debian = "/usr/lib/postgresql";
  const versions = await readdir(debian).catch(() => []);
  const candidates = [
    ...(process.env["PGBENCH"] ? [process.env["PGBENCH"]] : []),
    ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "pgbench")),
    ...versions.map((version) => join(debian, version, "bin", "pgbench")),
  ];
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) {
      await promisify(execFile)(candidate, ["--version"]);
      return candidate;
    }
  }
  throw new Error(MISSING);
}
