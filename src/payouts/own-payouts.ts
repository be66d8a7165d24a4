// Payouts that Nodal asks for by itself, in others' transactions: commission, a refund. How much commission leaves, and
// whether what stops a payout leaves it owed; and waiting for the bank where there is no dispatcher of one's own.
// That commission leaves at most once follows from the merchant's book being held: what an earlier transfer carries to the
// bank, or has carried there, is not due any more. What is owed back to customers, and why, is the invoices' business.
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
  /** What somebody has agreed to pay; `null` for whatever is due. */
  readonly expectedPaise: bigint | null;
};

/** How an attempt to pay ended. `duePaise` is what is owed and not under way to the bank already. */
export type CommissionPayout =
  | { readonly outcome: "accepted"; readonly transferId: bigint; readonly amountPaise: bigint }
  | { readonly outcome: "nothing_due" | "amount_changed" | "insufficient_balance"; readonly duePaise: bigint }
  | { readonly outcome: "refused"; readonly duePaise: bigint; readonly refusal: NodalError };

export type PayRefund = {
  readonly beneficiaryId: bigint;
  readonly amountPaise: bigint;
  /** Names this attempt, so that it can leave once at most. */
  readonly referenceId: string;
  readonly narrative: string;
};

/** The transfer that was accepted, or why there is none: for now the refund stays owed. */
export type PaidRefund =
  | { readonly transferId: bigint }
  /** `isPayeeNew` where only the payee stands in the way: it has to stay, to be approved or to cool off. */
  | { readonly refusal: NodalError; readonly isPayeeNew: boolean };

/** What stands in the way for now, and not in the request. */
const FOR_NOW: ReadonlySet<ErrorCode> = new Set(["access_denied", "no_payout_provider", "beneficiary_not_approved"]);

type OwnPayout =
  | { readonly how: "accepted" | "existing" }
  /** `isPayeeNew` where only the payee stands in the way: it has to be approved or to cool off. */
  | { readonly how: "refused"; readonly refusal: NodalError; readonly isPayeeNew: boolean };

/**
 * What is owed to a franchise and not under way to the bank already, in paise. It changes no more while the merchant's book
 * is held.
 */
export async function readCommissionDue(db: Queryable, franchise: CommissionOwner): Promise<bigint> {
  const { bucket, merchantId, franchiseId } = franchise;
  // One after the other: a connection takes one statement at a time.
  const balances = await readCommissionBalances(db, bucket, merchantId, [franchiseId]);
  return balances.get(franchiseId)!.payablePaise - (await readUnderWay(db, franchise));
}

/** Nodal's own payouts, under a configuration's limits, and under the merchant's policy as any transfer. */
export class OwnPayouts {
  readonly #maker: PayoutMaker;

  constructor(config: Config) {
    this.#maker = new PayoutMaker(config);
  }

  /**
   * Asks for a transfer of all that is owed to a franchise and not under way already, or of nothing. Takes the merchant's
   * book, so that of two at once the second finds nothing due.
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
   * Asks for the transfer of a refund. It takes the merchant's book, so what else the caller locks comes before.
   * @throws NodalError `limit_exceeded` for more than UPI carries, `reference_conflict` where the merchant has used the
   * reference itself
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
   * Makes and accepts a payout in the caller's transaction, which then holds the merchant's book. What stops it for now is
   * an answer, and changes nothing.
   * @throws NodalError `limit_exceeded` for more than UPI carries
   */
  async #accept(connection: Connection, payer: Payer, payoutRequest: PayoutRequest): Promise<OwnPayout> {
    try {
      const transfer = this.#maker.ask(await withDefaultRails(connection, payer), payoutRequest);
      const batch = { requests: [{ transfer, claim: false }], reports: [] };
      // Under no claim: the dispatcher of any running server takes it up.
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

/** The status of a transfer once the bank has had its say, or as it is when the wait is over. */
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
