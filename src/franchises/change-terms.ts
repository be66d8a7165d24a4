// One use case: a merchant and a franchise agree on another commission, or on another way to settle it.
// What belongs here: what must hold between terms and account. That earlier commission stays is adjust-commission.ts.
import { auditChange, recordEvents } from "../ledger/index.ts";
import { nowOf, requireMoneyMover, type MerchantClock } from "../merchants/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { validationError } from "../platform/errors.ts";
import { isPaidByItself, nextPayoutAfter, type FranchiseKey, type FranchiseTerms } from "./franchise.ts";
import { updateTerms } from "./franchise-store.ts";
import { holdFranchise } from "./hold-franchise.ts";

/**
 * Changes the terms of a franchise. What it has earned stays, and an invoice on which it has earned before goes on under
 * the terms of then. Where commission begins to be paid by itself, it is from the merchant's next day on.
 * @throws NodalError `franchise_not_found`, `validation_failed` for online settlement without a whole bank account, or
 * `access_denied` for somebody who may not move money
 */
export async function changeTerms(
  pool: Pool,
  { bucket, merchantId, franchiseId, ...clock }: FranchiseKey & MerchantClock,
  terms: FranchiseTerms,
): Promise<void> {
  const key = { bucket, merchantId, franchiseId };
  await inTransaction(pool, async (connection) => {
    await requireMoneyMover(connection);
    const before = await holdFranchise(connection, key);
    const isAccountWhole = Object.values(before.account).every((text) => text !== "");
    if (terms.onlineSettlement && !before.onlineSettlement && !isAccountWhole) {
      const field = "enable_online_settlement";
      const message = `${field} needs the franchise's bank account, with holder, bank and kind: enter that first.`;
      throw validationError([{ field, code: "not_allowed", message }]);
    }
    const begins = isPaidByItself(terms) && !isPaidByItself(before);
    const nextPayoutAt = begins ? nextPayoutAfter(nowOf(clock), clock.timeZone) : before.nextPayoutAt;
    const change = auditChange(before, { ...before, ...terms });
    if (Object.keys(change.after ?? {}).length === 0) return;
    await updateTerms(connection, key, Temporal.Now.instant(), { ...terms, nextPayoutAt });
    await recordEvents(connection, key, [{ type: "franchise.changed", subjectId: franchiseId, ...change }]);
  });
}
