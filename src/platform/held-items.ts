// Items of a group commit whose rows something else holds: they wait aside, where they hold up nobody.
// What belongs here: looking whether the rows are free, and giving up in the end.
import { setTimeout as sleep } from "node:timers/promises";
import { takeBatch, type BatcherOptions, type Waiting } from "./batcher.ts";
import { hasWaitedInVain, heldUp } from "./database/failure.ts";

/** How often to look whether rows are free. */
const LOOK_MS = 50;

export type HeldItemsOptions<Item, Result> = Pick<BatcherOptions<Item, Result>, "maxBatch" | "apartKey"> & {
  /**
   * Handles a batch. An item whose rows were held for longer than the connection waits is answered with the database's
   * error (`hasWaitedInVain`), and nothing was changed for it.
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
  #work: Promise<void> | null = null;

  constructor(options: HeldItemsOptions<Item, Result>) {
    this.#options = options;
  }

  /** Whether an owner's items wait here: its next ones do as well. */
  has(owner: string): boolean {
    return this.#waiting.some(({ item }) => this.#options.ownerOf(item) === owner);
  }

  /**
   * Waits until the item's rows are free, and handles it then.
   * @throws NodalError `unavailable` where they stay held
   */
  add(item: Item): Promise<Result> {
    const giveUpAtMs = performance.now() + this.#options.heldMs;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject, giveUpAtMs });
      this.#work ??= this.#lookAgainAndAgain().finally(() => {
        this.#work = null;
      });
    });
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async #lookAgainAndAgain(): Promise<void> {
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
    const { run, ownerOf, findFree, maxBatch, apartKey } = this.#options;
    const oneEach = [...new Map(this.#waiting.map(({ item }) => [ownerOf(item), item])).values()];
    const free = await findFree(oneEach);
    const ready = this.#waiting.filter(({ item }) => free.has(ownerOf(item)));
    const { taken } = takeBatch(ready, maxBatch, apartKey);
    const results = taken.length === 0 ? [] : await run(taken.map(({ item }) => item));
    const done = new Set<Waiting<Item, Result>>();
    taken.forEach((waiting, index) => {
      const result = results[index];
      if (hasWaitedInVain(result)) return;
      done.add(waiting);
      if (result instanceof Error) waiting.reject(result);
      else waiting.resolve(result as Result);
    });
    this.#waiting = this.#waiting.filter((waiting) => !done.has(waiting));
    this.#giveUp(null);
  }

  /** Ends the wait of those who have waited for long enough. */
  #giveUp(cause: Error | null): void {
    const nowMs = performance.now();
    const over = this.#waiting.filter(({ giveUpAtMs }) => giveUpAtMs <= nowMs);
    this.#waiting = this.#waiting.filter(({ giveUpAtMs }) => giveUpAtMs > nowMs);
    for (const { reject } of over) reject(heldUp(cause));
  }
}
