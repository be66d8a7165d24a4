// Statements that connections keep under a name, with a plan, while their tables change: an upgrade adds a column under
// a running server. Who runs a transaction again is in pool.ts.
import pg from "pg";

/** A statement answers other columns, or others of a type, than when the connection got it. */
const FEATURE_NOT_SUPPORTED = "0A000";
const NOTICED_IN = "RevalidateCachedQuery";
/** A name is not there that should be, or is there though it should not: a pooler does not carry names, or not any more. */
const NAMES_LOST = new Set(["26000", "42P05"]);

/** How often all statements of this process have got other names. */
let edition = 0;

/** The edition that statements are sent in. */
export function currentEdition(): number {
  return edition;
}

/**
 * The statement, under a name of the current edition. Its text is another one too: PgBouncer knows statements by their text, and would
 * go on with the plan that it has.
 */
export function inCurrentEdition(statement: unknown): unknown {
  if (edition === 0 || !isNamed(statement)) return statement;
  return { ...statement, name: `${statement.name} ${edition}`, text: `${statement.text} -- ${edition}` };
}

/** The statement without its name: it is planned anew each time. */
export function withoutName(statement: unknown): unknown {
  if (!isNamed(statement)) return statement;
  const { name: _, ...nameless } = statement;
  return nameless;
}

/** A statement that was sent in an edition is outdated: all get other names, unless they have since. */
export function leaveEdition(sentIn: number): void {
  if (sentIn === edition) edition += 1;
}

/** Whether a statement was refused because its tables have changed since the connection got it. Nothing of it was run. */
export function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED && error.routine === NOTICED_IN;
}

/** Whether a statement was refused because the connection behind does not know it by its name. Nothing of it was run. */
export function hasLostNames(error: unknown): boolean {
  return error instanceof pg.DatabaseError && NAMES_LOST.has(error.code ?? "");
}

type Named = { readonly name: string; readonly text: string };

/** A query that the driver has made already sends itself. */
function isNamed(statement: unknown): statement is Named {
  if (typeof statement !== "object" || statement === null || "submit" in statement) return false;
  return "name" in statement && statement.name !== undefined;
}
