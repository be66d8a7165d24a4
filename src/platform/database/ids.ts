// Ids: whole numbers below 2^53, unique in the installation, handed out from blocks that the process leases. The
// sequence behind it is in schema/02_installation.sql.
import type { Queryable } from "./pool.ts";

const BLOCK_SIZE = 1000n;
/** How long a process gives ids of its block before it asks whether another has leased a later one meanwhile. */
const FRESH_MS = 1000;

/**
 * Hands out ids without a round trip for each: one lease of a block serves a thousand. Ids are in the order of time, also over
 * several processes, but for what two of them hand out within a second: lists are in the order of their ids.
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

  /** The next id. Ids of a block that a process leaves unused stay unused. */
  async next(): Promise<bigint> {
    while (this.#next >= this.#end || this.#now() >= this.#freshUntilMs) {
      this.#lease ??= this.#leaseBlock().finally(() => {
        this.#lease = null;
      });
      await this.#lease;
    }
    return this.#next++;
  }

  /** Takes a new block, unless the one in hand has ids left and is the newest that anybody has. */
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
