// The benchmark of Citus: what a transfer costs the processors of all nodes, in turns with a plain PostgreSQL of the
// same version. The load is http-load.ts, databases on Citus are made as for tests.
import { createCitusDatabase } from "../test/support/citus.ts";
import { createDatabase, type TestDatabase } from "../test/support/database-copy.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import type { HttpLoadSetup } from "./http-load.ts";
import { Installation, type Payer, type Verdict } from "./installation.ts";
import { LoadProcess, type LoadResult } from "./load.ts";
import { withOptions } from "./options.ts";
import { readFamilySeconds } from "./process-use.ts";
import { median, printLoad, writeReport } from "./report.ts";

/** What a transfer may cost on Citus, as a multiple of plain PostgreSQL: half of its speed for each core. */
const TARGET_RATIO = 2;
const WARM_UP_SECONDS = 3;
const MAX_CONNECTIONS = 1024;
const HTTP_LOAD = import.meta.resolve("./http-load.ts");
/**
 * How many requests are under way at once, and over how many buckets their merchants are. Cases of one number have the same
 * merchants, and no others do: each load counts its references by itself.
 */
const CASES = [
  { connections: 1024, buckets: 1 },
  { connections: 256, buckets: 1 },
  { connections: 256, buckets: 4 },
  { connections: 64, buckets: 4 },
  { connections: 64, buckets: 100 },
] as const;
const FIRST_BUCKET = new Map<number, number>([
  [1, 0],
  [4, 1],
  [100, 5],
]);
type Case = (typeof CASES)[number];

const USAGE = `Usage: CITUS_URL=… PLAIN_URL=… npm run bench -- citus [--seconds 5] [--alternations 2] [--merchants 400] [--buckets 1]
  --buckets   run only the cases over at least this many buckets
  CITUS_URL   a Citus coordinator with its workers on this machine, as a superuser
  PLAIN_URL   a PostgreSQL of the same version without Citus on this machine, as a superuser`;
const NUMBERS = {
  seconds: { usual: 5, maximum: 600 },
  alternations: { usual: 2, maximum: 100 },
  merchants: { usual: 400, maximum: 10_000 },
  buckets: { usual: 1, maximum: 128 },
};
type Parameters = {
  readonly seconds: number;
  readonly alternations: number;
  readonly merchants: number;
  readonly buckets: number;
};

/** Runs the benchmark. Returns the exit code: 1 when a request failed or the books don't hold, 2 for a wrong option. */
export function benchCitus(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers }) => run(numbers));
}

async function run(parameters: Parameters): Promise<number> {
  const { CITUS_URL: citusUrl, PLAIN_URL: plainUrl } = process.env;
  if (!citusUrl || !plainUrl) throw new Error(USAGE);
  const citus = await Side.open(await createCitusDatabase(citusUrl), parameters.merchants);
  const plain = await Side.open(await createDatabase(plainUrl, null), parameters.merchants);
  try {
    const rounds: Round[] = [];
    const cases = CASES.filter(({ buckets }) => buckets >= parameters.buckets);
    for (const one of cases) {
      for (const side of [citus, plain]) await side.run(WARM_UP_SECONDS, one);
      for (let number = 1; number <= parameters.alternations; number += 1) {
        const round = {
          ...one,
          citus: await citus.run(parameters.seconds, one),
          plain: await plain.run(parameters.seconds, one),
        };
        printRound(round);
        rounds.push(round);
      }
    }
    const verify = { citus: await citus.verify(), plain: await plain.verify() };
    const summary = cases.map((one) => summarise(one, rounds));
    for (const line of summary) console.log(sentenceOf(line));
    const phases = rounds.flatMap((round) => [round.citus, round.plain]);
    const passed = verify.citus.ok && verify.plain.ok && phases.every(({ load }) => load.failed === 0);
    await writeReport("citus", {
      parameters,
      nodes: citus.nodes,
      rounds,
      summary,
      targetRatio: TARGET_RATIO,
      verify,
      passed,
    });
    return passed ? 0 : 1;
  } finally {
    await citus.close();
    await plain.close();
  }
}

/** What a phase of load came to, in processor time and transfers for each batch that was written. */
type Phase = {
  readonly load: LoadResult;
  readonly databaseMicros: number;
  readonly coordinatorMicros: number;
  readonly serverMicros: number;
  readonly transfersInBatch: number;
};
type Round = Case & { readonly citus: Phase; readonly plain: Phase };

function printRound({ connections, buckets, citus, plain }: Round): void {
  console.log(`${connections} connections, ${buckets} buckets`);
  for (const [name, phase] of Object.entries({ citus, plain })) {
    printLoad(name, phase.load);
    console.log(
      `    database ${phase.databaseMicros.toFixed(0)} µs each (coordinator ${phase.coordinatorMicros.toFixed(0)}), server ` +
        `${phase.serverMicros.toFixed(0)} µs, ${phase.transfersInBatch.toFixed(1)} transfers in a batch`,
    );
  }
}

