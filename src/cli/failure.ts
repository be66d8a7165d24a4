// What a person at a terminal reads when a command or the server fails.
// What belongs here: errors into sentences. Who prints them sets the exit code.
import { ConfigError } from "../platform/config.ts";
import { BackupError } from "../platform/database/backup.ts";
import { DatabaseInUseError, EmbeddedDatabaseError } from "../platform/database/embedded.ts";
import { isConnectionLost } from "../platform/database/failure.ts";
import { MigrationError } from "../platform/database/migrate.ts";
import { NodalError } from "../platform/errors.ts";
import { SecretsError } from "../platform/secrets/index.ts";

/** Errors whose message is all that a person needs. */
const OWN_ERRORS = [ConfigError, DatabaseInUseError, EmbeddedDatabaseError, MigrationError, BackupError, SecretsError];

/**
 * The sentences for an error, one a line. An error that nobody foresaw comes with its stack, which a report of the
 * defect needs.
 */
export function describeFailure(error: unknown): string {
  if (error instanceof NodalError) {
    return error.errors.length > 0 ? error.errors.map(({ message }) => message).join("\n") : error.message;
  }
  if (OWN_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
  if (!(error instanceof Error)) return String(error);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `${message}. Another program listens there: set PORT to a free port.`;
  if (isConnectionLost(error)) {
    return `The database can't be reached: ${message || code}. Check DATABASE_URL and that PostgreSQL runs.`;
  }
  return code === undefined ? (error.stack ?? message) : message;
}
