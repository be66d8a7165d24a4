// Runs the test files of a mutant's group one after the other, until one fails.
import { defineConfig } from "vitest/config";
import { TESTS_VARIABLE } from "./scripts/mutation-groups.ts";

export default defineConfig({
  test: {
    include: process.env[TESTS_VARIABLE]?.split(",") ?? [],
    pool: "forks",
    maxWorkers: 1,
    bail: 1,
    // Stryker ends tests that hang.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
