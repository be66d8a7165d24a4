// What the benchmark of transfers found: judged against the targets and printed. Measuring is in transfers.ts.
import type { Verdict } from "./installation.ts";
import type { LoadResult } from "./load.ts";
import { median, megabytes, printLoad } from "./report.ts";
import type { YardstickResult } from "./yardstick.ts";

/** One phase of transfers. Processor time is from its beginning until the bank had the last of them. */
export type Phase = {
  readonly load: LoadResult;
  /** How long the dispatcher needed, after the phase, to take the rest to the bank and write the answers down. */
  readonly drainSeconds: number;
  readonly serverCpuSeconds: number;
  readonly databaseCpuSeconds: number;
  /** The server's memory, every half a second. */
  readonly residentBytes: readonly number[];
};

/** Transfers to the bank's answer, transfers accepted alone, and the plain transaction, over as many connections. */
export type Round = {
  readonly connections: number;
  readonly whole: Phase;
  readonly acceptance: Phase;
  readonly yardstick: YardstickResult & { readonly databaseCpuSeconds: number };
};

/** The targets are those that the project has set itself for a machine of two cores. */
const TARGETS = {
  wholeRatio: 1.5,
  acceptanceRatio: 2.5,
  cpuRatio: 0.6,
  singleRatio: 0.8,
  p99Ms: 50,
  serverPeakBytes: 300_000_000,
  bytesPerTransfer: 1536,
};

/** Of the rounds with one number of connections; medians. */
export type RoundSummary = {
  readonly connections: number;
  readonly wholeRatio: number;
  readonly acceptanceRatio: number;
  readonly finishedPerSecond: number;
  readonly acceptedPerSecond: number;
  readonly yardstickPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly yardstickP99Ms: number;
  /** Processor time in microseconds for each finished transfer, and for each transaction with its client. */
  readonly serverCpuUs: number;
  readonly databaseCpuUs: number;
  readonly acceptanceCpuUs: number;
  readonly yardstickCpuUs: number;
  readonly cpuRatio: number;
};

export type Summary = {
  readonly rounds: readonly RoundSummary[];
  readonly worstP99Ms: number;
  readonly serverPeakBytes: number;
  /** The server's memory in the four quarters of the long phase, medians; `null` where there was none. */
  readonly memoryQuartersBytes: readonly number[] | null;
  readonly bytesPerTransfer: number;
  readonly failedRequests: number;
  readonly acknowledgedTransfers: number;
  readonly storedTransfers: number;
  readonly verify: Verdict;
  readonly targets: typeof TARGETS;
  readonly missedTargets: readonly string[];
  /** Whether the run is sound: nothing failed, nothing was lost, the books hold. */
  readonly passed: boolean;
};

type Findings = {
  readonly warmUp: Round;
  readonly rounds: readonly Round[];
  readonly memory: Phase | null;
  readonly storedTransfers: number;
  readonly bytesPerTransfer: number;
  readonly verify: Verdict;
};

const perSecondFinished = ({ load, drainSeconds }: Phase): number => load.succeeded / (load.seconds + drainSeconds);
const microseconds = (seconds: number, count: number): number => (seconds * 1e6) / count;
const cpuUs = ({ serverCpuSeconds, databaseCpuSeconds, load }: Phase): number =>
  microseconds(serverCpuSeconds + databaseCpuSeconds, load.succeeded);
const yardstickCpuUs = ({ yardstick }: Round): number =>
  microseconds(yardstick.clientCpuSeconds + yardstick.databaseCpuSeconds, yardstick.succeeded);

/** Puts the rounds together. The warm-up counts for what failed and what was stored, not for the rates. */
export function judge({ warmUp, rounds, memory, storedTransfers, bytesPerTransfer, verify }: Findings): Summary {
  const phases = [warmUp, ...rounds].flatMap(({ whole, acceptance }) => [whole, acceptance]).concat(memory ?? []);
  const failedRequests = phases.reduce((sum, { load }) => sum + load.failed, 0);
  const acknowledgedTransfers = [...[warmUp, ...rounds].map(({ whole }) => whole), ...(memory ? [memory] : [])].reduce(
    (sum, { load }) => sum + load.succeeded,
    0,
  );
  const connections = [...new Set(rounds.map((round) => round.connections))];
  const summaries = connections.map((each) => summarize(rounds.filter((round) => round.connections === each)));
  const worstP99Ms = Math.max(...rounds.map(({ whole }) => whole.load.p99Ms));
  const serverPeakBytes = Math.max(...phases.flatMap(({ residentBytes }) => residentBytes));
  const many = summaries[0]!;
  const single = summaries.find((summary) => summary.connections === 1)!;
  const missed: Readonly<Record<keyof typeof TARGETS, boolean>> = {
    wholeRatio: many.wholeRatio < TARGETS.wholeRatio,
    acceptanceRatio: many.acceptanceRatio < TARGETS.acceptanceRatio,
    cpuRatio: many.cpuRatio > TARGETS.cpuRatio,
    singleRatio: single.wholeRatio < TARGETS.singleRatio,
    p99Ms: worstP99Ms >= TARGETS.p99Ms,
    serverPeakBytes: serverPeakBytes >= TARGETS.serverPeakBytes,
    bytesPerTransfer: bytesPerTransfer > TARGETS.bytesPerTransfer,
  };
  return {
    rounds: summaries,
    worstP99Ms,
    serverPeakBytes,
    memoryQuartersBytes: memory && quarters(memory.residentBytes),
    bytesPerTransfer: Math.round(bytesPerTransfer),
    failedRequests,
    acknowledgedTransfers,
    storedTransfers,
    verify,
    targets: TARGETS,
    missedTargets: Object.entries(missed).flatMap(([name, isMissed]) => (isMissed ? [name] : [])),
    passed: failedRequests === 0 && acknowledgedTransfers === storedTransfers && verify.ok,
  };
}

