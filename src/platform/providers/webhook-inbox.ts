// Webhooks of providers: each is kept before it is answered, and worked off by asking the provider. What one says is never believed.
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Pool } from "../database/pool.ts";
import { NodalError } from "../errors.ts";
import { Worker } from "../jobs/worker.ts";
import type { Logger } from "../log.ts";
import { insertNotice, settleNotice, takeDueNotices, type DueNotice, type Product } from "./notice-store.ts";
import type { AccountKey, ArrivedWebhook } from "./webhook.ts";

/** What arrives here is looked at when it does; the rest was left by a process that died, or is to be asked about again. */
const LOOK_MS = 1000;
const AT_ONCE = 32;
const OF_ONE_MERCHANT = 4;
const UNKNOWN_REMEMBERED = 10_000;
/** An account that has just been connected at another process is found within this. */
const UNKNOWN_REMEMBERED_MS = 1000;

/** An authentic webhook: who keeps it, what it is about, and the status that it claims. */
export type ReadWebhook = Pick<DueNotice, "claims"> & {
  readonly owner: Pick<AccountKey, "bucket" | "merchantId">;
  /** `null` where there is nothing to ask about. */
  readonly subjectId: bigint | null;
};

/** Reads the webhooks of one account; `null` for one whose signature is wrong, or that is too old. */
export type WebhookReader = (webhook: ArrivedWebhook, now: Temporal.Instant) => Promise<ReadWebhook | null>;

export type InboxOptions<Provider extends string> = {
  readonly pool: Pool;
  readonly product: Product;
  /** Finds an account's reader; `null` where there is no such account at the provider. */
  readonly open: (provider: Provider, account: AccountKey) => Promise<WebhookReader | null>;
  /**
   * Asks the provider about what a notice names, and applies its answer. Returns whether the notice is settled: else, and where
   * it throws, the provider is asked again later.
   */
  readonly ask: (notice: DueNotice, signal: AbortSignal) => Promise<boolean>;
  readonly logger: Logger;
};

export class WebhookInbox<Provider extends string> {
  readonly #options: InboxOptions<Provider>;
  /** Accounts that are not there, so that guessed addresses cost the database little. */
  readonly #unknown = new LRUCache<string, true>({ max: UNKNOWN_REMEMBERED, ttl: UNKNOWN_REMEMBERED_MS });
  readonly #worker: Worker<DueNotice>;

  constructor(options: InboxOptions<Provider>) {
    const { pool, product, logger } = options;
    this.#options = options;
    this.#worker = new Worker({
      name: "webhooks of providers",
      logger,
      atOnce: AT_ONCE,
      lookMs: LOOK_MS,
      find: (room, inProgress) => takeDueNotices(pool, product, room, OF_ONE_MERCHANT, findBusy(inProgress)),
      run: (notice) => this.#workOff(notice),
    });
  }

  /** Starts to work off what is kept. */
  start(): void {
    this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  /**
   * Keeps a webhook that has arrived at the address of an account.
   * @throws NodalError `not_found` where there is no such account, `signature_refused`
   */
  async take(provider: Provider, key: AccountKey, webhook: ArrivedWebhook): Promise<void> {
    const { pool, product, open } = this.#options;
    const place = `${key.bucket} ${key.merchantId} ${provider} ${key.accountId}`;
    const isUnknown = this.#unknown.has(place);
    const read = isUnknown ? null : await open(provider, key);
    if (!read) {
      if (!isUnknown) this.#unknown.set(place, true);
      throw new NodalError("not_found", "This provider account does not exist.");
    }
    const found = await read(webhook, Temporal.Now.instant());
    if (!found) throw new NodalError("signature_refused", "The webhook's signature is wrong, or it is too old.");
    const { owner, subjectId, claims } = found;
    // A delivery that is retried has the same body, and nothing else of it is signed by every provider.
    const eventId = createHash("sha256").update(webhook.body).digest("hex");
    const { bucket, merchantId } = owner;
    const kept = { bucket, merchantId, accountId: key.accountId };
    await insertNotice(pool, product, kept, { eventId, subjectId, claims });
    if (subjectId !== null) this.#worker.lookNow();
  }

  /** One that fails is due again later. */
  async #workOff(notice: DueNotice): Promise<void> {
    const { pool, ask, logger } = this.#options;
    try {
      if (await ask(notice, this.#worker.stopping)) await settleNotice(pool, notice);
    } catch (error) {
      logger.warn({ err: error, subject_id: String(notice.subjectId) }, "could not check a webhook with its provider");
    }
  }
}

/** The merchants that have all theirs in hand: one whose provider hangs leaves room for others. */
function findBusy(inProgress: readonly DueNotice[]): bigint[] {
  const ofMerchants = Map.groupBy(inProgress, ({ merchantId }) => merchantId);
  return [...ofMerchants].filter(([, notices]) => notices.length >= OF_ONE_MERCHANT).map(([merchantId]) => merchantId);
}
