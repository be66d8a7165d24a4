// Finds payouts that labels and files can be added to: transfers of every kind, and scheduled payouts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { findLinesByTransfer } from "./bulk/line-store.ts";
import { findTransfer } from "./transfer-store.ts";
import type { TransferKind } from "./transfer.ts";

/**
 * The kind of a payout. A payout of a later day counts, by the id that its transfer will have.
 * @throws NodalError `transfer_not_found` if the merchant has none with this id
 */
export async function requirePayout(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferId: bigint,
): Promise<TransferKind> {
  const transfer = await findTransfer(db, { bucket, merchantId, transferId });
  if (transfer) return transfer.kind;
  const lines = await findLinesByTransfer(db, { bucket, merchantId }, [transferId]);
  if (lines.length > 0) return "transfer";
  throw payoutNotFound();
}

/** The refusal for the id of no payout of the merchant. */
export function payoutNotFound(): NodalError {
  return new NodalError("transfer_not_found", "Payout not found. Look for it in the list.");
}
