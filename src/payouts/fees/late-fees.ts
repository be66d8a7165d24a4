// Use cases in the caller's transaction: book a provider's fee that only the bank statement showed, or undo it.
// docs/rules/reconciliation.md#late-fees
import { auditValues, findPostings, lockBooks, recordEvents, type PostingKind } from "../../ledger/index.ts";
import { findMerchantByKey, suspended, type MerchantKey } from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../../platform/errors.ts";
import { findLateFees, findTransfersWithFee, insertLateFee, markLateFeeUndone } from "./fee-store.ts";
import { findTransfer } from "../transfer-store.ts";

export type BookLateFee = {
  readonly feeId: bigint;
  readonly transferId: bigint;
  /** With the tax on it. */
  readonly amountPaise: bigint;
};

/**
 * Books a fee for a payment that was made and has none, to the side that bears fees. Locks the merchant's book.
 * @throws NodalError `validation_failed` if the payment was not made, or has a fee; `access_denied` if the merchant was changed with SQL
 */
export async function bookLateFee(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { feeId, transferId, amountPaise }: BookLateFee,
): Promise<void> {
  const key = { bucket, merchantId };
  const [book] = await lockBooks(connection, [key]);
  const [transfer, merchant, withFee] = [
    await findTransfer(connection, { ...key, transferId }),
    await findMerchantByKey(connection, key),
    await findTransfersWithFee(connection, key, [transferId]),
  ];
  if (transfer?.state !== "SUCCESS" && transfer?.state !== "REVERSED")
    throw fieldRefusal("validation_failed", "line", `Transfer ${transferId} was not paid: it has no fee.`);
  if (withFee.has(transferId))
    throw fieldRefusal("validation_failed", "line", `Transfer ${transferId} already has a fee.`);
  const now = Temporal.Now.instant();
  if (merchant!.isChanged) throw suspended(merchant);
  const isExpensed = merchant!.feesPaidBy === "platform";
  const fee = { ...key, feeId, transferId, amountPaise, isExpensed, bookedAt: now, undoneAt: null };
  await insertLateFee(connection, fee);
  const isFunded = amountPaise <= book!.availablePaise;
  const kind: PostingKind = isExpensed ? "late_fee_expensed" : isFunded ? "late_fee" : "late_fee_unfunded";
  const after = auditValues({ feeId: String(feeId), amountPaise });
  await recordEvents(
    connection,
    key,
    [
      { type: `posting.${kind}`, subjectId: feeId, money: { kind, amountPaise } },
      { type: "statement.fee_booked", subjectId: transferId, after },
    ],
    now,
  );
}

/**
 * Undoes a late fee with a reversing posting to the side that bore it. Debt is settled first. Locks the merchant's
 * book. Returns whether it was booked until now.
 * @throws NodalError `not_found` if the merchant has no such fee; `validation_failed` if the provider has returned it
 */
export async function undoLateFee(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  feeId: bigint,
  reason: string,
): Promise<boolean> {
  const key = { bucket, merchantId };
  await lockBooks(connection, [key]);
  const [fee] = await findLateFees(connection, key, [feeId]);
  if (!fee) throw new NodalError("not_found", `No fee ${feeId} was booked from a statement.`);
  const { transferId, amountPaise, isExpensed } = fee;
  const kind: PostingKind = isExpensed ? "late_fee_expense_undone" : "late_fee_undone";
  const returned = isExpensed ? "fee_expense_returned" : "fee_returned";
  if (fee.undoneAt === null && (await findPostings(connection, key, returned, [transferId])).size > 0) {
    const problem = `The provider returned this fee when transfer ${transferId} was reversed: it can't be returned twice.`;
    throw fieldRefusal("validation_failed", "fee", problem);
  }
  const now = Temporal.Now.instant();
  if (!(await markLateFeeUndone(connection, key, feeId, now))) return false;
  const after = auditValues({ feeId: String(feeId), amountPaise, reason });
  await recordEvents(
    connection,
    key,
    [
      { type: `posting.${kind}`, subjectId: feeId, money: { kind, amountPaise } },
      { type: "statement.fee_undone", subjectId: transferId, after },
    ],
    now,
  );
  return true;
}
