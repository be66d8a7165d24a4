// The loop for work on due items, several at once, in several processes: mail, webhooks, schedules. `find` claims items
// in the database, so that only one process gets each.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../log.ts";

/** The least time between two looks, however many calls there are. */
const BETWEEN_CALLS_MS = 50;

export type Work<Item> = {
  /** The name of the items, for the log. */
  readonly name: string;
  readonly logger: Logger;
  /** How many items run at once. */
  readonly atOnce: number;
  /** How long to wait before the next look if nothing is due. The end of an item, or `lookNow`, ends the wait. */
  readonly lookMs: number;
  /** Claims due items for this process, at most `room`, that may run besides those in progress. */
  find(room: number, inProgress: readonly Item[]): Promise<readonly Item[]>;
  run(item: Item): Promise<unknown>;
  /** The pause between the starts of items that were found together; by default none. */
  readonly spacingMs?: number;
  /** Regular renewal of the claims on items in progress. */
  readonly renewal?: { readonly everyMs: number; renew(inProgress: readonly Item[]): Promise<unknown> };
};

/** Works from `start` to `stop`. */
export class Worker<Item> {
  readonly #work: Work<Item>;
  readonly #stopping = new AbortController();
  readonly #inProgress = new Map<Item, Promise<unknown>>();
  #loop: Promise<void> = Promise.resolve();
  #renewal: NodeJS.Timeout | undefined;
  /** Was `lookNow` called since the last look started? */
  #isCalled = false;
  #rest: AbortController | null = null;

  constructor(work: Work<Item>) {
    this.#work = work;
  }

  /** Aborted when it has to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    const { renewal } = this.#work;
    if (renewal) this.#renewal = setInterval(() => void this.#try("keep", () => this.#renew(renewal)), renewal.everyMs);
    this.#loop = this.#takeTurns();
  }

  /** Looks at once, after this process has added due work. Work of other processes is found by regular looks. */
  lookNow(): void {
    this.#isCalled = true;
    this.#rest?.abort();
  }

  /** Stops looking, and waits for the items in progress. */
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
      // A look may miss work that arrives during it. Without room, it is found as soon as there is some.
      this.#isCalled = false;
      const look = () => this.#work.find(room, [...this.#inProgress.keys()]);
      const found = (room > 0 && (await this.#try("look for", look))) || [];
      for (const [place, item] of found.entries()) this.#begin(item, place * (this.#work.spacingMs ?? 0));
      if (found.length === 0) await this.#takeRest();
    }
  }

  /** Counts the item as in progress at once, so that its claim is renewed, and runs it after a pause. A stop ends the pause. */
  #begin(item: Item, pauseMs: number): void {
    const run = (): Promise<unknown> => this.#work.run(item);
    const begin = pauseMs === 0 ? run : () => this.#pause(pauseMs).then(run);
    const work = this.#try("finish", begin).finally(() => this.#inProgress.delete(item));
    this.#inProgress.set(item, work);
  }

  /** Waits until something may be due, or an item's end makes room. */
  async #takeRest(): Promise<void> {
    if (this.#isCalled) return this.#pause(BETWEEN_CALLS_MS);
    this.#rest = new AbortController();
    const signal = AbortSignal.any([this.stopping, this.#rest.signal]);
    await Promise.race([sleep(this.#work.lookMs, undefined, { signal }).catch(() => {}), ...this.#inProgress.values()]);
    this.#rest.abort();
    this.#rest = null;
  }

  /** Waits so long, or until a stop. */
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
 * The queue of one kind of work. The counts have the same meaning for every kind: an item is either waiting or failed.
 * Items behind a retried one count as waiting, not as retrying.
 */
export type QueueState = {
  readonly name: string;
  /** Not done yet, due or not; neither abandoned nor parked. */
  readonly waiting: bigint;
  /** The waiting items that have failed before. */
  readonly retrying: bigint;
  /** Abandoned, or parked until somebody fixes it. */
  readonly failed: bigint;
  /** When the oldest due item became due; `null` if none is due. */
  readonly oldestDueAt: Temporal.Instant | null;
};
