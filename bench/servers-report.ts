// What the benchmark of servers found: judged against the targets and printed. Measuring is in servers.ts.
import type { Verdict } from "./installation.ts";
import type { LoadResult } from "./load.ts";
import { median } from "./report.ts";
import { SETUPS, type SetupName } from "./server-setups.ts";

/** One phase of load. Processor time is from its beginning until the bank had the last of its transfers. */
export type Phase = {
  /** `null` where there were none. */
  readonly transfers: LoadResult | null;
  /** Of one invoice each. */
  readonly saves: LoadResult | null;
  /** How long the bank's answers to the last transfers took after the phase. */
  readonly drainSeconds: number;
  /** Of all servers and their workers. */
  readonly serverCpuSeconds: number;
  readonly databaseCpuSeconds: number;
  /** Of HAProxy; 0 where there was none. */
  readonly proxyCpuSeconds: number;
};

/** What was measured between a start of a set-up and its stop. */
export type Turn = {
  readonly setup: SetupName;
  readonly warmUp: readonly Phase[];
  readonly transfers: Phase;
  readonly saves: Phase;
  /** Both at once; `null` for a set-up on which this is not measured. */
  readonly mixed: Phase | null;
};

/** A turn of each set-up. */
export type Round = readonly Turn[];

/** What a second server or worker must keep of the throughput of one server, and the processor time it may take. */
const TARGETS = { throughput: 0.9, processorTime: 1.3 };

const LOADS = {
  transfers: { phase: "transfers", kind: "transfers", title: "transfers" },
  saves: { phase: "saves", kind: "saves", title: "invoice saves" },
  mixedTransfers: { phase: "mixed", kind: "transfers", title: "mixed: transfers" },
  mixedSaves: { phase: "mixed", kind: "saves", title: "mixed: saves" },
} as const;
type LoadName = keyof typeof LOADS;
const COMPARED = ["transfers", "saves"] as const;

/** A kind of load on a set-up; medians of the rounds. */
export type Cell = {
  readonly load: LoadName;
  readonly setup: SetupName;
  /** Transfers that the bank has answered, and invoices, a second. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time in microseconds of each request, of the mixed load's of either kind. */
  readonly serverCpuUs: number;
  readonly databaseCpuUs: number;
  readonly proxyCpuUs: number;
  /** In all rounds. */
  readonly failed: number;
};

/** A set-up as a share of one server; medians of the rounds' own ratios. */
export type Ratio = {
  readonly load: (typeof COMPARED)[number];
  readonly setup: SetupName;
  readonly throughput: number;
  /** Of servers and database. */
  readonly processorTime: number;
  readonly isMissed: boolean;
};

export type Summary = {
  readonly cells: readonly Cell[];
  readonly ratios: readonly Ratio[];
  readonly targets: typeof TARGETS;
  readonly failedRequests: number;
  readonly acknowledgedTransfers: number;
  readonly storedTransfers: number;
  readonly verify: Verdict;
  /** Whether nothing failed, nothing was lost, the books hold, and no ratio misses its target. */
  readonly passed: boolean;
};

/** Puts the rounds together. Warm-ups count for what failed and what was stored, not for the rates. */
export function judge(
  rounds: readonly Round[],
  { storedTransfers, verify }: { readonly storedTransfers: number; readonly verify: Verdict },
): Summary {
  const phases = rounds.flat().flatMap(phasesOf);
  const failedRequests = phases.reduce((sum, phase) => sum + requestsOf(phase).failed, 0);
  const acknowledgedTransfers = phases.reduce((sum, { transfers }) => sum + (transfers?.succeeded ?? 0), 0);
  const ratios = COMPARED.flatMap((load) => (["two", "workers"] as const).map((setup) => compare(rounds, load, setup)));
  return {
    cells: (Object.keys(LOADS) as LoadName[]).flatMap((load) => summarize(rounds, load)),
    ratios,
    targets: TARGETS,
    failedRequests,
    acknowledgedTransfers,
    storedTransfers,
    verify,
    passed:
      failedRequests === 0 &&
      acknowledgedTransfers === storedTransfers &&
      verify.ok &&
      ratios.every(({ isMissed }) => !isMissed),
  };
}

function phasesOf({ warmUp, transfers, saves, mixed }: Turn): Phase[] {
  return [...warmUp, transfers, saves, ...(mixed ? [mixed] : [])];
}

/** Of both kinds. */
function requestsOf({ transfers, saves }: Phase): { readonly succeeded: number; readonly failed: number } {
  return {
    succeeded: (transfers?.succeeded ?? 0) + (saves?.succeeded ?? 0),
    failed: (transfers?.failed ?? 0) + (saves?.failed ?? 0),
  };
}

