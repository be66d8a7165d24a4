// The parameters of every use case: one shape for all domains, `(context, input) → output`. A class holds what an installation has
// once (limits, a renderer); its use cases are methods of the same shape.
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import type { IdempotencyKey } from "./idempotency-store.ts";
import type { MerchantKey } from "./merchant.ts";

/** A call for a merchant. `Whose` is its key, or as much more of the merchant as the use case needs. */
export type Context<Whose extends MerchantKey = MerchantKey> = {
  /** Its transactions are in the actor's name, and see this merchant's rows only. */
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly merchant: Whose;
  /** `null` for a request without a key. */
  readonly idempotency: IdempotencyKey | null;
};

/** For a use case that creates nothing. */
export type ReadContext<Whose extends MerchantKey = MerchantKey> = Pick<Context<Whose>, "pool" | "merchant">;

/** For a use case that creates something without an idempotency key. */
export type WriteContext<Whose extends MerchantKey = MerchantKey> = Pick<Context<Whose>, "pool" | "ids" | "merchant">;

/** For an operator's use case: it finds the merchant by its id, and locks it while it changes. */
export type OperatorContext = Pick<Context, "pool" | "ids"> & { readonly merchant: Pick<MerchantKey, "merchantId"> };

/** For a step inside an open transaction. */
export type TransactionContext<Whose extends MerchantKey = MerchantKey> = Pick<Context<Whose>, "ids" | "merchant"> & {
  readonly connection: Connection;
};
