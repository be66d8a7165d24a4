// Group commit in lanes: items of one key always share a lane, so that batches under way at once never meet on a lock.
// What belongs here: spreading items over batchers, and setting those aside whose rows something else holds.
import { Batcher, type BatcherOptions } from "./batcher.ts";
import { hasWaitedInVain } from "./database/failure.ts";
import { HeldItems, type HeldItemsOptions } from "./held-items.ts";

export type LaneBatcherOptions<Item, Result> = Omit<BatcherOptions<Item, Result>, "lanes" | "run"> &
  HeldItemsOptions<Item, Result> & {
    readonly lanes: number;
    /** Items that touch the same rows must have the same number here. */
    readonly laneOf: (item: Item) => number;
  };

/**
 * A batch that meets rows which something else holds waits for them once, for as long as its connection does; after that
 * their owner's items wait aside, and those of others go on as if it were not there.
 */
export class LaneBatcher<Item, Result> {
  readonly #options: LaneBatcherOptions<Item, Result>;
  readonly #lanes: readonly Batcher<Item, Result>[];
  readonly #held: HeldItems<Item, Result>;

  constructor(options: LaneBatcherOptions<Item, Result>) {
    this.#options = options;
    const run = (items: readonly Item[]) => this.#run(items);
    this.#lanes = Array.from({ length: options.lanes }, () => new Batcher<Item, Result>({ ...options, run, lanes: 1 }));
    this.#held = new HeldItems(options);
  }

  /**
   * Queues an item in its lane. Rejects with that item's own error, or with what the whole batch failed with; with
   * `unavailable` where its rows stay held.
   */
  add(item: Item): Promise<Result> {
    const { laneOf, ownerOf } = this.#options;
    if (this.#held.has(ownerOf(item))) return this.#held.add(item);
    return this.#lanes[laneOf(item) % this.#lanes.length]!.add(item);
  }

  /** Resolves when nothing is waiting or under way. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()));
    await this.#held.drain();
  }

  async #run(items: readonly Item[]): Promise<readonly (Result | Error | Promise<Result>)[]> {
    const { run, ownerOf, findFree } = this.#options;
    const results = new Map<Item, Result | Error>();
    const write = async (some: readonly Item[]): Promise<void> => {
      const written = await run(some);
      some.forEach((item, index) => results.set(item, written[index]!));
    };
    await write(items);
    const stopped = items.filter((item) => hasWaitedInVain(results.get(item)));
    if (stopped.length > 0) {
      // Where that can't be told, they all wait aside.
      const free = await findFree(stopped).catch(() => new Set<string>());
      const others = stopped.filter((item) => free.has(ownerOf(item)));
      if (others.length > 0) await write(others);
    }
    return items.map((item) => {
      const result = results.get(item)!;
      return hasWaitedInVain(result) ? this.#held.add(item) : result;
    });
  }
}
