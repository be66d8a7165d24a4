// Use cases: a merchant requests a transfer to a beneficiary, or a withdrawal to its own account. The writer and the
// dispatcher move the money.
import { ownBankAccount, type Context, type Merchant } from "../merchants/index.ts";
import { lookUpOnNodes } from "../platform/database/citus/index.ts";
import { unavailable } from "../platform/database/failure.ts";
import { Directory } from "../platform/directory.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import type { Origin } from "../platform/origin.ts";
import { refusalOf, refusedTransfer, type DefaultRails, type PayoutMaker, type PayoutRequest } from "./make-payout.ts";
import type { PayoutWriter } from "./batch/payout-writer.ts";
import { isUnreadable, type Beneficiary } from "./beneficiaries/beneficiary.ts";
import { findBeneficiaries, type BeneficiaryName } from "./beneficiaries/beneficiary-store.ts";
import type { Dispatcher } from "./dispatch/dispatcher.ts";
import { previewPayout, type PayoutPreview } from "./batch/preview-payout.ts";
import {
  findTransfer,
  isRefused,
  type AcceptOutcome,
  type RequestedTransfer,
  type NewTransfer,
} from "./transfer-store.ts";
import { chooseMode, isOpen, type Transfer, type TransferMode, type TransferState } from "./transfer.ts";

export type TransferRequest = {
  readonly beneficiaryId: string;
  readonly amountPaise: bigint;
  readonly referenceId: string;
  readonly mode: TransferMode | null;
  readonly narrative: string;
};

export type WithdrawalRequest = {
  readonly amountPaise: bigint;
  readonly referenceId: string | null;
  readonly narrative: string;
};

/** Who pays, who requests it and from where. The desk has its own database connections, which see every merchant. */
export type DeskContext = Pick<Context<Merchant>, "merchant" | "idempotency"> & { readonly origin: Origin };

/** The result of a request: its transfer, with the current status. */
export type TransferAnswer = {
  readonly transferId: bigint;
  readonly state: TransferState;
  readonly utr: string | null;
  readonly reason: string | null;
  /** Whether it was found by the Idempotency-Key. */
  readonly replayed: boolean;
};

/** One of several transfers that are requested in order. */
export type OrderedRequest = TransferRequest & {
  readonly transferId: bigint;
  /** Whether a second person has approved it already. */
  readonly isApproved: boolean;
};

type IdentifiedRequest = TransferRequest & Pick<PayoutRequest, "transferId" | "idempotency" | "origin" | "isApproved">;

const WITHDRAWAL = { kind: "withdrawal", mode: "banktransfer" } as const;

/** Its transfer: an earlier one if the reference was used for the same payment before. */
export type OrderedAnswer = { readonly transferId: bigint; readonly isEarlier: boolean };

export type TransferDeskOptions = {
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly writer: Pick<PayoutWriter, "request">;
  readonly dispatcher: Dispatcher;
  readonly maker: PayoutMaker;
  readonly defaultRails: DefaultRails;
  /** How long to wait for the bank before answering: docs/rules/payouts.md#waiting-for-the-bank. */
  readonly waitMs: number;
};

/** Takes requests for transfers and withdrawals. */
export class TransferDesk {
  readonly #options: TransferDeskOptions;
  readonly #beneficiaries: Directory<BeneficiaryName, Beneficiary | null>;

