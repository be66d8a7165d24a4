// The benchmark of tenant isolation: the same mix of requests with row-level security and without it, in turns.
// What belongs here: the procedure and its report. The mix is in soak-load.ts, taking away in without-isolation.ts.
import { createPool, type Pool } from "../src/platform/database/pool.ts";
import { freePort } from "../test/support/nodal.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import type { HttpLoadSetup } from "./http-load.ts";
import { Installation, type RequestCosts } from "./installation.ts";
import { LoadProcess, type LoadResult } from "./load.ts";
import { prepareCallers } from "./mixed-callers.ts";
import { withOptions } from "./options.ts";
import { median, printLoad, writeReport } from "./report.ts";
import type { SoakLoadSetup } from "./soak-load.ts";

const HTTP_LOAD = import.meta.resolve("./http-load.ts");
const SOAK_LOAD = import.meta.resolve("./soak-load.ts");
const WITHOUT_ISOLATION = import.meta.resolve("./without-isolation.ts");
/** What this process's own connections are called. */
const POOL_NAME = "benchmark of isolation";
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 20;
/** The target that the project has set itself: at most a twentieth of the throughput. */
const LEAST_RATIO = 0.95;

type Parameters = {
  readonly seconds: number;
  readonly alternations: number;
  readonly merchants: number;
  /** Transfers alone, which group commits write, instead of a mix of all requests. */
  readonly transfers: boolean;
};

const USAGE = `Usage: npm run bench -- isolation [--seconds 10] [--alternations 6] [--merchants 100] [--transfers]
  --transfers    transfers alone instead of the mix of all requests`;

const NUMBERS = {
  seconds: { usual: 10, maximum: 600 },
  alternations: { usual: 6, maximum: 100 },
  merchants: { usual: 100, maximum: 2000 },
};

/** Runs the benchmark. Returns the exit code: 1 when a request failed or isolation costs more than the target. */
export function benchIsolation(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS, switches: ["transfers"] }, ({ numbers, switches }) =>
    run({ ...numbers, transfers: switches.has("transfers") }),
  );
}

/** A time under load: requests a second until the bank had answered, and what each cost server and database. */
type Phase = { readonly load: LoadResult; readonly perSecond: number } & RequestCosts;

/** An installation under load: with the database's own isolation, or without it. */
class Side {
  readonly #installation: Installation;
  readonly #load: LoadProcess;
  readonly #pool: Pool & { end(): Promise<void> };

  private constructor(installation: Installation, load: LoadProcess, pool: Pool & { end(): Promise<void> }) {
    this.#installation = installation;
    this.#load = load;
    this.#pool = pool;
  }

  static async start(parameters: Parameters, isIsolated: boolean): Promise<Side> {
    const installation = await Installation.start({
      profileFolder: null,
      // A module is changed on one side, so both run the source.
      settings: { WEBHOOK_ALLOW_PRIVATE: "on", NODAL_PROGRAM: "source" },
      ...(isIsolated ? {} : { preload: WITHOUT_ISOLATION }),
    });
    const pool = withTestSecrets(
      createPool({ url: installation.databaseUrl, size: 2, name: POOL_NAME, actor: TEST_ACTOR }),
    );
    if (!isIsolated) await removePolicies(pool);
    const load = await (parameters.transfers ? startTransfers : startMix)(installation, pool, parameters.merchants);
    return new Side(installation, load, pool);
  }

  /** Loads it for a time, and waits for the bank's answers. */
  run(seconds: number): Promise<Phase> {
    return this.#installation.withCosts(async () => {
      const load = await this.#load.run(seconds);
      const drainSeconds = await this.#installation.drain();
      return { load, perSecond: load.succeeded / (load.seconds + drainSeconds) };
    });
  }

  async stop(): Promise<void> {
    await this.#load.stop();
    await this.#pool.end();
    await this.#installation.close();
  }
}

