// Proof that the server wrote a transfer's UTR: a keyed hash, whose key is not in the database. The payee is shown the UTR, and
// statements are matched by it.
import type { Violation } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { isSame } from "../platform/bytes.ts";
import { everyRow, type Queryable } from "../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import type { TransferIdentity } from "./transfer.ts";

const PAGE_ROWS = 2000;
/** Every payout has one: half of the hash is enough. */
const PROOF_BYTES = 16;

/** The proof of a transfer's UTR, or that it has none. It takes less than 10 µs. */
export function proveUtr(
  secrets: Secrets,
  { bucket, merchantId, transferId }: TransferIdentity,
  utr: string | null,
): Buffer {
  const ids = [bucket, merchantId, transferId].map(String);
  return secrets.mac("transfer.utr", utr === null ? ids : [...ids, utr]).subarray(0, PROOF_BYTES);
}

/** A transfer that must have a proof: it has ended, or has a UTR. */
type Proved = TransferIdentity & { readonly utr: string | null; readonly proof: Buffer | null };

/**
 * Finds the transfers whose UTR was changed with SQL.
 * @throws SecretsError where proofs can't be computed
 */
export async function findForgedUtrs(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const secrets = await secretsOf(db);
  const violations: Violation[] = [];
  for await (const transfer of everyRow<Proved>(PAGE_ROWS, (last, limit) => listProved(db, scope, last, limit))) {
    const { merchantId, transferId, utr, proof } = transfer;
    if (proof !== null && isSame(proveUtr(secrets, transfer, utr), proof)) continue;
    violations.push({
      check: "transfer_utr",
      merchantId,
      subjectId: transferId,
      what: "UTR of a transfer",
      expected: "what the server wrote",
      found: utr ?? "none",
    });
  }
  return violations;
}

async function listProved(
  db: Queryable,
  scope: MerchantKey | null,
  after: TransferIdentity | null,
  limit: number,
): Promise<Proved[]> {
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
