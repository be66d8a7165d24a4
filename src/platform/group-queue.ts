// Group commit by key: what arrives for a key while its last group is being written goes together in the next one.
// What belongs here: waiting and turns. What fits one group, and what a group does, is its owner's.
import { Gate } from "./gate.ts";

export type GroupQueueOptions<Item, Result> = {
  /** Handles a group of one key. Answers one result or error for each item, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  /**
   * Begins a group. What it answers is asked of each item in the order of their arrival, the first one too, whether it
   * may go with those before it; the group ends before the first that may not. The first one goes in any case.
   */
  readonly openGroup: () => (item: Item) => boolean;
  /** How many keys may have a group under way at once. Keys that wait take turns, group by group. */
  readonly atOnce: number;
};

type WaitingItem<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
};
/** An item, or work that goes alone. */
type Waiting<Item, Result> = WaitingItem<Item, Result> | { readonly work: () => Promise<void> };

export class GroupQueue<Item, Result> {
  readonly #options: GroupQueueOptions<Item, Result>;
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();
  readonly #gate: Gate;

  constructor(options: GroupQueueOptions<Item, Result>) {
    this.#options = options;
    this.#gate = new Gate({ atOnce: options.atOnce, refusal: "" });
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
    const queue = this.#waiting.get(key);
    if (queue) {
      queue.push(waiting);
      return;
    }
    const first = [waiting];
    this.#waiting.set(key, first);
    // After the I/O of this turn, so that the requests read together go together.
    setImmediate(() => void this.#serve(key, first));
  }

  async #serve(key: string, queue: Waiting<Item, Result>[]): Promise<void> {
    // A group is made up only once there is a place for it, of all that has come by then.
    while (queue.length > 0) await this.#gate.run(key, () => this.#runNext(queue));
    this.#waiting.delete(key);
  }

  async #runNext(queue: Waiting<Item, Result>[]): Promise<void> {
    const [first] = queue;
    if ("work" in first!) {
      queue.shift();
      return first.work();
    }
    const group = this.#takeGroup(queue);
    try {
      const results = await this.#options.run(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index]!;
        if (result instanceof Error) reject(result);
        else resolve(result);
      });
    } catch (error) {
      for (const { reject } of group) reject(error as Error);
    }
  }

  #takeGroup(queue: Waiting<Item, Result>[]): WaitingItem<Item, Result>[] {
    const group: WaitingItem<Item, Result>[] = [];
    const mayJoin = this.#options.openGroup();
    for (const waiting of queue) {
      if ("work" in waiting) break;
      const joins = mayJoin(waiting.item);
      if (!joins && group.length > 0) break;
      group.push(waiting);
    }
    queue.splice(0, group.length);
    return group;
  }
}
