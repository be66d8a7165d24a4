// SQL that reads the lines of batches to check their proofs.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { Row } from "../../platform/database/table.ts";
import { readSecretRows, whereItOpens } from "../../platform/secrets/index.ts";
import { isLineProved } from "./batch-proof.ts";
import { LINES, type LineKey } from "./line-store.ts";
import type { PayoutLine } from "./payout-batch.ts";

/** The next lines in key order that are to be paid or have a proof, of one merchant or of all. */
export async function listProvedLines(
  db: Queryable,
  scope: MerchantKey | null,
  after: LineKey | null,
  limit: number,
): Promise<(LineKey & { readonly isProved: boolean })[]> {
  const text = `select * from payout_batch_line
    where (state in ('waiting', 'requesting') or proof is not null) and ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
      and (bucket, merchant_id, batch_id, line_no) > ($3::smallint, $4::bigint, $5::bigint, $6::integer)
    order by bucket, merchant_id, batch_id, line_no limit $7`;
  const place = [after?.bucket ?? -1, after?.merchantId ?? 0n, after?.batchId ?? 0n, after?.lineNo ?? 0];
  const { rows } = await db.query<Row>(text, [scope?.bucket ?? null, scope?.merchantId ?? null, ...place, limit]);
  return readSecretRows(db, rows, (row, secrets) => {
    const isProved = whereItOpens(
      () => {
        const line = LINES.read(row, secrets);
        return isOpen(line) && isLineProved(secrets, line);
      },
      () => false,
    );
    const [bucket, merchantId] = [row["bucket"] as number, row["merchant_id"] as bigint];
    return { bucket, merchantId, batchId: row["batch_id"] as bigint, lineNo: row["line_no"] as number, isProved };
  });
}

function isOpen({ state }: PayoutLine): boolean {
  return state === "waiting" || state === "requesting";
}
