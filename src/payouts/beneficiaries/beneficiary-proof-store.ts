// SQL of the proofs of beneficiaries, which beneficiary-proof.ts describes.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { PROVED_COLUMNS, type ProvedRow } from "./beneficiary-proof.ts";

/** The next beneficiaries in key order, of one merchant or of all. */
export async function listProvedRows(
  db: Queryable,
  scope: MerchantKey | null,
  after: ProvedRow | null,
  limit: number,
): Promise<ProvedRow[]> {
  const { rows } = await db.query<ProvedRow>(
    `select ${PROVED_COLUMNS} from beneficiary
     where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
       and (bucket, merchant_id, beneficiary_id) > ($3::smallint, $4::bigint, $5::bigint)
     order by bucket, merchant_id, beneficiary_id limit $6`,
    [
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      after?.bucket ?? -1,
      after?.merchant_id ?? 0n,
      after?.beneficiary_id ?? 0n,
      limit,
    ],
  );
  return rows;
}
