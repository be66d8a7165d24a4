// Group commit by key: what arrives for a key while its last group is being written goes together in the next one,
// beside groups of other keys. What fits, and what is done with groups, is their owner's.
import type { Waiting as WaitingItem } from "./batcher.ts";

export type GroupQueueOptions<Item, Result> = {
  /**
   * Handles a load: one group each of some keys. Returns for each group, in order, what its items come to: one result or
   * error for each, in order; a promise for an item that is done elsewhere, so that the load is over without it, though its
   * key has something under way until it ends.
   */
  readonly run: (groups: readonly (readonly Item[])[]) => Promise<readonly GroupResults<Result>[]>;
  /**
   * Begins a load. What it answers is asked of items, of each key in the order of their arrival, whether they may go
   * with those before them; a key's group ends before the first that may not. The first one of a load goes in any case.
   */
  readonly openLoad: () => (item: Item) => boolean;
  /** How many loads may be under way at once, beside a heavy one. A key is in one of them at most. */
  readonly atOnce: number;
  /** What takes long: it is a load by itself, in a place beside the others', of which there is one. */
  readonly isHeavy?: (item: Item) => boolean;
};

export type GroupResults<Result> = readonly (Result | Error | Promise<Result>)[];

/** An item, or work that goes alone. */
type Waiting<Item, Result> = WaitingItem<Item, Result> | { readonly work: () => Promise<void> };
type Group<Item, Result> = { readonly key: string; readonly items: readonly WaitingItem<Item, Result>[] };

export class GroupQueue<Item, Result> {
  readonly #options: GroupQueueOptions<Item, Result>;
  /** What waits, by key, of keys that have nothing under way; the key whose turn is next comes first. */
  readonly #ready = new Map<string, Waiting<Item, Result>[]>();
  /** The same of keys that have something under way. */
  readonly #busy = new Map<string, Waiting<Item, Result>[]>();
  #underWay = 0;
  #isHeavyUnderWay = false;
  #isScheduled = false;

  constructor(options: GroupQueueOptions<Item, Result>) {
    this.#options = options;
  }

  /**
   * Queues an item behind all that its key has. Rejects with its own error, or with what its whole group failed with.
   */
  add(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => this.#push(key, { item, resolve, reject }));
  }

  /**
   * Runs `work` in its turn behind all that its key has, and by itself: no group of the key is under way meanwhile. It takes
   * no place of a load, however long it goes on.
   */
  alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#push(key, { work: () => work().then(resolve, reject) }));
  }

  #push(key: string, waiting: Waiting<Item, Result>): void {
    const queue = this.#busy.get(key) ?? this.#ready.get(key);
    if (queue) queue.push(waiting);
    else this.#ready.set(key, [waiting]);
    this.#schedule();
  }

  /** Begins loads after the I/O of this turn, so that the requests read together go together. */
  #schedule(): void {
    if (this.#isScheduled || this.#nextKey() === null) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (let key = this.#nextKey(); key !== null; key = this.#nextKey()) void this.#runNext(key);
    });
  }

  /** Whose turn it is; `null` where nothing may begin. */
  #nextKey(): string | null {
    const isFull = this.#underWay >= this.#options.atOnce;
    for (const [key, [first]] of this.#ready) {
      if ("work" in first! || !(this.#isHeavy(first!) ? this.#isHeavyUnderWay : isFull)) return key;
    }
    return null;
  }

  #isHeavy(waiting: Waiting<Item, Result>): boolean {
    return "item" in waiting && (this.#options.isHeavy?.(waiting.item) ?? false);
  }

  async #runNext(key: string): Promise<void> {
    const queue = this.#ready.get(key)!;
    const [first] = queue;
    if ("work" in first!) {
      queue.shift();
      this.#take(key);
      await first.work();
      this.#giveBack(key);
      return;
    }
    if (this.#isHeavy(first!)) {
      this.#isHeavyUnderWay = true;
      await this.#runLoad(key);
      this.#isHeavyUnderWay = false;
    } else {
      this.#underWay += 1;
      await this.#runLoad(key);
      this.#underWay -= 1;
    }
    this.#schedule();
  }

  async #runLoad(firstKey: string): Promise<void> {
    const groups = this.#takeLoad(firstKey);
    try {
      const results = await this.#options.run(groups.map(({ items }) => items.map(({ item }) => item)));
      groups.forEach((group, index) => void this.#answer(group, results[index]!));
    } catch (error) {
      for (const { key, items } of groups) {
        for (const { reject } of items) reject(error as Error);
        this.#giveBack(key);
      }
    }
  }

  async #answer({ key, items }: Group<Item, Result>, results: GroupResults<Result>): Promise<void> {
    items.forEach(({ resolve, reject }, index) => {
      const result = results[index]!;
      if (result instanceof Error) reject(result);
      else resolve(result);
    });
    await Promise.allSettled(results.filter((result) => result instanceof Promise));
    this.#giveBack(key);
  }

  #takeLoad(firstKey: string): Group<Item, Result>[] {
    const groups: Group<Item, Result>[] = [];
    const mayJoin = this.#options.openLoad();
    const isAlone = this.#isHeavy(this.#ready.get(firstKey)![0]!);
    for (const key of [firstKey, ...[...this.#ready.keys()].filter((other) => other !== firstKey)]) {
      const queue = this.#ready.get(key)!;
      const items: WaitingItem<Item, Result>[] = [];
      for (const waiting of queue) {
        if ("work" in waiting) break;
        const isFirst = groups.length === 0 && items.length === 0;
        if (!isFirst && (isAlone || this.#isHeavy(waiting))) break;
        if (!mayJoin(waiting.item) && !isFirst) break;
        items.push(waiting);
      }
      // One whose turn is not yet keeps its place before all that come later.
      if (items.length === 0) continue;
      queue.splice(0, items.length);
      this.#take(key);
      groups.push({ key, items });
    }
    return groups;
  }

  #take(key: string): void {
    this.#busy.set(key, this.#ready.get(key)!);
    this.#ready.delete(key);
  }

  /** The key's next turn comes behind those that wait. */
  #giveBack(key: string): void {
    const queue = this.#busy.get(key)!;
    this.#busy.delete(key);
    if (queue.length > 0) this.#ready.set(key, queue);
    this.#schedule();
  }
}
