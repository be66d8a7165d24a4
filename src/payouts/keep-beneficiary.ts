// A beneficiary is saved, or found to be saved already: inside others' transactions.
// What belongs here: that an account or handle is kept once, and that a new one is told of.
import { auditValues, recordEvents } from "../ledger/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import type { Beneficiary } from "./beneficiary.ts";
import { findSameAccount, insertBeneficiaries } from "./beneficiary-store.ts";

/**
 * Answers the id of the merchant's beneficiary that has the account or handle, and whether it is new. A new one holds the
 * merchant's book from here on.
 */
export async function keepBeneficiary(
  connection: Connection,
  beneficiary: Beneficiary,
): Promise<{ beneficiaryId: bigint; isNew: boolean }> {
  const { beneficiaryId } = beneficiary;
  const isNew = (await insertBeneficiaries(connection, [beneficiary])) === 1;
  if (!isNew) return { beneficiaryId: (await findSameAccount(connection, beneficiary))!.beneficiaryId, isNew };
  await recordEvents(connection, beneficiary, [
    { type: "beneficiary.created", subjectId: beneficiaryId, after: auditValues(beneficiary) },
  ]);
  return { beneficiaryId, isNew };
}