async function startMix(installation: Installation, pool: Pool, merchants: number): Promise<LoadProcess> {
  const webhookPort = await freePort();
  const callers = await prepareCallers(installation, pool, merchants, webhookPort);
  const setup: SoakLoadSetup = { baseUrl: installation.baseUrl, connections: CONNECTIONS, callers, webhookPort };
  return LoadProcess.start(SOAK_LOAD, setup);
}

async function startTransfers(installation: Installation, _pool: Pool, merchants: number): Promise<LoadProcess> {
  const payers = await installation.seedPayers(merchants);
  const setup: HttpLoadSetup = { port: installation.port, connections: CONNECTIONS, payers };
  return LoadProcess.start(HTTP_LOAD, setup);
}

/** Policies let every row through from now on, and connections name a writer where a transaction doesn't. */
async function removePolicies(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ database: string; owner: string }>(
    "select quote_ident(current_database()) as database, quote_ident(current_user) as owner",
  );
  // Servers refuse connections without policies.
  const { rows: policies } = await pool.query<{ change: string }>(
    "select format('alter policy %I on %I using (true)', policyname, tablename) as change from pg_policies where qual <> 'true'",
  );
  for (const { change } of policies) await pool.query(change);
  await pool.query(`alter role ${rows[0]!.owner} in database ${rows[0]!.database} set nodal.actor = '${TEST_ACTOR}'`);
  // The server opens its connections anew.
  await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name not in ('', $1)", [
    POOL_NAME,
  ]);
}

const microsOf = ({ serverMicros, databaseMicros }: Phase): number => serverMicros + databaseMicros;

function printPhase(name: string, { load, serverMicros, databaseMicros }: Phase): void {
  printLoad(name, load);
  console.log(`    processor time ${serverMicros.toFixed(0)} + ${databaseMicros.toFixed(0)} µs each`);
}

async function run(parameters: Parameters): Promise<number> {
  const sides: Side[] = [];
  try {
    const isolated = await Side.start(parameters, true);
    sides.push(isolated);
    const open = await Side.start(parameters, false);
    sides.push(open);
    return await measure(isolated, open, parameters);
  } finally {
    for (const side of sides) await side.stop();
  }
}

async function measure(isolated: Side, open: Side, parameters: Parameters): Promise<number> {
  const warmUps = [await isolated.run(WARM_UP_SECONDS), await open.run(WARM_UP_SECONDS)];
  const rounds: { isolated: Phase; open: Phase }[] = [];
  for (let number = 0; number < parameters.alternations; number += 1) {
    // Who goes first changes, since the second finds the machine warmer.
    const first = await (number % 2 === 0 ? isolated : open).run(parameters.seconds);
    const second = await (number % 2 === 0 ? open : isolated).run(parameters.seconds);
    const round = number % 2 === 0 ? { isolated: first, open: second } : { isolated: second, open: first };
    rounds.push(round);
    printPhase("isolated", round.isolated);
    printPhase("without", round.open);
  }
  const ratios = rounds.map((round) => round.isolated.perSecond / round.open.perSecond);
  const medianRatio = median(ratios);
  const processorRatio = median(rounds.map((round) => microsOf(round.isolated) / microsOf(round.open)));
  const phases = [...warmUps, ...rounds.flatMap((round) => [round.isolated, round.open])];
  const failed = phases.reduce((sum, { load }) => sum + load.failed, 0);
  console.log(`
With row-level security against without
  requests a second   ${medianRatio.toFixed(3)} (median of ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}), target ${LEAST_RATIO}
  processor time      ${processorRatio.toFixed(3)} of that without, for each request
  failed requests     ${failed}`);
  const passed = failed === 0 && medianRatio >= LEAST_RATIO;
  await writeReport(parameters.transfers ? "isolation-transfers" : "isolation", {
    parameters,
    rounds,
    ratios,
    medianRatio,
    processorRatio,
    failed,
    passed,
  });
  return passed ? 0 : 1;
}
