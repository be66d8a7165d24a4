// `npm run mutate [-- GROUP…]`: runs Stryker on the code of money, tax, dates and the ledger, one group of files after the
// other, and fails if tests notice fewer than 90 % of a group's mutants.
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { openTemplate, TEMPLATE_VARIABLE } from "../test/support/database-copy.ts";
import { GROUPS, LEAST_SCORE, TESTS_VARIABLE, type Group } from "./mutation-groups.ts";

/** How much longer than without a mutation a mutant's tests may take before it counts as hanging, and so as noticed. */
const TIMEOUT_MS = 20_000;

function readArguments(): { groups: readonly Group[]; concurrency: number } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { concurrency: { type: "string", default: "2" } },
  });
  const names = GROUPS.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no group ${unknown}: name some of ${names.join(", ")}`);
  if (!/^[1-9]$/.test(values.concurrency)) throw new Error("--concurrency must be a number from 1 to 9");
  const groups = GROUPS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { groups, concurrency: Number(values.concurrency) };
}

/** Tries all mutants of a group, and lists those that no test notices. Sets the process's exit code if the score is too low. */
async function mutate({ name, files, tests }: Group, concurrency: number): Promise<void> {
  console.log(`\nGroup ${name}`);
  process.env[TESTS_VARIABLE] = tests.join(",");
  await new Stryker({
    mutate: Object.keys(files),
    testRunner: "vitest",
    plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
    vitest: { configFile: "vitest.mutation.config.ts", related: false },
    concurrency,
    timeoutMS: TIMEOUT_MS,
    thresholds: { high: 95, low: LEAST_SCORE, break: LEAST_SCORE },
    reporters: ["progress-append-only", "clear-text"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    ignorePatterns: ["bench", "web", "data", "docs"],
    tempDirName: ".stryker-tmp",
    cleanTempDir: "always",
  }).runMutationTest();
}

async function run({ groups, concurrency }: ReturnType<typeof readArguments>): Promise<void> {
  const template = await openTemplate();
  process.env[TEMPLATE_VARIABLE] = template.url;
  // An interrupted run leaves no PostgreSQL behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void template.release().finally(() => process.exit(130)));
  }
  try {
    for (const group of groups) await mutate(group, concurrency);
  } finally {
    await template.release();
  }
}

try {
  await run(readArguments());
} catch (error) {
  console.error(`mutate: ${(error as Error).message}`);
  process.exitCode = 2;
}
