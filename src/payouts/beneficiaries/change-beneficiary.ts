// Use cases: how a beneficiary is reached changes, or it is deactivated. Whom it stands for never changes.
// docs/rules/payouts.md#changing-and-deactivating
import { auditChange, recordEvents } from "../../ledger/index.ts";
import type { ReadContext } from "../../merchants/index.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { beneficiaryNotFound, type Beneficiary, type BeneficiaryContact } from "./beneficiary.ts";
import { refusalOfPayee } from "../make-payout.ts";
import { holdBeneficiary, updateBeneficiary } from "./beneficiary-store.ts";

export type ChangeBeneficiary = {
  readonly beneficiaryId: bigint;
  readonly changes: Partial<BeneficiaryContact>;
};

/**
 * Changes what is given of a beneficiary's contact details and nothing else. Returns it as it is then.
 * @throws NodalError `beneficiary_not_found`
 */
export async function changeBeneficiary(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  { beneficiaryId, changes }: ChangeBeneficiary,
): Promise<Beneficiary> {
  return inTransaction(pool, async (connection) => {
    const before = await hold(connection, { bucket, merchantId, beneficiaryId });
    const after = { ...before, ...changes };
    const change = auditChange(before, after);
    if (Object.keys(change.after ?? {}).length === 0) return before;
    await updateBeneficiary(connection, before, changes);
    await recordEvents(connection, before, [{ type: "beneficiary.changed", subjectId: beneficiaryId, ...change }]);
    return after;
  });
}

export type DeactivateUnused = {
  readonly beneficiaryId: bigint;
  /** Throws where its account is still needed. What is found so stays true: nobody saves its account meanwhile. */
  readonly refuseInUse: (connection: Connection, beneficiary: Beneficiary) => Promise<void>;
};

/**
 * Lets a beneficiary be paid no more, for good; its account and handle are free to be saved again. What was accepted before
 * goes on, what waits for approval can't be approved. A second time changes nothing.
 * @throws NodalError `beneficiary_not_found`, `beneficiary_not_approved` for one that waits or was rejected, or what
 * `refuseInUse` throws
 */
export async function deactivateUnused(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  { beneficiaryId, refuseInUse }: DeactivateUnused,
): Promise<Beneficiary> {
  return inTransaction(pool, async (connection) => {
    const before = await hold(connection, { bucket, merchantId, beneficiaryId });
    if (before.approval === "deactivated") return before;
    const refusal = refusalOfPayee(before);
    if (refusal) throw refusal;
    await refuseInUse(connection, before);
    const after: Beneficiary = { ...before, approval: "deactivated" };
    await updateBeneficiary(connection, before, { approval: "deactivated" });
    const deactivated = { type: "beneficiary.deactivated", subjectId: beneficiaryId };
    await recordEvents(connection, before, [{ ...deactivated, ...auditChange(before, after) }]);
    return after;
  });
}

async function hold(connection: Connection, name: Parameters<typeof holdBeneficiary>[1]): Promise<Beneficiary> {
  const found = await holdBeneficiary(connection, name);
  if (!found) throw beneficiaryNotFound();
  return found;
}
