// The simulation of Nodal as queues: first what was measured on one machine, then what can't be measured on it: more cores,
// several databases, a slow bank, a database that fails.
// What belongs here: the procedure and its report. Queues are in queueing/nodal.ts, costs in queueing/costs.ts.
import { withOptions } from "./options.ts";
import { Clock, Cores } from "./queueing/engine.ts";
import { MEASURED } from "./queueing/measured.ts";
import { Database, Load, Server, type ServerOptions } from "./queueing/nodal.ts";
import { median, writeReport } from "./report.ts";

const USAGE = `Usage: npm run bench -- queueing [--seconds 6] [--merchants 1000]
  Simulates; nothing runs but this. What it is compared with is in bench/queueing/measured.ts.`;
const NUMBERS = { seconds: { usual: 6, maximum: 600 }, merchants: { usual: 1000, maximum: 1_000_000 } };
/** How far a simulated figure may be from the measured one. */
const TOLERANCE = 0.15;
const WARM_UP_MS = 6000;
const DISPATCH_CONCURRENCY = 64;
const MANY_MERCHANTS = 100_000;

type Outcome = {
  readonly perSecond: number;
  readonly finishedPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
  readonly batchSize: number;
  /** Of the cores of servers and of databases, the part that worked. */
  readonly serverLoad: number;
  readonly databaseLoad: number;
};

/** A plant to simulate. Servers and databases have machines of their own where `databaseCores` is given. */
type Plant = {
  readonly cores: number;
  readonly databaseCores?: number;
  readonly servers: number;
  readonly databases: number;
  readonly lanes: number;
  readonly bankMs: number | null;
  readonly commitMs?: number;
  readonly concurrency?: number;
  /** Clients that send one request after the other, or requests a second that come by themselves. */
  readonly connections?: number;
  readonly arrivals?: number;
  /** From when to when the first database is down, in milliseconds after the warm-up. */
  readonly outage?: { readonly fromMs: number; readonly toMs: number };
};

/** What is measured on one machine of two cores, client and all. */
const ONE_MACHINE = { cores: 2, servers: 1, databases: 1, lanes: 1 } as const;

/** Runs the simulation. Returns the exit code: 1 where it is too far from what was measured, 2 for a wrong option. */
export function benchQueueing(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, async ({ numbers }) => {
    const compared = compare(LISTED, numbers.seconds, numbers.merchants);
    const scenarios = Object.entries(SCENARIOS).map(([name, plant]) => {
      return { name, plant, outcome: simulate(plant, numbers.seconds, MANY_MERCHANTS) };
    });
    print(compared, scenarios);
    await writeReport("queueing", { tolerance: TOLERANCE, compared, scenarios });
    return compared.every(({ isNear }) => isNear) ? 0 : 1;
  });
}

type Measured = {
  readonly name: string;
  readonly connections: number;
  readonly isWhole: boolean;
  readonly perSecond: number;
};

const LISTED: readonly Measured[] = MEASURED.flatMap(({ connections, finishedPerSecond, acceptedPerSecond }) => [
  { name: `finished, ${connections} connections`, connections, isWhole: true, perSecond: finishedPerSecond },
  { name: `accepted alone, ${connections} connections`, connections, isWhole: false, perSecond: acceptedPerSecond },
]);

function compare(measured: readonly Measured[], seconds: number, merchants: number) {
  return measured.map(({ name, connections, isWhole, perSecond }) => {
    const outcome = simulate({ ...ONE_MACHINE, bankMs: isWhole ? 0 : null, connections }, seconds, merchants);
    const ratio = outcome.perSecond / perSecond;
    return { name, measuredPerSecond: perSecond, outcome, ratio, isNear: Math.abs(ratio - 1) <= TOLERANCE };
  });
}

const SHARDED = { cores: 8, databaseCores: 8, lanes: 2, bankMs: 500, concurrency: 5000 } as const;

