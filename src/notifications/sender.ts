// The worker that sends due notifications, several at once, concurrently with other processes. send-notification.ts makes one
// attempt.
import type { MerchantKey } from "../merchants/index.ts";
import { Worker } from "../platform/jobs/worker.ts";
import { claimNotifications, findDueNotifications, freeClaims, renewClaims } from "./notification-store.ts";
import { listHeldMerchants, queueHeld } from "./held-store.ts";
import type { ChannelName, Notification } from "./notification.ts";
import { sendNotification, type SendOptions } from "./send-notification.ts";

/** How many messages one process sends at once. */
export const SEND_CONCURRENCY = 8;
/** How many of them may belong to one merchant, so that a slow PDF or receiver doesn't hold up more. */
const OF_ONE_MERCHANT = 2;
/** How long a message stays claimed after the last heartbeat of the process that sends it. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often to poll while nothing is due. A poll is one look-up in an index of due messages. */
const LOOK_MS = 1000;

/** How often to look for messages that were held by another process, which can't send them. */
const HELD_MS = 60_000;

export type SenderOptions = SendOptions & {
  readonly configured: readonly ChannelName[];
};

/** Sends notifications from `start` to `stop`, at least once each: after a crash, unfinished ones are sent again. */
export class NotificationSender {
  readonly #options: SenderOptions;
  readonly #worker: Worker<Notification>;
  #timer: NodeJS.Timeout | undefined;
  /** The merchant after which the next poll continues. */
  #after: MerchantKey | null = null;

  constructor(options: SenderOptions) {
    const { pool, logger } = options;
    this.#options = options;
    this.#worker = new Worker({
      name: "messages to customers",
      logger,
      atOnce: SEND_CONCURRENCY,
      lookMs: LOOK_MS,
      find: (room, inProgress) => this.#claim(room, inProgress),
      run: (notification) => sendNotification(options, notification, () => this.#worker.stopping.aborted),
      renewal: { everyMs: RENEW_MS, renew: (inProgress) => renewClaims(pool, inProgress, LEASE_MS) },
    });
  }

  /**
   * Starts, including messages that were held while their channel was not configured. `alone` says that no other process can be running, so
   * that the messages of dead ones are freed at once.
   */
  async start(alone: boolean): Promise<void> {
    if (alone) await freeClaims(this.#options.pool);
    await this.#queueHeld();
    this.#worker.start();
    this.#timer = setInterval(() => void this.#queueHeld(), HELD_MS).unref();
  }

  /**
   * Claims nothing more, and waits for messages in progress; after `timeoutMs` they are aborted, and due again at once.
   */
  async stop(timeoutMs: number): Promise<void> {
    clearInterval(this.#timer);
    const cutOff = setTimeout(() => this.#closeChannels(), timeoutMs);
    await this.#worker.stop();
    clearTimeout(cutOff);
    this.#closeChannels();
  }

  /** docs/notifications.md#setting-up. Another process may hold messages that this one can send. */
  async #queueHeld(): Promise<void> {
    const { pool, configured, logger } = this.#options;
    if (configured.length === 0) return;
    try {
      let count = 0;
      for (const merchant of await listHeldMerchants(pool, configured))
        count += await queueHeld(pool, merchant, configured);
      if (count > 0) logger.info({ messages: count, channels: configured }, "held messages are being sent");
    } catch (error) {
      logger.warn({ err: error }, "could not look for held messages; will retry");
    }
  }

  async #claim(limit: number, inProgress: readonly Notification[]): Promise<Notification[]> {
    const { pool } = this.#options;
    const counts = new Map<bigint, number>();
    const count = (merchantId: bigint): number => counts.get(merchantId) ?? 0;
    for (const { merchantId } of inProgress) counts.set(merchantId, count(merchantId) + 1);
    const leftOut = [...counts.keys()].filter((merchantId) => count(merchantId) >= OF_ONE_MERCHANT);
    const look = { limit, ofOne: OF_ONE_MERCHANT, leftOut, after: this.#after };
    const { due, next } = await findDueNotifications(pool, look);
    this.#after = next;
    const chosen = due.filter(({ merchantId }) => {
      counts.set(merchantId, count(merchantId) + 1);
      return count(merchantId) <= OF_ONE_MERCHANT;
    });
    return claimNotifications(pool, chosen, LEASE_MS);
  }

  #closeChannels(): void {
    for (const channel of Object.values(this.#options.channels)) channel.close();
  }
}
