// Group commit: items that arrive together are handled in one batch, so that many share one round trip and commit.
import { setTimeout as sleep } from "node:timers/promises";
import { Place, type BatcherOptions, type PlaceOf } from "./batch-place.ts";
import { outOfRange, isConflict, isLockTimeout, isConnectionLost, unavailable } from "./database/failure.ts";

/**
 * Collects items while earlier batches run. An idle batcher starts an item in the same turn of the event loop, a busy
 * one forms larger batches. So it adapts to the load without a timer.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #places = new Map<string | number, Place<Item, Result>>();

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /**
   * Queues an item at its place, behind those of its owner. Rejects with the item's error, or the error of the whole
   * batch, or `unavailable` if its rows stay locked.
   */
  add(item: Item): Promise<Result> {
    const { placeOf } = this.#options;
    return this.#placeAt(placeOf ? placeOf(item) : "").add(item);
  }

  /**
   * Runs `work` after the owner's queued items. No batch has items of the owner while it runs. It takes no lane,
   * however long it takes. Only for a batcher with one place.
   */
  alone<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.#placeAt("").alone(owner, work);
  }

  /** Resolves when nothing is waiting or running. */
  async drain(): Promise<void> {
    await Promise.all([...this.#places.values()].map((place) => place.drain()));
  }

  #placeAt(name: string | number): Place<Item, Result> {
    return this.#places.getOrInsertComputed(name, () => new Place(this.#options));
  }
}

const RETRY_DELAY_MS = 100;
/** How often a single item is tried if it keeps conflicting with other transactions. */
const TRIES_ALONE = 4;

/**
 * Runs `write` on a batch, or a read that can fail for single items. `write` must be safe to repeat: it has to find by
 * ids what an earlier, broken attempt committed. Retries a lost connection for `patienceMs`, then every item gets
 * `unavailable`. On a lock timeout every item gets the database's error (`isLockTimeout`): halves of the batch would
 * only wait as long again.
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

/** A look-up of many items at once, and the place of each. */
export type LookUp<Item, Result> = {
  /** Looks up many items, in order; an error for each that failed. */
  readonly lookUp: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly placeOf: PlaceOf<NoInfer<Item>>;
};

/** Look-ups that arrive together at one place share a statement; a failing one fails alone. */
export function sharedLookUps<Item, Result>({ lookUp, placeOf }: LookUp<Item, Result>): Batcher<Item, Result> {
  const run = (items: readonly Item[]) => runBatch<Item, Result>(items, lookUp, 0);
  return new Batcher({ run, maxBatch: 500, lanes: 2, placeOf });
}