function summarise({ connections, buckets }: Case, rounds: readonly Round[]) {
  const own = rounds.filter((round) => round.connections === connections && round.buckets === buckets);
  const middle = (read: (round: Round) => number): number => median(own.map(read));
  return {
    connections,
    buckets,
    citusMicros: middle(({ citus }) => citus.databaseMicros),
    plainMicros: middle(({ plain }) => plain.databaseMicros),
    perCore: middle(({ citus, plain }) => plain.databaseMicros / citus.databaseMicros),
    transfersInBatch: middle(({ citus }) => citus.transfersInBatch),
  };
}

function sentenceOf(line: ReturnType<typeof summarise>): string {
  return (
    `${line.connections} connections over ${line.buckets} buckets: ${line.citusMicros.toFixed(0)} µs of the database on Citus, ` +
    `${line.plainMicros.toFixed(0)} without: ${line.perCore.toFixed(2)} per core, with ${line.transfersInBatch.toFixed(0)} transfers in a batch`
  );
}

/** A server on a database, with merchants in all buckets. */
class Side {
  readonly #installation: Installation;
  readonly #pool: OwnedPool;
  readonly #payers: readonly (Payer & { readonly bucket: number })[];
  readonly #loads = new Map<number, LoadProcess>();

  private constructor(
    installation: Installation,
    pool: OwnedPool,
    payers: readonly (Payer & { readonly bucket: number })[],
  ) {
    this.#installation = installation;
    this.#pool = pool;
    this.#payers = payers;
  }

  static async open(database: TestDatabase, merchants: number): Promise<Side> {
    const installation = await Installation.start({ profileFolder: null, database });
    const pool = createPool({ url: database.url, size: 1 });
    return new Side(installation, pool, await seedPayers(installation, pool, merchants));
  }

  get nodes(): number {
    return this.#installation.nodes;
  }

  /** One phase of transfers, and the wait until the bank has them all. */
  async run(seconds: number, { connections, buckets }: Case): Promise<Phase> {
    const load = await this.#loadOf(buckets);
    const startedAt = Temporal.Now.instant().toString();
    const before = await this.#readSeconds();
    const result = await load.run(seconds, null, connections);
    await this.#installation.drain();
    const after = await this.#readSeconds();
    const [server, ...ofNodes] = after.map((value, index) => ((value - before[index]!) * 1e6) / result.succeeded);
    return {
      load: result,
      serverMicros: server!,
      coordinatorMicros: ofNodes[0]!,
      databaseMicros: ofNodes.reduce((sum, micros) => sum + micros, 0),
      transfersInBatch: await this.#readBatchSize(startedAt),
    };
  }

  verify(): Promise<Verdict> {
    return this.#installation.verify();
  }

  async close(): Promise<void> {
    for (const load of this.#loads.values()) await load.stop();
    await this.#pool.end();
    const log = (await this.#installation.close()).split("\n");
    if (log.some((line) => line !== "")) console.error(`The server wrote:\n${log.slice(0, 20).join("\n")}`);
  }

  /** Load for the merchants of so many buckets. */
  async #loadOf(buckets: number): Promise<LoadProcess> {
    const known = this.#loads.get(buckets);
    if (known) return known;
    const all = [...new Set(this.#payers.map(({ bucket }) => bucket))].toSorted((one, other) => one - other);
    const first = FIRST_BUCKET.get(buckets)!;
    const wanted = all.slice(first, first + buckets);
    const payers = this.#payers.filter(({ bucket }) => wanted.includes(bucket));
    const setup: HttpLoadSetup = { port: this.#installation.port, connections: MAX_CONNECTIONS, payers };
    const load = await LoadProcess.start(HTTP_LOAD, setup);
    this.#loads.set(buckets, load);
    return load;
  }

  /** Processor time of the server, and of each node's PostgreSQL. */
  async #readSeconds(): Promise<number[]> {
    return [await readFamilySeconds(this.#installation.processId), ...(await this.#installation.readNodeCpuSeconds())];
  }

  /** The transfers of a batch have one time; on Citus each group of shards has batches of its own. */
  async #readBatchSize(since: string): Promise<number> {
    const { rows } = await this.#pool.query<{ transfers: bigint; batches: bigint }>(
      `select count(*) as transfers, count(distinct ${this.nodes > 1 ? "(get_shard_id_for_distribution_column('merchant', bucket), added_at)" : "added_at"}) as batches
       from transfer where added_at >= $1`,
      [since],
    );
    return Number(rows[0]!.transfers) / Number(rows[0]!.batches);
  }
}

async function seedPayers(installation: Installation, pool: OwnedPool, merchants: number) {
  const payers = await installation.seedPayers(merchants);
  const { rows } = await pool.query<{ bucket: number; merchant_id: bigint }>(
    "select bucket, merchant_id from merchant",
  );
  const bucketOf = new Map(rows.map((row) => [String(row.merchant_id), row.bucket]));
  return payers.map((payer) => ({ ...payer, bucket: bucketOf.get(payer.merchantId)! }));
}
