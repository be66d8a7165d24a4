// SQL of the proofs of UTRs, which utr-proof.ts describes.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { joinSteps, PROOF_COLUMNS, type ProofRow } from "./instruction-proof.ts";
import type { TransferIdentity, TransferState } from "./transfer.ts";

/** A transfer with its proofs. */
export type ProvedTransfer = TransferIdentity & {
  readonly utr: string | null;
  readonly proof: Buffer | null;
  readonly state: TransferState;
  readonly instruction: ProofRow;
};

/** The next transfers in key order, of one merchant or of all. */
export async function listProved(
  db: Queryable,
  scope: MerchantKey | null,
  after: TransferIdentity | null,
  limit: number,
): Promise<ProvedTransfer[]> {
  const { rows } = await db.query<
    ProofRow & { readonly utr: string | null; readonly utr_proof: Buffer | null; readonly state: TransferState }
  >(
    // Not from a page of transfers: Citus allows no lateral join to a subquery with a limit.
    `select ${PROOF_COLUMNS}, transfer.utr, transfer.utr_proof, transfer.state
     from transfer
     ${joinSteps()}
     where ($1::smallint is null or (transfer.bucket = $1 and transfer.merchant_id = $2::bigint))
       and (transfer.bucket, transfer.merchant_id, transfer.transfer_id) > ($3::smallint, $4::bigint, $5::bigint)
     order by transfer.bucket, transfer.merchant_id, transfer.transfer_id limit $6`,
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
    state: row.state,
    instruction: row,
  }));
}
