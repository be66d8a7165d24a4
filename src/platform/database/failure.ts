// The meaning of a failed statement: the connection is lost (with unknown outcome), or the database refused.
import pg from "pg";
import { NodalError } from "../errors.ts";
import { NoPrimaryError } from "./hosts.ts";
import { hasLostNames, isOutdated } from "./plans.ts";

/**
 * SQLSTATE classes and codes that end the connection, or mean that the server, or the database (55000), is unavailable
 * at the moment.
 */
const LOST = /^(08|53|57P|25006|25P03|55000)/;

/** Message of a Citus coordinator, with the code of an internal error, when a node's connection broke. */
const CITUS_LOST = /^failure on connection marked as essential/;

/** Did the connection break, or is the server away? A statement may then have taken effect or not. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof NodalError || !(error instanceof Error)) return false;
  if (error instanceof NoPrimaryError) return true;
  if (error instanceof pg.DatabaseError) return LOST.test(error.code ?? "") || CITUS_LOST.test(error.message);
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code) ||
    /connection (terminated|timeout)|timeout exceeded when trying to connect|not queryable/i.test(error.message)
  );
}

/** Did the statement time out? Its transaction is rolled back. */
export function hasTimedOut(error: unknown): boolean {
  return sqlStateOf(error) === QUERY_CANCELED;
}

/** Did a statement time out waiting for a lock? Its transaction is rolled back. */
export function isLockTimeout(error: unknown): error is pg.DatabaseError {
  return sqlStateOf(error) === LOCK_NOT_AVAILABLE;
}

/** Did PostgreSQL end this transaction because of a deadlock? */
export function isDeadlock(error: unknown): error is pg.DatabaseError {
  return sqlStateOf(error) === DEADLOCK;
}

/** The error for a caller whose merchant's rows another transaction has locked. */
export function rowsLocked(cause: unknown): NodalError {
  const message =
    "Another request for this merchant is in progress. Nothing was changed: send the same request again in a few seconds.";
  return new NodalError("unavailable", message, { cause });
}

/** The error for a request while the database is unreachable. */
export function unavailable(cause: unknown, remedy = "Send the same request again in a few seconds."): NodalError {
  return new NodalError("unavailable", `The service can't reach its database. ${remedy}`, { cause });
}

/**
 * The error for a request whose amounts, added to the existing ones, overflow a sum: a day's invoices, a balance, or a
 * customer's dues. `null` for any other error.
 */
export function outOfRange(error: unknown): NodalError | null {
  if (sqlStateOf(error) !== NUMERIC_VALUE_OUT_OF_RANGE) return null;
  const message =
    "These amounts would take a total above the largest possible, 92233720368547758.07: check them, or split the request.";
  return new NodalError("limit_exceeded", message, { cause: error });
}

const DEADLOCK = "40P01";
/** A deadlock, or a serialization failure: this transaction was rolled back. */
const ROLLED_BACK = new Set(["40001", DEADLOCK]);
const UNIQUE_VIOLATION = "23505";
const NUMERIC_VALUE_OUT_OF_RANGE = "22003";
const QUERY_CANCELED = "57014";
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Can the transaction simply be run again? True if the database rolled it back in favour of another one, or a prepared
 * statement is older than a change of its tables.
 */
export function isRetryable(error: unknown): boolean {
  return ROLLED_BACK.has(sqlStateOf(error)) || isOutdated(error) || hasLostNames(error);
}

/**
 * Did the database refuse because of another transaction, so that a retry may succeed? True if this one was rolled
 * back, or the other has just committed a row with the same key.
 */
export function isConflict(error: unknown): boolean {
  return isRetryable(error) || sqlStateOf(error) === UNIQUE_VIOLATION;
}

/**
 * Did the database refuse a row because it violates this unique constraint? The constraints of partitions and of Citus
 * shards have a suffix; Citus names them only in the message.
 */
export function violates(error: unknown, constraint: string): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) return false;
  const name = error.constraint ?? /"(\w+)"/.exec(error.message)?.[1];
  return name?.startsWith(constraint) ?? false;
}

/** Refusals by SQLSTATE, with a remedy for the operator. `said` is PostgreSQL's message. */
const REFUSALS: Readonly<Record<string, (said: string) => string>> = {
  "28P01": () => "PostgreSQL refuses the password in DATABASE_URL: correct it.",
  "28000": (said) =>
    `PostgreSQL does not accept this user from this host (${said}): correct the user in DATABASE_URL, or allow it in pg_hba.conf.`,
  "3D000": (said) =>
    `PostgreSQL is running, but the ${said}: create it with \`createdb\`, or correct the name at the end of DATABASE_URL.`,
  "53300": (said) =>
    `PostgreSQL has no connections left (${said}): raise max_connections or the role's limit, or lower ` +
    "DATABASE_POOL_SIZE of the servers.",
  "42501": (said) =>
    `The user in DATABASE_URL lacks the right to do that (${said}): it must be the database's owner, with CREATEROLE, or ` +
    "through PgBouncer a user that can take each of Nodal's roles, with the owner in DATABASE_DIRECT_URL (docs/scale.md).",
  "53100": (said) =>
    `The database's disk is full (${said}): free some space for PostgreSQL's files, which are in DATA_DIR if ` +
    "DATABASE_URL is not set, then run it again.",
  "25006": (said) =>
    `The database is read-only (${said}): DATABASE_URL must point to the primary, not a standby, and ` +
    "default_transaction_read_only must be off.",
  "57014": (said) =>
    `PostgreSQL cancelled the statement (${said}): raise statement_timeout of the user in DATABASE_URL, or set it to 0, and run it again.`,
  "55P03": (said) => `Another transaction holds a lock (${said}): run it again in a moment.`,
  "57P03": (said) => `PostgreSQL is starting or stopping (${said}): run it again in a moment.`,
};

/**
 * A sentence for the operator about PostgreSQL's refusal and its remedy; `null` for other errors.
 */
export function describeRefusal(error: unknown): string | null {
  const describe = REFUSALS[sqlStateOf(error)];
  if (describe) return describe((error as Error).message);
  if (!(error instanceof Error)) return null;
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (/password must be a string/.test(message)) {
    return "PostgreSQL needs a password, and DATABASE_URL has none: write it as postgres://user:password@host/database.";
  }
  if (/does not support SSL/.test(message) || /CERT|^ERR_TLS/.test(code)) {
    return `The encrypted connection to PostgreSQL failed (${message}): correct sslmode or sslrootcert in DATABASE_URL.`;
  }
  if (/unsupported startup parameter/.test(message)) {
    return `DATABASE_URL points to PgBouncer (${message}): add pgbouncer=true to it, and set DATABASE_DIRECT_URL (docs/scale.md).`;
  }
  if (!isConnectionLost(error)) return null;
  return `The database can't be reached: ${message || code}. Check DATABASE_URL and that PostgreSQL is running.`;
}

/** The `detail` of a failure with this code, raised by one of our SQL functions; `null` for other failures. */
export function detailOf(error: unknown, code: string): string | null {
  return error instanceof pg.DatabaseError && error.code === code ? (error.detail ?? "") : null;
}

function sqlStateOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? "") : "";
}
