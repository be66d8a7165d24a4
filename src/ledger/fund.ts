// Use case: credit money that arrived in the nodal account to a merchant, once for each deposit.
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { namesOfReference } from "./deposit-names.ts";
import { findCredited, findFundingByWords, findPaymentWithUtr } from "./deposit-store.ts";
import { findFunding, insertFundings, lockBook } from "./ledger-store.ts";

export type FundRequest = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly amountPaise: bigint;
  readonly reference: string;
  /** Other names of the deposit in the bank's statement. */
  readonly deposits?: readonly string[];
};

/** The credit, and whether it already existed. */
export type Funded = { readonly fundingId: bigint; readonly repeated: boolean };

/**
 * Credits the merchant's available balance. Repeating a reference with the same amount changes nothing and returns the
 * first credit (`repeated`). Different spaces, zeros or case make no difference.
 * @throws NodalError `reference_conflict` if the reference was credited with another amount, or, on the installation's
 * account, to another merchant: docs/rules/payouts.md#deposits
 */
export async function fundMerchant(pool: Pool, ids: IdSource, request: FundRequest): Promise<Funded> {
  const fundingId = await ids.next();
  return inTransaction(pool, (connection) => fundWithin(connection, { ...request, fundingId }));
}

/** The same within a transaction, with the given id. Locks the merchant's book. @throws as `fundMerchant` does */
export async function fundWithin(
  connection: Connection,
  { deposits = [], ...request }: FundRequest & { readonly fundingId: bigint },
): Promise<Funded> {
  const { bucket, merchantId, fundingId, reference } = request;
  await lockBook(connection, bucket, merchantId);
  const names = namesOf({ reference, deposits });
  const earlier = await findEarlierFunding(connection, { ...request, deposits });
  if (earlier) return { fundingId: earlier.fundingId, repeated: true };
  if (!(await insertFundings(connection, Temporal.Now.instant(), [{ ...request, names }]))) {
    throw creditedElsewhere();
  }
  return { fundingId, repeated: false };
}

function creditedElsewhere(): NodalError {
  return new NodalError(
    "reference_conflict",
    "This deposit was already credited to another merchant. Nothing was credited: check the bank reference and the owner of the money.",
  );
}

function namesOf({ reference, deposits = [] }: Pick<FundRequest, "reference" | "deposits">): string[] {
  return [...namesOfReference(reference), ...deposits];
}

/**
 * The merchant's funding of the same deposit; `null` for new money. The caller has locked the book.
 * @throws NodalError `reference_conflict` if the amount differs, if another merchant was credited, or if the deposit is
 * a returned payment
 */
export async function findEarlierFunding(
  connection: Connection,
  request: FundRequest,
): Promise<{ readonly fundingId: bigint } | null> {
  const { bucket, merchantId, reference, amountPaise } = request;
  const earlier =
    (await findFunding(connection, bucket, merchantId, reference)) ??
    (await findCredited(connection, request, namesOf(request))) ??
    (await findFundingByWords(connection, request, { deposits: [], ...request }));
  if (earlier === "another merchant's") throw creditedElsewhere();
  if (!earlier) await refuseReturn(connection, request);
  if (!earlier || earlier.amountPaise === amountPaise) return earlier;
  throw new NodalError(
    "reference_conflict",
    "This reference was already used for another amount: use a new reference for each deposit.",
  );
}

/** A returned payment is credited by the payment's own posting, and is no deposit: docs/rules/payouts.md#deposits */
async function refuseReturn(connection: Connection, request: FundRequest): Promise<void> {
  // A UTR may be between other words.
  const words = request.reference.split(/[^A-Za-z0-9]+/).filter((word) => /[0-9]/.test(word));
  const payment = await findPaymentWithUtr(connection, request, [...namesOf(request), ...words]);
  if (payment === null) return;
  throw new NodalError(
    "reference_conflict",
    typeof payment === "bigint"
      ? `This reference is the UTR of payment ${payment}, and a returned payment is no deposit. Nothing was credited: the amount is available again once the provider reports the return. If the payment is stuck, resolve it as not paid.`
      : "This reference is the UTR of another merchant's payment, and a returned payment is no deposit. Nothing was credited: check the bank reference and the owner of the money.",
  );
}
