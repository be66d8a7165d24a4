// Group commit: items that arrive together are handled in one batch, so that many share one round trip and commit.
import { setTimeout as sleep } from "node:timers/promises";
import { Place, type BatcherOptions, type PlaceOf } from "./batch-place.ts";
import { outOfRange, isConflict, isLockTimeout, isConnectionLost, unavailable } from "./database/failure.ts";

/**
 * Collects items while earlier batches are under way: an idle batcher hands an item over in the same turn of the
 * event loop, a busy one gathers larger batches, so that it adapts to the load without a timer.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #places = new Map<string | number, Place<Item, Result>>();

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /**
   * Queues an item at its place, behind those of its owner. Rejects with that item's own error, or with what the whole batch
   * failed with; with `unavailable` where its rows stay locked.
   */
  add(item: Item): Promise<Result> {
    const { placeOf } = this.#options;
    return this.#placeAt(placeOf ? placeOf(item) : "").add(item);
  }

  /**
   * Runs `work` in its turn behind the owner's items, and no batch with items of the owner meanwhile. It takes no lane, however
   * long it goes on. Only for a batcher of one place.
   */
  alone<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.#placeAt("").alone(owner, work);
  }

  /** Resolves when nothing is waiting or under way. */
  async drain(): Promise<void> {
    await Promise.all([...this.#places.values()].map((place) => place.drain()));
  }

  #placeAt(name: string | number): Place<Item, Result> {
    return this.#places.getOrInsertComputed(name, () => new Place(this.#options));
  }
}

const RETRY_DELAY_MS = 100;
/** How often an item that stands alone is tried, where it keeps meeting other transactions. */
const TRIES_ALONE = 4;

/**
 * Runs `write` on a batch, or a read that can fail for one of them. `write` must be safe to repeat: what an earlier, broken attempt committed has to be found
 * again by its ids. Gives up on a lost connection after `patienceMs` with `unavailable` for every item. Where somebody else
 * holds a row for longer than the connections wait, every item is answered with the database's error (`isLockTimeout`):
 * each half would wait as long again.
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  patienceMs: number,
): Promise<readonly (Result | Error)[]> {
  const giveUpAt = performance.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await write(items);
    } catch (error) {
      if (isLockTimeout(error)) return items.map(() => error as Error);
      if (!isConnectionLost(error)) {
        if (items.length === 1 && isConflict(error) && tries < TRIES_ALONE) continue;
        if (items.length === 1) return [outOfRange(error) ?? (error as Error)];
        const middle = Math.ceil(items.length / 2);
        const first = await runBatch(items.slice(0, middle), write, giveUpAt - performance.now());
        const second = await runBatch(items.slice(middle), write, giveUpAt - performance.now());
        return [...first, ...second];
      }
      if (performance.now() >= giveUpAt) return items.map(() => unavailable(error));
      await sleep(RETRY_DELAY_MS);
    }
  }
}

/** A look-up of many at once, and where each of them is kept. */
export type LookUp<Item, Result> = {
  /** Looks many up, in their order; an error for one that could not be looked up. */
  readonly lookUp: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly placeOf: PlaceOf<NoInfer<Item>>;
};

/** Look-ups at one place that arrive together and share a statement; one that can't be read fails alone. */
export function sharedLookUps<Item, Result>({ lookUp, placeOf }: LookUp<Item, Result>): Batcher<Item, Result> {
  const run = (items: readonly Item[]) => runBatch<Item, Result>(items, lookUp, 0);
  return new Batcher({ run, maxBatch: 500, lanes: 2, placeOf });
}
