// How the tests run: the files beside the code, those of the whole system in test/, those of the benchmarks.
import { defineConfig } from "vitest/config";
import { PlainReporter } from "./test/support/plain-reporter.ts";

export default defineConfig({
  test: {
    include: ["{src,test,bench}/**/*.test.ts"],
    pool: "forks",
    // Two at once is what the smallest machine that we test on has cores for.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ["default", new PlainReporter()],
  },
});
