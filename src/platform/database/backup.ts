// Backups of a database: made while it is in use, restored into an empty one. The steps are in backup/.
export { BackupError } from "./backup/seal.ts";
export { openBackup, type Backup } from "./backup/read-backup.ts";
export { checkRestorable, restoreBackup, type RestoredBackup } from "./backup/restore-backup.ts";
export { writeBackup } from "./backup/write-backup.ts";
