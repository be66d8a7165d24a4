// Two use cases: a merchant asks for a transfer to a beneficiary, or for a withdrawal to its own account.
// What belongs here: what is asked, checked and answered. The money moves in the intake and the dispatcher.
import { ownBankAccount, type IdempotencyKey, type Merchant } from "../merchants/index.ts";
import { Batcher } from "../platform/batcher.ts";
import { unavailable } from "../platform/database/failure.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import type { Origin } from "../platform/origin.ts";
import { LruMap } from "../platform/lru-map.ts";
import type { Beneficiary } from "./beneficiary.ts";
import { findBeneficiaries, type BeneficiaryName } from "./beneficiary-store.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { PayoutMaker } from "./make-payout.ts";
import type { TransferIntake } from "./transfer-intake.ts";
import { findTransfer, type NewTransfer } from "./transfer-store.ts";
import { isOpen, type Transfer, type TransferMode, type TransferState } from "./transfer.ts";

export type TransferRequest = {
  readonly beneficiaryId: string;
  readonly amountPaise: bigint;
  readonly referenceId: string;
  readonly mode: TransferMode | null;
  readonly narrative: string;
  readonly idempotency: IdempotencyKey | null;
  readonly origin: Origin;
};

export type WithdrawalRequest = {
  readonly amountPaise: bigint;
  readonly referenceId: string | null;
  readonly narrative: string;
  readonly idempotency: IdempotencyKey | null;
  readonly origin: Origin;
};

/** How a request ended: the transfer that stands for it, as it stands now. */
export type TransferAnswer = {
  readonly transferId: bigint;
  readonly state: TransferState;
  readonly utr: string | null;
  readonly reason: string | null;
  /** Whether an Idempotency-Key found it. */
  readonly replayed: boolean;
};

export type TransferDeskOptions = {
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly intake: TransferIntake;
  readonly dispatcher: Dispatcher;
  readonly maker: PayoutMaker;
  /** How long an answer waits for the bank. */
  readonly waitMs: number;
};

const BENEFICIARIES_REMEMBERED = 10_000;

/** Takes requests for transfers and withdrawals. */
export class TransferDesk {
  readonly #options: TransferDeskOptions;
  readonly #beneficiaries: Batcher<BeneficiaryName, Beneficiary | null>;
  readonly #known = new LruMap<string, Beneficiary>(BENEFICIARIES_REMEMBERED);

