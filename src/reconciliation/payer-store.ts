// SQL that finds the lines of a payer.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { payerOf } from "./narration.ts";

type PayerLine = MerchantKey & { readonly narration: string | null };

/** The blind index of a line's payer, which finds lines without decrypting them; `null` if the narration names nobody. */
export function payerIndexOf(secrets: Secrets, { bucket, merchantId, narration }: PayerLine): Buffer | null {
  return secrets.blindIndex("statement_line.payer_index", [bucket, merchantId], [payerOf(narration)]);
}

/** The newest lines of the same payer that were set aside, as lines of receipts are. */
export async function findLinesOfPayer(db: Queryable, line: PayerLine, limit: number): Promise<bigint[]> {
  const index = payerIndexOf(await secretsOf(db), line);
  if (index === null) return [];
  const { rows } = await db.query<{ line_id: bigint }>({
    name: "find-lines-of-payer",
    text: `select line_id from statement_line
      where bucket = $1 and merchant_id = $2 and payer_index = $3 and state = 'noted'
      order by line_id desc limit $4`,
    values: [line.bucket, line.merchantId, index, limit],
  });
  return rows.map((row) => row.line_id);
}
