// Group commit by key: what arrives for a key while its last group is being written goes together in the next one, beside
// groups of other keys. What belongs here: waiting and turns. What fits, and what is done with groups, is their owner's.

export type GroupQueueOptions<Item, Result> = {
  /**
   * Handles a load: one group each of some keys. Answers for each group, in order, what its items come to: one result or
   * error for each, in order.
   */
  readonly run: (groups: readonly (readonly Item[])[]) => readonly Promise<readonly (Result | Error)[]>[];
  /**
   * Begins a load. What it answers is asked of items, of each key in the order of their arrival, whether they may go with
   * those before them; a key's group ends before the first that may not. The first one of a load goes in any case.
   */
  readonly openLoad: () => (item: Item) => boolean;
  /** How many loads may be under way at once. A key is in one of them at most. */
  readonly atOnce: number;
};

type WaitingItem<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
};
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
  #isScheduled = false;

  constructor(options: GroupQueueOptions<Item, Result>) {
    this.#options = options;
  }

  /** Queues an item behind all that its key has. Rejects with its own error, or with what its whole group failed with. */
  add(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => this.#push(key, { item, resolve, reject }));
  }

  /** Runs `work` in its turn behind all that its key has, and by itself: no group of the key is under way meanwhile. */
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
    if (this.#isScheduled || this.#underWay >= this.#options.atOnce || this.#ready.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#underWay < this.#options.atOnce && this.#ready.size > 0) void this.#runNext();
    });
  }

  async #runNext(): Promise<void> {
    this.#underWay += 1;
    const [[key, queue]] = this.#ready as unknown as [[string, Waiting<Item, Result>[]]];
    const [first] = queue;
    if ("work" in first!) {
      queue.shift();
      this.#take(key);
      await first.work();
      this.#giveBack(key);
    } else await this.#runLoad();
    this.#underWay -= 1;
    this.#schedule();
  }

  async #runLoad(): Promise<void> {
    const groups = this.#takeLoad();
    const ends = this.#options.run(groups.map(({ items }) => items.map(({ item }) => item)));
    await Promise.all(groups.map((group, index) => this.#answer(group, ends[index]!)));
  }

  /** Answers a group as soon as it is done, whatever holds up the others of its load. */
  async #answer({ key, items }: Group<Item, Result>, end: Promise<readonly (Result | Error)[]>): Promise<void> {
    try {
      const results = await end;
      items.forEach(({ resolve, reject }, index) => {
        const result = results[index]!;
        if (result instanceof Error) reject(result);
        else resolve(result);
      });
    } catch (error) {
      for (const { reject } of items) reject(error as Error);
    }
    this.#giveBack(key);
  }

  #takeLoad(): Group<Item, Result>[] {
    const groups: Group<Item, Result>[] = [];
    const mayJoin = this.#options.openLoad();
    for (const [key, queue] of this.#ready) {
      const items: WaitingItem<Item, Result>[] = [];
      for (const waiting of queue) {
        if ("work" in waiting) break;
        const isFirst = groups.length === 0 && items.length === 0;
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
