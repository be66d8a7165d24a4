// All SQL of payout policies. src/payouts/batch/ applies them to transfers.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import type { MerchantKey } from "../merchant.ts";
import { changedWithSql, RowProof, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import { NO_POLICY, type PayoutPolicy } from "./payout-policy.ts";

type StoredPolicy = PayoutPolicy & MerchantKey & { readonly proof: Uint8Array | null };

const POLICIES = table<StoredPolicy, MerchantKey>("payout_policy", ["bucket", "merchantId"], {
  bucket: "smallint",
  merchantId: "bigint",
  approveOverPaise: "bigint",
  approvePayees: "boolean",
  verifiedPayeesOnly: "boolean",
  coolingOffMinutes: "integer",
  transferLimitPaise: "bigint",
  dailyLimitPaise: "bigint",
  approvalExpiresHours: "integer",
  proof: "bytea",
});

const PROOF = new RowProof<PayoutPolicy & MerchantKey>(
  "payout_policy",
  ({ bucket, merchantId }) => [bucket, merchantId],
  (policy) => [
    policy.approveOverPaise,
    policy.approvePayees,
    policy.verifiedPayeesOnly,
    policy.coolingOffMinutes,
    policy.transferLimitPaise,
    policy.dailyLimitPaise,
    policy.approvalExpiresHours,
  ],
);

/** Inserts the policies of new merchants, with every rule off. */
export async function insertPolicies(connection: Connection, merchants: readonly MerchantKey[]): Promise<void> {
  const secrets = await secretsOf(connection);
  const policies = merchants.map(({ bucket, merchantId }) => ({ ...NO_POLICY, bucket, merchantId }));
  await POLICIES.insertAll(
    connection,
    policies.map((policy) => ({ ...policy, proof: PROOF.of(secrets, policy) })),
  );
}

/** Whether a policy is as the server wrote it. */
export function isProvedPolicy(
  secrets: Secrets,
  policy: PayoutPolicy & MerchantKey,
  proof: Uint8Array | null,
): boolean {
  return PROOF.fits(secrets, policy, proof);
}

/**
 * The merchant's policy.
 * @throws NodalError `access_denied` if it was changed or deleted with SQL
 */
export async function findPolicy(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<PayoutPolicy> {
  const found = await POLICIES.find(db, { bucket, merchantId });
  const policy = found ?? { ...NO_POLICY, bucket, merchantId, proof: null };
  if (!isProvedPolicy(await secretsOf(db), policy, policy.proof)) throw changedWithSql("The merchant's payout policy");
  return toPolicy(policy);
}

/**
 * The merchant's policy as in its row, to correct it.
 * @throws NodalError `access_denied` if the row was deleted with SQL
 */
export async function readStoredPolicy(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
): Promise<PayoutPolicy> {
  const found = await POLICIES.find(connection, { bucket, merchantId });
  if (!found) throw changedWithSql("The merchant's payout policy");
  return toPolicy(found);
}

function toPolicy({ bucket: _bucket, merchantId: _merchantId, proof: _proof, ...policy }: StoredPolicy): PayoutPolicy {
  return policy;
}

/** Saves the merchant's policy. The caller has locked the merchant's book, so that no payout is checked meanwhile. */
export async function savePolicy(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  policy: PayoutPolicy,
): Promise<void> {
  const before = await POLICIES.find(connection, { bucket, merchantId }, true);
  if (!before) throw changedWithSql("The merchant's payout policy");
  const after = { ...policy, bucket, merchantId };
  const proof = PROOF.renewed(await secretsOf(connection), before, before.proof, after);
  await POLICIES.update(connection, { ...after, proof });
}
