// The last line of a test run, for scripts: `12 passed, 0 failed, 1 skipped`, alone on its line.
// What belongs here: counting. What people read comes from vitest's own reporter.
import type { Reporter, TestModule } from "vitest/node";

/** Counts the tests, and prints the counts when everything else has been printed. */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A file or hook that breaks fails no single test, and must count all the same.
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    const skipped = count.skipped + count.pending;
    const line = `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    process.once("exit", () => process.stdout.write(`${line}\n`));
  }
}