  constructor(options: TransferDeskOptions) {
    this.#options = options;
    this.#beneficiaries = new Directory({
      ...lookUpOnNodes(options.pool, findBeneficiaries),
      keyOf: ({ merchantId, beneficiaryId }) => `${merchantId} ${beneficiaryId}`,
      // One that can't be paid yet may be approved at any moment.
      keeps: (found) => found?.approval === "approved" && !isUnreadable(found),
    });
  }

  /** Stops this process from paying a beneficiary that has just been deactivated; other processes follow within 1 s. */
  forgetBeneficiary(name: BeneficiaryName): void {
    this.#beneficiaries.forget(name);
  }

  /**
   * Requests a transfer to a beneficiary. Repeating the reference returns the first transfer, even if a new one would be refused now.
   * @throws NodalError `access_denied`, `no_payout_provider`, `beneficiary_not_found`, `beneficiary_not_approved`,
   * `beneficiary_not_verified`, `validation_failed`, `limit_exceeded`, `insufficient_balance`, `reference_conflict`, `idempotency_conflict` or
   * `unavailable`
   */
  async requestTransfer(
    { merchant, idempotency, origin }: DeskContext,
    request: TransferRequest,
  ): Promise<TransferAnswer> {
    const transferId = await this.#options.ids.next();
    return this.#accept(await this.#ask(merchant, { ...request, idempotency, origin, transferId }));
  }

  /**
   * Checks a request without its changing conditions (balance, limits, approval).
   * @throws NodalError as `requestTransfer` does for the beneficiary, the mode and the rail
   */
  async check(merchant: Merchant, request: TransferRequest): Promise<void> {
    await this.#make(merchant, { ...request, transferId: 0n });
  }

  /**
   * Previews a transfer: what would happen if it were requested now.
   * @throws NodalError as `requestTransfer` does for the beneficiary, the mode and the rail
   */
  async previewTransfer(merchant: Merchant, request: TransferRequest): Promise<PayoutPreview> {
    const transfer = await this.#make(merchant, { ...request, transferId: 0n });
    return previewPayout(this.#options.pool, merchant, transfer);
  }

  /**
   * Previews a withdrawal.
   * @throws NodalError `access_denied`, `no_payout_provider` or `no_bank_account`
   */
  async previewWithdrawal(merchant: Merchant, request: WithdrawalRequest): Promise<PayoutPreview> {
    const transfer = await this.#makeWithdrawal(merchant, { ...request, transferId: 0n });
    return previewPayout(this.#options.pool, merchant, transfer);
  }

  /**
   * Requests transfers under the caller's ids. They are accepted or refused in order, without waiting for the bank. Repeating an id
   * and reference returns the same transfer. Returns each one's transfer or refusal; `unavailable` if neither is known.
   */
  async requestInOrder(
    { merchant, origin }: Pick<DeskContext, "merchant" | "origin">,
    requests: readonly OrderedRequest[],
  ): Promise<(OrderedAnswer | NodalError)[]> {
    const ask = (request: OrderedRequest) => orRefusal(this.#ask(merchant, { ...request, origin }));
    const transfers = await Promise.all(requests.map(ask));
    // All start in one turn of the event loop, so that none overtakes another.
    const answers = transfers.map(async (transfer) =>
      transfer instanceof NodalError ? transfer : orRefusal(this.#acceptOrdered(transfer)),
    );
    return Promise.all(answers);
  }

  async #acceptOrdered(transfer: RequestedTransfer): Promise<OrderedAnswer> {
    const { transferId, how } = await this.#write(transfer);
    if (how === "created" || how === "awaiting_approval") return { transferId, isEarlier: false };
    await this.#answerWithEarlier(transfer, transferId, "existing", 0);
    return { transferId, isEarlier: transferId !== transfer.transferId };
  }

  /** The requested transfer, or its refusal, which applies if the request has no earlier transfer. */
  async #ask(merchant: Merchant, request: IdentifiedRequest): Promise<RequestedTransfer> {
    try {
      return await this.#make(merchant, request);
    } catch (error) {
      const beneficiaryId = readId(request.beneficiaryId);
      return refusedTransfer(merchant, { ...request, kind: "transfer", beneficiaryId }, error);
    }
  }

  async #make(merchant: Merchant, request: IdentifiedRequest): Promise<NewTransfer> {
    const { maker, defaultRails } = this.#options;
    const payer = await defaultRails.payerOf(merchant);
    maker.refuse(payer);
    const { bucket, merchantId } = merchant;
    const beneficiaryId = readId(request.beneficiaryId);
    const beneficiary =
      beneficiaryId === null ? null : await this.#beneficiaries.find({ bucket, merchantId, beneficiaryId });
    if (!beneficiary) {
      throw new NodalError(
        "beneficiary_not_found",
        "This beneficiary does not exist: use a beneficiary_id from POST /api/v1/beneficiary/save or GET /api/v1/beneficiary/list.",
      );
    }
    return maker.make(payer, { ...request, kind: "transfer", to: beneficiary });
  }

  /**
   * Requests a withdrawal to the merchant's own bank account. Repeating a reference returns the first one, even if a new one would
   * be refused now.
   * docs/rules/payouts.md#withdrawals
   * @throws NodalError `access_denied`, `no_payout_provider`, `no_bank_account`, `limit_exceeded`, `insufficient_balance`,
   * `reference_conflict`, `idempotency_conflict` or `unavailable`
   */
  async requestWithdrawal(
    { merchant, idempotency, origin }: DeskContext,
    request: WithdrawalRequest,
  ): Promise<TransferAnswer> {
    const identified = { ...request, idempotency, origin, transferId: await this.#options.ids.next() };
    const transfer = await this.#makeWithdrawal(merchant, identified).catch((error: unknown) =>
      refusedTransfer(merchant, { ...identified, ...WITHDRAWAL, beneficiaryId: null }, error),
    );
    return this.#accept(transfer);
  }

  async #makeWithdrawal(
    merchant: Merchant,
    request: WithdrawalRequest & Pick<PayoutRequest, "transferId" | "idempotency" | "origin">,
  ): Promise<NewTransfer> {
    const { maker, defaultRails } = this.#options;
    const payer = await defaultRails.payerOf(merchant);
    maker.refuse(payer);
    const account = ownBankAccount(merchant);
    if (!account) {
      throw new NodalError(
        "no_bank_account",
        "The merchant's profile has no bank account to withdraw to: ask the operator to add it, then try again.",
      );
    }
    const to = { name: account.holder, accountNumber: account.accountNumber, ifsc: account.ifsc, upi: null };
    return maker.make(payer, { ...request, ...WITHDRAWAL, to });
  }

  async #accept(request: RequestedTransfer): Promise<TransferAnswer> {
    const { dispatcher, waitMs } = this.#options;
    // Before it is accepted: the bank may answer before this function continues.
    const answer = waitMs > 0 ? dispatcher.firstAnswers.expect(request.transferId) : null;
    try {
      const { transferId, how } = await this.#write(request);
      if (how === "awaiting_approval") {
        return { transferId, state: "AWAITING_APPROVAL", utr: null, reason: null, replayed: false };
      }
      if (how !== "created") return await this.#answerWithEarlier(request, transferId, how);
      const first = answer && (await answer.within(waitMs));
      return {
        transferId,
        state: first?.state ?? "SUBMITTING",
        utr: first?.utr ?? null,
        reason: first?.reason ?? null,
        replayed: false,
      };
    } finally {
      answer?.forget();
    }
  }

  /**
   * Accepts a transfer and starts it if there is room. When this resolves it is durable and its amount is reserved.
   * @throws NodalError `unavailable` if the database is down or the merchant's book is locked; the transfer may then exist, and
   * repeating the request finds it
   */
  async #write(transfer: RequestedTransfer): Promise<Accepted> {
    const { writer, dispatcher } = this.#options;
    const { outcome, claimId, term } = await writer.request(transfer);
    const accepted = readOutcome(transfer, outcome);
    if (accepted.how === "created" && !isRefused(transfer)) {
      if (claimId === null) dispatcher.noteBacklog();
      else dispatcher.takeOn({ ...transfer, mode: transfer.railMode }, transfer.rail, { claimId, term });
    }
    return accepted;
  }

  /**
   * Returns the original, with its current status, for the same reference, beneficiary, amount and mode.
   * docs/rules/payouts.md#reference
   */
  async #answerWithEarlier(
    request: RequestedTransfer,
    transferId: bigint,
    how: "existing" | "replayed",
    waitMs = this.#options.waitMs,
  ): Promise<TransferAnswer> {
    const { pool, dispatcher } = this.#options;
    const identity = { bucket: request.bucket, merchantId: request.merchantId, transferId };
    const answer = waitMs > 0 && dispatcher.isWorkingOn(transferId) ? dispatcher.firstAnswers.expect(transferId) : null;
    try {
      let earlier = await findTransfer(pool, identity);
      if (!earlier) throw unavailable(new Error(`transfer ${transferId} is not to be read yet`));
      if (how === "existing" && !asksForTheSame(request, earlier)) {
        throw new NodalError(
          "reference_conflict",
          "This reference_id belongs to another transfer: use a new one for each transfer.",
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

/** A request's transfer: a new one, or an earlier one with the same reference or idempotency key. */
type Accepted = {
  readonly transferId: bigint;
  readonly how: "created" | "awaiting_approval" | "existing" | "replayed";
};

function readOutcome(item: RequestedTransfer, { outcome: how, ...rest }: AcceptOutcome): Accepted {
  switch (how) {
    case "awaiting_approval":
      return { transferId: rest.transferId!, how };
    case "created":
    case "existing":
    case "replayed":
      // A batch that is retried after a broken connection finds its own rows. It counts as having created them.
      return { transferId: rest.transferId!, how: rest.transferId === item.transferId ? "created" : how };
    case "idempotency_conflict":
    case "reference_conflict":
    case "refused":
    case "suspended":
    case "changed":
    case "wrong_rail":
    case "insufficient_balance":
    case "transfer_limit":
    case "daily_limit":
    case "not_verified":
    case "cooling_off":
      throw refusalOf({ outcome: how, ...rest });
  }
}

/** The result of the work, or the NodalError it rejected with. */
function orRefusal<T>(work: Promise<T>): Promise<T | NodalError> {
  return work.catch((error: unknown) => {
    if (error instanceof NodalError) return error;
    throw error;
  });
}

function asksForTheSame(request: RequestedTransfer, earlier: Transfer): boolean {
  return (
    earlier.kind === request.kind &&
    earlier.beneficiaryId === request.beneficiaryId &&
    earlier.amountPaise === request.amountPaise &&
    // A refused request keeps the mode that was sent. A payee's possible modes never change.
    earlier.mode === (request.mode ?? chooseMode(null, earlier.payee))
  );
}

/** Parses a beneficiary id of a request; `null` if it can't be one. */
function readId(text: string): bigint | null {
  return /^[0-9]{1,16}$/.test(text) ? BigInt(text) : null;
}
