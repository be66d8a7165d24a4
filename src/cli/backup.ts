// `nodal backup`: the whole database in one file, while the server goes on.
// What belongs here: options and what is printed. The work is done in platform/database/backup.
import type { Command } from "commander";
import { openExistingDatabase } from "../database.ts";
import { ConfigError, readConfig, type Config } from "../platform/config.ts";
import { writeBackup } from "../platform/database/backup.ts";
import { requiredText } from "../platform/http/fields.ts";
import { answering, withOwnDatabase, type Answer } from "./command.ts";
import { optionsOf, type GivenOptions } from "./options.ts";
import { example, formatRecord } from "./output.ts";

const MAX_PATH_LENGTH = 4096;
/** What can be tried offline must not be guessed. */
const MIN_PASSPHRASE_LENGTH = 12;

const readOptions = optionsOf({ out: requiredText(MAX_PATH_LENGTH) });

/** Adds `backup`. */
export function registerBackup(program: Command): void {
  program
    .command("backup")
    .description("write the whole database, as it is at one moment, to a file; the server goes on meanwhile")
    .option("--out <file>", "the file to write, which must not exist: 1 to 4096 characters")
    .option("--encrypt", "encrypt it with the passphrase in NODAL_BACKUP_PASSPHRASE")
    .addHelpText("after", example("nodal backup --out /backups/nodal-2026-11-21.backup --encrypt"))
    .action(answering(backUp));
}

async function backUp(given: GivenOptions): Promise<Answer> {
  const { out } = readOptions(given);
  const config = readConfig(process.env);
  const passphrase = given["encrypt"] === undefined ? null : requirePassphrase(config);
  const { manifest, file, bytes } = await withOwnDatabase(config, openExistingDatabase, (ownerPool) =>
    writeBackup(ownerPool, { file: out, passphrase }),
  );
  const json = {
    file,
    bytes,
    encrypted: passphrase !== null,
    taken_at: manifest.taken_at,
    tables: manifest.tables.length,
    rows: manifest.tables.reduce((rows, table) => rows + table.rows, 0),
    migration: manifest.migrations.at(-1)!.name,
  };
  return { json, text: formatRecord(json) };
}

/** The passphrase of a new backup. The error must not show what was given. */
function requirePassphrase({ NODAL_BACKUP_PASSPHRASE: passphrase }: Config): string {
  if (passphrase !== null && passphrase.length >= MIN_PASSPHRASE_LENGTH) return passphrase;
  throw new ConfigError(
    "NODAL_BACKUP_PASSPHRASE",
    `must hold ${MIN_PASSPHRASE_LENGTH} characters or more for --encrypt.`,
  );
}
