// Transfers on hold: their merchant was suspended or the provider was down. They are released in order, or given up after
// waiting too long. The claim (claim-transfers.ts) or the call (bank-calls.ts) puts them on hold.
import { findFreeBooks, lockBook } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { isLockTimeout } from "../../platform/database/failure.ts";
import { inTransaction, type Pool } from "../../platform/database/pool.ts";
import { actorOf } from "../../platform/origin.ts";
import { freeHeld } from "./claim-transfers.ts";
import { listMerchantsHeld, type HeldRail } from "./dispatch-store.ts";
import type { Rails } from "../providers/rails.ts";
import { endUnsent, listWaitingSince } from "./unsent-store.ts";
import type { WaitRules } from "./wait-rules.ts";

/** How often to check, at most. A check costs one index look-up for each merchant with transfers on hold. */
const LOOK_MS = 2000;
/** How many are released at once; the merchant's own requests wait for its book meanwhile. */
const AT_ONCE = 500;
const GIVEN_UP = {
  state: "FAILED",
  reason: "Given up: the payout provider was down for too long. The transfer was never sent.",
  origin: { actor: actorOf("job", "payouts"), address: null },
} as const;

export class HeldTransfers {
  readonly #pool: Pool;
  readonly #rails: Rails;
  readonly #rules: WaitRules;
  #nextLookMs = 0;

  constructor(pool: Pool, rails: Rails, rules: WaitRules) {
    this.#pool = pool;
    this.#rails = rails;
    this.#rules = rules;
  }

  /** Makes the next check run at once, because an account works again. */
  lookSoon(): void {
    this.#nextLookMs = 0;
  }

  /** Releases some of each merchant's transfers that may leave now; does nothing if it has just run. */
  async freeSome(): Promise<void> {
    if (performance.now() < this.#nextLookMs) return;
    this.#nextLookMs = performance.now() + LOOK_MS;
    await this.#rails.downtimes.lookAgain(this.#pool);
    const merchants = await listMerchantsHeld(this.#pool);
    const free = await findFreeBooks(this.#pool, merchants);
    for (const merchant of merchants.filter(({ merchantId }) => free.has(String(merchantId))))
      if ((await this.#free(merchant)) >= AT_ONCE) this.#nextLookMs = 0;
  }

  /** A merchant whose book has been locked meanwhile is left to the next check. */
  async #free(merchant: MerchantKey): Promise<number> {
    try {
      return (await this.#giveUp(merchant)) + (await this.#goOn(merchant));
    } catch (error) {
      if (isLockTimeout(error)) return 0;
      throw error;
    }
  }

  async #goOn(merchant: MerchantKey): Promise<number> {
    const { circuits, downtimes } = this.#rails;
    const rule = await this.#rules.of(merchant);
    const roomOver = (rail: string, { mode, bank: ifsc }: HeldRail): number =>
      downtimes.reasonOf({ rail, mode, ifsc }) === null ? circuits.room({ ...merchant, account: rail }) : 0;
    return freeHeld(this.#pool, Temporal.Now.instant(), merchant, AT_ONCE, (held) =>
      Math.max(...[held.rail, ...rule.othersFor(held.mode)].map((name) => roomOver(name, held))),
    );
  }

  /** Ends transfers that have waited for their provider longer than the merchant allows. */
  async #giveUp(merchant: MerchantKey): Promise<number> {
    const now = Temporal.Now.instant();
    const since = (await this.#rules.of(merchant)).givesUpSince(now);
    const overdue = since ? await listWaitingSince(this.#pool, merchant, since, AT_ONCE) : [];
    if (overdue.length === 0) return 0;
    return inTransaction(this.#pool, async (connection) => {
      await lockBook(connection, merchant.bucket, merchant.merchantId);
      return (await endUnsent(connection, now, merchant, overdue, GIVEN_UP)).length;
    });
  }
}
