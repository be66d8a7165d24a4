// One use case inside others' transactions: what a provider's statement says that it took for payments, and never said before.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { writePayoutsWithin } from "./batch/write-payouts.ts";
import { findTransfers, type Report } from "./transfer-store.ts";

/** A fee for a payment, with the tax on it, in paise. */
export type StatedFee = { readonly transferId: bigint; readonly feePaise: bigint };

/**
 * Books fees of payments that were made, those of which none is booked: docs/rules/payouts.md#fees-of-providers. Holds the book
 * from then on.
 */
export async function bookFees(
  connection: Connection,
  now: Temporal.Instant,
  { bucket, merchantId }: MerchantKey,
  fees: readonly StatedFee[],
): Promise<void> {
  const merchant = { bucket, merchantId };
  const feeOf = new Map(fees.map(({ transferId, feePaise }) => [transferId, feePaise]));
  const reports = (await findTransfers(connection, merchant, [...feeOf.keys()])).flatMap(
    ({ transferId, state }): Report[] => {
      if (state !== "SUCCESS" && state !== "REVERSED") return [];
      const fee = { feePaise: feeOf.get(transferId)!, taxPaise: 0n };
      const said = { status: state, utr: null, reason: null, acknowledged: false, dueAt: null, attempts: 0 } as const;
      return [{ ...merchant, transferId, ...said, fee }];
    },
  );
  if (reports.length > 0) await writePayoutsWithin(connection, now, null, { requests: [], reports });
}
