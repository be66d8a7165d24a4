// SQL of the proofs of UTRs. What one proves is in utr-proof.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { TransferIdentity } from "./transfer.ts";

/** A transfer that must have a proof: it has ended, or has a UTR. */
export type ProvedTransfer = TransferIdentity & { readonly utr: string | null; readonly proof: Buffer | null };

/** The next transfers in key order that must have a proof, of one merchant or of all. */
export async function listProved(
  db: Queryable,
  scope: MerchantKey | null,
  after: TransferIdentity | null,
  limit: number,
): Promise<ProvedTransfer[]> {
  const { rows } = await db.query<{
    bucket: number;
    merchant_id: bigint;
    transfer_id: bigint;
    utr: string | null;
    utr_proof: Buffer | null;
  }>(
    `select bucket, merchant_id, transfer_id, utr, utr_proof from transfer
     where (state in ('SUCCESS', 'FAILED', 'REJECTED', 'REVERSED') or utr is not null)
       and ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
       and (bucket, merchant_id, transfer_id) > ($3::smallint, $4::bigint, $5::bigint)
     order by bucket, merchant_id, transfer_id limit $6`,
    [
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      after?.bucket ?? -1,
      after?.merchantId ?? 0n,
      after?.transferId ?? 0n,
      limit,
    ],
  );
  return rows.map((row) => ({
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    utr: row.utr,
    proof: row.utr_proof,
  }));
}
