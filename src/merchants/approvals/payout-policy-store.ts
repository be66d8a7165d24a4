// All SQL of payout policies. What a policy says of a transfer is decided in src/payouts/batch/.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import type { MerchantKey } from "../merchant.ts";
import { NO_POLICY, type PayoutPolicy } from "./payout-policy.ts";

const POLICIES = table<PayoutPolicy & MerchantKey, MerchantKey>("payout_policy", ["bucket", "merchantId"], {
  bucket: "smallint",
  merchantId: "bigint",
  approveOverPaise: "bigint",
  approvePayees: "boolean",
  verifiedPayeesOnly: "boolean",
  coolingOffMinutes: "integer",
  transferLimitPaise: "bigint",
  dailyLimitPaise: "bigint",
  approvalExpiresHours: "integer",
});

/** The merchant's policy, with every rule off where it has none. */
export async function findPolicy(db: Queryable, key: MerchantKey): Promise<PayoutPolicy> {
  const found = await POLICIES.find(db, key);
  if (!found) return NO_POLICY;
  const { bucket: _bucket, merchantId: _merchantId, ...policy } = found;
  return policy;
}

/** Writes the merchant's policy. The caller has locked the merchant's book, so that no payout is judged meanwhile. */
export async function savePolicy(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  policy: PayoutPolicy,
): Promise<void> {
  const changed = `on conflict (bucket, merchant_id) do update set ${POLICIES.assignmentsFrom("excluded")}`;
  await POLICIES.insert(connection, { ...policy, bucket, merchantId }, changed);
}
