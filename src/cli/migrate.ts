// `nodal migrate`: brings the database to the newest schema, as a start of the server does.
// What belongs here: what is printed.
import type { Command } from "commander";
import { prepareDatabase } from "../database.ts";
import { readConfig } from "../platform/config.ts";
import { answering, createCommandLogger, type Answer } from "./command.ts";
import { example } from "./output.ts";

/** Adds `migrate`. */
export function registerMigrate(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to the newest schema, creating it where there is none")
    .addHelpText("after", example("DATABASE_URL=postgres://nodal@db.example/nodal nodal migrate"))
    .action(answering(migrate));
}

async function migrate(): Promise<Answer> {
  const config = readConfig(process.env);
  const database = await prepareDatabase(config, "command", createCommandLogger(config));
  await database.release();
  const { migrations } = database;
  return {
    json: { applied: migrations },
    text: migrations.length === 0 ? "The database was up to date." : `Applied:\n${migrations.join("\n")}`,
  };
}
