// Payouts that Nodal starts itself, in the caller's transaction: commission and refunds. Decides how much commission is
// paid, and whether an obstacle leaves it owed. Also waits for the bank in a process without a dispatcher. Commission is
// paid at most once, because the merchant's book is held: an amount that an earlier transfer pays is no longer due. The
// invoices decide which refunds are owed.
import { setTimeout as sleep } from "node:timers/promises";
import { lockBook, readCommissionBalances } from "../ledger/index.ts";
import { findMerchantByKey, type ReadContext, type TransactionContext } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { NodalError, type ErrorCode } from "../platform/errors.ts";
import { refusalOf, PayoutMaker, type Payer, type PayoutRequest, withDefaultRails } from "./make-payout.ts";
import { writePayoutsWithin } from "./batch/write-payouts.ts";
import { findBeneficiaries } from "./beneficiaries/beneficiary-store.ts";
import { readUnderWay } from "./booked-store.ts";
import { findTransfer, type CommissionOwner } from "./transfer-store.ts";
import { wireStatus } from "./transfer.ts";

/** A franchise with a bank account, and the id that a transfer to it would have. */
export type PayCommission = {
  readonly franchiseId: bigint;
  readonly code: string;
  readonly beneficiaryId: bigint;
  readonly transferId: bigint;
  /** The amount that a user agreed to; `null` for everything due. */
  readonly expectedPaise: bigint | null;
};

/** How an attempt to pay ended. `duePaise` is owed and not yet on its way to the bank. */
export type CommissionPayout =
  | { readonly outcome: "accepted"; readonly transferId: bigint; readonly amountPaise: bigint }
  | { readonly outcome: "nothing_due" | "amount_changed" | "insufficient_balance"; readonly duePaise: bigint }
  | { readonly outcome: "refused"; readonly duePaise: bigint; readonly refusal: NodalError };

export type PayRefund = {
  readonly beneficiaryId: bigint;
  readonly amountPaise: bigint;
  /** Identifies this attempt, so that it is paid at most once. */
  readonly referenceId: string;
  readonly narrative: string;
};

/** The accepted transfer, or why there is none; the refund then stays owed. */
export type PaidRefund =
  | { readonly transferId: bigint }
  /** `isPayeeNew`: only the new payee prevents it. Keep the payee, so that it can be approved or its cooling-off period can end. */
  | { readonly refusal: NodalError; readonly isPayeeNew: boolean };

/** Temporary obstacles that have nothing to do with the request. */
const FOR_NOW: ReadonlySet<ErrorCode> = new Set(["access_denied", "no_payout_provider", "beneficiary_not_approved"]);

type OwnPayout =
  | { readonly how: "accepted" | "existing" }
  /** `isPayeeNew`: only the payee prevents it, until it is approved or its cooling-off period ends. */
  | { readonly how: "refused"; readonly refusal: NodalError; readonly isPayeeNew: boolean };

/**
 * The amount that is owed to a franchise and not yet on its way to the bank, in paise. It can't change while the merchant's book
 * is held.
 */
export async function readCommissionDue(db: Queryable, franchise: CommissionOwner): Promise<bigint> {
  const { bucket, merchantId, franchiseId } = franchise;
  // In turn: a connection takes one statement at a time.
  const balances = await readCommissionBalances(db, bucket, merchantId, [franchiseId]);
  return balances.get(franchiseId)!.payablePaise - (await readUnderWay(db, franchise));
}

/** Nodal's own payouts. The configuration's limits and the merchant's policy apply as to any transfer. */
export class OwnPayouts {
  readonly #maker: PayoutMaker;

  constructor(config: Config) {
    this.#maker = new PayoutMaker(config);
  }

