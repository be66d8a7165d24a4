// Connections through PgBouncer in transaction mode: each transaction may use another server connection, so that no
// state outlives one.
import pg from "pg";
import type { ConnectionSpec } from "./check-connection.ts";
import { setLocal } from "./scoped-query.ts";

/** The statements that give a transaction its role and its settings. */
export function scopeOf({ role, settings }: ConnectionSpec): string {
  const set = setLocal(Object.entries(settings));
  return role === undefined ? set : `set local role ${pg.escapeIdentifier(role)}; ${set}`;
}
