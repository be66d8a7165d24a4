// The worker that sends what is due: several at once, beside those of other processes.
// What belongs here: claiming, keeping claims, and stopping. One attempt is in send-notification.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { claimNotifications, findDueNotifications, freeClaims, renewClaims } from "./notification-store.ts";
import type { Notification } from "./notification.ts";
import { sendNotification, type SendOptions } from "./send-notification.ts";

/** How many messages are under way at once in one process. */
export const SEND_CONCURRENCY = 8;
/** How many of them may be one merchant's: a PDF that takes long, or a slow receiver, holds up no more than that. */
const OF_ONE_MERCHANT = 2;
/** How long a message is kept from others after the last sign of life of whoever is sending it. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often to look while nothing is due. The look is one search in an index of what is due. */
const LOOK_MS = 1000;

/** Sends notifications from `start` to `stop`. At least once each: what a crash leaves open is sent again. */
export class NotificationSender {
  readonly #options: SendOptions;
  readonly #stopping = new AbortController();
  readonly #inHand = new Map<Notification, Promise<void>>();
  #loop: Promise<void> = Promise.resolve();
  #renewal: NodeJS.Timeout | undefined;

  constructor(options: SendOptions) {
    this.#options = options;
  }

  /** Begins. `alone` says that no other process can be alive, so that what a dead one was sending is free at once. */
  async start(alone: boolean): Promise<void> {
    if (alone) await freeClaims(this.#options.pool);
    this.#renewal = setInterval(() => void this.#renew(), RENEW_MS);
    this.#loop = this.#work();
  }

  /** Claims nothing any more, and waits for what is under way; after `timeoutMs` that is cut off, and due again at once. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    const cutOff = setTimeout(() => this.#closeChannels(), timeoutMs);
    await Promise.all(this.#inHand.values());
    clearTimeout(cutOff);
    clearInterval(this.#renewal);
    this.#closeChannels();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const claimed = await this.#claim(SEND_CONCURRENCY - this.#inHand.size);
      for (const notification of claimed) this.#send(notification);
      if (this.#inHand.size >= SEND_CONCURRENCY) await Promise.race(this.#inHand.values());
      else if (claimed.length === 0) await this.#rest(signal);
    }
  }

  /** Until something may be due, or one that is under way leaves its merchant's place to the next one. */
  async #rest(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const pause = sleep(LOOK_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => {});
    await Promise.race([pause, ...this.#inHand.values()]);
    over.abort();
  }

  async #claim(limit: number): Promise<Notification[]> {
    const { pool } = this.#options;
    const counts = new Map<bigint, number>();
    const count = (merchantId: bigint): number => counts.get(merchantId) ?? 0;
    for (const { merchantId } of this.#inHand.keys()) counts.set(merchantId, count(merchantId) + 1);
    const leftOut = [...counts.keys()].filter((merchantId) => count(merchantId) >= OF_ONE_MERCHANT);
    try {
      const due = await findDueNotifications(pool, { limit, ofOne: OF_ONE_MERCHANT, leftOut });
      const chosen = due.filter(({ merchantId }) => {
        counts.set(merchantId, count(merchantId) + 1);
        return count(merchantId) <= OF_ONE_MERCHANT;
      });
      return await claimNotifications(pool, chosen, LEASE_MS);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "could not look for messages to send");
      return [];
    }
  }

  #send(notification: Notification): void {
    const sending = sendNotification(this.#options, notification, () => this.#stopping.signal.aborted)
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "could not note how a message was sent"))
      .finally(() => this.#inHand.delete(notification));
    this.#inHand.set(notification, sending);
  }

  async #renew(): Promise<void> {
    if (this.#inHand.size === 0) return;
    try {
      await renewClaims(this.#options.pool, [...this.#inHand.keys()], LEASE_MS);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "could not keep the messages that are being sent");
    }
  }

  #closeChannels(): void {
    for (const channel of Object.values(this.#options.channels)) channel.close();
  }
}