  /**
   * Requests a transfer of everything that is due to a franchise, if anything. It takes the merchant's book, so the second of two
   * concurrent calls finds nothing due.
   */
  async payCommission(
    { connection, merchant: { bucket, merchantId } }: Pick<TransactionContext, "connection" | "merchant">,
    { franchiseId, code, beneficiaryId, transferId, expectedPaise }: PayCommission,
  ): Promise<CommissionPayout> {
    await lockBook(connection, bucket, merchantId);
    const duePaise = await readCommissionDue(connection, { bucket, merchantId, franchiseId });
    if (duePaise <= 0n) return { outcome: "nothing_due", duePaise };
    if (expectedPaise !== null && expectedPaise !== duePaise) return { outcome: "amount_changed", duePaise };
    const payer = (await findMerchantByKey(connection, { bucket, merchantId }))!;
    const [beneficiary] = await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
    const paid = await this.#accept(connection, payer, {
      transferId,
      kind: "commission",
      to: beneficiary!,
      mode: "banktransfer",
      amountPaise: duePaise,
      referenceId: null,
      narrative: `Commission ${code}`,
      franchiseId,
    });
    if (paid.how !== "refused") return { outcome: "accepted", transferId, amountPaise: duePaise };
    const { refusal } = paid;
    if (refusal.code === "insufficient_balance") return { outcome: refusal.code, duePaise };
    return { outcome: "refused", duePaise, refusal };
  }

  /**
   * Requests the transfer of a refund. It takes the merchant's book, so the caller must take its other locks first.
   * @throws NodalError `limit_exceeded` above the UPI limit, `reference_conflict` if the merchant has used the reference itself
   */
  async payRefund(
    { connection, ids, merchant: { bucket, merchantId } }: TransactionContext,
    { beneficiaryId, amountPaise, referenceId, narrative }: PayRefund,
  ): Promise<PaidRefund> {
    const payer = (await findMerchantByKey(connection, { bucket, merchantId }))!;
    const [beneficiary] = await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
    const transferId = await ids.next();
    const payoutRequest = { transferId, to: beneficiary!, mode: null, amountPaise, referenceId, narrative };
    const paid = await this.#accept(connection, payer, { ...payoutRequest, kind: "transfer" });
    if (paid.how === "accepted") return { transferId };
    if (paid.how === "refused") return { refusal: paid.refusal, isPayeeNew: paid.isPayeeNew };
    throw new NodalError(
      "reference_conflict",
      `The merchant already used the reference ${referenceId} for its own transfer: nothing was refunded.`,
    );
  }

  /**
   * Makes and accepts a payout in the caller's transaction, which then holds the merchant's book. A temporary obstacle is returned
   * and changes nothing.
   * @throws NodalError `limit_exceeded` above the UPI limit
   */
  async #accept(connection: Connection, payer: Payer, payoutRequest: PayoutRequest): Promise<OwnPayout> {
    try {
      const transfer = this.#maker.ask(await withDefaultRails(connection, payer), payoutRequest);
      const batch = { requests: [{ transfer, claim: false }], reports: [] };
      // Without a claim: the dispatcher of any running server picks it up.
      const { outcomes } = await writePayoutsWithin(connection, Temporal.Now.instant(), null, batch);
      const [accepted] = outcomes;
      const { outcome } = accepted!;
      if (outcome === "created" || outcome === "awaiting_approval") return { how: "accepted" };
      if (outcome === "existing") return { how: "existing" };
      const refusal = refusalOf(accepted!);
      if (outcome === "refused") throw refusal;
      return { how: "refused", refusal, isPayeeNew: outcome === "cooling_off" || outcome === "not_verified" };
    } catch (error) {
      if (!(error instanceof NodalError) || !FOR_NOW.has(error.code)) throw error;
      return { how: "refused", refusal: error, isPayeeNew: error.code === "beneficiary_not_approved" };
    }
  }
}

const LOOK_AGAIN_MS = 100;

export type AwaitBank = { readonly transferId: bigint; readonly waitMs: number };

/** The status of a transfer once the bank has answered, or its status at the timeout. */
export async function awaitBank(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  { transferId, waitMs }: AwaitBank,
): Promise<string> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const transfer = await findTransfer(pool, { bucket, merchantId, transferId });
    const status = wireStatus(transfer!.state);
    if (status !== "PENDING" || performance.now() > deadline) return status;
    await sleep(LOOK_AGAIN_MS);
  }
}
