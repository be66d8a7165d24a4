// Over which rail a merchant's money leaves: the one rule, and looking once more whether money may leave so. Over which rails
// live merchants pay that have no account at a provider is remembered for a moment, so that a transfer costs no statement
// for it.
import { readPayoutRails, type Merchant, type PayoutRails } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import type { RailMode } from "./rail.ts";
import { SIMULATOR } from "./simulator.ts";

/** Whose money leaves, as far as the way goes. */
export type RailOwner = Pick<Merchant, "live" | "payoutRails">;

/**
 * The rail of a merchant's payout: the simulator in the sandbox; for real money that of the account that comes first for this
 * mode among the merchant's own, or among the installation's where the merchant has none.
 * docs/rules/access.md#sandbox-and-live
 * @throws NodalError `no_payout_provider`
 */
export function railOf({ live, payoutRails }: RailOwner, mode: RailMode): string {
  if (!live) return SIMULATOR;
  requireRails({ live, payoutRails });
  const rail = payoutRails?.[mode];
  if (rail === undefined) throw modeNotCarried(mode);
  return rail;
}

/** @throws NodalError `no_payout_provider` where no account could carry the merchant's real money */
export function requireRails({ live, payoutRails }: RailOwner): void {
  if (live && payoutRails === null) throw noPayoutProvider();
}

/** Whether the merchant's money leaves over the installation's account: it has none of its own. */
function needsDefault({ live, payoutRails }: RailOwner): boolean {
  return live && payoutRails === null;
}

/**
 * Why a payout may not leave over a rail; `null` where it may. The simulator carries the sandbox and nothing else, and the
 * sandbox goes nowhere else. Who holds the merchant's book sees what cannot change meanwhile: whoever suspends a merchant holds
 * it too, and live it is or is not for good.
 */
export function payoutRefusal(
  { status, live }: { readonly status: string; readonly live: boolean },
  rail: string,
): "suspended" | "wrong_rail" | null {
  if (status !== "active") return "suspended";
  return live === (rail === SIMULATOR) ? "wrong_rail" : null;
}

/** The refusal for a live merchant's money that nobody could carry. */
export function noPayoutProvider(): NodalError {
  return new NodalError(
    "no_payout_provider",
    "No account at a payout provider is connected for this live merchant, so nobody could pay: connect one on the page Payout accounts, or with `nodal provider connect`. Nothing was transferred.",
  );
}

function modeNotCarried(mode: RailMode): NodalError {
  return new NodalError(
    "no_payout_provider",
    `None of the connected payout accounts carries ${mode}: let one do so on the page Payout accounts, or with \`nodal provider set --modes\`. Nothing was transferred.`,
  );
}

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
