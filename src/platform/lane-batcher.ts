// Group commit in lanes: items of one key always share a lane, so that batches under way at once never meet on a lock.
// What belongs here: spreading items over batchers.
import { Batcher, type BatcherOptions } from "./batcher.ts";

export type LaneBatcherOptions<Item, Result> = Omit<BatcherOptions<Item, Result>, "lanes"> & {
  readonly lanes: number;
  /** Items that touch the same rows must have the same number here. */
  readonly laneOf: (item: Item) => number;
};

export class LaneBatcher<Item, Result> {
  readonly #lanes: readonly Batcher<Item, Result>[];
  readonly #laneOf: (item: Item) => number;

  constructor({ lanes, laneOf, ...options }: LaneBatcherOptions<Item, Result>) {
    this.#lanes = Array.from({ length: lanes }, () => new Batcher<Item, Result>({ ...options, lanes: 1 }));
    this.#laneOf = laneOf;
  }

  /** Queues an item in its lane. Rejects with that item's own error, or with what the whole batch failed with. */
  add(item: Item): Promise<Result> {
    return this.#lanes[this.#laneOf(item) % this.#lanes.length]!.add(item);
  }

  /** Resolves when nothing is waiting or under way. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()));
  }
}
