// How the tests run: the files beside the code, those of the whole system in test/, those of the benchmarks.
import { defineConfig } from "vitest/config";
import { PlainReporter } from "./test/support/plain-reporter.ts";

export default defineConfig({
  test: {
    include: ["{src,test,bench}/**/*.test.ts"],
    globalSetup: ["test/support/prepared-data.ts", "test/support/built-dashboard.ts"],
    pool: "forks",
    // More than the smallest machine that we test on has cores for: many tests wait most of their time.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What a test waits for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    reporters: ["default", new PlainReporter()],
  },
});
