// SQL that counts a merchant's numbered documents.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";

/** How many invoices and credit notes the merchant has, cancelled ones too. */
export async function countDocuments(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<bigint> {
  const { rows } = await db.query<{ documents: bigint }>(
    `select
       (select count(*) from invoice where bucket = $1 and merchant_id = $2)
       + (select count(*) from credit_note where bucket = $1 and merchant_id = $2) as documents`,
    [bucket, merchantId],
  );
  return rows[0]!.documents;
}
