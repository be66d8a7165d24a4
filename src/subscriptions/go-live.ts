// One use case: a merchant's money becomes real, for good.
// What belongs here: what must be true of it first. Nothing of the sandbox may become money.
import { bringPayoutsForward, nextPayoutAfter } from "../franchises/index.ts";
import { countDocuments } from "../invoices/index.ts";
import { lockBook } from "../ledger/index.ts";
import { makeLive, requireMerchant, type Merchant } from "../merchants/index.ts";
import { noProvider, readPayoutLeftovers, type ConnectedProvider } from "../payouts/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatPaise } from "../platform/money.ts";

/**
 * Takes a merchant out of the sandbox. There is no way back. A merchant that is live already stays as it is.
 * @throws NodalError `merchant_not_found`, `no_payout_provider` while no provider is connected for it, or
 * `sandbox_not_empty` while anything of the sandbox could become money
 */
export async function goLive(
  pool: Pool,
  merchantId: bigint,
  connectedProvider: ConnectedProvider = noProvider,
): Promise<Merchant> {
  return inTransaction(pool, async (connection) => {
    const before = await requireMerchant(connection, merchantId, true);
    const { bucket } = before;
    // Whoever accepts, claims or releases a payout of this merchant's holds it too.
    await lockBook(connection, bucket, merchantId);
    if (before.live) return before;
    if (connectedProvider(before) === null) {
      throw new NodalError(
        "no_payout_provider",
        "No payout provider is connected for this merchant, so it can't go live: its transfers would be paid by nobody. " +
          "This release has no provider to connect yet. Nothing was changed.",
      );
    }
    await refuseLeftovers(connection, before);
    await bringPayoutsForward(connection, before, nextPayoutAfter(Temporal.Now.instant(), before.timeZone));
    return makeLive(connection, before);
  });
}

async function refuseLeftovers(connection: Connection, merchant: Merchant): Promise<void> {
  const left = await readPayoutLeftovers(connection, merchant);
  const documents = await countDocuments(connection, merchant);
  const found = [
    left.balancePaise > 0n && `a balance of ${formatPaise(left.balancePaise)}`,
    left.commissionPaise > 0n && `commission of ${formatPaise(left.commissionPaise)} that is not settled`,
    left.openTransfers > 0n && `${left.openTransfers} open transfers`,
    left.openApprovals > 0n && `${left.openApprovals} open approvals`,
    left.isBankBusy && "a payment that the simulated bank has yet to finish",
    documents > 0n && `${documents} invoices and credit notes`,
  ].filter((each) => each !== false);
  if (found.length === 0) return;
  throw new NodalError(
    "sandbox_not_empty",
    `Nothing of the sandbox may become money, and this merchant still has ${found.join(", ")}: ` +
      "create a merchant for real money, and go live with that one. Nothing was changed.",
  );
}
