// How the tests run: the files beside the code, those of the whole system in test/, those of the benchmarks. Which of them
// in which run is in test/support/test-set.ts.
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";
import { PlainReporter } from "./test/support/plain-reporter.ts";
import { testFiles } from "./test/support/test-set.ts";

/** The files that take longest come first, or the last of them would run alone at the end. */
const LONG = /\/test\/(crash|browser)\/|\/test\/(backup-schemas|cli|secrets-keys|fuzz\/fuzz)\.test|\/embedded\.test/;

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLate = ({ moduleId }: TestSpecification): number => (LONG.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => isLate(a) - isLate(b));
  }
}

export default defineConfig({
  test: {
    include: [...testFiles.include],
    exclude: ["**/node_modules/**", ...testFiles.exclude],
    globalSetup: ["test/support/prepared-data.ts", "test/support/built-dashboard.ts"],
    pool: "forks",
    // More than the smallest machine that we test on has cores for: many tests wait most of their time.
    maxWorkers: 4,
    sequence: { sequencer: LongOnesFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What a test waits for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    reporters: ["default", new PlainReporter()],
  },
});
