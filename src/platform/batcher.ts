// Group commit: items that arrive together are handled in one batch, so that many share one round trip and commit.
import { setTimeout as sleep } from "node:timers/promises";
import { outOfRange, isConflict, isLockTimeout, isConnectionLost, unavailable } from "./database/failure.ts";

export type BatcherOptions<Item, Result> = {
  /**
   * Handles a batch. Returns one result or error for each item, in order; a promise for an item that is done elsewhere,
   * so that the batch is over without it.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Error | Promise<Result>)[]>;
  readonly maxBatch: number;
  /** How many batches may be under way at once. */
  readonly lanes: number;
  /**
   * The least time from the start of one batch to the next. It costs a lone item nothing; under load it makes fewer and
   * larger batches, each of which costs the database much the same.
   */
  readonly spacingMs?: number;
  /**
   * How long the next batch waits, after one of at least eight items, for as many to arrive: those who were answered ask
   * again soon, and two servers that write small batches for the same merchants wait for each other. Who asks alone never waits.
   */
  readonly gatherMs?: number;
  /** Items with equal keys never share a batch; the later one waits for the next. `null` shares with all. */
  readonly apartKey?: (item: Item) => string | null;
  /** Items of different places share no batch, and each place has lanes of its own. Left out, all are at one place. */
  readonly placeOf?: PlaceOf<Item>;
};

/** Where what an item is about is kept, such as a node of Citus: one that answers nothing holds up no other. */
export type PlaceOf<Item> = (item: Item) => string | number;

/** An item with the caller that waits for its result. */
export type Waiting<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: Error) => void;
};

/** The items that go together next, in order, and those that are left. */
export function takeBatch<Item, Result>(
  queue: readonly Waiting<Item, Result>[],
  maxBatch: number,
  apartKey: (item: Item) => string | null = () => null,
): { readonly taken: Waiting<Item, Result>[]; readonly left: Waiting<Item, Result>[] } {
  const taken: Waiting<Item, Result>[] = [];
  const left: Waiting<Item, Result>[] = [];
  const keys = new Set<string>();
  for (const waiting of queue) {
    const key = apartKey(waiting.item);
    const apart = key !== null && keys.has(key);
    if (taken.length >= maxBatch || apart) left.push(waiting);
    else taken.push(waiting);
    if (key !== null) keys.add(key);
  }
  return { taken, left };
}

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

  /** Queues an item at its place. Rejects with that item's own error, or with what the whole batch failed with. */
  add(item: Item): Promise<Result> {
    const { placeOf } = this.#options;
    return this.#places.getOrInsertComputed(placeOf ? placeOf(item) : "", () => new Place(this.#options)).add(item);
  }

  /** Resolves when nothing is waiting or under way. */
  async drain(): Promise<void> {
    await Promise.all([...this.#places.values()].map((place) => place.drain()));
  }
}

/** A batch of so many is followed by a pause in which the next one gathers. */
const GATHER_AFTER = 8;

/** The items of one place. */
class Place<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];
  #underWay = 0;
  #lanesInUse = 0;
  #isStarting = false;
  #timer: NodeJS.Timeout | undefined;
  #nextStartMs = 0;
  /** How many items the next batch gathers, and until when. */
  #wanted = 0;
  #gathersUntilMs = 0;
  #idle: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  drain(): Promise<void> {
    if (this.#queue.length + this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#isStarting || this.#lanesInUse >= this.#options.lanes) return;
    const startMs = this.#queue.length < this.#wanted ? this.#gathersUntilMs : 0;
    const waitMs = Math.max(startMs, this.#nextStartMs) - performance.now();
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#wanted = 0;
        this.#schedule();
      }, waitMs);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStarting = true;
    // After the I/O of this turn, so that the requests read together go together.
    setImmediate(() => {
      this.#isStarting = false;
      this.#wanted = 0;
      this.#nextStartMs = performance.now() + (this.#options.spacingMs ?? 0);
      while (this.#queue.length > 0 && this.#lanesInUse < this.#options.lanes) void this.#runBatch();
    });
  }

  async #runBatch(): Promise<void> {
    const batch = this.#takeBatch();
    this.#lanesInUse += 1;
    this.#underWay += batch.length;
    try {
      const results = await this.#options.run(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, index) => {
        const result = results[index];
        if (result instanceof Error) waiting.reject(result);
        else waiting.resolve(result as Result | Promise<Result>);
      });
    } catch (error) {
      for (const waiting of batch) waiting.reject(error as Error);
    } finally {
      this.#lanesInUse -= 1;
      this.#underWay -= batch.length;
      this.#gather(batch.length);
      if (this.#queue.length > 0) this.#schedule();
      else if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  #gather(lastLength: number): void {
    const { gatherMs = 0, maxBatch } = this.#options;
    if (gatherMs === 0 || lastLength < GATHER_AFTER) return;
    this.#wanted = Math.min(lastLength, maxBatch);
    this.#gathersUntilMs = performance.now() + gatherMs;
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { maxBatch, apartKey } = this.#options;
    if (!apartKey) return this.#queue.splice(0, maxBatch);
    const { taken, left } = takeBatch(this.#queue, maxBatch, apartKey);
    this.#queue = left;
    return taken;
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
