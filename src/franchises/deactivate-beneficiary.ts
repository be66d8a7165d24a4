// Use case: deactivates a beneficiary, unless it is a franchise's account.
import type { ReadContext } from "../merchants/index.ts";
import { deactivateUnused, type Beneficiary } from "../payouts/index.ts";
import { NodalError } from "../platform/errors.ts";
import { findFranchiseOfAccount } from "./franchise-store.ts";

/**
 * Deactivates a beneficiary permanently: docs/rules/payouts.md#changing-and-deactivating. Repeating it changes nothing.
 * @throws NodalError `beneficiary_not_found`, `beneficiary_not_approved` for one that waits or was rejected, or
 * `beneficiary_in_use` while it is the account of a franchise
 */
export function deactivateBeneficiary(context: ReadContext, beneficiaryId: bigint): Promise<Beneficiary> {
  return deactivateUnused(context, {
    beneficiaryId,
    refuseInUse: async (connection, beneficiary) => {
      const franchise = await findFranchiseOfAccount(connection, beneficiary);
      if (!franchise) return;
      throw new NodalError(
        "beneficiary_in_use",
        `The franchise ${franchise.code} is paid to this account: change its account first, or delete it.`,
        { details: { franchise_id: String(franchise.franchiseId) } },
      );
    },
  });
}
