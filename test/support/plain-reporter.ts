// The result of a test run for scripts: `12 passed, 0 failed, 1 skipped`, alone on its line, and a list of the failed files.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { REPOSITORY } from "./files.ts";

type Counts = { passed: number; failed: number; skipped: number; pending: number };

/**
 * Counts the tests, and prints the counts when everything else has been printed.
 *
 * Where NODAL_FAILED_FILES names a file, it gets a line for each test file that failed: the numbers of its tests that passed,
 * failed and were skipped, and its path. Errors outside of the test files are in the counts, and not in that list.
 */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const files = modules.map((module) => ({ path: relative(REPOSITORY, module.moduleId), count: countTests(module) }));
    const list = process.env["NODAL_FAILED_FILES"];
    if (list !== undefined) {
      const failed = files.filter(({ count }) => count.failed > 0);
      writeFileSync(list, failed.map(({ path, count }) => `${numbersOf(count).join(" ")} ${path}\n`).join(""));
    }
    const total: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const { count } of files)
      for (const state of Object.keys(total) as (keyof Counts)[]) total[state] += count[state];
    const [passed, failed, skipped] = numbersOf(total);
    const line = `${passed} passed, ${failed} failed${skipped! > 0 ? `, ${skipped} skipped` : ""}`;
    process.once("exit", () => process.stdout.write(`${line}\n`));
  }
}

/** A failing file or hook fails no single test, and counts as one failure. */
function countTests(module: TestModule): Counts {
  const count: Counts = { passed: 0, failed: module.errors().length, skipped: 0, pending: 0 };
  for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
  for (const test of module.children.allTests()) count[test.result().state] += 1;
  return count;
}

/** Passed, failed, skipped. */
function numbersOf(count: Counts): number[] {
  return [count.passed, count.failed, count.skipped + count.pending];
}
