// One use case: money that came into the nodal account is credited to a merchant, once for each reference.
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { findFunding, insertFundings, lockBook } from "./ledger-store.ts";

export type FundRequest = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly amountPaise: bigint;
  readonly reference: string;
};

/** The credit, and whether it was there before. */
export type Funded = { readonly fundingId: bigint; readonly repeated: boolean };

/**
 * Credits the merchant's available balance. The same reference and amount again changes nothing and answers with the
 * first credit (`repeated`).
 * @throws NodalError `reference_conflict` when the reference stands for another amount
 */
export async function fundMerchant(pool: Pool, ids: IdSource, request: FundRequest): Promise<Funded> {
  const fundingId = await ids.next();
  return inTransaction(pool, (connection) => fundWithin(connection, { ...request, fundingId }));
}

/** The same within a transaction, under the given id. Holds the merchant's book. @throws as `fundMerchant` does */
export async function fundWithin(
  connection: Connection,
  request: FundRequest & { readonly fundingId: bigint },
): Promise<Funded> {
  const { bucket, merchantId, fundingId, reference } = request;
  await lockBook(connection, bucket, merchantId);
  const earlier = await findFunding(connection, bucket, merchantId, reference);
  if (earlier && earlier.amountPaise !== request.amountPaise) {
    throw new NodalError(
      "reference_conflict",
      "This reference has credited another amount already: use a new reference for new money.",
    );
  }
  if (earlier) return { fundingId: earlier.fundingId, repeated: true };
  await insertFundings(connection, Temporal.Now.instant(), [request]);
  return { fundingId, repeated: false };
}
