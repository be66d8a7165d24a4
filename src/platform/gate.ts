// A gate limits how much work of a kind runs at once, and shares it fairly: a queue whose keys take turns.
import { NodalError } from "./errors.ts";

export type GateOptions = {
  /** Places. */
  readonly atOnce: number;
  /** Places per key; by default all. */
  readonly atOncePerKey?: number;
  /** How many may wait for a place; by default without limit. */
  readonly maxWaiting?: number;
  /** How many of one key may wait. */
  readonly maxWaitingPerKey?: number;
  /** The longest wait, in ms; by default without limit. */
  readonly waitMs?: number;
  /** The error message for a caller who gets no place. */
  readonly refusal: string;
};

type Waiter = { readonly key: string; readonly enter: () => void };

export class Gate {
  readonly #options: Required<GateOptions>;
  readonly #waiting = new TurnQueue<Waiter>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor(options: GateOptions) {
    const { atOnce } = options;
    const noEnd = { maxWaiting: Infinity, maxWaitingPerKey: Infinity, waitMs: Infinity };
    this.#options = { atOncePerKey: atOnce, ...noEnd, ...options };
  }

  /** Runs `work` in a place: see `enter`. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(key);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Takes a place as soon as one is free. Waiting keys take turns, so that a busy one doesn't hold up the others;
   * within a key, first come, first served. Returns a function that releases the place, to be called once. @throws
   * NodalError `unavailable` if too many wait already, or the wait took too long
   */
  async enter(key: string): Promise<() => void> {
    if (this.#hasRoom(key)) this.#take(key);
    else await this.#wait(key);
    return () => this.#leave(key);
  }

  #hasRoom(key: string): boolean {
    const { atOnce, atOncePerKey } = this.#options;
    return this.#running < atOnce && (this.#runningOf.get(key) ?? 0) < atOncePerKey;
  }

  #take(key: string): void {
    this.#running += 1;
    this.#runningOf.set(key, (this.#runningOf.get(key) ?? 0) + 1);
  }

  #leave(key: string): void {
    this.#running -= 1;
    const left = this.#runningOf.get(key)! - 1;
    if (left === 0) this.#runningOf.delete(key);
    else this.#runningOf.set(key, left);
    const next = this.#waiting.shift((waiter) => this.#hasRoom(waiter.key));
    if (!next) return;
    // Synchronously, so that nobody can take the place in between.
    this.#take(next.key);
    next.enter();
  }

  #wait(key: string): Promise<void> {
    const { maxWaiting, maxWaitingPerKey, waitMs, refusal } = this.#options;
    if (this.#waiting.length >= maxWaiting || this.#waiting.lengthOf(key) >= maxWaitingPerKey) {
      throw new NodalError("unavailable", refusal);
    }
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter = { key, enter };
      if (waitMs !== Infinity) {
        timer = setTimeout(() => {
          this.#waiting.remove(key, waiter);
          reject(new NodalError("unavailable", refusal));
        }, waitMs);
      }
      this.#waiting.push(key, waiter);
    });
  }
}

/** A queue whose keys take turns; within a key, first come, first served. */
export class TurnQueue<Item> {
  /** Waiting items, by key; the key with the next turn comes first. */
  readonly #items = new Map<string, Item[]>();
  #length = 0;

  /** How many items wait, of all keys. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item behind the others of its key. */
  push(key: string, item: Item): void {
    const items = this.#items.get(key);
    if (items) items.push(item);
    else this.#items.set(key, [item]);
    this.#length += 1;
  }

  /** How many items of a key wait. */
  lengthOf(key: string): number {
    return this.#items.get(key)?.length ?? 0;
  }

  /** Removes a waiting item; its key keeps its turn. */
  remove(key: string, item: Item): void {
    const items = this.#items.get(key)!;
    items.splice(items.indexOf(item), 1);
    if (items.length === 0) this.#items.delete(key);
    this.#length -= 1;
  }

  /** Removes and returns the next item of the keys whose first item may go; `undefined` if there is none. */
  shift(mayGo: (item: Item) => boolean = () => true): Item | undefined {
    for (const [key, items] of this.#items) {
      if (!mayGo(items[0]!)) continue;
      const item = items.shift()!;
      this.#items.delete(key);
      if (items.length > 0) this.#items.set(key, items);
      this.#length -= 1;
      return item;
    }
    return undefined;
  }

  /** Drops all waiting items. */
  clear(): void {
    this.#items.clear();
    this.#length = 0;
  }
}
