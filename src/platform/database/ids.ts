// Ids: whole numbers below 2^53, unique in the installation, from blocks that the process leases. Their sequence is in
// schema/02_installation.sql.
import type { Queryable } from "./pool.ts";

const BLOCK_SIZE = 1000n;
/** How long a process uses its block before it checks whether another process has leased a later one. */
const FRESH_MS = 1000;

/**
 * Hands out ids without a round trip for each: one lease of a block serves a thousand. Ids are in the order of time,
 * since lists are sorted by id; only ids of different processes within a second may be out of order.
 */
export class IdSource {
  readonly #database: Queryable;
  readonly #now: () => number;
  #next = 0n;
  #end = 0n;
  #freshUntilMs = 0;
  #lease: Promise<void> | null = null;

  constructor(database: Queryable, now: () => number = () => performance.now()) {
    this.#database = database;
    this.#now = now;
  }

  /** The next id. The unused ids of a block are never used. */
  async next(): Promise<bigint> {
    while (this.#next >= this.#end || this.#now() >= this.#freshUntilMs) {
      this.#lease ??= this.#leaseBlock().finally(() => {
        this.#lease = null;
      });
      await this.#lease;
    }
    return this.#next++;
  }

  /** Leases a new block, unless the current one has ids left and is the newest of all processes. */
  async #leaseBlock(): Promise<void> {
    const kept = this.#next < this.#end ? this.#next / BLOCK_SIZE : null;
    const { rows } = await this.#database.query<{ block: bigint }>(
      `select case when pg_sequence_last_value('id_block') = $1::bigint then $1 else nextval('id_block') end as block`,
      [kept],
    );
    const { block } = rows[0]!;
    if (block !== kept) {
      this.#next = block * BLOCK_SIZE;
      this.#end = this.#next + BLOCK_SIZE;
    }
    this.#freshUntilMs = this.#now() + FRESH_MS;
  }
}
