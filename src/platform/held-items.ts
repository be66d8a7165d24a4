// Items of a group commit whose rows something else has locked: they wait aside, where they hold up nobody.
import { setTimeout as sleep } from "node:timers/promises";
import { Batcher, takeBatch, type BatcherOptions, type Waiting } from "./batcher.ts";
import { isLockTimeout, rowsLocked } from "./database/failure.ts";

/** How often to look whether rows are free. */
const LOOK_MS = 50;

export type HeldItemsOptions<Item, Result> = Pick<BatcherOptions<Item, Result>, "maxBatch" | "apartKey"> & {
  /**
   * Handles a batch. An item whose rows were held for longer than the connection waits is answered with the database's
   * error (`isLockTimeout`), and nothing was changed for it.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  /** Whose rows an item locks. */
  readonly ownerOf: (item: Item) => string;
  /** The owners of these items whose rows nobody holds at the moment. */
  readonly findFree: (items: readonly Item[]) => Promise<ReadonlySet<string>>;
  /** How long an item whose rows are held waits for them, in ms. */
  readonly heldMs: number;
};

type Held<Item, Result> = Waiting<Item, Result> & { readonly giveUpAtMs: number };

export class HeldItems<Item, Result> {
  readonly #options: HeldItemsOptions<Item, Result>;
  #waiting: Held<Item, Result>[] = [];
  /**
   * Owners whose items waited in vain though their rows seemed to be free, and when each was last tried by itself: 0 is not
   * yet. One of them waits for something that `findFree` does not look at, and would keep all that share a batch waiting.
   */
  readonly #apart = new Map<string, number>();
  #work: Promise<void> | null = null;

  constructor(options: HeldItemsOptions<Item, Result>) {
    this.#options = options;
  }

  /** Whether an owner's items wait here: its next ones do as well. */
  has(owner: string): boolean {
    return this.#waiting.some(({ item }) => this.#options.ownerOf(item) === owner);
  }

  /**
   * Handles a batch. Where it meets rows which something else holds, it waits for them once, for as long as its connection
   * does; after that their owner's items wait here, and answer with a promise, and those of others are handled without them.
   * Where nobody can tell whose rows they are, all wait here, and each owner is tried by itself.
   */
  async handle(items: readonly Item[]): Promise<readonly (Result | Error | Promise<Result>)[]> {
    const { run, ownerOf, findFree } = this.#options;
    const results = new Map<Item, Result | Error>();
    const write = async (some: readonly Item[]): Promise<void> => {
      const written = await run(some);
      some.forEach((item, index) => results.set(item, written[index]!));
    };
    const isStopped = (item: Item): boolean => isLockTimeout(results.get(item));
    await write(items);
    const stopped = items.filter(isStopped);
    if (stopped.length > 0) {
      // Where that can't be told, they all wait aside.
      const free = await findFree(stopped).catch(() => new Set<string>());
      const others = stopped.filter((item) => free.has(ownerOf(item)));
      if (others.length < stopped.length && others.length > 0) await write(others);
      this.#setApart(others.filter(isStopped));
    }
    return items.map((item) => (isStopped(item) ? this.add(item) : results.get(item)!));
  }