function summarize(rounds: readonly Round[], load: LoadName): Cell[] {
  return (Object.keys(SETUPS) as SetupName[]).flatMap((setup) => {
    const cells = rounds.flatMap((round) => cellOf(turnOf(round, setup), load) ?? []);
    if (cells.length === 0) return [];
    const middle = (read: (cell: Cell) => number): number => median(cells.map(read));
    return {
      load,
      setup,
      perSecond: middle(({ perSecond }) => perSecond),
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      serverCpuUs: middle(({ serverCpuUs }) => serverCpuUs),
      databaseCpuUs: middle(({ databaseCpuUs }) => databaseCpuUs),
      proxyCpuUs: middle(({ proxyCpuUs }) => proxyCpuUs),
      failed: cells.reduce((sum, { failed }) => sum + failed, 0),
    };
  });
}

function turnOf(round: Round, setup: SetupName): Turn {
  return round.find((turn) => turn.setup === setup)!;
}

function cellOf(turn: Turn, load: LoadName): Cell | null {
  const { phase: phaseName, kind } = LOADS[load];
  const phase = turn[phaseName];
  const result = phase?.[kind];
  if (!phase || !result) return null;
  const each = (seconds: number): number => (seconds * 1e6) / requestsOf(phase).succeeded;
  return {
    load,
    setup: turn.setup,
    perSecond: kind === "transfers" ? result.succeeded / (result.seconds + phase.drainSeconds) : result.perSecond,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    serverCpuUs: each(phase.serverCpuSeconds),
    databaseCpuUs: each(phase.databaseCpuSeconds),
    proxyCpuUs: each(phase.proxyCpuSeconds),
    failed: result.failed,
  };
}

const cpuUs = ({ serverCpuUs, databaseCpuUs }: Cell): number => serverCpuUs + databaseCpuUs;

function compare(rounds: readonly Round[], load: Ratio["load"], setup: SetupName): Ratio {
  const middle = (read: (cell: Cell) => number): number =>
    median(
      rounds.map((round) => read(cellOf(turnOf(round, setup), load)!) / read(cellOf(turnOf(round, "one"), load)!)),
    );
  const throughput = middle(({ perSecond }) => perSecond);
  const processorTime = middle(cpuUs);
  const isMissed = throughput < TARGETS.throughput || processorTime > TARGETS.processorTime;
  return { load, setup, throughput, processorTime, isMissed };
}

/** Prints what a turn found, and what the first request was answered that failed. */
export function printTurn(number: number, turn: Turn): void {
  console.log(`Round ${number}, ${SETUPS[turn.setup]}`);
  for (const load of Object.keys(LOADS) as LoadName[]) {
    const cell = cellOf(turn, load);
    if (cell) console.log(lineOf(cell, LOADS[load].title));
  }
  const failures = phasesOf(turn).flatMap(({ transfers, saves }) => [transfers?.firstFailure, saves?.firstFailure]);
  for (const failure of failures) if (failure) console.log(`    first failure of a phase: ${failure}`);
}

/** Prints the medians, and the ratios with their targets. */
export function printSummary(summary: Summary): void {
  console.log("\nMedians");
  for (const cell of summary.cells) {
    console.log(lineOf(cell, `${LOADS[cell.load].title}, ${SETUPS[cell.setup]}`));
  }
  const { throughput: least, processorTime: most } = TARGETS;
  console.log(`\nShare of one server (at least ${least} of its throughput, at most ${most} of its processor time)`);
  for (const { load, setup, throughput, processorTime, isMissed } of summary.ratios) {
    console.log(
      `  ${`${LOADS[load].title}, ${SETUPS[setup]}`.padEnd(30)}throughput ${throughput.toFixed(2)}` +
        `  processor time ${processorTime.toFixed(2)}${isMissed ? "  MISSED" : ""}`,
    );
  }
  const { failedRequests, acknowledgedTransfers, storedTransfers, verify } = summary;
  console.log(`
Failed requests   ${failedRequests}
Acknowledged      ${acknowledgedTransfers}, stored ${storedTransfers}
Books             ${verify.ok ? "verified" : `BROKEN: ${JSON.stringify(verify.violations?.slice(0, 10))}`}
Passed            ${summary.passed ? "yes" : "NO"}`);
}

function lineOf(cell: Cell, title: string): string {
  const { serverCpuUs, databaseCpuUs, proxyCpuUs } = cell;
  const proxy = proxyCpuUs > 0 ? `; HAProxy ${Math.round(proxyCpuUs)}` : "";
  return (
    `  ${title.padEnd(30)}${Math.round(cell.perSecond).toString().padStart(6)}/s` +
    `  p50 ${cell.p50Ms.toFixed(1)} ms  p99 ${cell.p99Ms.toFixed(1)} ms` +
    `  processor time ${Math.round(cpuUs(cell))} µs each (${Math.round(serverCpuUs)} + ${Math.round(databaseCpuUs)}${proxy})` +
    `  failed ${cell.failed}`
  );
}
