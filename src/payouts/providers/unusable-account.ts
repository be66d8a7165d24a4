// Decides whether a provider account that could not be asked will stay unusable.
import { NotSentError } from "../../platform/providers/errors.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { readRailName } from "./provider-account.ts";
import { findProviderAccount } from "./provider-account-store.ts";

/** An account that has been out of order for this long is not waited for. */
const OUT_OF_ORDER_FOR = { hours: 24 };

/**
 * Whether the account of a rail is gone or disconnected, its credentials are refused, or it has been out of order for a day.
 * `error` is the error of a question. `db` sees the account, which may be the installation's.
 */
export async function isAccountUnusable(
  db: Queryable,
  now: Temporal.Instant,
  { rail, bucket, merchantId }: MerchantKey & { readonly rail: string },
  error: unknown,
): Promise<boolean> {
  if (error instanceof NotSentError && error.code === "unauthorized") return true;
  const key = readRailName(rail, { bucket, merchantId });
  const account = key && (await findProviderAccount(db, key));
  if (!account || account.disconnectedAt !== null) return true;
  const { failingSince } = account;
  return failingSince !== null && Temporal.Instant.compare(failingSince.add(OUT_OF_ORDER_FOR), now) <= 0;
}
