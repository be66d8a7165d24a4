// One question: what franchises have earned, were paid and are owed.
import { readCommissionBalances, type CommissionBalances } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { CommissionState } from "./commission.ts";

/** The commission of the given franchises of a merchant, or of all, by franchise id. */
export async function readCommission(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  franchiseIds: readonly bigint[] | null = null,
): Promise<Map<bigint, CommissionState>> {
  const balances = await readCommissionBalances(db, bucket, merchantId, franchiseIds);
  return new Map([...balances].map(([franchiseId, balance]) => [franchiseId, stateOf(balance)]));
}

function stateOf({ payablePaise, settledPaise }: CommissionBalances): CommissionState {
  return { accruedPaise: payablePaise + settledPaise, paidPaise: settledPaise, duePaise: payablePaise };
}
