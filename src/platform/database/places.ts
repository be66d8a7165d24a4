// Connections of one pool, shared fairly: nobody gets so many that there are none for others.
// What belongs here: giving a place with a connection, and taking it back with it. Whose turn it is, is the gate's.
import { Gate } from "../gate.ts";
import type { Connection, OwnedPool } from "./pool.ts";

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
        "Too much is under way for you at once. Nothing was changed: send the same request again in a few seconds.",
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
export function halfOf(pool: OwnedPool): number {
  return Math.max(1, Math.floor(pool.options.max / 2));
}
