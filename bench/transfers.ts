// The benchmark of transfers: accepted transfers a second over HTTP, against a plain transaction on the same PostgreSQL.
// What belongs here: the procedure. Load and yardstick run in processes of their own; the report is in transfers-report.ts.
import type { HttpLoadSetup } from "./http-load.ts";
import { Installation, type ServerUse } from "./installation.ts";
import { LoadProcess, type LoadResult } from "./load.ts";
import { withOptions } from "./options.ts";
import type { TransactionLoadSetup } from "./transaction-load.ts";
import { describeMachine, writeReport } from "./report.ts";
import { judge, printPhase, printSummary, type Alternation } from "./transfers-report.ts";

const WARM_UP_SECONDS = 3;
const SAMPLE_MS = 500;
const HTTP_LOAD = import.meta.resolve("./http-load.ts");
const TRANSACTION_LOAD = import.meta.resolve("./transaction-load.ts");

export type Parameters = {
  readonly seconds: number;
  readonly alternations: number;
  readonly merchants: number;
  readonly connections: number;
  readonly profileFolder: string | null;
};

const USAGE = `Usage: npm run bench -- transfers [--seconds 10] [--alternations 3] [--merchants 1000] [--connections 64]
  [--profile <folder>]   also writes a CPU profile of the server, which slows it down`;

const NUMBERS = {
  seconds: { usual: 10, maximum: 600 },
  alternations: { usual: 3, maximum: 100 },
  merchants: { usual: 1000, maximum: 10_000 },
  connections: { usual: 64, maximum: 150 },
};

/** Runs the benchmark. Answers the exit code: 1 when a request failed or the books don't hold, 2 for a wrong option. */
export function benchTransfers(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers, profileFolder }) =>
    run({ ...numbers, profileFolder }),
  );
}

async function run(parameters: Parameters): Promise<number> {
  const installation = await Installation.start(parameters);
  const loads: LoadProcess[] = [];
  try {
    return await measure(installation, parameters, loads);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    const log = await installation.close();
    if (log !== "") console.error(`The server wrote:\n${log}`);
  }
}

async function measure(installation: Installation, parameters: Parameters, loads: LoadProcess[]): Promise<number> {
  const { connections, merchants } = parameters;
  const databaseSettings = await installation.readDatabaseSettings();
  const payers = await installation.seedPayers(merchants);
  const httpSetup: HttpLoadSetup = { port: installation.port, connections, payers };
  const transactionSetup: TransactionLoadSetup = { url: installation.databaseUrl, connections, merchants };
  const transfers = await LoadProcess.start(HTTP_LOAD, httpSetup);
  loads.push(transfers);
  const yardstick = await LoadProcess.start(TRANSACTION_LOAD, transactionSetup);
  loads.push(yardstick);

  const warmUp = await alternate(installation, transfers, yardstick, WARM_UP_SECONDS);
  const alternations: Alternation[] = [];
  for (let number = 1; number <= parameters.alternations; number += 1) {
    const alternation = await alternate(installation, transfers, yardstick, parameters.seconds);
    alternations.push(alternation);
    printPhase(number, alternation);
  }
  const report = {
    machine: describeMachine(),
    database: databaseSettings,
    parameters,
    alternations,
    summary: judge(warmUp, alternations, await installation.countTransfers(), await installation.verify()),
  };
  printSummary(report.summary);
  await writeReport("transfers", report);
  return report.summary.passed ? 0 : 1;
}

/** One phase of transfers, the wait until the bank has them all, and one phase of the yardstick. */
async function alternate(
  installation: Installation,
  transfers: LoadProcess,
  yardstick: LoadProcess,
  seconds: number,
): Promise<Alternation> {
  const watch = await ServerWatch.begin(installation);
  const nodal = await transfers.run(seconds);
  const serverCores = (await watch.cpuSeconds()) / nodal.seconds;
  const drainSeconds = await installation.drain();
  const peakBytes = await watch.end();
  const plain: LoadResult = await yardstick.run(seconds);
  return { nodal, serverCores, drainSeconds, serverPeakBytes: peakBytes, yardstick: plain };
}

/** Samples what the server uses while it works. */
class ServerWatch {
  readonly #installation: Installation;
  readonly #atStart: ServerUse;
  readonly #timer: NodeJS.Timeout;
  #sample: Promise<void> = Promise.resolve();
  #peakBytes = 0;

  private constructor(installation: Installation, atStart: ServerUse) {
    this.#installation = installation;
    this.#atStart = atStart;
    this.#timer = setInterval(() => {
      this.#sample = this.#sample.then(() => this.#take());
    }, SAMPLE_MS);
  }

  static async begin(installation: Installation): Promise<ServerWatch> {
    return new ServerWatch(installation, await installation.readServerUse());
  }

  /** Processor time used since the beginning. */
  async cpuSeconds(): Promise<number> {
    return (await this.#installation.readServerUse()).cpuSeconds - this.#atStart.cpuSeconds;
  }

  /** Ends the sampling. Answers the most memory seen. */
  async end(): Promise<number> {
    clearInterval(this.#timer);
    await this.#sample;
    await this.#take();
    return this.#peakBytes;
  }

  async #take(): Promise<void> {
    this.#peakBytes = Math.max(this.#peakBytes, (await this.#installation.readServerUse()).residentBytes);
  }
}
