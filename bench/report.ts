// What every benchmark's report has in common: the machine, a line for a phase of load, and the file of results.
// What belongs here: printing and writing. What a benchmark makes of its numbers is in its own report.
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import type { LoadResult } from "./load.ts";

const RESULTS_DIR = join(import.meta.dirname, "results");

/** The machine that the numbers are from. */
export function describeMachine(): object {
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

/** Writes everything to the results' file of a benchmark. */
export async function writeReport(benchmark: string, report: object): Promise<void> {
  await mkdir(RESULTS_DIR, { recursive: true });
  const dated = { benchmark, date: new Date().toISOString(), ...report };
  await writeFile(join(RESULTS_DIR, `${benchmark}.json`), `${JSON.stringify(dated, null, 2)}\n`);
  console.log(`Written to bench/results/${benchmark}.json`);
}
