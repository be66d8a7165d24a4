// What every use case is called with: one shape for all domains, `(context, input) → output`. What an installation has
// once (limits, a renderer) is held by a class, and its use cases are methods of the same shape.
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import type { IdempotencyKey } from "./idempotency-store.ts";
import type { MerchantKey } from "./merchant.ts";

/** A call for a merchant. `Whose` is its key, or as much more of the merchant as the use case goes by. */
export type Context<Whose extends MerchantKey = MerchantKey> = {
  /** Its transactions are in the name of whoever acts, and see this merchant's rows only. */
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly merchant: Whose;
  /** `null` for a request without a key. */
  readonly idempotency: IdempotencyKey | null;
};

/** Of what makes nothing new. */
export type ReadContext<Whose extends MerchantKey = MerchantKey> = Pick<Context<Whose>, "pool" | "merchant">;

/** Of what makes something, and needs no key to be made once. */
export type WriteContext<Whose extends MerchantKey = MerchantKey> = Pick<Context<Whose>, "pool" | "ids" | "merchant">;

/** Of an operator's use case: it finds the merchant by its id, and keeps it locked while it changes. */
export type OperatorContext = Pick<Context, "pool" | "ids"> & { readonly merchant: Pick<MerchantKey, "merchantId"> };

/** Of a step inside a transaction under way. */
export type TransactionContext<Whose extends MerchantKey = MerchantKey> = Pick<Context<Whose>, "ids" | "merchant"> & {
  readonly connection: Connection;
};
