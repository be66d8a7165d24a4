// Writes of one or several merchants that share a transaction: items that arrive while a merchant's last group is being written
// join the next one, beside groups of other merchants. The owner defines which writes can be combined, and how.
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
  /** How long an item waits for its merchant's rows if another transaction has locked them, in ms. */
  readonly heldMs: number;
  /**
   * Writes items in one transaction of `pool`. Returns the result of each.
   * @throws an error that ends the transaction: the items are then retried in parts, until the one at fault is alone
   */
  readonly write: (pool: Pool, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  /** Those of the merchants with unlocked books whose other rows, locked by every write, are free, by id. */
  readonly findFree?: (pool: Pool, merchants: readonly MerchantKey[]) => Promise<ReadonlySet<string>>;
};

const NO_PATIENCE_MS = 0;
/** docs/scale.md#several-servers-behind-a-proxy. Batches of more than 32 gain little. */
const GATHER = { forMs: 12, upTo: 32 };
/** A merchant whose group the database refused shares no transactions for a while. */
const SEPARATE_FOR_MS = 10_000;

/** Batches of writes, whose owners are merchants by `nameOf`. A write is durable when its `add` resolves. */
export function sharedWrites<Item extends Owned, Result>(
  options: SharedWritesOptions<Item, Result>,
): Batcher<Item, Result> {
  const { tenants, heldMs, write, findFree, openBatch, ...rest } = options;
  const separate = new SeparateMerchants();
  /** Writes in one transaction; if the database refuses it, in parts, until the one at fault is alone. */
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
    // After a broken connection, it is unknown whether the group was written: callers with a key repeat the request.
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

/** Merchants that share no transaction with others for a while. */
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
