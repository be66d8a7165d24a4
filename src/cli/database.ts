// `nodal database`: where the installation's database is, for psql, backups and tests.
// What belongs here: finding it, and whether it answers.
import type { Command } from "commander";
import { requireDatabaseUrl } from "../database.ts";
import { readConfig } from "../platform/config.ts";
import { createPool, ping } from "../platform/database/pool.ts";
import { answering, type Answer } from "./command.ts";
import { example, formatRecord } from "./output.ts";

/** Adds `database`. */
export function registerDatabase(program: Command): void {
  program
    .command("database")
    .description("print the URL of the database in use, as its owner, and whether it runs; starts nothing")
    .addHelpText("after", example('psql "$(nodal database --json | jq -r .url)"'))
    .action(answering(describeDatabase));
}

async function describeDatabase(): Promise<Answer> {
  const url = await requireDatabaseUrl(readConfig(process.env));
  const json = { url, running: await answers(url) };
  return { json, text: formatRecord(json) };
}

async function answers(url: string): Promise<boolean> {
  const pool = createPool({ url, size: 1 });
  try {
    await ping(pool);
    return true;
  } catch {
    return false;
  } finally {
    await pool.end();
  }
}
