// What the benchmark of invoices found: judged against the targets and printed. Measuring is in invoices.ts.
import type { Verdict } from "./installation.ts";
import type { Reads } from "./invoice-reads.ts";
import type { LoadResult } from "./load.ts";
import { megabytes, printLoad } from "./report.ts";

/** Invoices saved by one kind of request, or paid. `load` counts requests. */
export type SavePhase = {
  readonly kind: "save" | "settlement";
  readonly batch: number;
  readonly merchants: number;
  readonly load: LoadResult;
  readonly invoicesPerSecond: number;
  /** Processor time in microseconds for each invoice. */
  readonly serverCpuUs: number;
  readonly databaseCpuUs: number;
};

/** The memory of two processes at one moment. */
export type MemorySample = { readonly serverBytes: number; readonly rendererBytes: number };

export type PdfPhase = { readonly load: LoadResult; readonly samples: readonly MemorySample[] };

export type Findings = {
  readonly saves: readonly SavePhase[];
  readonly pdfs: PdfPhase;
  readonly seedSeconds: number;
  readonly reads: Reads;
  readonly verify: Verdict;
};

/**
 * `ratio` is that of a page of many invoices to one of few. Memory grows at most so much over the PDFs. Invoices that are
 * saved one by one, a second: for one merchant, and for many.
 */
const TARGETS = { ratio: 1.5, memoryGrowth: 1.1, perSecondOfOne: 1000, perSecondOfMany: 2000 };

type Growth = { readonly firstBytes: number; readonly lastBytes: number; readonly peakBytes: number };

export type Summary = {
  readonly server: Growth;
  readonly renderer: Growth;
  readonly worstRatio: number;
  readonly failedRequests: number;
  readonly targets: typeof TARGETS;
  readonly missedTargets: readonly string[];
  /** Whether the run is sound: nothing failed and the books hold. */
  readonly passed: boolean;
};

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Means of the first and the last quarter: a renderer's memory is a saw, since it is replaced now and then. */
function growthOf(bytes: readonly number[]): Growth {
  const quarter = Math.ceil(bytes.length / 4);
  return {
    firstBytes: mean(bytes.slice(0, quarter)),
    lastBytes: mean(bytes.slice(-quarter)),
    peakBytes: Math.max(...bytes),
  };
}

/** Puts the findings together. */
export function judge({ saves, pdfs, reads, verify }: Findings): Summary {
  const server = growthOf(pdfs.samples.map(({ serverBytes }) => serverBytes));
  const renderer = growthOf(pdfs.samples.map(({ rendererBytes }) => rendererBytes));
  const grows = ({ firstBytes, lastBytes }: Growth): boolean => lastBytes > firstBytes * TARGETS.memoryGrowth;
  const isSlow = ({ batch, merchants, invoicesPerSecond }: SavePhase): boolean =>
    batch === 1 && invoicesPerSecond < (merchants === 1 ? TARGETS.perSecondOfOne : TARGETS.perSecondOfMany);
  const failedRequests =
    saves.reduce((sum, { load }) => sum + load.failed, 0) + pdfs.load.failed + reads.failures.length;
  return {
    server,
    renderer,
    worstRatio: Math.max(...reads.pages.map(({ ratio }) => ratio)),
    failedRequests,
    targets: TARGETS,
    missedTargets: [
      ...saves.filter(isSlow).map(({ merchants }) => `saves one by one, ${merchants} merchant(s)`),
      ...reads.pages.filter(({ ratio }) => !(ratio <= TARGETS.ratio)).map(({ kind }) => kind),
      ...(grows(server) ? ["server memory"] : []),
      ...(grows(renderer) ? ["renderer memory"] : []),
    ],
    passed: failedRequests === 0 && verify.ok,
  };
}

export function printSaves({ kind, batch, merchants, load, invoicesPerSecond, ...cpu }: SavePhase): void {
  console.log(
    `${kind === "save" ? "Saves" : "Settlements"} of ${batch}, ${merchants} merchant(s): ${Math.round(invoicesPerSecond)} invoices/s; processor time ` +
      `${Math.round(cpu.serverCpuUs)} µs of the server and ${Math.round(cpu.databaseCpuUs)} µs of the database each`,
  );
  printLoad("requests", load);
}

export function printPdfs({ load }: PdfPhase): void {
  console.log(`PDFs: ${load.succeeded}`);
  printLoad("requests", load);
}

/** Prints what each page cost. `few` and `many` are numbers of invoices. */
export function printReads({ pages, failures }: Reads, few: number, many: number): void {
  console.log(
    `\nMilliseconds a page     ${String(few).padStart(14)} p50 p99${String(many).padStart(14)} p50 p99   ratio`,
  );
  const cell = (value: number): string => value.toFixed(2).padStart(11);
  for (const { kind, few: small, many: large, ratio } of pages) {
    const costs = [small.p50Ms, small.p99Ms, large.p50Ms, large.p99Ms].map(cell).join("");
    console.log(`${kind.padEnd(27)}${costs}${ratio.toFixed(2).padStart(8)}`);
  }
  if (failures.length > 0) console.log(`${failures.length} failed, the first: ${failures[0]}`);
}

/** Prints what it comes to. */
export function printSummary(summary: Summary, verify: Verdict): void {
  const growth = ({ firstBytes, lastBytes, peakBytes }: Growth): string =>
    `${megabytes(firstBytes)} in the first quarter of the PDFs, ${megabytes(lastBytes)} in the last, ` +
    `${megabytes(peakBytes)} at most`;
  console.log(`
Worst ratio       ${summary.worstRatio.toFixed(2)}  (target: at most ${TARGETS.ratio})
Server memory     ${growth(summary.server)}
Renderer memory   ${growth(summary.renderer)}
Failed requests   ${summary.failedRequests}
Books             ${verify.ok ? "verified" : `BROKEN: ${JSON.stringify(verify.violations?.slice(0, 10))}`}
Targets missed    ${summary.missedTargets.join(", ") || "none"}`);
}
