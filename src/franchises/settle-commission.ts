// One use case: what a franchise is owed is paid out at once, because somebody asked for it.
// What belongs here: whether it can be paid at all. How money leaves is the payouts' business, which build on franchises.
import { requireMoneyMover } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatPaise } from "../platform/money.ts";
import { endWaiting } from "./adjust-commission.ts";
import { franchiseNotFound, type Franchise, type FranchiseKey } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";

/** A franchise with a bank account, and the id that a transfer to it would have. */
export type CommissionPayee = FranchiseKey & {
  readonly code: string;
  readonly beneficiaryId: bigint;
  readonly transferId: bigint;
  /** What somebody has agreed to pay; `null` for whatever is due. */
  readonly expectedPaise: bigint | null;
};

/** How an attempt to pay ended. `duePaise` is what is owed and not under way to the bank already. */
export type CommissionPayout =
  | { readonly outcome: "accepted"; readonly transferId: bigint; readonly amountPaise: bigint }
  | { readonly outcome: "nothing_due" | "amount_changed" | "insufficient_balance"; readonly duePaise: bigint }
  | { readonly outcome: "refused"; readonly duePaise: bigint; readonly refusal: NodalError };

/**
 * Asks for a transfer of all that is owed and not under way already, or of nothing. Takes the merchant's book itself, so
 * that of two at once the second finds nothing due.
 */
export type PayCommission = (connection: Connection, payee: CommissionPayee) => Promise<CommissionPayout>;

export type SettleCommissionParts = {
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly payCommission: PayCommission;
};

/**
 * Pays out what is due to a franchise, deleted or not, whatever its settlement type: what waited for it waits no more. Where
 * an amount is expected and another one is due by now, nothing is paid.
 * @throws NodalError `franchise_not_found`, `no_bank_account`, `commission_changed`, `insufficient_balance`, what the
 * merchant's policy says (`beneficiary_not_approved` or `limit_exceeded`), or `access_denied` for somebody who may not move
 * money
 */
export async function settleCommission(
  { pool, ids, payCommission }: SettleCommissionParts,
  key: FranchiseKey,
  expectedPaise: bigint | null = null,
): Promise<CommissionPayout> {
  const transferId = await ids.next();
  const payout = await inTransaction(pool, async (connection) => {
    await requireMoneyMover(connection);
    // Held, so that its account does not change meanwhile.
    const franchise = await findFranchise(connection, key, true);
    if (!franchise) throw franchiseNotFound();
    const payee = payeeOf(franchise, transferId, expectedPaise);
    if (payee) {
      const paid = await payCommission(connection, payee);
      // With the book held, so that nothing is agreed to that came meanwhile.
      if (paid.outcome === "accepted") await endWaiting(connection, key);
      return paid;
    }
    throw new NodalError(
      "no_bank_account",
      "This franchise has no bank account to pay its commission to: give it one first.",
    );
  });
  if (payout.outcome === "amount_changed") {
    throw new NodalError(
      "commission_changed",
      `What is due has changed: it is ${formatPaise(payout.duePaise)} now. Look at it, then settle again.`,
    );
  }
  if (payout.outcome === "insufficient_balance") {
    throw new NodalError(
      "insufficient_balance",
      `The available balance does not cover the commission of ${formatPaise(payout.duePaise)}: add funds, then settle again. It stays due.`,
    );
  }
  if (payout.outcome === "refused") throw payout.refusal;
  return payout;
}

/** Whom a payout of commission goes to; `null` for a franchise without a bank account. */
export function payeeOf(
  franchise: Franchise,
  transferId: bigint,
  expectedPaise: bigint | null = null,
): CommissionPayee | null {
  const { bucket, merchantId, franchiseId, code, beneficiaryId } = franchise;
  if (beneficiaryId === null) return null;
  return { bucket, merchantId, franchiseId, code, beneficiaryId, transferId, expectedPaise };
}
