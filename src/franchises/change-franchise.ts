// Two use cases: a merchant changes who a franchise is and how to reach it, or deletes it.
import { auditChange, auditValues, recordEvents } from "../ledger/index.ts";
import { deleteLogin, releaseEmail, runIdempotently, type IdempotencyKey } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { FranchiseContact, FranchiseKey } from "./franchise.ts";
import { markDeleted, updateContact } from "./franchise-store.ts";
import { holdFranchise } from "./hold-franchise.ts";

/**
 * Changes what is given and nothing else.
 * @throws NodalError `franchise_not_found`
 */
export async function updateFranchise(
  pool: Pool,
  franchise: FranchiseKey,
  changes: Partial<FranchiseContact>,
  idempotency: IdempotencyKey | null,
): Promise<{ replayed: boolean }> {
  return runIdempotently(pool, franchise, idempotency, async (connection) => {
    const before = await holdFranchise(connection, franchise);
    await updateContact(connection, franchise, Temporal.Now.instant(), changes);
    const changed = { type: "franchise.changed", subjectId: franchise.franchiseId };
    await recordEvents(connection, franchise, [{ ...changed, ...auditChange(before, { ...before, ...changes }) }]);
    return {};
  });
}

/**
 * Deletes a franchise: its login and its automatic payouts end at once, its code and login e-mail are free again. Its
 * history stays, its invoices go on to earn it commission, and what it is owed can still be settled by hand.
 * @throws NodalError `franchise_not_found`, also when it was deleted before
 */
export async function deleteFranchise(
  pool: Pool,
  franchise: FranchiseKey,
  idempotency: IdempotencyKey | null,
): Promise<{ replayed: boolean }> {
  return runIdempotently(pool, franchise, idempotency, async (connection) => {
    const before = await holdFranchise(connection, franchise);
    await markDeleted(connection, franchise, Temporal.Now.instant());
    if (before.loginEmail !== null) {
      await releaseEmail(connection, before.loginEmail, franchise);
      await deleteLogin(connection, { ...franchise, loginId: franchise.franchiseId });
    }
    const deleted = { type: "franchise.deleted", subjectId: franchise.franchiseId, before: auditValues(before) };
    await recordEvents(connection, franchise, [deleted]);
    return {};
  });
}
