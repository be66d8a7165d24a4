// Runs the tests on each mutant of the SQL: a database that has it is the template of what the tests open.
// What belongs here: databases and processes of the tests.
import { spawn } from "node:child_process";
import { createPool } from "../../src/platform/database/pool.ts";
import { createDatabase, TEMPLATE_VARIABLE } from "../../test/support/database-copy.ts";
import { SQL_TESTS, TESTS_VARIABLE } from "./groups.ts";
import type { Outcome } from "./outcome.ts";
import { listSqlMutants, type SqlMutant } from "./sql-mutants.ts";

/** A mutant that makes a test wait forever is killed all the same. */
const TIMEOUT_MS = 180_000;

/** Tries all SQL mutants, `atOnce` at a time, and returns what became of them; `tell` hears of each. */
export async function runSqlMutants(
  templateUrl: string,
  atOnce: number,
  tell: (line: string) => void,
): Promise<Outcome[]> {
  if (await isNoticed(templateUrl, SQL_TESTS)) throw new Error("The tests fail without any mutant.");
  const mutants = await listMutants(templateUrl);
  const outcomes: Outcome[] = [];
  const queue = mutants.entries();
  const work = async (): Promise<void> => {
    for (const [index, mutant] of queue) {
      const status = await tryMutant(templateUrl, mutant);
      if (status === null) continue;
      const { file, line, replacement } = mutant;
      outcomes.push({ file, line, replacement, status });
      tell(`${index + 1}/${mutants.length} ${status}: ${file}: ${line} -> ${replacement}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}

async function listMutants(templateUrl: string): Promise<SqlMutant[]> {
  const owner = createPool({ url: templateUrl, size: 1 });
  try {
    return await listSqlMutants(owner);
  } finally {
    await owner.end();
  }
}

/** What the tests make of a mutant; `null` where PostgreSQL refuses it, so that it is none. */
async function tryMutant(templateUrl: string, mutant: SqlMutant): Promise<Outcome["status"] | null> {
  const database = await createDatabase(templateUrl, templateUrl);
  try {
    const owner = createPool({ url: database.url, size: 1 });
    try {
      await owner.query(mutant.statement);
    } catch {
      return null;
    } finally {
      await owner.end();
    }
    for (const test of SQL_TESTS) if (await isNoticed(database.url, [test])) return "Killed";
    return "Survived";
  } finally {
    await database.release();
  }
}

/** Whether one of the tests fails on databases that are copies of this one. */
function isNoticed(templateUrl: string, tests: readonly string[]): Promise<boolean> {
  const environment = { ...process.env, [TEMPLATE_VARIABLE]: templateUrl, [TESTS_VARIABLE]: tests.join(",") };
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.mutation.config.ts"];
  const child = spawn(process.execPath, vitest, { env: environment, stdio: "ignore", timeout: TIMEOUT_MS });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code !== 0));
  });
}
