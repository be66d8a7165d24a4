// SQL of the proofs of UTRs. What one proves is in utr-proof.ts.
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
    `select ${PROOF_COLUMNS}, utr, utr_proof, state
     from (
       select * from transfer
       where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
         and (bucket, merchant_id, transfer_id) > ($3::smallint, $4::bigint, $5::bigint)
       order by bucket, merchant_id, transfer_id limit $6
     ) as transfer
     ${joinSteps()}
     order by bucket, merchant_id, transfer_id`,
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
