// One use case: an operator changes a merchant's profile or settings.
import { auditChange, recordEvents } from "../ledger/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import type { Merchant, MerchantProfile } from "./merchant.ts";
import { updateMerchant } from "./merchant-store.ts";
import { requireMerchant } from "./require-merchant.ts";

/** What may change: the profile, the limit, the status, and whether money is real. */
export type MerchantChanges = Partial<
  MerchantProfile & Pick<Merchant, "rateLimitPerMinute" | "status" | "live" | "clockDate">
>;

/**
 * Changes what is given and nothing else, also beside other changes of the same merchant. Answers the merchant as it is
 * then. Running servers follow within seconds.
 * @throws NodalError `merchant_not_found`
 */
export async function changeMerchant(pool: Pool, merchantId: bigint, changes: MerchantChanges): Promise<Merchant> {
  return inTransaction(pool, async (connection) => {
    const before = await requireMerchant(connection, merchantId, true);
    const merchant = { ...before, ...changes };
    await updateMerchant(connection, merchant);
    const change = auditChange(before, merchant);
    await recordEvents(connection, merchant, [{ type: "merchant.changed", subjectId: merchantId, ...change }]);
    return merchant;
  });
}
