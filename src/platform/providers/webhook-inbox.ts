// Webhooks of providers: each is saved before it is answered, and processed by asking the provider. Its content is
// never trusted.
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Pool } from "../database/pool.ts";
import { NodalError } from "../errors.ts";
import { Worker } from "../jobs/worker.ts";
import type { Logger } from "../log.ts";
import { insertNotice, settleNotice, takeDueNotices, type DueNotice, type Product } from "./notice-store.ts";
import type { AccountKey, ArrivedWebhook } from "./webhook.ts";

/** Webhooks that arrive here are processed at once; this finds those of dead processes, and retries. */
const LOOK_MS = 1000;
const AT_ONCE = 32;
const OF_ONE_MERCHANT = 4;
const UNKNOWN_REMEMBERED = 10_000;
/** An account that was just connected in another process is found within this time. */
const UNKNOWN_REMEMBERED_MS = 1000;

/** An authentic webhook: its account, its subject, and the status that it claims. */
export type ReadWebhook = Pick<DueNotice, "claims"> & {
  readonly owner: Pick<AccountKey, "bucket" | "merchantId">;
  /** `null` if there is nothing to ask about. */
  readonly subjectId: bigint | null;
};

/** Reads the webhooks of one account; `null` if the signature is wrong, or it is too old. */
export type WebhookReader = (webhook: ArrivedWebhook, now: Temporal.Instant) => Promise<ReadWebhook | null>;

export type InboxOptions<Provider extends string> = {
  readonly pool: Pool;
  readonly product: Product;
  /** Finds an account's reader; `null` if there is no such account at the provider. */
  readonly open: (provider: Provider, account: AccountKey) => Promise<WebhookReader | null>;
  /**
   * Asks the provider about a notice's subject, and applies its answer. Returns whether the notice is settled;
   * otherwise, or on an error, it is retried later.
   */
  readonly ask: (notice: DueNotice, signal: AbortSignal) => Promise<boolean>;
  readonly logger: Logger;
};

export class WebhookInbox<Provider extends string> {
  readonly #options: InboxOptions<Provider>;
  /** Unknown accounts, so that guessed URLs cost the database little. */
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

  /** Starts to process saved webhooks. */
  start(): void {
    this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  /**
   * Saves a webhook that has arrived at an account's URL. @throws NodalError `not_found` if there is no such account,
   * `signature_refused`
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
    // Retried deliveries have the same body, and nothing else is signed by every provider.
    const eventId = createHash("sha256").update(webhook.body).digest("hex");
    const { bucket, merchantId } = owner;
    const kept = { bucket, merchantId, accountId: key.accountId };
    await insertNotice(pool, product, kept, { eventId, subjectId, claims });
    if (subjectId !== null) this.#worker.lookNow();
  }

  /** Failed ones are due again later. */
  async #workOff(notice: DueNotice): Promise<void> {
    const { pool, ask, logger } = this.#options;
    try {
      if (await ask(notice, this.#worker.stopping)) await settleNotice(pool, notice);
    } catch (error) {
      logger.warn({ err: error, subject_id: String(notice.subjectId) }, "could not check a webhook with its provider");
    }
  }
}

/** The merchants that already have their full share in progress, so that one whose provider hangs leaves room for others. */
function findBusy(inProgress: readonly DueNotice[]): bigint[] {
  const ofMerchants = Map.groupBy(inProgress, ({ merchantId }) => merchantId);
  return [...ofMerchants].filter(([, notices]) => notices.length >= OF_ONE_MERCHANT).map(([merchantId]) => merchantId);
}
