// `npm run mutate [-- GROUP…]`: plants mistakes in money, tax and date code and in the ledger's SQL, and reports which of
// them no test notices. What belongs here: options, the database of the run, and the report's place in docs/mutation.md.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openTemplate, TEMPLATE_VARIABLE } from "../test/support/database-copy.ts";
import { GROUPS } from "./mutation/groups.ts";
import type { Outcome } from "./mutation/outcome.ts";
import { describeOutcomes } from "./mutation/report.ts";
import { runSqlMutants } from "./mutation/run-sql.ts";
import { runStryker } from "./mutation/run-stryker.ts";

const PAGE = "docs/mutation.md";
/** What follows this line in the page is written by a run of all groups. */
const RESULT_HEADING = "## Result\n";
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

async function run(groups: readonly string[], atOnce: number): Promise<Outcome[]> {
  const template = await openTemplate();
  process.env[TEMPLATE_VARIABLE] = template.url;
  try {
    const outcomes: Outcome[] = [];
    for (const group of GROUPS.filter(({ name }) => groups.includes(name))) {
      outcomes.push(...(await runStryker(group, atOnce)));
    }
    if (groups.includes(SQL)) outcomes.push(...(await runSqlMutants(template.url, atOnce, console.error)));
    return outcomes;
  } finally {
    await template.release();
  }
}

try {
  const { groups, atOnce } = readArguments();
  const outcomes = await run(groups, atOnce);
  const { text, isGood } = describeOutcomes(outcomes, Temporal.Now.plainDateISO().toString());
  process.stdout.write(text);
  if (groups.length === NAMES.length) {
    const [page] = readFileSync(PAGE, "utf8").split(RESULT_HEADING, 1);
    writeFileSync(PAGE, `${page!}${RESULT_HEADING}\n${text}`);
  }
  process.exitCode = isGood ? 0 : 1;
} catch (error) {
  console.error(`mutate: ${(error as Error).message}`);
  process.exitCode = 2;
}
