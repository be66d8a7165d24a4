// What can go wrong with a backup or with restoring it, as sentences with a remedy.
// What belongs here: the error class only; who finds the failure writes the sentence.

/** A backup can't be made, read or restored. The message says why and what to do; nothing has been changed. */
export class BackupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BackupError";
  }
}

/** The error of a file that is not what was written. `what` completes the sentence "The backup is damaged: …". */
export function damaged(what: string, cause?: unknown): BackupError {
  return new BackupError(`The backup is damaged: ${what}. Nothing was changed; take another backup.`, cause);
}
