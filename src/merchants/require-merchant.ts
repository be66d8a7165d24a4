// A merchant by its id, or the refusal that names the way to find the right one.
// What belongs here: nothing more. Requests of merchants come with their key and need no such look-up.
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { findMerchant } from "./merchant-store.ts";
import type { Merchant } from "./merchant.ts";

/**
 * Finds a merchant for an operator. `lock` holds it unchanged until the transaction ends.
 * @throws NodalError `merchant_not_found`
 */
export async function requireMerchant(db: Queryable, merchantId: bigint, lock = false): Promise<Merchant> {
  const merchant = await findMerchant(db, merchantId, lock);
  if (merchant) return merchant;
  throw new NodalError(
    "merchant_not_found",
    `There is no merchant ${merchantId}: look its id up with \`nodal merchant list\`.`,
  );
}
