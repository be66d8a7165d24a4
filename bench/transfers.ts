// The benchmark of transfers over HTTP: accepted and finished, and accepted alone, against a plain transaction on the
// same PostgreSQL. The yardstick is in yardstick.ts, the report in transfers-report.ts.
import type { HttpLoadSetup } from "./http-load.ts";
import { Installation } from "./installation.ts";
import { LoadProcess } from "./load.ts";
import { withOptions } from "./options.ts";
import { writeReport } from "./report.ts";
import { judge, printRound, printSummary, type Phase, type Round } from "./transfers-report.ts";
import { Yardstick } from "./yardstick.ts";

const WARM_UP_SECONDS = 3;
const SAMPLE_MS = 500;
const HTTP_LOAD = import.meta.resolve("./http-load.ts");
const MEMORY_SECONDS = 600;
const MAX_CONNECTIONS = 64;
/** How many requests are under way at once, in each round of its own. */
const CONNECTIONS = [MAX_CONNECTIONS, 8, 1];
/** A bank that never answers while it is measured: what it is asked to pay is accepted, and no more. */
const SILENT_BANK = { SIMULATOR_LATENCY_MS: "600000", BANK_TIMEOUT_MS: "300000", DRAIN_TIMEOUT_MS: "100" };

export type Parameters = {
  readonly seconds: number;
  readonly alternations: number;
  readonly merchants: number;
  readonly workers: number;
  readonly memory: boolean;
  readonly profileFolder: string | null;
};

const USAGE = `Usage: npm run bench -- transfers [--seconds 10] [--alternations 3] [--merchants 1000] [--workers 1] [--memory]
  [--workers 2]          with so many processes that serve the port; their supervisor's own time is not counted
  [--memory]             also ten minutes over 64 connections, in which the server's memory is watched
  [--profile <folder>]   also writes a CPU profile of the server, which slows it down`;

const NUMBERS = {
  seconds: { usual: 10, maximum: 600 },
  alternations: { usual: 3, maximum: 100 },
  merchants: { usual: 1000, maximum: 10_000 },
  workers: { usual: 1, maximum: 16 },
};

/** Runs the benchmark. Returns the exit code: 1 when a request failed or the books don't hold, 2 for a wrong option. */
export function benchTransfers(args: readonly string[]): Promise<number> {
  return withOptions(
    args,
    { usage: USAGE, numbers: NUMBERS, switches: ["memory"] },
    ({ numbers, switches, profileFolder }) => run({ ...numbers, memory: switches.has("memory"), profileFolder }),
  );
}

async function run(parameters: Parameters): Promise<number> {
  const opened: { close(): Promise<unknown> }[] = [];
  try {
    const whole = await Side.open(parameters, parameters.profileFolder);
    opened.push(whole);
    const acceptance = await Side.open(parameters, null, SILENT_BANK);
    opened.push(acceptance);
    const yardstick = await Yardstick.prepare(whole.installation.databaseUrl, parameters.merchants);
    opened.push({ close: () => yardstick.stop() });
    return await measure(parameters, whole, acceptance, yardstick);
  } finally {
    for (const each of opened.toReversed()) await each.close();
  }
}

