// `nodal restore`: a backup becomes an installation again, in an empty place.
// What belongs here: options, what each domain sets right, and what is printed. The work is in
// platform/database/backup.
import type { Command } from "commander";
import { openForRestore } from "../database.ts";
import { insertInstallationSecret, signEverybodyOut } from "../merchants/index.ts";
import { questionRestoredTransfers } from "../payouts/index.ts";
import { readConfig } from "../platform/config.ts";
import { checkRestorable, openBackup, restoreBackup } from "../platform/database/backup.ts";
import type { Pool } from "../platform/database/pool.ts";
import { requiredText } from "../platform/http/fields.ts";
import { freeSchedules } from "../platform/jobs/schedule-store.ts";
import { hasDataKeys, prepareSecrets } from "../platform/secrets/index.ts";
import { answering, withOwnDatabase, type Answer } from "./command.ts";
import { optionsOf, type GivenOptions } from "./options.ts";
import { example, formatRecord } from "./output.ts";
import { verifyBooks } from "./verify.ts";

const readOptions = optionsOf({ from: requiredText(4096) });

/** Adds `restore`. */
export function registerRestore(program: Command): void {
  program
    .command("restore")
    .description("load a backup into an empty DATA_DIR or DATABASE_URL, and verify it; exit 1 where a check fails")
    .option("--from <file>", "a file that `nodal backup` wrote: 1 to 4096 characters")
    .addHelpText("after", example("DATA_DIR=/srv/nodal/data nodal restore --from /backups/nodal-2026-11-21.backup"))
    .action(answering(restore));
}

async function restore(given: GivenOptions): Promise<Answer> {
  const { from } = readOptions(given);
  const config = readConfig(process.env);
  // The file is known to be whole, and this release to be the right one, before there is a database.
  const backup = await openBackup(from, config.NODAL_BACKUP_PASSPHRASE);
  await checkRestorable(backup);
  return withOwnDatabase(config, openForRestore, async (ownerPool, secrets) => {
    let openTransfers = 0;
    const restored = await restoreBackup(ownerPool, backup, async (connection) => {
      // Of a database that was never opened. Where the backup has its data keys, the verification tells whether there is
      // the master key for them.
      if (!(await hasDataKeys(connection))) {
        await prepareSecrets((work) => work(connection), secrets, insertInstallationSecret);
      }
      openTransfers = await questionRestoredTransfers(connection);
      await freeSchedules(connection);
      await signEverybodyOut(connection);
    });
    const summary = {
      taken_at: backup.manifest.taken_at,
      tables: backup.manifest.tables.length,
      rows: restored.rows,
      migrated: restored.migrated.join(", "),
      skipped_tables: restored.skippedTables.join(", "),
      transfers_to_ask_about: openTransfers,
    };
    return withVerification(ownerPool, summary, {
      migrated: restored.migrated,
      skipped_tables: restored.skippedTables,
    });
  });
}

type Summary = Readonly<Record<string, string | number>>;

/** The answer about a restored database: what was loaded, and whether its books hold. */
async function withVerification(ownerPool: Pool, summary: Summary, lists: object): Promise<Answer> {
  const verification = await verifyBooks({ ownerPool }, { merchant: null, deep: null });
  return {
    json: { ...summary, ...lists, verification: verification.json },
    text: `${formatRecord(summary)}\n\nVerification\n${verification.text}`,
    exitCode: verification.exitCode ?? 0,
  };
}
