// Use case: save, correct or (empty) remove the number of a TDS certificate.
import { recordEvents } from "../../ledger/index.ts";
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { findClaim, lockClaim, saveClaimState } from "./tds-claim-store.ts";
import { refuseIfPutBack, tdsClaimNotFound, type TdsClaim } from "./tds-claim.ts";

/**
 * Saves the certificate of a claim, and returns the claim.
 * @throws NodalError `tds_claim_not_found`, or `tds_claim_put_back`
 */
export async function certifyTdsClaim(
  { pool, merchant }: ReadContext<Merchant>,
  { claimId, certificateNumber }: Pick<TdsClaim, "claimId" | "certificateNumber">,
): Promise<TdsClaim> {
  return inTransaction(pool, async (connection) => {
    await lockClaim(connection, { ...merchant, claimId });
    const before = await findClaim(connection, merchant, claimId);
    if (!before) throw tdsClaimNotFound();
    refuseIfPutBack(before);
    if (before.certificateNumber === certificateNumber) return before;
    const after = { ...before, certificateNumber };
    await saveClaimState(connection, after);
    const said = ({ certificateNumber: certificate_number }: TdsClaim) => ({ certificate_number });
    const event = { type: "tds_claim.certified", subjectId: claimId, before: said(before), after: said(after) };
    await recordEvents(connection, merchant, [event]);
    return after;
  });
}
