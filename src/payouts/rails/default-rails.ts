// The installation's own accounts at providers, over which live merchants pay that have none.
// What belongs here: remembering for a moment over which rails that is. A transfer costs no statement for it.
import { readPayoutRails, type PayoutRails } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { needsDefault, type RailOwner } from "./merchant-rail.ts";

/** As what is known of a merchant. */
const REMEMBERED_MS = 1000;

export class DefaultRails {
  readonly #db: Queryable;
  #known: Promise<PayoutRails | null> | null = null;
  #knownUntilMs = 0;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The payer, with the installation's rails where it has none of its own. */
  async payerOf<T extends RailOwner>(payer: T): Promise<T> {
    return needsDefault(payer) ? { ...payer, payoutRails: await this.#read() } : payer;
  }

  #read(): Promise<PayoutRails | null> {
    if (this.#known && performance.now() < this.#knownUntilMs) return this.#known;
    const reading = readPayoutRails(this.#db);
    this.#knownUntilMs = performance.now() + REMEMBERED_MS;
    this.#known = reading;
    // A failed look-up must not be the answer for the next second.
    reading.catch(() => {
      if (this.#known === reading) this.#known = null;
    });
    return reading;
  }
}

/** The same in a transaction, which sees what is true now. */
export async function withDefaultRails<T extends RailOwner>(db: Queryable, payer: T): Promise<T> {
  return needsDefault(payer) ? { ...payer, payoutRails: await readPayoutRails(db) } : payer;
}

/** Whether real money of a live merchant can leave: an account of its own is connected, or one of the installation. */
export async function hasPayoutAccount(db: Queryable, payer: RailOwner): Promise<boolean> {
  return (await withDefaultRails(db, payer)).payoutRails !== null;
}
