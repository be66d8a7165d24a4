// A beneficiary is saved, or found to be saved already: inside others' transactions.
// What belongs here: that an account or handle is kept once, that a new one is told of, and whether it waits for a second
// person.
import { auditValues, recordEvents } from "../ledger/index.ts";
import { findPolicy, requestApproval } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import type { Beneficiary } from "./beneficiary.ts";
import { findSameAccount, insertBeneficiaries } from "./beneficiary-store.ts";

/** The beneficiary that has an account or handle. */
export type KeptBeneficiary = {
  readonly beneficiaryId: bigint;
  readonly isNew: boolean;
  /** Whether it can't be paid before somebody has approved it. */
  readonly isPending: boolean;
};

/**
 * Answers the merchant's beneficiary that has the account or handle. A new one waits for approval where the merchant's
 * policy says so and nobody has approved it yet, and holds the merchant's book from here on.
 */
export async function keepBeneficiary(
  connection: Connection,
  beneficiary: Beneficiary,
  isApproved = false,
): Promise<KeptBeneficiary> {
  const { bucket, merchantId, beneficiaryId } = beneficiary;
  const policy = await findPolicy(connection, beneficiary);
  const isPending = policy.approvePayees && !isApproved;
  const saved: Beneficiary = { ...beneficiary, approval: isPending ? "pending" : "approved" };
  if ((await insertBeneficiaries(connection, [saved])) === 0) {
    const earlier = (await findSameAccount(connection, beneficiary))!;
    return { beneficiaryId: earlier.beneficiaryId, isNew: false, isPending: earlier.approval === "pending" };
  }
  await recordEvents(connection, beneficiary, [
    { type: "beneficiary.created", subjectId: beneficiaryId, after: auditValues(saved) },
  ]);
  if (isPending) {
    const kind = beneficiary.type === "Franchise" ? "franchise_account" : "beneficiary";
    const request = { bucket, merchantId, approvalId: beneficiaryId, kind, subjectId: beneficiaryId } as const;
    await requestApproval(connection, policy, request);
  }
  return { beneficiaryId, isNew: true, isPending };
}
