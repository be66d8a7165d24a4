// What was held back because its merchant's money could not leave, such as while the merchant was suspended.
// What belongs here: letting it go on once it may. Who holds it back is the claim (claim-transfers.ts).
import { findFreeBooks } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { hasWaitedInVain } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import { freeHeld } from "./claim-transfers.ts";
import { listMerchantsHeld } from "./dispatch-store.ts";

/** How often to look, at most. A look costs one search in an index for each merchant of whom something is held back. */
const LOOK_MS = 2000;
/** The merchant's book is held meanwhile, and the merchant's own requests wait. */
const FREED_AT_ONCE = 500;

export class HeldTransfers {
  readonly #pool: Pool;
  #nextLookMs = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Makes due what may leave by now, a part of each merchant's; does nothing where it has just done so. */
  async freeSome(): Promise<void> {
    if (performance.now() < this.#nextLookMs) return;
    let isMore = false;
    const merchants = await listMerchantsHeld(this.#pool);
    const free = await findFreeBooks(this.#pool, merchants);
    for (const merchant of merchants.filter(({ merchantId }) => free.has(String(merchantId)))) {
      const freed = await this.#free(merchant);
      isMore ||= freed === FREED_AT_ONCE;
    }
    this.#nextLookMs = isMore ? 0 : performance.now() + LOOK_MS;
  }

  /** A merchant whose book somebody has taken meanwhile is left to the next look. */
  async #free(merchant: MerchantKey): Promise<number> {
    try {
      return await freeHeld(this.#pool, Temporal.Now.instant(), merchant, FREED_AT_ONCE);
    } catch (error) {
      if (hasWaitedInVain(error)) return 0;
      throw error;
    }
  }
}
