// Connections in somebody's name, where a process works for several: each schedule has its own.
// What belongs here: naming who acts in each transaction. Requests of a tenant are named in tenant.ts.
import { setLocalOrigin, type Actor, type Origin } from "../origin.ts";
import type { Connection, OwnedPool, Pool } from "./pool.ts";

/**
 * The pool for what `actor` does, from `address` where there is one: every transaction begins by saying so. A single
 * statement says nothing.
 */
export function actingAs(pool: Pool, actor: Actor, address: string | null = null): Pool {
  return new ActingPool("end" in pool ? (pool as OwnedPool) : pool.beneath!, { actor, address });
}

class ActingPool {
  readonly scope: string;
  readonly beneath: OwnedPool;
  readonly query: Pool["query"];

  constructor(pool: OwnedPool, origin: Origin) {
    this.scope = setLocalOrigin(origin);
    this.beneath = pool;
    this.query = pool.query.bind(pool);
  }

  /** For `inTransaction`, which begins with `scope`. */
  connect(): Promise<Connection> {
    return this.beneath.connect();
  }
}
