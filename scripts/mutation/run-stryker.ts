// Runs Stryker on a group of files with the group's tests.
// What belongs here: Stryker's options, and its results as outcomes.
import { readFileSync } from "node:fs";
import { Stryker } from "@stryker-mutator/core";
import { TESTS_VARIABLE, type Group } from "./groups.ts";
import type { Outcome } from "./outcome.ts";

/** A mutant's tests may take this much longer than without it before it counts as hanging. */
const TIMEOUT_MS = 20_000;

/** Tries all mutants of a group's files, `atOnce` at a time. Mutants that do not compile are left out. */
export async function runStryker({ files, tests }: Group, atOnce: number): Promise<Outcome[]> {
  process.env[TESTS_VARIABLE] = tests.join(",");
  // Read first: somebody may go on working while this runs.
  const lines = new Map(Object.keys(files).map((file) => [file, readFileSync(file, "utf8").split("\n")]));
  const stryker = new Stryker({
    mutate: Object.keys(files),
    testRunner: "vitest",
    plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
    vitest: { configFile: "vitest.mutation.config.ts", related: false },
    concurrency: atOnce,
    timeoutMS: TIMEOUT_MS,
    reporters: ["progress-append-only"],
    ignorePatterns: ["bench", "web", "data", "docs"],
    tempDirName: ".stryker-tmp",
    cleanTempDir: "always",
  });
  const results = await stryker.runMutationTest();
  return results.flatMap(({ fileName, location, replacement, status }): Outcome[] => {
    if (status !== "Killed" && status !== "Timeout" && status !== "Survived" && status !== "NoCoverage") return [];
    const file = fileName.slice(process.cwd().length + 1);
    const line = lines.get(file)![location.start.line - 1]!.trim();
    return [{ file, line, replacement, status }];
  });
}
