// Use case: restore an installation from a backup, into an empty database. platform/database/backup reads the file.
import { insertInstallationSecret, signOutAllUsers } from "../merchants/index.ts";
import { askAboutRestoredTransfers } from "../payouts/index.ts";
import { restoreBackup, type Backup } from "../platform/database/backup.ts";
import type { Pool } from "../platform/database/pool.ts";
import { freeSchedules } from "../platform/jobs/schedule-store.ts";
import { hasDataKeys, prepareSecrets, type Secrets } from "../platform/secrets/index.ts";
import { verifyInstallation } from "./verify.ts";

/**
 * Loads a complete backup, and verifies it. Transfers in transit are to be queried at the provider; schedules are unlocked, and
 * nobody is signed in.
 */
export async function restoreInstallation(ownerPool: Pool, secrets: Secrets, backup: Backup) {
  let openTransfers = 0;
  const restored = await restoreBackup(ownerPool, backup, async (connection) => {
    // From a database that was never opened. If the backup has data keys, the verification shows whether their master key is
    // available.
    if (!(await hasDataKeys(connection))) {
      await prepareSecrets((work) => work(connection), secrets, insertInstallationSecret);
    }
    openTransfers = await askAboutRestoredTransfers(connection);
    await freeSchedules(connection);
    await signOutAllUsers(connection);
  });
  return { ...restored, openTransfers, findings: await verifyInstallation(ownerPool) };
}
