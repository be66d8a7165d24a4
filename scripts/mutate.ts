// `npm run mutate [-- GROUP…]`: plants mistakes in money, tax and date code and in the ledger's SQL, and reports which
// of them no test notices. What belongs here: options, the database of the run, and the report's place in
// docs/mutation.md.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openTemplate, TEMPLATE_VARIABLE } from "../test/support/database-copy.ts";
import { GROUPS } from "./mutation/groups.ts";
import { describeOutcomes, replaceReport } from "./mutation/report.ts";
import { runSqlMutants } from "./mutation/run-sql.ts";
import { runStryker } from "./mutation/run-stryker.ts";

const PAGE = "docs/mutation.md";
const SQL = "sql";
const NAMES = [...GROUPS.map(({ name }) => name), SQL];

function readArguments(): { groups: readonly string[]; atOnce: number } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { concurrency: { type: "string", default: "2" } },
  });
  const unknown = positionals.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`there is no group ${unknown}: name some of ${NAMES.join(", ")}`);
  if (!/^[1-9]$/.test(values.concurrency)) throw new Error("--concurrency must be a number from 1 to 9");
  return { groups: positionals.length > 0 ? positionals : NAMES, atOnce: Number(values.concurrency) };
}

/** Runs one group and writes its report into the page. Returns whether it is good. */
async function runGroup(name: string, atOnce: number, templateUrl: string): Promise<boolean> {
  const group = GROUPS.find((each) => each.name === name);
  const outcomes = group
    ? await runStryker(group, atOnce)
    : await runSqlMutants(templateUrl, atOnce, (line) => console.error(line));
  const { text, isGood } = describeOutcomes(outcomes, Temporal.Now.plainDateISO().toString());
  writeFileSync(PAGE, replaceReport(readFileSync(PAGE, "utf8"), name, text));
  console.log(`${name}: ${isGood ? "good" : "NOT GOOD"}\n\n${text}`);
  return isGood;
}

async function run(groups: readonly string[], atOnce: number): Promise<boolean> {
  const template = await openTemplate();
  process.env[TEMPLATE_VARIABLE] = template.url;
  // An interrupted run leaves no PostgreSQL behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void template.release().finally(() => process.exit(130)));
  }
  try {
    let areGood = true;
    for (const name of groups) areGood = (await runGroup(name, atOnce, template.url)) && areGood;
    return areGood;
  } finally {
    await template.release();
  }
}

try {
  const { groups, atOnce } = readArguments();
  process.exitCode = (await run(groups, atOnce)) ? 0 : 1;
} catch (error) {
  console.error(`mutate: ${(error as Error).message}`);
  process.exitCode = 2;
}
