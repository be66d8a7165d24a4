// What every benchmark's report has in common: the machine, a line for a phase of load, and the file of results. What a
// benchmark makes of its numbers is in its own report.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CITUS_URL } from "../test/support/citus.ts";
import type { LoadResult } from "./load.ts";

/** These say themselves what they run on. */
const WITHOUT_INSTALLATION = ["citus", "queueing", "start"];
const RESULTS_DIR = join(import.meta.dirname, "results");

/** The code that the numbers are from, with a `+` where it was changed since; `null` where it is no working copy. */
export async function describeCommit(): Promise<string | null> {
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)("git", args, { cwd: import.meta.dirname });
    return stdout.trim();
  };
  try {
    // Results of other benchmarks change nothing that is measured.
    const changes = await git("status", "--porcelain", "--", ":/", ":!/bench/results");
    return `${await git("rev-parse", "HEAD")}${changes === "" ? "" : "+"}`;
  } catch {
    return null;
  }
}

/** The machine that the numbers are from. */
function describeMachine(): object {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${platform()} ${release()}`,
    node: process.version,
  };
}

/** Prints what a phase of load came to. */
export function printLoad(name: string, load: LoadResult): void {
  console.log(
    `  ${name.padEnd(10)}${Math.round(load.perSecond).toString().padStart(7)}/s` +
      `  p50 ${load.p50Ms.toFixed(1)} ms  p99 ${load.p99Ms.toFixed(1)} ms  max ${load.maxMs.toFixed(0)} ms` +
      `  failed ${load.failed}  (load ${load.loadCores.toFixed(2)} cores)`,
  );
  if (load.firstFailure !== null) console.log(`    first failure: ${load.firstFailure}`);
}

/** The value in the middle, or between the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)]!;
  return (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/**
 * Writes everything to the results' file of a benchmark, with the date, the machine and the commit. What was measured on Citus,
 * by a benchmark that is not about it, has a file beside the one that is kept.
 */
export async function writeReport(name: string, report: object): Promise<void> {
  const benchmark = CITUS_URL === null || WITHOUT_INSTALLATION.includes(name) ? name : `${name}-on-citus`;
  await mkdir(RESULTS_DIR, { recursive: true });
  const origin = { date: new Date().toISOString(), commit: await describeCommit(), machine: describeMachine() };
  const dated = { benchmark, ...origin, ...report };
  await writeFile(join(RESULTS_DIR, `${benchmark}.json`), `${JSON.stringify(dated, null, 2)}\n`);
  console.log(`Written to bench/results/${benchmark}.json`);
}
