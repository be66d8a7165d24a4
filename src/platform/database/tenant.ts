// The database as requests see it: the rows of one tenant and no others, whatever a statement says.
// What belongs here: naming the tenant in each transaction. The policies are made by schema/01_roles.sql.
import { setLocalOrigin, type Origin } from "../origin.ts";
import { halfOf, Places } from "./places.ts";
import { SharedWire } from "./shared-connection.ts";
import { inOneRoundTrip, inTransaction, type Connection, type OwnedPool, type Pool } from "./pool.ts";

const SHARED = "shared";
/**
 * How long a transaction of several tenants waits for a row that something else holds. It is one of one tenant, and all wait
 * for it: after that each goes by itself, and waits for its own.
 */
const SHARED_LOCK_MS = 50;

/**
 * Connections that show nothing until a transaction says whose rows it is for. One merchant has at most half of them at
 * once, and those that wait take turns: who does much, or waits for its own locked rows, leaves enough for others.
 */
export class TenantDatabase {
  readonly #pool: OwnedPool;
  readonly #places: Places;

  /** @param pool connections of the role `nodal_tenant`, pipelined */
  constructor(pool: OwnedPool) {
    this.#pool = pool;
    this.#places = new Places(pool, { atOnce: pool.options.max, atOncePerKey: this.half });
  }

  /** Half of the connections. */
  get half(): number {
    return halfOf(this.#pool);
  }

  /**
   * What a merchant's requests work with. Every statement runs in a transaction of that merchant's. Whoever changes
   * something says who it is: the audit log takes nothing from nobody.
   */
  of({ merchantId }: { readonly merchantId: bigint }, origin: Origin | null = null): Pool {
    const connect = (): Promise<Connection> => this.#places.connect(String(merchantId));
    return new TenantPool(this.#pool, connect, merchantId, origin);
  }

  /**
   * One transaction for works of several tenants, none of them twice, in which each statement sees the rows of its own
   * tenant and no others. They share round trips and the commit: nothing is kept unless all of them end well. Works do
   * nothing but use the database, as those of `inTransaction`.
   * @throws what the first of them failed with, once all have ended
   */
  async share<T>(
    works: readonly {
      readonly merchantId: bigint;
      readonly origin: Origin;
      readonly work: (connection: Connection) => Promise<T>;
    }[],
  ): Promise<T[]> {
    const connect = (): Promise<Connection> => this.#places.connect(SHARED);
    const pool = { connect, scope: `set local lock_timeout = ${SHARED_LOCK_MS}` } as Pool;
    return inTransaction(pool, async (connection) => {
      const wire = new SharedWire(connection, this.#pool);
      const ended = await Promise.allSettled(
        works.map(({ merchantId, origin, work }) => work(wire.of(tenantScope(merchantId), origin))),
      );
      for (const each of ended) if (each.status === "rejected") throw each.reason;
      return ended.map((each) => (each as PromiseFulfilledResult<T>).value);
    });
  }
}

function tenantScope(merchantId: bigint): string {
  return `set local nodal.merchant_id = '${merchantId}'`;
}

/** A pool whose transactions begin by naming the tenant and who acts, in the same round trip. */
class TenantPool {
  readonly scope: string;
  readonly beneath: OwnedPool;
  /** For `inTransaction`, which begins with `scope`. */
  readonly connect: Pool["connect"];

  constructor(pool: OwnedPool, connect: () => Promise<Connection>, merchantId: bigint, origin: Origin | null) {
    this.beneath = pool;
    this.connect = connect as Pool["connect"];
    const tenant = tenantScope(merchantId);
    this.scope = origin ? `${tenant}; ${setLocalOrigin(origin)}` : tenant;
  }

  /** One statement, in a transaction of its own. */
  readonly query = ((...statement: [string]) => inOneRoundTrip(this, statement)) as Pool["query"];
}
