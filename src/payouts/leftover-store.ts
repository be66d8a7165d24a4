// SQL of what the sandbox has left of a merchant's payouts.
// What belongs here: what must be gone before its money becomes real.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";

export type PayoutLeftovers = {
  /** Available or held, in paise. */
  readonly balancePaise: bigint;
  /** Owed to franchises, or by them, in paise, whatever its sign. */
  readonly commissionPaise: bigint;
  readonly openTransfers: bigint;
  readonly openApprovals: bigint;
  /** Whether the simulated bank has yet to take a step, such as giving a payment back. */
  readonly isBankBusy: boolean;
};

/** What is left. Who holds the merchant's book sees what cannot change meanwhile. */
export async function readPayoutLeftovers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
): Promise<PayoutLeftovers> {
  const { rows } = await db.query<{
    balance: bigint;
    commission: bigint;
    transfers: bigint;
    approvals: bigint;
    is_bank_busy: boolean;
  }>(
    `select
       available_paise + held_paise as balance,
       (
         select coalesce(sum(abs(balance)), 0)::bigint from ledger_account account
         where account.bucket = $1 and account.merchant_id = $2 and kind = 'commission_payable'
       ) as commission,
       (
         select count(*) from transfer
         where transfer.bucket = $1 and transfer.merchant_id = $2
           and state in ('AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')
       ) as transfers,
       (
         select count(*) from approval
         where approval.bucket = $1 and approval.merchant_id = $2 and decision is null
       ) as approvals,
       simulator_is_busy($1, $2) as is_bank_busy
     from ledger_book where bucket = $1 and merchant_id = $2`,
    [bucket, merchantId],
  );
  const { balance, commission, transfers, approvals, is_bank_busy: isBankBusy } = rows[0]!;
  return {
    balancePaise: balance,
    commissionPaise: commission,
    openTransfers: transfers,
    openApprovals: approvals,
    isBankBusy,
  };
}

/** What waits while a merchant's money may not leave. */
export type WaitingPayouts = {
  /** Accepted, and without a word from the bank yet: not sent, but for what is being sent at this moment. */
  readonly unsent: { readonly count: bigint; readonly amountPaise: bigint };
  /** The bank has them, or may have them: it is asked about them further. */
  readonly atBank: { readonly count: bigint; readonly amountPaise: bigint };
  /** For a second person. */
  readonly approvals: bigint;
};

/** Reads what waits of a merchant's payouts. */
export async function readWaitingPayouts(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<WaitingPayouts> {
  const { rows } = await db.query<{
    unsent: bigint;
    unsent_paise: bigint;
    at_bank: bigint;
    at_bank_paise: bigint;
    approvals: bigint;
  }>(
    `select
       count(*) filter (where is_unsent) as unsent,
       coalesce(sum(amount_paise) filter (where is_unsent), 0)::bigint as unsent_paise,
       count(*) filter (where not is_unsent) as at_bank,
       coalesce(sum(amount_paise) filter (where not is_unsent), 0)::bigint as at_bank_paise,
       (
         select count(*) from approval
         where approval.bucket = $1 and approval.merchant_id = $2 and decision is null
       ) as approvals
     from (
       select state in ('RESERVED', 'SUBMITTING') as is_unsent, amount_paise
       from transfer_dispatch
       join transfer using (bucket, merchant_id, transfer_id)
       where bucket = $1 and merchant_id = $2
     ) as queued`,
    [bucket, merchantId],
  );
  const row = rows[0]!;
  return {
    unsent: { count: row.unsent, amountPaise: row.unsent_paise },
    atBank: { count: row.at_bank, amountPaise: row.at_bank_paise },
    approvals: row.approvals,
  };
}