async function measure(parameters: Parameters, whole: Side, acceptance: Side, yardstick: Yardstick): Promise<number> {
  const database = await whole.installation.readDatabaseSettings();
  const bytesBefore = await whole.installation.readTableBytes();
  const round = async (seconds: number, connections: number): Promise<Round> => ({
    connections,
    whole: await whole.run(seconds, connections),
    yardstick: await readDatabaseUse(whole.installation, () => yardstick.run(seconds, connections)),
    acceptance: await acceptance.run(seconds, connections),
  });

  const warmUp = await round(WARM_UP_SECONDS, MAX_CONNECTIONS);
  const rounds: Round[] = [];
  for (let number = 1; number <= parameters.alternations; number += 1) {
    for (const connections of CONNECTIONS) {
      rounds.push(await round(parameters.seconds, connections));
      printRound(number, rounds.at(-1)!);
    }
  }
  const memory = parameters.memory ? await whole.run(MEMORY_SECONDS, MAX_CONNECTIONS) : null;
  const transfers = await whole.installation.countTransfers();
  const report = {
    database,
    parameters,
    rounds,
    memory,
    summary: judge({
      warmUp,
      rounds,
      memory,
      storedTransfers: transfers,
      bytesPerTransfer: ((await whole.installation.readTableBytes()) - bytesBefore) / transfers,
      verify: await whole.installation.verify(),
    }),
  };
  printSummary(report.summary);
  await writeReport(parameters.workers === 1 ? "transfers" : "transfers-workers", report);
  return report.summary.passed ? 0 : 1;
}

/** What `work` answers, with the processor time that the database used meanwhile. */
async function readDatabaseUse<T>(
  installation: Installation,
  work: () => Promise<T>,
): Promise<T & { databaseCpuSeconds: number }> {
  const before = await installation.readDatabaseCpuSeconds();
  const result = await work();
  return { ...result, databaseCpuSeconds: (await installation.readDatabaseCpuSeconds()) - before };
}

/** An installation with the load on it. */
class Side {
  readonly installation: Installation;
  readonly #load: LoadProcess;
  readonly #isFinished: boolean;

  private constructor(installation: Installation, load: LoadProcess, isFinished: boolean) {
    this.installation = installation;
    this.#load = load;
    this.#isFinished = isFinished;
  }

  /** @param silentBank settings with which no transfer is finished */
  static async open(
    { merchants, workers }: Parameters,
    profileFolder: string | null,
    silentBank: Readonly<Record<string, string>> = {},
  ): Promise<Side> {
    const installation = await Installation.start({
      profileFolder,
      settings: { WORKERS: String(workers), ...silentBank },
    });
    try {
      const payers = await installation.seedPayers(merchants);
      const setup: HttpLoadSetup = { port: installation.port, connections: MAX_CONNECTIONS, payers };
      return new Side(installation, await LoadProcess.start(HTTP_LOAD, setup), Object.keys(silentBank).length === 0);
    } catch (error) {
      await installation.close();
      throw error;
    }
  }

  /** One phase of transfers, and the wait until the bank has them all where it answers. */
  async run(seconds: number, connections: number): Promise<Phase> {
    const { installation } = this;
    const serverBefore = await installation.readServerUse();
    const memory = new MemoryWatch(installation);
    const phase = await readDatabaseUse(installation, async () => {
      const load = await this.#load.run(seconds, null, connections);
      return { load, drainSeconds: this.#isFinished ? await installation.drain() : 0 };
    });
    const serverCpuSeconds = (await installation.readServerUse()).cpuSeconds - serverBefore.cpuSeconds;
    return { ...phase, serverCpuSeconds, residentBytes: await memory.end() };
  }

  async close(): Promise<void> {
    await this.#load.stop();
    const log = await this.installation.close();
    if (log !== "" && this.#isFinished) console.error(`The server wrote:\n${log}`);
  }
}

/** Samples the memory of the server while it works. */
class MemoryWatch {
  readonly #installation: Installation;
  readonly #timer: NodeJS.Timeout;
  readonly #samples: number[] = [];
  #sample: Promise<void> = Promise.resolve();

  constructor(installation: Installation) {
    this.#installation = installation;
    this.#timer = setInterval(() => {
      this.#sample = this.#sample.then(() => this.#take());
    }, SAMPLE_MS);
  }

  /** Ends the sampling. Returns the samples, the last one taken now. */
  async end(): Promise<readonly number[]> {
    clearInterval(this.#timer);
    await this.#sample;
    await this.#take();
    return this.#samples;
  }

  async #take(): Promise<void> {
    this.#samples.push((await this.#installation.readServerUse()).residentBytes);
  }
}