  constructor(options: TransferDeskOptions) {
    this.#options = options;
    this.#beneficiaries = new Batcher({
      run: (names) => findBeneficiaries(options.pool, names),
      maxBatch: 500,
      lanes: 2,
    });
  }

  /**
   * Asks for a transfer to a beneficiary. The same reference again answers with the first transfer.
   * @throws NodalError `access_denied`, `no_payout_provider`, `beneficiary_not_found`, `beneficiary_not_approved`,
   * `validation_failed`, `limit_exceeded`, `insufficient_balance`, `reference_conflict`, `idempotency_conflict` or
   * `unavailable`
   */
  async requestTransfer(merchant: Merchant, request: TransferRequest): Promise<TransferAnswer> {
    const { ids, maker } = this.#options;
    maker.railFor(merchant);
    const { bucket, merchantId } = merchant;
    const beneficiary = /^[0-9]{1,16}$/.test(request.beneficiaryId)
      ? await this.#findBeneficiary({ bucket, merchantId, beneficiaryId: BigInt(request.beneficiaryId) })
      : null;
    if (!beneficiary) {
      throw new NodalError(
        "beneficiary_not_found",
        "There is no such beneficiary: use a beneficiary_id from POST /api/v1/beneficiary/save or GET /api/v1/beneficiary/list.",
      );
    }
    const transferId = await ids.next();
    return this.#accept(maker.make(merchant, { ...request, transferId, kind: "transfer", to: beneficiary }));
  }

  /**
   * Asks for a withdrawal to the merchant's own bank account. With a reference, the same again answers with the first.
   * @throws NodalError `access_denied`, `no_payout_provider`, `no_bank_account`, `limit_exceeded`, `insufficient_balance`,
   * `reference_conflict`, `idempotency_conflict` or `unavailable`
   */
  async requestWithdrawal(merchant: Merchant, request: WithdrawalRequest): Promise<TransferAnswer> {
    const { ids, maker } = this.#options;
    maker.railFor(merchant);
    const account = ownBankAccount(merchant);
    if (!account) {
      throw new NodalError(
        "no_bank_account",
        "The merchant's profile has no bank account to withdraw to: have the operator add it, then try again.",
      );
    }
    const to = { name: account.holder, accountNumber: account.accountNumber, ifsc: account.ifsc, upi: null };
    const transferId = await ids.next();
    return this.#accept(maker.make(merchant, { ...request, transferId, kind: "withdrawal", to, mode: "banktransfer" }));
  }

  /** Once it is approved, a beneficiary never changes: one that was found so is remembered. */
  async #findBeneficiary(name: BeneficiaryName): Promise<Beneficiary | null> {
    const key = `${name.merchantId} ${name.beneficiaryId}`;
    const known = this.#known.get(key);
    if (known) return known;
    const found = await this.#beneficiaries.add(name);
    if (found?.approval === "approved") this.#known.set(key, found);
    return found;
  }

  async #accept(request: NewTransfer): Promise<TransferAnswer> {
    const { intake, dispatcher, waitMs } = this.#options;
    // Before it is accepted: the bank may answer sooner than this function goes on.
    const answer = waitMs > 0 ? dispatcher.expect(request.transferId) : null;
    try {
      const accepted = await intake.accept(request);
      const { transferId, how } = accepted;
      if (how === "awaiting_approval") {
        return { transferId, state: "AWAITING_APPROVAL", utr: null, reason: null, replayed: false };
      }
      if (how !== "created") return await this.#answerWithEarlier(request, transferId, how);
      const standing = answer && (await answer.within(waitMs));
      return {
        transferId,
        state: standing?.state ?? "SUBMITTING",
        utr: standing?.utr ?? null,
        reason: standing?.reason ?? null,
        replayed: false,
      };
    } finally {
      answer?.forget();
    }
  }

  /** The same reference with the same beneficiary, amount and mode answers with the original as it stands now. */
  async #answerWithEarlier(
    request: NewTransfer,
    transferId: bigint,
    how: "existing" | "replayed",
  ): Promise<TransferAnswer> {
    const { pool, dispatcher, waitMs } = this.#options;
    const identity = { bucket: request.bucket, merchantId: request.merchantId, transferId };
    const answer = waitMs > 0 && dispatcher.isWorkingOn(transferId) ? dispatcher.expect(transferId) : null;
    try {
      let earlier = await findTransfer(pool, identity);
      if (!earlier) throw unavailable(new Error(`transfer ${transferId} is not to be read yet`));
      if (how === "existing" && !asksForTheSame(request, earlier)) {
        throw new NodalError(
          "reference_conflict",
          "This reference_id stands for another transfer: use a new one for a new transfer.",
          { details: { transfer_id: String(transferId) } },
        );
      }
      if (answer && isOpen(earlier.state) && (await answer.within(waitMs))) {
        earlier = (await findTransfer(pool, identity)) ?? earlier;
      }
      const { state, utr, reason } = earlier;
      return { transferId, state, utr, reason, replayed: how === "replayed" };
    } finally {
      answer?.forget();
    }
  }
}

function asksForTheSame(request: NewTransfer, earlier: Transfer): boolean {
  return (
    earlier.kind === request.kind &&
    earlier.beneficiaryId === request.beneficiaryId &&
    earlier.amountPaise === request.amountPaise &&
    earlier.mode === request.mode
  );
}
