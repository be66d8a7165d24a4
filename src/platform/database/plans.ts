// Prepared statements whose tables change, since an upgrade adds a column under a running server. pool.ts runs the
// transaction again.
import pg from "pg";

/** A prepared statement's result has other columns or types than before. */
const FEATURE_NOT_SUPPORTED = "0A000";
const NOTICED_IN = "RevalidateCachedQuery";
/** A prepared statement is missing, or exists although it should not: a pooler does not carry names, or no longer. */
const NAMES_LOST = new Set(["26000", "42P05"]);

/** How often all statements of this process were renamed. */
let edition = 0;

/** The edition of statements sent now. */
export function currentEdition(): number {
  return edition;
}

/**
 * The statement with a name of the current edition. Its text changes too: PgBouncer identifies statements by text, and
 * would keep using the old plan.
 */
export function inCurrentEdition(statement: unknown): unknown {
  if (edition === 0 || !isNamed(statement)) return statement;
  return { ...statement, name: `${statement.name} ${edition}`, text: `${statement.text} -- ${edition}` };
}

/** The statement without its name, so that it is planned each time. */
export function withoutName(statement: unknown): unknown {
  if (!isNamed(statement)) return statement;
  const { name: _, ...nameless } = statement;
  return nameless;
}

/** A statement of this edition is outdated: starts a new edition, unless that has already happened. */
export function leaveEdition(sentIn: number): void {
  if (sentIn === edition) edition += 1;
}

/** Was a prepared statement refused because its tables have changed? Nothing of it was run. */
export function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED && error.routine === NOTICED_IN;
}

/** Was a statement refused because the server connection does not know its name? Nothing of it was run. */
export function hasLostNames(error: unknown): boolean {
  return error instanceof pg.DatabaseError && NAMES_LOST.has(error.code ?? "");
}

type Named = { readonly name: string; readonly text: string };

/** False for a query object of the driver, which sends itself. */
function isNamed(statement: unknown): statement is Named {
  if (typeof statement !== "object" || statement === null || "submit" in statement) return false;
  return "name" in statement && statement.name !== undefined;
}
