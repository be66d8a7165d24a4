// Error messages for people at a terminal when a command or the server fails. The caller sets the exit code.
import { NoDatabaseError } from "../database.ts";
import { ConfigError } from "../platform/config.ts";
import { BackupError } from "../platform/database/backup.ts";
import { ConnectionSettingsError } from "../platform/database/check-connection.ts";
import { DatabaseInUseError, EmbeddedDatabaseError } from "../platform/database/embedded.ts";
import { describeRefusal } from "../platform/database/failure.ts";
import { MigrationError } from "../platform/database/migrate.ts";
import { listed, NodalError, sentenceOf, type ListedError } from "../platform/errors.ts";
import { SecretsError } from "../platform/secrets/index.ts";
import { WorkerStartError } from "../platform/workers/supervisor.ts";

/** Errors with a message for people; no stack is needed. */
const OWN_ERRORS = [
  ConfigError,
  NoDatabaseError,
  DatabaseInUseError,
  EmbeddedDatabaseError,
  MigrationError,
  ConnectionSettingsError,
  BackupError,
  SecretsError,
  WorkerStartError,
];

/** Problems with a given file or an output file. */
const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder. Create the folder first, or correct the name.",
  ENOTDIR: "part of this path is a file, not a folder. Correct the path.",
  EISDIR: "this is a folder. Give a file.",
  EEXIST: "the file already exists. Give a new file name.",
  EACCES: "permission denied. Give Nodal's user access, or choose another path.",
  EPERM: "permission denied. Give Nodal's user access, or choose another path.",
  EROFS: "the disk is read-only. Choose another path.",
  ENAMETOOLONG: "the name is too long. Choose a shorter one.",
  ENOSPC: "the disk is full. Free some space, or choose another disk.",
  EDQUOT: "the disk quota is used up. Free some space, or choose another disk.",
};

/** A failure for `--json`, as in the API: a sentence, a code, and the failing fields. */
export type FailureObject = {
  readonly error: string;
  readonly code: string;
  readonly errors?: readonly ListedError[];
};

/** The error as one value for programs. Unexpected errors have the code `failed`, and their stack in the message. */
export function failureObject(error: unknown): FailureObject {
  const told = { error: describeFailure(error), code: codeOf(error) };
  if (!(error instanceof NodalError) || error.errors.length === 0) return told;
  return { ...told, errors: error.errors.map(listed) };
}

function codeOf(error: unknown): string {
  if (error instanceof NodalError) return error.code;
  if (error instanceof ConfigError) return "settings_refused";
  if (error instanceof NoDatabaseError) return "no_database";
  return "failed";
}

/** Prints a failure on standard error: sentences for people, one JSON value for programs. */
export function printFailure(failure: FailureObject, asJson: boolean): void {
  console.error(asJson ? JSON.stringify(failure) : `nodal: ${failure.error}`);
}

/**
 * The sentences for an error, one per line. Unexpected errors include their stack, for a bug report.
 */
export function describeFailure(error: unknown): string {
  if (error instanceof NodalError) {
    const refusal = describeRefusal(error.cause);
    if (refusal !== null) return refusal;
    return error.errors.length > 0 ? error.errors.map(sentenceOf).join("\n") : error.message;
  }
  if (OWN_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
  if (!(error instanceof Error)) return String(error);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `${message}. Another program uses this port: set PORT to a free one.`;
  const refusal = describeRefusal(error);
  if (refusal !== null) return refusal;
  const fileFailure = FILE_FAILURES[code ?? ""];
  if (fileFailure !== undefined) return `${(error as NodeJS.ErrnoException).path ?? message}: ${fileFailure}`;
  return code === undefined ? (error.stack ?? message) : message;
}
