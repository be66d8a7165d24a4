// Use cases: change a beneficiary's contact details, or deactivate it. Its name and account never change.
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
 * Changes the given contact details of a beneficiary. Returns the new beneficiary.
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
  /** Throws if its account is still needed. Nobody can start to use the account meanwhile. */
  readonly refuseInUse: (connection: Connection, beneficiary: Beneficiary) => Promise<void>;
};

/**
 * Deactivates a beneficiary permanently; its account and handle can be added again. Accepted transfers continue; transfers that wait
 * for approval can't be approved. Repeating it changes nothing.
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