/** What can't be measured on two cores. */
const SCENARIOS: Readonly<Record<string, Plant>> = {
  "one machine of 4 cores, 2 processes": {
    ...ONE_MACHINE,
    cores: 4,
    servers: 2,
    lanes: 2,
    bankMs: 0,
    connections: 128,
  },
  "one machine of 8 cores, 4 processes": {
    ...ONE_MACHINE,
    cores: 8,
    servers: 4,
    lanes: 2,
    bankMs: 0,
    connections: 256,
  },
  "one machine of 16 cores, 8 processes": {
    ...ONE_MACHINE,
    cores: 16,
    servers: 8,
    lanes: 2,
    bankMs: 0,
    connections: 512,
  },
  "disk that takes 5 ms a commit": { ...ONE_MACHINE, bankMs: 0, commitMs: 5, connections: 64 },
  "bank that takes 2 s, 64 calls at once": { ...ONE_MACHINE, bankMs: 2000, connections: 64 },
  "bank that takes 2 s, 5,000 calls at once": { ...ONE_MACHINE, bankMs: 2000, concurrency: 5000, connections: 64 },
  "1 database of 8 cores, 4 servers of 2, 5,000/s": { ...SHARDED, servers: 4, databases: 1, arrivals: 5000 },
  "1 database of 8 cores, 4 servers of 2, 10,000/s": { ...SHARDED, servers: 4, databases: 1, arrivals: 10_000 },
  "4 databases of 8 cores, 8 servers of 1, 10,000/s": { ...SHARDED, servers: 8, databases: 4, arrivals: 10_000 },
  "the same, one database down for 2 s": {
    ...SHARDED,
    servers: 8,
    databases: 4,
    arrivals: 10_000,
    outage: { fromMs: 1000, toMs: 3000 },
  },
};

function simulate(plant: Plant, seconds: number, merchants: number): Outcome {
  const clock = new Clock();
  const cores = new Cores(clock, plant.cores);
  const databaseCores = Array.from({ length: plant.databases }, () =>
    plant.databaseCores === undefined ? cores : new Cores(clock, plant.databaseCores),
  );
  const databases = databaseCores.map((own) => new Database(clock, { cores: own, ...commitOf(plant) }));
  const options: ServerOptions = {
    cores,
    databases,
    lanes: plant.lanes,
    bankMs: plant.bankMs,
    concurrency: plant.concurrency ?? DISPATCH_CONCURRENCY,
  };
  const servers = Array.from({ length: plant.servers }, () => new Server(clock, options));
  let turn = 0;
  const load = new Load(clock, merchants, (transfer) => servers[(turn += 1) % servers.length]!.request(transfer));
  if (plant.connections !== undefined) load.keepSending(plant.connections, cores);
  if (plant.arrivals !== undefined) load.arrive(plant.arrivals);
  clock.runUntil(WARM_UP_MS);
  load.countFromHere();
  const finished = () => servers.reduce((sum, server) => sum + server.finished, 0);
  const used = (all: readonly Cores[]) => all.reduce((sum, { usedMs }) => sum + usedMs, 0);
  const before = { finished: finished(), servers: cores.usedMs, databases: used(databaseCores) };
  if (plant.outage) {
    clock.after(plant.outage.fromMs, () => (databases[0]!.isUp = false));
    clock.after(plant.outage.toMs, () => (databases[0]!.isUp = true));
  }
  clock.runUntil(WARM_UP_MS + seconds * 1000);
  const latencies = load.latenciesMs.toSorted((left, right) => left - right);
  const part = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    perSecond: load.perSecond,
    finishedPerSecond: (finished() - before.finished) / seconds,
    p50Ms: part(0.5),
    p99Ms: part(0.99),
    refused: load.refused,
    batchSize: median(servers.map(({ batchSize }) => batchSize)),
    serverLoad: (cores.usedMs - before.servers) / (seconds * 1000 * plant.cores),
    databaseLoad:
      (used(databaseCores) - before.databases) /
      (seconds * 1000 * plant.databases * (plant.databaseCores ?? plant.cores)),
  };
}

function commitOf({ commitMs }: Plant): { readonly commitMs?: number } {
  return commitMs === undefined ? {} : { commitMs };
}

function print(
  compared: ReturnType<typeof compare>,
  scenarios: readonly { readonly name: string; readonly outcome: Outcome }[],
): void {
  console.log(`Against what was measured (at most ${TOLERANCE * 100} % off)`);
  for (const { name, measuredPerSecond, outcome, ratio, isNear } of compared) {
    const figures = `measured ${measuredPerSecond.toFixed(0)}/s, simulated ${outcome.perSecond.toFixed(0)}/s`;
    console.log(`  ${name.padEnd(34)} ${figures}: ${ratio.toFixed(2)}${isNear ? "" : "  TOO FAR"}`);
  }
  console.log("What was not measured");
  for (const { name, outcome } of scenarios) {
    const { perSecond, finishedPerSecond, p50Ms, p99Ms, refused, batchSize, serverLoad, databaseLoad } = outcome;
    console.log(
      `  ${name.padEnd(50)} ${perSecond.toFixed(0)}/s accepted, ${finishedPerSecond.toFixed(0)}/s finished, ` +
        `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${refused} refused, batches of ${batchSize.toFixed(1)}, ` +
        `servers ${(serverLoad * 100).toFixed(0)} %, databases ${(databaseLoad * 100).toFixed(0)} % busy`,
    );
  }
}
