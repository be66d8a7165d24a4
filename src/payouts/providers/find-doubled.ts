// Use case: finds provider accounts that are connected twice after a restore or a change with SQL.
import type { Violation } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { SecretsError } from "../../platform/secrets/index.ts";
import { isSameAccount } from "./connect-provider.ts";
import { listAllConnected } from "./provider-account-store.ts";

/**
 * Finds accounts that two owners have connected. A deposit of such an account could be credited twice. Finds none where a source
 * account can't be decrypted: the check of encrypted values reports that.
 */
export async function findDoubledAccounts(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const accounts = await listAllConnected(db).catch((error: unknown) => {
    if (error instanceof SecretsError) return [];
    throw error;
  });
  return accounts.flatMap((account, place) => {
    const { merchantId, accountId } = account;
    if (scope && scope.merchantId !== merchantId) return [];
    const others = accounts.filter((other, at) => at !== place && isSameAccount(account, other));
    // The later one is the mistake. For a single merchant, both are reported.
    const twin = others.find((other) => scope !== null || other.accountId < accountId);
    if (!twin) return [];
    const owner = twin.merchantId === 0n ? "the installation" : `merchant ${twin.merchantId}`;
    return [
      {
        check: "provider_account_once",
        merchantId,
        subjectId: accountId,
        what: `provider account ${accountId}`,
        expected: "connected once: disconnect one of the two",
        found: `account ${twin.accountId} of ${owner} is the same account at the provider`,
      },
    ];
  });
}
