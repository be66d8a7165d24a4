// One use case: a backup becomes an installation again, in an empty database. The file is read by
// platform/database/backup.
import { insertInstallationSecret, signOutAllUsers } from "../merchants/index.ts";
import { askAboutRestoredTransfers } from "../payouts/index.ts";
import { restoreBackup, type Backup } from "../platform/database/backup.ts";
import type { Pool } from "../platform/database/pool.ts";
import { freeSchedules } from "../platform/jobs/schedule-store.ts";
import { hasDataKeys, prepareSecrets, type Secrets } from "../platform/secrets/index.ts";
import { verifyInstallation } from "./verify.ts";

/**
 * Loads a backup, which was found to be whole, and verifies it. Transfers that were under way are to be asked about;
 * schedules are free, and nobody is signed in.
 */
export async function restoreInstallation(ownerPool: Pool, secrets: Secrets, backup: Backup) {
  let openTransfers = 0;
  const restored = await restoreBackup(ownerPool, backup, async (connection) => {
    // Of a database that was never opened. Where the backup has its data keys, the verification tells whether there is
    // the master key for them.
    if (!(await hasDataKeys(connection))) {
      await prepareSecrets((work) => work(connection), secrets, insertInstallationSecret);
    }
    openTransfers = await askAboutRestoredTransfers(connection);
    await freeSchedules(connection);
    await signOutAllUsers(connection);
  });
  return { ...restored, openTransfers, findings: await verifyInstallation(ownerPool) };
}
