// SQL that reads lines of statements to compare them with their proofs.
import type { MerchantKey } from "../merchants/index.ts";
import { isSame } from "../platform/bytes.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { Row } from "../platform/database/table.ts";
import { readSecretRows, whereItOpens } from "../platform/secrets/index.ts";
import { proveLine } from "./line-proof.ts";
import { LINES } from "./statement-store.ts";

/** The next lines in key order, of one merchant or of all, each with whether the file's part of it is as it was read. */
export async function listProvedLines(
  db: Queryable,
  scope: MerchantKey | null,
  after: (MerchantKey & { readonly lineId: bigint }) | null,
  limit: number,
): Promise<(MerchantKey & { readonly lineId: bigint; readonly isProved: boolean })[]> {
  const text = `select * from statement_line
    where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
      and (bucket, merchant_id, line_id) > ($3::smallint, $4::bigint, $5::bigint)
    order by bucket, merchant_id, line_id limit $6`;
  const place = [after?.bucket ?? -1, after?.merchantId ?? 0n, after?.lineId ?? 0n];
  const { rows } = await db.query<Row & { proof: Buffer | null }>(text, [
    scope?.bucket ?? null,
    scope?.merchantId ?? null,
    ...place,
    limit,
  ]);
  return readSecretRows(db, rows, (row, secrets) => {
    const key = { bucket: row["bucket"] as number, merchantId: row["merchant_id"] as bigint };
    const isProved = whereItOpens(
      () => row.proof !== null && isSame(row.proof, proveLine(secrets, LINES.read(row, secrets))),
      () => false,
    );
    return { ...key, lineId: row["line_id"] as bigint, isProved };
  });
}
