// One use case: a merchant registers a beneficiary.
import { runIdempotently, type IdempotencyKey, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import type { Beneficiary, BeneficiaryDetails } from "./beneficiary.ts";
import { keepBeneficiary } from "./keep-beneficiary.ts";

/**
 * Saves a beneficiary and answers its id, and whether it waits for a second person.
 * @throws NodalError `beneficiary_exists`, with the `beneficiary_id` of the one that has this account or handle
 */
export async function saveBeneficiary(
  pool: Pool,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  details: BeneficiaryDetails,
  idempotency: IdempotencyKey | null,
): Promise<{ answer: { beneficiaryId: string; isPending?: true }; replayed: boolean }> {
  const beneficiary: Beneficiary = {
    ...details,
    bucket,
    merchantId,
    beneficiaryId: await ids.next(),
    type: "Vendor",
    approval: "approved",
    createdAt: Temporal.Now.instant(),
  };
  return runIdempotently(pool, beneficiary, idempotency, async (connection) => {
    const { beneficiaryId, isNew, isPending } = await keepBeneficiary(connection, beneficiary);
    if (isNew) return { beneficiaryId: String(beneficiaryId), ...(isPending ? { isPending } : {}) };
    throw new NodalError(
      "beneficiary_exists",
      "A beneficiary with this account or UPI handle is saved already: use its beneficiary_id.",
      { details: { beneficiary_id: String(beneficiaryId) } },
    );
  });
}
