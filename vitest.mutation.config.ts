// How tests run for a mutant: those that `npm run mutate` names, one file after the other, until one fails.
import { defineConfig } from "vitest/config";
import { TESTS_VARIABLE } from "./scripts/mutation/groups.ts";

export default defineConfig({
  test: {
    include: process.env[TESTS_VARIABLE]?.split(",") ?? [],
    pool: "forks",
    maxWorkers: 1,
    bail: 1,
    // What hangs is ended from outside.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
