// `nodal backup` and `nodal restore`: back up the whole database to one file, and restore it.
import { describeDatabase, openExistingDatabase, openForRestore } from "../database.ts";
import { recordRun, restoreInstallation } from "../installation/index.ts";
import { ConfigError, type Config } from "../platform/config.ts";
import { checkRestorable, openBackup, writeBackup } from "../platform/database/backup.ts";
import { requiredText } from "../platform/http/fields.ts";
import { readSettings } from "../platform/settings-file.ts";
import { command, flag, option } from "./command.ts";
import { createCommandLogger, withOwnDatabase } from "./on-database.ts";
import { formatRecord, recordAnswer } from "./output.ts";
import { answerFindings } from "./verify.ts";

const MAX_PATH_LENGTH = 4096;
/** A passphrase that can be tried offline must not be guessable. */
const MIN_PASSPHRASE_LENGTH = 12;

export const backup = command(
  {
    description: "write a consistent copy of the database to a file; the server keeps running",
    example: "nodal backup --out /backups/nodal-2026-11-21.backup --encrypt",
    options: {
      out: option(
        "<file>",
        "the file to write, which must not exist: 1 to 4096 characters",
        requiredText(MAX_PATH_LENGTH),
      ),
      encrypt: flag("encrypt it with the passphrase in NODAL_BACKUP_PASSPHRASE"),
    },
  },
  async ({ out, encrypt }) => {
    const config = readSettings(process.env);
    const passphrase = encrypt ? requirePassphrase(config) : null;
    const { manifest, file, bytes } = await withOwnDatabase(config, openExistingDatabase, (pool) =>
      recordRun({ pool, logger: createCommandLogger(config) }, "backup", () =>
        writeBackup(pool, { file: out, passphrase }),
      ),
    );
    return recordAnswer({
      database: describeDatabase(config),
      file,
      bytes,
      encrypted: passphrase !== null,
      taken_at: manifest.taken_at,
      tables: manifest.tables.length,
      rows: manifest.tables.reduce((rows, table) => rows + table.rows, 0),
      migration: manifest.migrations.at(-1)!.name,
    });
  },
);

/** The passphrase of a new backup. The error must not show it. */
function requirePassphrase({ NODAL_BACKUP_PASSPHRASE: passphrase }: Config): string {
  if (passphrase !== null && passphrase.length >= MIN_PASSPHRASE_LENGTH) return passphrase;
  throw new ConfigError(
    "NODAL_BACKUP_PASSPHRASE",
    `must have at least ${MIN_PASSPHRASE_LENGTH} characters for --encrypt.`,
  );
}

export const restore = command(
  {
    description: "load a backup into an empty DATA_DIR or DATABASE_URL and verify it; exit 1 if a check fails",
    example: "DATA_DIR=/srv/nodal/data nodal restore --from /backups/nodal-2026-11-21.backup",
    options: {
      from: option("<file>", "a file that `nodal backup` wrote: 1 to 4096 characters", requiredText(MAX_PATH_LENGTH)),
    },
  },
  async ({ from }) => {
    const config = readSettings(process.env);
    // The file and the release are checked before the database is created.
    const file = await openBackup(from, config.NODAL_BACKUP_PASSPHRASE);
    await checkRestorable(file);
    return withOwnDatabase(config, openForRestore, async (ownerPool, secrets) => {
      const { migrated, skippedTables, findings, ...restored } = await restoreInstallation(ownerPool, secrets, file);
      const summary = {
        database: describeDatabase(config),
        taken_at: file.manifest.taken_at,
        tables: file.manifest.tables.length,
        rows: restored.rows,
        migrated: migrated.join(", "),
        skipped_tables: skippedTables.join(", "),
        transfers_to_ask_about: restored.openTransfers,
      };
      const verification = answerFindings(findings);
      return {
        json: { ...summary, migrated, skipped_tables: skippedTables, verification: verification.json },
        text: `${formatRecord(summary)}\n\nVerification\n${verification.text}`,
        exitCode: verification.exitCode ?? 0,
      };
    });
  },
);
