// SQL of the rail that a webhook of a provider leads to.
import type { Queryable } from "../../platform/database/pool.ts";
import type { TransferIdentity } from "../transfer.ts";

/** The rail and the amount of a transfer; `null` where the merchant has no such transfer. */
export async function findTransferRail(
  db: Queryable,
  { bucket, merchantId, transferId }: TransferIdentity,
): Promise<{ readonly rail: string; readonly amountPaise: bigint } | null> {
  const { rows } = await db.query<{ rail: string; amount_paise: bigint }>({
    name: "find-transfer-rail",
    text: "select rail, amount_paise from transfer where bucket = $1 and merchant_id = $2 and transfer_id = $3",
    values: [bucket, merchantId, transferId],
  });
  return rows[0] ? { rail: rows[0].rail, amountPaise: rows[0].amount_paise } : null;
}
