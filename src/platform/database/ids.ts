// Ids: whole numbers below 2^53, unique in the installation, handed out from blocks that the process leases.
// What belongs here: the lease. The sequence behind it is in schema/02_installation.sql.
import type { Queryable } from "./pool.ts";

const BLOCK_SIZE = 1000n;

/** Hands out ids without a round trip for each: one lease of a block serves a thousand. */
export class IdSource {
  readonly #database: Queryable;
  #next = 0n;
  #end = 0n;
  #lease: Promise<void> | null = null;

  constructor(database: Queryable) {
    this.#database = database;
  }

  /** The next id. Ids of a block that a process leaves unused stay unused. */
  async next(): Promise<bigint> {
    while (this.#next >= this.#end) {
      this.#lease ??= this.#leaseBlock().finally(() => {
        this.#lease = null;
      });
      await this.#lease;
    }
    return this.#next++;
  }

  async #leaseBlock(): Promise<void> {
    const { rows } = await this.#database.query<{ block: bigint }>("select nextval('id_block') as block");
    this.#next = rows[0]!.block * BLOCK_SIZE;
    this.#end = this.#next + BLOCK_SIZE;
  }
}
