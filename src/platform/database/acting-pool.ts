// Connections in somebody's name, where a process works for several: each schedule has its own.
// What belongs here: naming who acts in each transaction. Requests of a tenant are named in tenant.ts.
import { replaceLocalOrigin, setLocalOrigin, type Actor, type Origin } from "../origin.ts";
import { halfOf, Places } from "./places.ts";
import type { Connection, OwnedPool, Pool } from "./pool.ts";
import { SharedConnection } from "./shared-connection.ts";

/**
 * What works for several takes turns over half of a pool's connections: a schedule that waits for one merchant's rows must
 * not keep the rest of the server from looking up who calls.
 */
const placesOf = new WeakMap<OwnedPool, Places>();

/**
 * The pool for what `actor` does, from `address` where there is one: every transaction begins by saying so. A single
 * statement says nothing. Those who act so (commands, schedules) may move money.
 */
export function actingAs(pool: Pool, actor: Actor, address: string | null = null): Pool {
  return new ActingPool("end" in pool ? (pool as OwnedPool) : pool.beneath!, { actor, address, mayMoveMoney: true });
}

class ActingPool {
  readonly scope: string;
  readonly beneath: OwnedPool;
  readonly #places: Places;
  readonly #actor: Actor;

  constructor(pool: OwnedPool, origin: Origin) {
    this.scope = setLocalOrigin(origin);
    this.beneath = pool;
    this.#actor = origin.actor;
    const half = halfOf(pool);
    this.#places = placesOf.get(pool) ?? new Places(pool, { atOnce: half, atOncePerKey: half });
    placesOf.set(pool, this.#places);
  }

  /** For `inTransaction`, which begins with `scope`. */
  connect(): Promise<Connection> {
    return this.#places.connect(this.#actor);
  }

  /** One statement, which says nothing of who acts. */
  readonly query = ((...statement: [string]) =>
    this.#places.run(this.#actor, () => this.beneath.query(...statement))) as Pool["query"];
}

/** From here on it is `origin` that acts in the transaction. */
export async function actWithin(connection: Connection, origin: Origin): Promise<void> {
  await connection.query(setLocalOrigin(origin));
}

/** From here on it is `origin` that acts in the transaction, and nobody who has acted in it before. */
export async function actInTurn(connection: Connection, origin: Origin): Promise<void> {
  if (connection instanceof SharedConnection) connection.actAs(origin);
  else await connection.query(replaceLocalOrigin(origin));
}
