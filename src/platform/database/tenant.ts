// The database for requests: only the rows of one tenant are visible, whatever the statement. The policies are in
// schema/01_roles.sql.
import { originSettings, type Origin, type Actor } from "../origin.ts";
import { inOneRoundTrip, scopeWithin, type Connection, type OwnedPool, type Pool } from "./pool.ts";
import { setLocal, type Setting } from "./scoped-query.ts";
import { Gate } from "../gate.ts";

/**
 * How long a transaction of several tenants waits for a locked row: all tenants wait for one of them.
 */
const SHARED_LOCK_MS = 50;

/**
 * Connections that show no rows until a transaction sets its merchant. One merchant gets at most half of them at once,
 * and waiting merchants take turns. So a busy merchant, or one with locked rows, leaves enough for others.
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
   * The pool for a merchant's requests. Every statement runs in a transaction of that merchant. Changes need an
   * `origin`: the audit log refuses entries without an actor.
   */
  of({ merchantId }: { readonly merchantId: bigint }, origin: Origin | null = null): Pool {
    const connect = (): Promise<Connection> => this.#places.connect(String(merchantId));
    const tenant: Setting = ["nodal.merchant_id", String(merchantId)];
    return new TenantPool(this.#pool, connect, origin ? [tenant, ...originSettings(origin)] : [tenant]);
  }
}

/**
 * The same for transactions that several tenants share: each only sees the rows of its tenants, and its statements name
 * the tenant of each row. They have no actor, except those that statements name.
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

  /** A pool for transactions of these tenants, with a short lock timeout. */
  of(tenants: readonly { readonly merchantId: bigint }[]): Pool {
    const merchantIds = new Set(tenants.map(({ merchantId }) => merchantId));
    return new TenantPool(this.#pool, () => this.#pool.connect(), [
      ["nodal.merchant_ids", `{${[...merchantIds].join(",")}}`],
      ["lock_timeout", String(SHARED_LOCK_MS)],
    ]);
  }
}

/** A pool whose transactions set their merchant, in the same round trip. */
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

  /** Built on demand: single statements use `settings`. */
  get scope(): string {
    return scopeWithin(this.beneath, setLocal(this.settings));
  }

  /** One statement, in a separate transaction. */
  readonly query = ((...statement: [string]) => inOneRoundTrip(this, statement)) as Pool["query"];
}

/**
 * Work for all merchants takes turns over half of a pool's connections: a job that waits for one merchant's rows must
 * not block the look-up of callers.
 */
const placesOf = new WeakMap<OwnedPool, Places>();

/**
 * The pool for an `actor`, with an optional `address`: every transaction begins by setting them. A single statement
 * does not. Such actors (commands, jobs) may move money.
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

  /** One statement, without setting the actor. */
  readonly query = ((...statement: [string]) =>
    this.#places.run(this.#actor, () => this.beneath.query(...statement))) as Pool["query"];
}

/** Sets the origin of the transaction from here on. */
export async function actWithin(connection: Connection, origin: Origin): Promise<void> {
  await connection.query(setLocal(originSettings(origin)));
}

/** May the transaction's actor move money? Only signed-in people may lack that permission. */
export async function mayMoveMoney(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ may: boolean }>({
    name: "may-move-money",
    text: "select current_setting('nodal.may_move_money', true) is distinct from 'off' as may",
  });
  return rows[0]!.may;
}

/** The same as a pool's wait for a connection. */
const WAIT_MS = 10_000;
const WAITING_PER_KEY = 500;

export class Places {
  readonly #pool: OwnedPool;
  readonly #gate: Gate;

  /**
   * @param pool whose connections are only taken through these places, or has some to spare
   * @param atOnce the number of places
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
   * A connection; releasing it frees its place. @throws NodalError `unavailable` if no place became free in time
   */
  async connect(key: string): Promise<Connection> {
    const leave = await this.#gate.enter(key);
    try {
      const connection = await this.#pool.connect();
      // The pool sets a new `release` each time.
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

/** Half of a pool's connections: the limit for one merchant, or for all jobs together. */
function halfOf(pool: OwnedPool): number {
  return Math.max(1, Math.floor(pool.options.max / 2));
}
