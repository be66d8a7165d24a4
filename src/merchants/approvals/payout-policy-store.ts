// All SQL of payout policies. What a policy says of a transfer is decided in src/payouts/batch/.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";
import { NO_POLICY, type PayoutPolicy } from "./payout-policy.ts";

type PolicyRow = {
  approve_over_paise: bigint | null;
  approve_payees: boolean;
  cooling_off_minutes: number | null;
  transfer_limit_paise: bigint | null;
  daily_limit_paise: bigint | null;
  approval_expires_hours: number;
};

/** The merchant's policy, with every rule off where it has none. */
export async function findPolicy(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<PayoutPolicy> {
  const { rows } = await db.query<PolicyRow>({
    name: "find-payout-policy",
    text: "select * from payout_policy where bucket = $1 and merchant_id = $2",
    values: [bucket, merchantId],
  });
  const row = rows[0];
  if (!row) return NO_POLICY;
  return {
    approveOverPaise: row.approve_over_paise,
    approvePayees: row.approve_payees,
    coolingOffMinutes: row.cooling_off_minutes,
    transferLimitPaise: row.transfer_limit_paise,
    dailyLimitPaise: row.daily_limit_paise,
    approvalExpiresHours: row.approval_expires_hours,
  };
}

/** Writes the merchant's policy. The caller holds the merchant's book, so that no payout is judged meanwhile. */
export async function savePolicy(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  policy: PayoutPolicy,
): Promise<void> {
  await connection.query(
    `insert into payout_policy (
       bucket, merchant_id, approve_over_paise, approve_payees, cooling_off_minutes, transfer_limit_paise,
       daily_limit_paise, approval_expires_hours)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (bucket, merchant_id) do update set
       approve_over_paise = excluded.approve_over_paise, approve_payees = excluded.approve_payees,
       cooling_off_minutes = excluded.cooling_off_minutes, transfer_limit_paise = excluded.transfer_limit_paise,
       daily_limit_paise = excluded.daily_limit_paise, approval_expires_hours = excluded.approval_expires_hours`,
    [
      bucket,
      merchantId,
      policy.approveOverPaise,
      policy.approvePayees,
      policy.coolingOffMinutes,
      policy.transferLimitPaise,
      policy.dailyLimitPaise,
      policy.approvalExpiresHours,
    ],
  );
}
