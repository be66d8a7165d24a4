// Connections in somebody's name, where a process works for several: each schedule has its own.
// What belongs here: naming who acts in each transaction. Requests of a tenant are named in tenant.ts.
import { setLocalOrigin, type Actor } from "../origin.ts";
import type { Connection, OwnedPool, Pool } from "./pool.ts";

/** The pool for what `actor` does: every transaction begins by saying so. A single statement says nothing. */
export function actingAs(pool: Pool, actor: Actor): Pool {
  return new ActingPool("end" in pool ? (pool as OwnedPool) : pool.beneath!, actor);
}

class ActingPool {
  readonly scope: string;
  readonly beneath: OwnedPool;
  readonly query: Pool["query"];

  constructor(pool: OwnedPool, actor: Actor) {
    this.scope = setLocalOrigin({ actor, address: null });
    this.beneath = pool;
    this.query = pool.query.bind(pool);
  }

  /** For `inTransaction`, which begins with `scope`. */
  connect(): Promise<Connection> {
    return this.beneath.connect();
  }
}
