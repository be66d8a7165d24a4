// The owner of an account at a provider: a merchant, or the installation, for merchants without an account.
import { auditChange, lockBook, recordEvents } from "../../ledger/index.ts";
import {
  changePayoutSettings,
  lockInstallation,
  readPayoutRails,
  requireMerchant,
  requireMoneyMover,
  updatePayoutRails,
  type Merchant,
  type MerchantKey,
  type OperatorContext,
  type PayoutRails,
} from "../../merchants/index.ts";
import { inTransaction, type Connection, type Queryable } from "../../platform/database/pool.ts";
import { firstRails } from "./priorities.ts";
import { INSTALLATION } from "./provider-account.ts";
import { listProviderAccounts } from "./provider-account-store.ts";

/** For a merchant, or for the installation if `null`. */
export type OwnerContext = Pick<OperatorContext, "pool"> & {
  readonly merchant: OperatorContext["merchant"] | null;
  /** Sees the accounts of all owners, unlike a merchant's own connections; left out if `pool` sees them. */
  readonly accounts?: Queryable;
  /** Checks the signed-in user's second factor, in the transaction of the change; left out for commands. */
  readonly prove?: (connection: Connection) => Promise<void>;
};

export type Owner = { readonly key: MerchantKey; readonly merchant: Merchant | null };

/**
 * Finds the owner of the accounts; `lock` locks all of them and the merchant's book until the transaction ends.
 * @throws NodalError `merchant_not_found`
 */
export async function findOwner(db: Queryable, whose: OwnerContext["merchant"]): Promise<Owner>;
export async function findOwner(db: Connection, whose: OwnerContext["merchant"], lock: true): Promise<Owner>;
export async function findOwner(
  db: Queryable | Connection,
  whose: OwnerContext["merchant"],
  lock = false,
): Promise<Owner> {
  if (whose === null) {
    if (lock) await lockInstallation(db as Connection);
    return { key: INSTALLATION, merchant: null };
  }
  const merchant = await requireMerchant(db, whose.merchantId, lock);
  const { bucket, merchantId } = merchant;
  if (lock) await lockBook(db as Connection, bucket, merchantId);
  return { key: { bucket, merchantId }, merchant };
}

/**
 * Changes an owner's accounts, all of them locked, for a user who may decide where money goes.
 * @throws NodalError `merchant_not_found`, `access_denied`, `code_refused`
 */
export function changingOwner<T>(
  { pool, merchant, prove }: OwnerContext,
  change: (connection: Connection, owner: Owner) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    const owner = await findOwner(connection, merchant, true);
    await requireMoneyMover(connection);
    await prove?.(connection);
    return change(connection, owner);
  });
}

/**
 * Updates the rails to the accounts that are first now. A merchant that had its own account doesn't fall back to the installation's:
 * its balance is in its own bank account, and the installation's holds the money of others. An account that was changed with SQL is
 * not used.
 */
export async function writeRails(connection: Connection, { key, merchant }: Owner): Promise<void> {
  const hadOwn = merchant !== null && merchant.payoutRails !== null;
  const accounts = (await listProviderAccounts(connection, key)).filter(({ isChanged }) => !isChanged);
  const payoutRails = firstRails(accounts) ?? (hadOwn ? {} : null);
  if (merchant) await changePayoutSettings(connection, merchant, { payoutRails });
  else await changeInstallationRails(connection, payoutRails);
}

async function changeInstallationRails(connection: Connection, payoutRails: PayoutRails | null): Promise<void> {
  const change = auditChange({ payoutRails: await readPayoutRails(connection) }, { payoutRails });
  if (Object.keys(change.after ?? {}).length === 0) return;
  await updatePayoutRails(connection, payoutRails);
  await recordEvents(connection, INSTALLATION, [
    { type: "installation.changed", subjectId: INSTALLATION.merchantId, ...change },
  ]);
}

/** Records a change in the journal of the merchant or of the installation. */
export async function recordOfOwner(
  connection: Connection,
  { key }: Owner,
  event: Parameters<typeof recordEvents>[2][number],
): Promise<void> {
  await recordEvents(connection, key, [event]);
}
