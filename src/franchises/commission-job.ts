// The daily payout of commission to franchises with automatic and online settlement.
// What belongs here: when it runs and for whom. Each franchise's next run is in its row, so that all processes together
// run once a day for each, and a stopped service catches up at its next start.
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import { nextPayoutAfter, type Franchise } from "./franchise.ts";
import { findDuePayouts, takeDuePayout, type DuePayout } from "./franchise-store.ts";
import { payeeOf, type CommissionPayout, type PayCommission } from "./settle-commission.ts";

/** How often to look. The look is one search in an index of what is due. */
const LOOK_MS = 5000;
const PAGE_FRANCHISES = 100;

export type CommissionJobOptions = {
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly payCommission: PayCommission;
  readonly logger: Logger;
};

export class CommissionJob {
  readonly #options: CommissionJobOptions;
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<void> | null = null;
  #stopping = false;

  constructor(options: CommissionJobOptions) {
    this.#options = options;
  }

  /** Begins to look for payouts that are due. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
  }

  /** Looks no more, and waits for the payout in hand. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#run;
  }

  /** Pays out to every franchise whose day has come, once each. */
  async run(now: Temporal.Instant): Promise<void> {
    const { pool } = this.#options;
    let last: Franchise | null = null;
    let page: DuePayout[];
    do {
      page = await findDuePayouts(pool, now, last, PAGE_FRANCHISES);
      for (const due of page) {
        if (this.#stopping) return;
        await this.#pay(due, now);
      }
      last = page.at(-1)?.franchise ?? null;
    } while (page.length === PAGE_FRANCHISES);
  }

  #look(): void {
    this.#run ??= this.run(Temporal.Now.instant())
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "could not look for commission to pay"))
      .finally(() => {
        this.#run = null;
      });
  }

  /** Whether it is paid or not, this day's payout is done: what could not be paid stays due, and the next day tries again. */
  async #pay({ franchise, timeZone }: DuePayout, now: Temporal.Instant): Promise<void> {
    const { pool, ids, payCommission, logger } = this.#options;
    const names = { merchant_id: String(franchise.merchantId), franchise_id: String(franchise.franchiseId) };
    try {
      const payee = payeeOf(franchise, await ids.next());
      const payout = await inTransaction(pool, async (connection): Promise<CommissionPayout | null> => {
        if (!(await takeDuePayout(connection, franchise, nextPayoutAfter(now, timeZone)))) return null;
        return payee && payCommission(connection, payee);
      });
      if (payout?.outcome === "insufficient_balance") {
        logger.warn(names, "the balance does not cover a franchise's commission, which stays due");
      }
    } catch (error) {
      logger.error({ err: error, ...names }, "could not pay a franchise's commission out");
    }
  }
}
