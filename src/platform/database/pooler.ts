// Connections through PgBouncer in transaction mode: each transaction may be run by another connection to PostgreSQL, so that
// nothing outlives one. What belongs here: what such a connection does otherwise than one of PostgreSQL's own.
import pg from "pg";
import type { Asked } from "./check-connection.ts";
import { HostClient } from "./hosts.ts";

/** The statements that give a transaction its role and its settings. */
export function scopeOf({ role, settings }: Asked): string {
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} = ${pg.escapeLiteral(value)}`);
  return [...(role === undefined ? [] : [`set local role ${pg.escapeIdentifier(role)}`]), ...set].join("; ");
}

/** Statements by name are sent as nameless ones, but where PgBouncer carries names. */
export class PooledClient extends HostClient {
  /** Whether it does: from 1.21 on, with `max_prepared_statements`. Known once the connection has been checked. */
  carriesNames = true;

  override query(...given: never[]): never {
    const [statement, ...rest] = given as unknown as [string];
    return super.query(this.carriesNames ? statement : withoutName(statement), ...rest) as never;
  }
}

function withoutName(statement: unknown): never {
  // A query that the driver has made already sends itself.
  if (typeof statement !== "object" || statement === null || !("name" in statement) || "submit" in statement) {
    return statement as never;
  }
  const { name: _, ...nameless } = statement;
  return nameless as never;
}
