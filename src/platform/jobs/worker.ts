// The loop of everything that works on items as they come due, several at once, beside other processes that do the same:
// mail, webhooks, schedules. Which process gets an item is decided by claims in the database, which `find` makes.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../log.ts";

/** Between two looks that were called for, however many calls there are. */
const BETWEEN_CALLS_MS = 50;

export type Work<Item> = {
  /** What the items are, for the log. */
  readonly name: string;
  readonly logger: Logger;
  /** How many items may be in hand at once. */
  readonly atOnce: number;
  /** After how long to look again where nothing is due, unless something in hand ends, or `lookNow` is called, before. */
  readonly lookMs: number;
  /** What is due and may be begun beside what is in hand, at most `room` items: they are this process's from then on. */
  find(room: number, inProgress: readonly Item[]): Promise<readonly Item[]>;
  run(item: Item): Promise<unknown>;
  /** Between the beginnings of those that were found together; left out where they need none. */
  readonly spacingMs?: number;
  /** Keeps the claims on what is in hand, again and again. */
  readonly renewal?: { readonly everyMs: number; renew(inProgress: readonly Item[]): Promise<unknown> };
};

/** Works from `start` to `stop`. */
export class Worker<Item> {
  readonly #work: Work<Item>;
  readonly #stopping = new AbortController();
  readonly #inProgress = new Map<Item, Promise<unknown>>();
  #loop: Promise<void> = Promise.resolve();
  #renewal: NodeJS.Timeout | undefined;
  /** Whether something has come to be due since the last look began, as far as this process knows. */
  #isCalled = false;
  #rest: AbortController | null = null;

  constructor(work: Work<Item>) {
    this.#work = work;
  }

  /** Aborted once it is to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    const { renewal } = this.#work;
    if (renewal) this.#renewal = setInterval(() => void this.#try("keep", () => this.#renew(renewal)), renewal.everyMs);
    this.#loop = this.#takeTurns();
  }

  /** Has it look at once: this process has just left something that is due. What others leave is found by looking. */
  lookNow(): void {
    this.#isCalled = true;
    this.#rest?.abort();
  }

  /** Looks for nothing any more, and waits for what is in hand. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#inProgress.values());
    clearInterval(this.#renewal);
  }

  async #takeTurns(): Promise<void> {
    const { atOnce } = this.#work;
    while (!this.stopping.aborted) {
      const room = atOnce - this.#inProgress.size;
      // What is left while a look is under way may not be seen by it. Without room, what is called for is found when there is some.
      this.#isCalled = false;
      const look = () => this.#work.find(room, [...this.#inProgress.keys()]);
      const found = (room > 0 && (await this.#try("look for", look))) || [];
      for (const [place, item] of found.entries()) this.#begin(item, place * (this.#work.spacingMs ?? 0));
      if (found.length === 0) await this.#takeRest();
    }
  }

  /** Has it in hand at once, so that the claim on it is kept, and runs it after a pause; at a stop without one. */
  #begin(item: Item, pauseMs: number): void {
    const run = (): Promise<unknown> => this.#work.run(item);
    const begin = pauseMs === 0 ? run : () => this.#pause(pauseMs).then(run);
    const work = this.#try("finish", begin).finally(() => this.#inProgress.delete(item));
    this.#inProgress.set(item, work);
  }

  /** Until something may be due, or what ends leaves its place to the next one. */
  async #takeRest(): Promise<void> {
    if (this.#isCalled) return this.#pause(BETWEEN_CALLS_MS);
    this.#rest = new AbortController();
    const signal = AbortSignal.any([this.stopping, this.#rest.signal]);
    await Promise.race([sleep(this.#work.lookMs, undefined, { signal }).catch(() => {}), ...this.#inProgress.values()]);
    this.#rest.abort();
    this.#rest = null;
  }

  /** Until then, or a stop. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping }).catch(() => {});
  }

  async #renew(renewal: NonNullable<Work<Item>["renewal"]>): Promise<void> {
    if (this.#inProgress.size > 0) await renewal.renew([...this.#inProgress.keys()]);
  }

  async #try<T>(what: string, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      this.#work.logger.warn({ err: error }, `could not ${what} ${this.#work.name}`);
      return undefined;
    }
  }
}

/**
 * The work of one kind that waits. Numbers are counts of items, and mean the same for every kind: an item is either waiting
 * or failed. What waits behind an item that was tried is waiting, and not retrying.
 */
export type QueueState = {
  readonly name: string;
  /** Not done yet, due or not, and neither given up nor parked. */
  readonly waiting: bigint;
  /** Of those: tried before without success. */
  readonly retrying: bigint;
  /** Given up, or parked until somebody sees to it. */
  readonly failed: bigint;
  /** When the one that waits and has been due for longest became due; `null` where none is. */
  readonly oldestDueAt: Temporal.Instant | null;
};
