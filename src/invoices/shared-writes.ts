// Writes of one or several merchants that share a transaction: what arrives for a merchant while its last group is being
// written goes with the next one, beside groups of other merchants. How they share, and whose turn it is; what a write may
// go with, and what it does, is its owner's.
import { findFreeBooks } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { isLockTimeout, isConnectionLost } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { TenantGroups } from "../platform/database/tenant.ts";
import { runBatch } from "../platform/batcher.ts";
import { GroupQueue } from "../platform/group-queue.ts";
import { HeldItems } from "../platform/held-items.ts";

type Owned = { readonly merchant: MerchantKey };

export type SharedWritesOptions<Item extends Owned, Result> = {
  readonly tenants: TenantGroups;
  /** How long an item waits for rows of its merchant that something else has locked, in ms. */
  readonly heldMs: number;
  /** How many items that have waited so are tried together. */
  readonly maxBatch: number;
  /** Begins a group commit: what it returns says of each item in turn whether it may go with those before it. */
  readonly openLoad: () => (item: Item) => boolean;
  /** What takes long: it goes by itself, in a place beside the others'. */
  readonly isHeavy?: (item: Item) => boolean;
  /**
   * Writes items in one transaction of `pool`. Returns for each what became of it.
   * @throws what ends the transaction: the items are tried in parts then, until the one at fault is alone
   */
  readonly write: (pool: Pool, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  /** Of merchants whose books nothing has locked, those whose other rows that every write locks are free, by id. */
  readonly findFree?: (pool: Pool, merchants: readonly MerchantKey[]) => Promise<ReadonlySet<string>>;
};

const NO_PATIENCE_MS = 0;
/** A merchant whose group the database refused delays nobody else for a while. */
const SEPARATE_FOR_MS = 10_000;

export class SharedWrites<Item extends Owned, Result> {
  readonly #options: SharedWritesOptions<Item, Result>;
  readonly #queue: GroupQueue<Item, Result>;
  readonly #held: HeldItems<Item, Result>;
  /** Until when merchants share no transaction with others, by key. */
  readonly #apart = new Map<string, number>();

  constructor(options: SharedWritesOptions<Item, Result>) {
    const { tenants, heldMs, maxBatch, isHeavy } = options;
    this.#options = options;
    this.#queue = new GroupQueue({
      run: async (groups) => {
        const results = [...(await this.#held.handle(groups.flat()))];
        return groups.map((group) => results.splice(0, group.length));
      },
      openLoad: () => this.#openLoad(),
      // One connection is for a heavy item, and one for those whose rows were locked.
      atOnce: Math.max(1, tenants.connections - 2),
      ...(isHeavy ? { isHeavy } : {}),
    });
    this.#held = new HeldItems({
      run: (items) => this.#write(items),
      maxBatch,
      ownerOf: ({ merchant }) => keyOf(merchant),
      findFree: (items) => this.#findFree(items.map(({ merchant }) => merchant)),
      heldMs,
    });
  }

  /** Writes an item in its merchant's turn: durable when this resolves. */
  add(item: Item): Promise<Result> {
    return this.#queue.add(keyOf(item.merchant), item);
  }

  /** Runs `work` in the merchant's turn, and by itself. */
  alone<T>(merchant: MerchantKey, work: () => Promise<T>): Promise<T> {
    return this.#queue.alone(keyOf(merchant), work);
  }

  #openLoad(): (item: Item) => boolean {
    const mayJoin = this.#options.openLoad();
    let first: Item | null = null;
    return (item) => {
      const isStranger = first !== null && keyOf(first.merchant) !== keyOf(item.merchant);
      if (isStranger && (this.#isApart(first!) || this.#isApart(item))) return false;
      if (!mayJoin(item)) return false;
      first ??= item;
      return true;
    };
  }

  /** In one transaction; where the database refuses that, in parts, until the one at fault is alone. */
  #write(items: readonly Item[]): Promise<readonly (Result | Error)[]> {
    const write = async (some: readonly Item[]) => {
      const merchants = [...new Map(some.map(({ merchant }) => [merchant.merchantId, merchant])).values()];
      try {
        return await this.#options.write(this.#options.tenants.of(merchants), some);
      } catch (error) {
        const isItsOwn = merchants.length === 1 && !isLockTimeout(error) && !isConnectionLost(error);
        if (isItsOwn) this.#apart.set(keyOf(merchants[0]!), performance.now() + SEPARATE_FOR_MS);
        throw error;
      }
    };
    // Where a connection broke, nobody knows whether the group was written: callers with a key ask again.
    return runBatch<Item, Result>(items, write, NO_PATIENCE_MS);
  }

  async #findFree(merchants: readonly MerchantKey[]): Promise<ReadonlySet<string>> {
    const pool = this.#options.tenants.of(merchants);
    const withBooks = await findFreeBooks(pool, merchants);
    const asked = merchants.filter((merchant) => withBooks.has(keyOf(merchant)));
    return asked.length === 0 ? new Set() : ((await this.#options.findFree?.(pool, asked)) ?? withBooks);
  }

  #isApart({ merchant }: Item): boolean {
    const untilMs = this.#apart.get(keyOf(merchant));
    if (untilMs === undefined) return false;
    if (untilMs > performance.now()) return true;
    this.#apart.delete(keyOf(merchant));
    return false;
  }
}

function keyOf({ merchantId }: MerchantKey): string {
  return String(merchantId);
}
