// A gate: so much work of a kind at once, shared fairly between those for whom it is done: in a queue whose keys take turns.
import { NodalError } from "./errors.ts";

export type GateOptions = {
  /** Places. */
  readonly atOnce: number;
  /** How many of them one key may have; all, where nothing is said. */
  readonly atOncePerKey?: number;
  /** How many may wait for a place; without an end where nothing is said. */
  readonly maxWaiting?: number;
  /** How many of one key may wait. */
  readonly maxWaitingPerKey?: number;
  /** How long one may wait, in ms; without an end where nothing is said. */
  readonly waitMs?: number;
  /** What is answered to a caller who gets no place, as a sentence. */
  readonly refusal: string;
};

type Waiter = { readonly enter: () => void };

export class Gate {
  readonly #options: Required<GateOptions>;
  /** Those who wait, by key; the key whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #waitingCount = 0;

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
   * Takes a place as soon as there is one. Keys that wait take turns, so that one with much to do holds up nobody else;
   * within a key, first come first served. Returns what gives the place back, to be called once.
   * @throws NodalError `unavailable` where too many wait already, or where the wait took too long
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
    this.#admit();
  }

  /** Gives a free place to the one whose turn it is, at once, so that nobody can come between. */
  #admit(): void {
    for (const [key, waiters] of this.#waiting) {
      if (!this.#hasRoom(key)) continue;
      const waiter = waiters[0]!;
      this.#forget(key, waiter);
      // Behind the others, for its next turn.
      if (this.#waiting.delete(key)) this.#waiting.set(key, waiters);
      this.#take(key);
      waiter.enter();
      return;
    }
  }

  #wait(key: string): Promise<void> {
    const { maxWaiting, maxWaitingPerKey, waitMs, refusal } = this.#options;
    const waiters = this.#waiting.get(key) ?? [];
    if (this.#waitingCount >= maxWaiting || waiters.length >= maxWaitingPerKey) {
      throw new NodalError("unavailable", refusal);
    }
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter = { enter };
      if (waitMs !== Infinity) {
        timer = setTimeout(() => {
          this.#forget(key, waiter);
          reject(new NodalError("unavailable", refusal));
        }, waitMs);
      }
      this.#waitingCount += 1;
      waiters.push(waiter);
      this.#waiting.set(key, waiters);
    });
  }

  #forget(key: string, waiter: Waiter): void {
    this.#waitingCount -= 1;
    const waiters = this.#waiting.get(key)!;
    waiters.splice(waiters.indexOf(waiter), 1);
    if (waiters.length === 0) this.#waiting.delete(key);
  }
}

export class TurnQueue<Item> {
  /** What waits, by key; the key whose turn is next comes first. */
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

  /** Takes the next item out, of the keys whose first item may go; `undefined` where none waits, or may go. */
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

  /** Forgets everything that waits. */
  clear(): void {
    this.#items.clear();
    this.#length = 0;
  }
}
