// What the benchmark of transfers found: judged against the targets and printed.
// What belongs here: judging and printing. Measuring is in transfers.ts.
import type { Verdict } from "./installation.ts";
import type { LoadResult } from "./load.ts";
import { median, megabytes, printLoad } from "./report.ts";

/** One phase of transfers and one of the yardstick. */
export type Alternation = {
  readonly nodal: LoadResult;
  /** Processor time of the server's own process during the phase, as a share of one core. */
  readonly serverCores: number;
  /** How long the dispatcher needed, after the phase, to take the rest to the bank and write the answers down. */
  readonly drainSeconds: number;
  /** The most memory that the server's process was seen to hold. */
  readonly serverPeakBytes: number;
  readonly yardstick: LoadResult;
};

/** The targets are those that the project has set itself for a machine of two cores. */
const TARGETS = { medianRatio: 2, p99Ms: 50, serverPeakBytes: 300_000_000 };

export type Summary = {
  readonly medianRatio: number;
  readonly medianPerSecond: number;
  readonly medianYardstickPerSecond: number;
  /** Transfers a second when the wait for the bank's answers, after each phase, is counted in. */
  readonly medianFinishedPerSecond: number;
  readonly worstP99Ms: number;
  readonly serverPeakBytes: number;
  readonly failedRequests: number;
  readonly acknowledgedTransfers: number;
  readonly storedTransfers: number;
  readonly verify: Verdict;
  readonly targets: typeof TARGETS;
  readonly missedTargets: readonly string[];
  /** Whether the run is sound: nothing failed, nothing was lost, the books hold. */
  readonly passed: boolean;
};

/** Puts the alternations together. The warm-up counts for what failed and what was stored, not for the rates. */
export function judge(
  warmUp: Alternation,
  alternations: readonly Alternation[],
  storedTransfers: number,
  verify: Verdict,
): Summary {
  const all = [warmUp, ...alternations];
  const failedRequests = all.reduce((sum, { nodal, yardstick }) => sum + nodal.failed + yardstick.failed, 0);
  const acknowledgedTransfers = all.reduce((sum, { nodal }) => sum + nodal.succeeded, 0);
  const found = {
    medianRatio: median(alternations.map(({ nodal, yardstick }) => nodal.perSecond / yardstick.perSecond)),
    p99Ms: Math.max(...alternations.map(({ nodal }) => nodal.p99Ms)),
    serverPeakBytes: Math.max(...all.map(({ serverPeakBytes }) => serverPeakBytes)),
  };
  return {
    medianRatio: found.medianRatio,
    medianPerSecond: median(alternations.map(({ nodal }) => nodal.perSecond)),
    medianYardstickPerSecond: median(alternations.map(({ yardstick }) => yardstick.perSecond)),
    medianFinishedPerSecond: median(
      alternations.map(({ nodal, drainSeconds }) => nodal.succeeded / (nodal.seconds + drainSeconds)),
    ),
    worstP99Ms: found.p99Ms,
    serverPeakBytes: found.serverPeakBytes,
    failedRequests,
    acknowledgedTransfers,
    storedTransfers,
    verify,
    targets: TARGETS,
    missedTargets: [
      ...(found.medianRatio < TARGETS.medianRatio ? ["medianRatio"] : []),
      ...(found.p99Ms >= TARGETS.p99Ms ? ["p99Ms"] : []),
      ...(found.serverPeakBytes >= TARGETS.serverPeakBytes ? ["serverPeakBytes"] : []),
    ],
    passed: failedRequests === 0 && acknowledgedTransfers === storedTransfers && verify.ok,
  };
}

/** Prints one alternation. */
export function printPhase(number: number, { nodal, yardstick, ...server }: Alternation): void {
  const ratio = (nodal.perSecond / yardstick.perSecond).toFixed(2);
  console.log(`Alternation ${number}: ratio ${ratio}`);
  printLoad("transfers", nodal);
  console.log(
    `    server ${server.serverCores.toFixed(2)} cores, at most ${megabytes(server.serverPeakBytes)}; ` +
      `the bank had all ${server.drainSeconds.toFixed(1)} s later`,
  );
  printLoad("yardstick", yardstick);
}

/** Prints what it comes to. */
export function printSummary(summary: Summary): void {
  const { acknowledgedTransfers, storedTransfers, verify } = summary;
  console.log(`
Median ratio      ${summary.medianRatio.toFixed(2)}  (target: at least ${TARGETS.medianRatio})
Transfers         ${Math.round(summary.medianPerSecond)}/s accepted, ${Math.round(summary.medianFinishedPerSecond)}/s to the bank's answer
Yardstick         ${Math.round(summary.medianYardstickPerSecond)}/s
Worst p99         ${summary.worstP99Ms.toFixed(1)} ms  (target: under ${TARGETS.p99Ms})
Server memory     ${megabytes(summary.serverPeakBytes)}  (target: under ${megabytes(TARGETS.serverPeakBytes)})
Failed requests   ${summary.failedRequests}
Acknowledged      ${acknowledgedTransfers}, stored ${storedTransfers}
Books             ${verify.ok ? "verified" : `BROKEN: ${JSON.stringify(verify.violations?.slice(0, 10))}`}
Targets missed    ${summary.missedTargets.join(", ") || "none"}`);
}
