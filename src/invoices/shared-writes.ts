// Writes of one or several merchants that share a transaction: what arrives for a merchant while its last group is being
// written goes with the next one, beside groups of other merchants. What a write may go with, and what it does, is its
// owner's.
import { findFreeBooks } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { BatcherOptions } from "../platform/batch-place.ts";
import { Batcher, runBatch } from "../platform/batcher.ts";
import { isLockTimeout, isConnectionLost } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { TenantGroups } from "../platform/database/tenant.ts";

type Owned = { readonly merchant: MerchantKey };

export type SharedWritesOptions<Item extends Owned, Result> = Pick<
  BatcherOptions<Item, Result>,
  "maxBatch" | "openBatch" | "apartKey" | "isHeavy"
> & {
  readonly tenants: TenantGroups;
  /** How long an item waits for rows of its merchant that another transaction has locked, in ms. */
  readonly heldMs: number;
  /**
   * Writes items in one transaction of `pool`. Returns for each what became of it.
   * @throws what ends the transaction: the items are tried in parts then, until the one at fault is alone
   */
  readonly write: (pool: Pool, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  /** Of merchants whose books nothing has locked, those whose other rows that every write locks are free, by id. */
  readonly findFree?: (pool: Pool, merchants: readonly MerchantKey[]) => Promise<ReadonlySet<string>>;
};

const NO_PATIENCE_MS = 0;
/** docs/scale.md#several-servers-behind-a-proxy. Batches of more than 32 gain little. */
const GATHER = { forMs: 12, upTo: 32 };
/** A merchant whose group the database refused delays nobody else for a while. */
const SEPARATE_FOR_MS = 10_000;

/** Batches of writes, whose owners are merchants by `nameOf`. A write is durable when its `add` resolves. */
export function sharedWrites<Item extends Owned, Result>(
  options: SharedWritesOptions<Item, Result>,
): Batcher<Item, Result> {
  const { tenants, heldMs, write, findFree, openBatch, ...rest } = options;
  const separate = new SeparateMerchants();
  /** In one transaction; where the database refuses that, in parts, until the one at fault is alone. */
  const writeTogether = async (items: readonly Item[]): Promise<readonly (Result | Error)[]> => {
    const merchants = merchantsOf(items);
    try {
      return await write(tenants.of(merchants), items);
    } catch (error) {
      const isItsOwn = merchants.length === 1 && !isLockTimeout(error) && !isConnectionLost(error);
      if (isItsOwn) separate.add(merchants[0]!);
      throw error;
    }
  };
  return new Batcher({
    ...rest,
    gather: GATHER,
    // Where a connection broke, nobody knows whether the group was written: callers with a key ask again.
    run: (items) => runBatch<Item, Result>(items, writeTogether, NO_PATIENCE_MS),
    // One connection is for a heavy item, and one for those whose rows were locked.
    lanes: Math.max(1, tenants.connections - 2),
    ownerOf: ({ merchant }) => nameOf(merchant),
    openBatch: () => {
      const fits = openBatch?.() ?? (() => true);
      let first: MerchantKey | null = null;
      return (item) => {
        if (first !== null && !separate.mayShare(first, item.merchant)) return false;
        if (!fits(item)) return false;
        first ??= item.merchant;
        return true;
      };
    },
    locked: {
      waitMs: heldMs,
      findFree: async (items) => {
        const merchants = merchantsOf(items);
        const pool = tenants.of(merchants);
        const withBooks = await findFreeBooks(pool, merchants);
        const asked = merchants.filter((merchant) => withBooks.has(nameOf(merchant)));
        return asked.length === 0 ? new Set() : ((await findFree?.(pool, asked)) ?? withBooks);
      },
    },
  });
}

/** Merchants who share no transaction with others for a while. */
class SeparateMerchants {
  readonly #untilMs = new Map<string, number>();

  add(merchant: MerchantKey): void {
    this.#untilMs.set(nameOf(merchant), performance.now() + SEPARATE_FOR_MS);
  }

  mayShare(one: MerchantKey, other: MerchantKey): boolean {
    return nameOf(one) === nameOf(other) || !(this.#has(one) || this.#has(other));
  }

  #has(merchant: MerchantKey): boolean {
    const untilMs = this.#untilMs.get(nameOf(merchant));
    if (untilMs === undefined) return false;
    if (untilMs > performance.now()) return true;
    this.#untilMs.delete(nameOf(merchant));
    return false;
  }
}

function merchantsOf(items: readonly Owned[]): MerchantKey[] {
  return [...new Map(items.map(({ merchant }) => [merchant.merchantId, merchant])).values()];
}

export function nameOf({ merchantId }: MerchantKey): string {
  return String(merchantId);
}
