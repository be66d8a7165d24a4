// The database as requests see it: the rows of one tenant and no others, whatever a statement says. The policies are
// made by schema/01_roles.sql.
import { originSettings, type Origin, type Actor } from "../origin.ts";
import { inOneRoundTrip, scopeWithin, type Connection, type OwnedPool, type Pool } from "./pool.ts";
import { setLocal, type Setting } from "./scoped-query.ts";
import { Gate } from "../gate.ts";

/**
 * How long a transaction of several tenants waits for a row that something else has locked. It is one of one
 * tenant, and all wait for it.
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
    this.#places = new Places(pool, { atOnce: pool.options.max, atOncePerKey: halfOf(pool) });
  }

  /**
   * What a merchant's requests work with. Every statement runs in a transaction of that merchant's. Who changes
   * something says who it is: the audit log takes nothing from nobody.
   */
  of({ merchantId }: { readonly merchantId: bigint }, origin: Origin | null = null): Pool {
    const connect = (): Promise<Connection> => this.#places.connect(String(merchantId));
    const tenant: Setting = ["nodal.merchant_id", String(merchantId)];
    return new TenantPool(this.#pool, connect, origin ? [tenant, ...originSettings(origin)] : [tenant]);
  }
}

/**
 * The same for transactions that several tenants share: each sees the rows of the tenants that it names and no others, and
 * each statement says which of them a row is of. Nobody acts in them but whom a statement names.
 */
export class TenantGroups {
  readonly #pool: OwnedPool;

  /** @param pool connections of a role whose policies go by `nodal.merchant_ids`, pipelined */
  constructor(pool: OwnedPool) {
    this.#pool = pool;
  }

  get connections(): number {
    return this.#pool.options.max;
  }

  /** For transactions of these tenants, which wait for held rows for a moment only. */
  of(tenants: readonly { readonly merchantId: bigint }[]): Pool {
    const merchantIds = new Set(tenants.map(({ merchantId }) => merchantId));
    return new TenantPool(this.#pool, () => this.#pool.connect(), [
      ["nodal.merchant_ids", `{${[...merchantIds].join(",")}}`],
      ["lock_timeout", String(SHARED_LOCK_MS)],
    ]);
  }
}

/** A pool whose transactions begin by saying whose they are, in the same round trip. */
class TenantPool {
  readonly settings: readonly Setting[];
  readonly beneath: OwnedPool;
  /** For `inTransaction`, which begins with `scope`. */
  readonly connect: Pool["connect"];

  constructor(pool: OwnedPool, connect: () => Promise<Connection>, settings: readonly Setting[]) {
    this.beneath = pool;
    this.connect = connect as Pool["connect"];
    this.settings = settings;
  }

  /** Written only for who needs it: single statements go by `settings`. */
  get scope(): string {
    return scopeWithin(this.beneath, setLocal(this.settings));
  }

  /** One statement, in a transaction of its own. */
  readonly query = ((...statement: [string]) => inOneRoundTrip(this, statement)) as Pool["query"];
}

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
    this.scope = scopeWithin(pool, setLocal(originSettings(origin)));
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
  await connection.query(setLocal(originSettings(origin)));
}

/** Whether the one who acts in the transaction may move money. Only people who sign in may not. */
export async function mayMoveMoney(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ may: boolean }>({
    name: "may-move-money",
    text: "select current_setting('nodal.may_move_money', true) is distinct from 'off' as may",
  });
  return rows[0]!.may;
}

/** As long as a pool waits for a connection. */
const WAIT_MS = 10_000;
const WAITING_PER_KEY = 500;

export class Places {
  readonly #pool: OwnedPool;
  readonly #gate: Gate;

  /**
   * @param pool connections that nobody takes but through these places, or that have some to spare
   * @param atOnce how many of them there are places for
   * @param atOncePerKey how many places one key may have
   */
  constructor(pool: OwnedPool, { atOnce, atOncePerKey }: { readonly atOnce: number; readonly atOncePerKey: number }) {
    this.#pool = pool;
    this.#gate = new Gate({
      atOnce,
      atOncePerKey,
      maxWaitingPerKey: WAITING_PER_KEY,
      waitMs: WAIT_MS,
      refusal:
        "Too many of your requests are in progress. Nothing was changed: send the same request again in a few seconds.",
    });
  }

  /**
   * A connection; its place is free again when it is released.
   * @throws NodalError `unavailable` where no place came free in time
   */
  async connect(key: string): Promise<Connection> {
    const leave = await this.#gate.enter(key);
    try {
      const connection = await this.#pool.connect();
      // The pool gives its connections a new `release` each time.
      const release = connection.release.bind(connection);
      connection.release = (destroy) => {
        release(destroy);
        leave();
      };
      return connection;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Runs `work`, which uses one connection, in a place. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#gate.run(key, work);
  }
}

/** Half of a pool's connections: as many as one merchant, or all schedules together, may have at once. */
function halfOf(pool: OwnedPool): number {
  return Math.max(1, Math.floor(pool.options.max / 2));
}
