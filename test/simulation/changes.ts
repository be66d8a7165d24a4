// What has changed in the database of a simulation, by the statements that were run there.
import { withoutParentheses } from "./row-order.ts";
import type { ServerSession } from "./server-session.ts";

/** Also finds what is no table, such as the `set` of `do update set`. */
const WRITES = /\b(?:insert\s+into|update|delete\s+from|truncate)\s+([a-z_]+)/gi;
/** What stands outside of parentheses: `with due as  update …`. */
const MAIN_WRITE = /^\s*(?:with\s[\s\w,]*?\sas\s+)?(?:insert|update|delete)\b/i;
const ENDS = /^\s*(?:commit|rollback)\b/i;

type Writes = {
  readonly tables: readonly string[];
  /** Whether it does nothing else, so that it tells of how many rows. */
  readonly isOneWrite: boolean;
};

const known = new Map<string, Writes>();
const versions = new Map<string, number>();
const writtenIn = new WeakMap<ServerSession, Set<string>>();
const written = new Set<string>();

/** Notes a statement that has ended. What a transaction has written comes to be seen when it ends, and by itself at once. */
export function noteRun(session: ServerSession, text: string, rowCount: number | null): void {
  const { tables, isOneWrite } = writesOf(text);
  if (isOneWrite && rowCount === 0) return;
  const ofSession = writtenIn.get(session) ?? new Set();
  writtenIn.set(session, ofSession);
  for (const table of tables) ofSession.add(table);
  const isOver = ENDS.test(text);
  for (const table of isOver ? ofSession : tables) {
    versions.set(table, versionOf(table) + 1);
    written.add(table);
  }
  if (isOver) ofSession.clear();
}

/** A number that stays as it is for as long as none of these tables has changed. */
export function versionOfAll(tables: readonly string[]): number {
  return tables.reduce((sum, table) => sum + versionOf(table), 0);
}

/** What was written to since this was last asked, by its name; also names that are no tables. */
export function takeWritten(): string[] {
  const names = [...written];
  written.clear();
  return names;
}

function versionOf(table: string): number {
  return versions.get(table) ?? 0;
}

function writesOf(text: string): Writes {
  const found = known.get(text);
  if (found) return found;
  const tables = [...text.matchAll(WRITES)].map(([, table]) => table!.toLowerCase());
  // The server counts the rows of the main part, and nobody those of a write within a `with`.
  const isMain = MAIN_WRITE.test(withoutParentheses(text));
  const writes = { tables: [...new Set(tables)], isOneWrite: tables.length === 1 && isMain };
  known.set(text, writes);
  return writes;
}