function summarize(rounds: readonly Round[]): RoundSummary {
  const middle = (read: (round: Round) => number): number => median(rounds.map(read));
  return {
    connections: rounds[0]!.connections,
    wholeRatio: middle((round) => perSecondFinished(round.whole) / round.yardstick.perSecond),
    acceptanceRatio: middle((round) => round.acceptance.load.perSecond / round.yardstick.perSecond),
    finishedPerSecond: middle((round) => perSecondFinished(round.whole)),
    acceptedPerSecond: middle((round) => round.acceptance.load.perSecond),
    yardstickPerSecond: middle((round) => round.yardstick.perSecond),
    p50Ms: middle((round) => round.whole.load.p50Ms),
    p99Ms: middle((round) => round.whole.load.p99Ms),
    yardstickP99Ms: middle((round) => round.yardstick.p99Ms),
    serverCpuUs: middle(({ whole }) => microseconds(whole.serverCpuSeconds, whole.load.succeeded)),
    databaseCpuUs: middle(({ whole }) => microseconds(whole.databaseCpuSeconds, whole.load.succeeded)),
    acceptanceCpuUs: middle((round) => cpuUs(round.acceptance)),
    yardstickCpuUs: middle(yardstickCpuUs),
    cpuRatio: middle((round) => cpuUs(round.whole) / yardstickCpuUs(round)),
  };
}

function quarters(samples: readonly number[]): number[] {
  const length = Math.ceil(samples.length / 4);
  return [0, 1, 2, 3].map((quarter) => median(samples.slice(quarter * length, (quarter + 1) * length)));
}

/** Prints one round. */
export function printRound(number: number, round: Round): void {
  const { connections, whole, acceptance, yardstick } = round;
  const ratio = (perSecondFinished(whole) / yardstick.perSecond).toFixed(2);
  const acceptanceRatio = (acceptance.load.perSecond / yardstick.perSecond).toFixed(2);
  console.log(`Alternation ${number}, ${connections} connections: finished ${ratio}, accepted ${acceptanceRatio}`);
  printLoad("transfers", whole.load);
  console.log(
    `    processor time ${Math.round(cpuUs(whole))} µs each; at most ` +
      `${megabytes(Math.max(...whole.residentBytes))}; the bank had all ${whole.drainSeconds.toFixed(1)} s later`,
  );
  printLoad("accepted", acceptance.load);
  console.log(
    `  yardstick ${Math.round(yardstick.perSecond).toString().padStart(7)}/s` +
      `  p50 ${yardstick.p50Ms.toFixed(1)} ms  p99 ${yardstick.p99Ms.toFixed(1)} ms` +
      `  processor time ${Math.round(yardstickCpuUs(round))} µs each`,
  );
}

/** Prints what it comes to. */
export function printSummary(summary: Summary): void {
  for (const round of summary.rounds) {
    console.log(`
${round.connections} connections, medians
  Finished        ${round.wholeRatio.toFixed(2)} of the yardstick: ${Math.round(round.finishedPerSecond)}/s, p50 ${round.p50Ms.toFixed(1)} ms, p99 ${round.p99Ms.toFixed(1)} ms
  Accepted alone  ${round.acceptanceRatio.toFixed(2)}: ${Math.round(round.acceptedPerSecond)}/s, ${Math.round(round.acceptanceCpuUs)} µs of processor time each
  Yardstick       ${Math.round(round.yardstickPerSecond)}/s, p99 ${round.yardstickP99Ms.toFixed(1)} ms
  Processor time  ${round.cpuRatio.toFixed(2)}: server ${Math.round(round.serverCpuUs)} + database ${Math.round(round.databaseCpuUs)} µs each; yardstick ${Math.round(round.yardstickCpuUs)} µs, pgbench included`);
  }
  const { acknowledgedTransfers, storedTransfers, verify, memoryQuartersBytes } = summary;
  console.log(`
Targets           ${JSON.stringify(TARGETS)}
Worst p99         ${summary.worstP99Ms.toFixed(1)} ms
Server memory     at most ${megabytes(summary.serverPeakBytes)}${memoryQuartersBytes ? `; by quarters of ten minutes ${memoryQuartersBytes.map(megabytes).join(", ")}` : ""}
On disk           ${summary.bytesPerTransfer} bytes for each finished transfer, indexes included
Failed requests   ${summary.failedRequests}
Acknowledged      ${acknowledgedTransfers}, stored ${storedTransfers}
Books             ${verify.ok ? "verified" : `BROKEN: ${JSON.stringify(verify.violations?.slice(0, 10))}`}
Targets missed    ${summary.missedTargets.join(", ") || "none"}`);
}
