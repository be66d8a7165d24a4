// Errors of the embedded database, with a remedy in each message.

/** The embedded database can't be created, reached or started. The message says why and what to do. */
export class EmbeddedDatabaseError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "EmbeddedDatabaseError";
  }
}

/** A second server was started on a data folder that a running server uses. */
export class DatabaseInUseError extends Error {
  constructor(dataDir: string) {
    super(
      `Another Nodal server is already running on the data folder ${dataDir}. ` +
        "Stop it first, or give this server a folder of its own with DATA_DIR.",
    );
    this.name = "DatabaseInUseError";
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Is `error` a system error with one of these codes, such as ENOENT? */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
