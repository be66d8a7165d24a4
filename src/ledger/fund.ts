// One use case: money that came into the nodal account is credited to a merchant, once for each reference.
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { findFunding, insertFundings, lockBook } from "./ledger-store.ts";

export type FundRequest = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly amountPaise: bigint;
  readonly reference: string;
};

/**
 * Credits the merchant's available balance. The same reference and amount again changes nothing and answers with the
 * first credit (`repeated`).
 * @throws NodalError `reference_conflict` when the reference stands for another amount
 */
export async function fundMerchant(
  pool: Pool,
  ids: IdSource,
  request: FundRequest,
): Promise<{ fundingId: bigint; repeated: boolean }> {
  const fundingId = await ids.next();
  return inTransaction(pool, async (connection) => {
    await lockBook(connection, request.bucket, request.merchantId);
    const earlier = await findFunding(connection, request.bucket, request.merchantId, request.reference);
    if (earlier && earlier.amountPaise !== request.amountPaise) {
      throw new NodalError(
        "reference_conflict",
        "This reference has credited another amount already: use a new reference for new money.",
      );
    }
    if (earlier) return { fundingId: earlier.fundingId, repeated: true };
    await insertFundings(connection, Temporal.Now.instant(), [{ ...request, fundingId }]);
    return { fundingId, repeated: false };
  });
}