  /**
   * Waits until the item's rows are free, and handles it then.
   * @throws NodalError `unavailable` where they stay held
   */
  add(item: Item): Promise<Result> {
    const giveUpAtMs = performance.now() + this.#options.heldMs;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject, giveUpAtMs });
      this.#work ??= this.#pollUntilFree().finally(() => {
        this.#work = null;
      });
    });
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async #pollUntilFree(): Promise<void> {
    while (this.#waiting.length > 0) {
      await sleep(LOOK_MS);
      try {
        await this.#look();
      } catch (error) {
        this.#giveUp(error as Error);
      }
    }
  }

  async #look(): Promise<void> {
    const { ownerOf, findFree } = this.#options;
    const oneEach = [...new Map(this.#waiting.map(({ item }) => [ownerOf(item), item])).values()];
    const free = await findFree(oneEach);
    const ready = this.#waiting.filter(({ item }) => free.has(ownerOf(item)));
    const sharing = ready.filter(({ item }) => !this.#apart.has(ownerOf(item)));
    this.#setApart(await this.#try(sharing));
    for (const owner of this.#ownersInTurn(free)) {
      const stopped = await this.#try(this.#waiting.filter(({ item }) => ownerOf(item) === owner));
      this.#apart.set(owner, stopped.length > 0 ? performance.now() : 0);
    }
    this.#giveUp(null);
    for (const owner of this.#apart.keys()) if (!this.has(owner)) this.#apart.delete(owner);
  }

  /** Handles some of those that wait here. Returns what waited in vain again. */
  async #try(some: readonly Held<Item, Result>[]): Promise<Item[]> {
    const { run, maxBatch, apartKey } = this.#options;
    const { taken } = takeBatch(some, maxBatch, apartKey);
    const results = taken.length === 0 ? [] : await run(taken.map(({ item }) => item));
    const stopped = taken.filter((_waiting, index) => isLockTimeout(results[index]));
    taken.forEach(({ resolve, reject }, index) => {
      const result = results[index];
      if (isLockTimeout(result)) return;
      if (result instanceof Error) reject(result);
      else resolve(result as Result);
    });
    const done = new Set(taken.filter((waiting) => !stopped.includes(waiting)));
    this.#waiting = this.#waiting.filter((waiting) => !done.has(waiting));
    return stopped.map(({ item }) => item);
  }

  /** What is tried by itself next: each for the first time, and of those that waited in vain then, one. */
  #ownersInTurn(free: ReadonlySet<string>): string[] {
    const here = [...this.#apart].filter(([owner]) => free.has(owner) && this.has(owner));
    const again = here.filter(([, triedAtMs]) => triedAtMs > 0).sort(([, one], [, other]) => one - other);
    return [...here.filter(([, triedAtMs]) => triedAtMs === 0), ...again.slice(0, 1)].map(([owner]) => owner);
  }

  #setApart(items: readonly Item[]): void {
    for (const owner of items.map(this.#options.ownerOf)) if (!this.#apart.has(owner)) this.#apart.set(owner, 0);
  }

  /** Ends the wait of those who have waited for long enough. */
  #giveUp(cause: Error | null): void {
    const nowMs = performance.now();
    const over = this.#waiting.filter(({ giveUpAtMs }) => giveUpAtMs <= nowMs);
    this.#waiting = this.#waiting.filter(({ giveUpAtMs }) => giveUpAtMs > nowMs);
    for (const { reject } of over) reject(rowsLocked(cause));
  }
}

export type LaneBatcherOptions<Item, Result> = Omit<BatcherOptions<Item, Result>, "lanes" | "run"> &
  HeldItemsOptions<Item, Result> & {
    readonly lanes: number;
    /** Items that touch the same rows must have the same number here. */
    readonly laneOf: (item: Item) => number;
  };

/**
 * A batch that meets rows which something else has locked waits for them once, for as long as its connection does;
 * after that their owner's items wait aside, and those of others go on as if it were not there.
 */
export class LaneBatcher<Item, Result> {
  readonly #options: LaneBatcherOptions<Item, Result>;
  readonly #lanes: Batcher<Item, Result>;
  readonly #held: HeldItems<Item, Result>;

  constructor(options: LaneBatcherOptions<Item, Result>) {
    this.#options = options;
    const held = new HeldItems(options);
    const run = (items: readonly Item[]) => held.handle(items);
    const placeOf = (item: Item): number => options.laneOf(item) % options.lanes;
    this.#lanes = new Batcher({ ...options, run, lanes: 1, placeOf });
    this.#held = held;
  }

  /**
   * Queues an item in its lane. Rejects with that item's own error, or with what the whole batch failed with; with
   * `unavailable` where its rows stay held.
   */
  add(item: Item): Promise<Result> {
    return this.#held.has(this.#options.ownerOf(item)) ? this.#held.add(item) : this.#lanes.add(item);
  }

  /** Resolves when nothing is waiting or under way. */
  async drain(): Promise<void> {
    await this.#lanes.drain();
    await this.#held.drain();
  }
}
