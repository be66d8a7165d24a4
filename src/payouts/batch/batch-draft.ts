// Decides on the requests and reports of a batch of payouts, in order of arrival. It needs no database: the stores read
// before and write after.
import type { BatchBook, NewEventOf, PostingKind } from "../../ledger/index.ts";
import type { FeePayer, MerchantKey } from "../../merchants/index.ts";
import { SENDING } from "../instruction-proof.ts";
import { payoutRefusal } from "../make-payout.ts";
import type { ProviderFee } from "../rails/rail.ts";
import {
  isRefused,
  type AcceptOutcome,
  type RequestedTransfer,
  type NewTransfer,
  type PayoutTerms,
  type Report,
  type TransferStatus,
} from "../transfer-store.ts";
import { isOpen, transitionOf, type TransferState } from "../transfer.ts";
import type { BookedFee } from "../fees/fee-store.ts";
import type { Earlier, PayerFacts, ReportedTransfer } from "./facts-store.ts";

/** A merchant's policy, with its current day and the rest of the day's limit. */
export type Terms = NonNullable<PayerFacts["policy"]> & {
  readonly today: Temporal.PlainDate;
  readonly timeZone: string;
  /** When a payout that starts to wait for approval now expires. */
  readonly expiresAt: Temporal.Instant;
  leftPaise: bigint | null;
};

/** A merchant of a batch. */
export type Payer = Pick<PayerFacts, "status" | "live" | "feesPaidBy"> & {
  readonly book: BatchBook;
  readonly terms: Terms | null;
};

/** A request to accept; `claim` says whether this process starts it at once. */
export type Request = { readonly transfer: RequestedTransfer; readonly claim: boolean };

export type AcceptedTransfer = {
  readonly slot: number;
  readonly transfer: NewTransfer;
  readonly state: "AWAITING_APPROVAL" | "SUBMITTING" | "RESERVED";
  readonly countedOn: Temporal.PlainDate | null;
  /** When it expires, if it waits for approval. */
  readonly expiresAt: Temporal.Instant | null;
};

/** The change of a transfer by a report: its claim ends, and its state may change. */
export type ReportedChange = {
  readonly slot: number;
  readonly report: Report;
  readonly state: TransferState;
  readonly wasOpen: boolean;
  /** The claim that it was under. */
  readonly claimId: bigint | null;
  readonly hasPosted: boolean;
  /** The UTR to prove; `undefined` keeps the proof. */
  readonly provedUtr: string | null | undefined;
  /** The new proof of a transfer that was recorded as unsent; `null` for any other. */
  readonly sentProof: Buffer | null;
};

/** A transfer that a report adds to the queue or removes from it. */
export type QueueChange = { readonly slot: number; readonly report: Report };

/** The change of a day's total that counts towards a daily limit, in paise. */
export type DayChange = MerchantKey & { readonly day: Temporal.PlainDate; readonly paise: bigint };

const CHANGED_ASKED_AFTER = { minutes: 10 };

export class BatchDraft {
  readonly #now: Temporal.Instant;
  /** Those beneficiaries that need a verified account and have one. */
  readonly #verified: ReadonlySet<bigint>;
  readonly #payers = new Map<bigint, Payer>();
  readonly #standsFor = new Map<string, bigint>();
  readonly accepted: AcceptedTransfer[] = [];
  readonly reported: ReportedChange[] = [];
  /** Transfers to ask the bank about again. One that is in the queue already stays there. */
  readonly asked: QueueChange[] = [];
  /** Finished transfers that were in the queue. */
  readonly finished: QueueChange[] = [];
  readonly days: DayChange[] = [];
  /** Entries for transfers that are queued as unsent but were sent. */
  readonly sendings: NewEventOf[] = [];

  constructor(now: Temporal.Instant, payers: readonly Payer[], verified: ReadonlySet<bigint> = new Set()) {
    this.#now = now;
    this.#verified = verified;
    for (const payer of payers) this.#payers.set(payer.book.merchantId, payer);
  }

  get isEmpty(): boolean {
    return this.accepted.length === 0 && this.reported.length === 0 && this.asked.length === 0;
  }

  get asksForApproval(): boolean {
    return this.accepted.some(({ expiresAt }) => expiresAt);
  }

  get books(): BatchBook[] {
    return [...this.#payers.values()].map(({ book }) => book);
  }

  /** Decides on a request, after those before it in the batch. `earlier` is what already exists for it. */
  accept({ transfer, claim }: Request, earlier: Earlier | null): AcceptOutcome {
    const { transferId, merchantId, referenceId } = transfer;
    const payer = this.#payers.get(merchantId)!;
    const twin = referenceId === null ? undefined : this.#standsFor.get(`${merchantId} ${referenceId}`);
    const termsOf = (limitPaise: bigint | null): { readonly terms?: PayoutTerms } =>
      payer.terms && !isRefused(transfer) ? { terms: describeTerms(payer.terms, transfer, limitPaise) } : {};
    const answer = (outcome: AcceptOutcome["outcome"], standsFor: bigint | null): AcceptOutcome => ({
      outcome,
      transferId: standsFor,
      ...termsOf(limitOf(outcome, payer.terms)),
    });
    if (earlier?.replayed && !earlier.replayed.isSame) return answer("idempotency_conflict", null);
    const standsFor = earlier?.replayed?.transferId ?? earlier?.existingId ?? twin ?? null;
    if (standsFor !== null) {
      if (referenceId !== null) this.#standsFor.set(`${merchantId} ${referenceId}`, standsFor);
      // A retry after a broken connection: it must not look as if it were on its way to the bank.
      if (standsFor === transferId && earlier?.isAwaited) return answer("awaiting_approval", standsFor);
      return answer(earlier?.replayed ? "replayed" : "existing", standsFor);
    }
    if (earlier?.isKept) return answer("reference_conflict", null);
    if (isRefused(transfer)) return { outcome: "refused", transferId: null, refusal: transfer.refusal };
    const outcome = this.#judge(payer, transfer);
    if (outcome !== "created" && outcome !== "awaiting_approval") return answer(outcome, null);
    this.#add(payer, transfer, outcome, claim);
    if (referenceId !== null) this.#standsFor.set(`${merchantId} ${referenceId}`, transferId);
    return answer(outcome, transferId);
  }

  /** Whether it may leave and fits what is available: docs/rules/payouts.md#balance. */
  #judge({ book, terms, ...payer }: Payer, transfer: NewTransfer): AcceptOutcome["outcome"] {
    const { rail, amountPaise, beneficiaryId, mode } = transfer;
    const refusal = payoutRefusal(payer, rail);
    if (refusal) return refusal;
    // Banks verify accounts, not handles.
    const isVerified = beneficiaryId === null || (mode === "banktransfer" && this.#verified.has(beneficiaryId));
    const ruling = terms ? judgeByTerms(terms, this.#now, transfer, isVerified) : "created";
    if (ruling !== "created" && ruling !== "awaiting_approval") return ruling;
    return amountPaise > book.availablePaise ? "insufficient_balance" : ruling;
  }

  #add({ book, terms }: Payer, transfer: NewTransfer, outcome: "created" | "awaiting_approval", claim: boolean): void {
    const { bucket, merchantId, transferId, kind, amountPaise, origin } = transfer;
    const waits = outcome === "awaiting_approval";
    let countedOn: Temporal.PlainDate | null = null;
    if (terms && terms.leftPaise !== null) {
      terms.leftPaise -= amountPaise;
      countedOn = terms.today;
      this.days.push({ bucket, merchantId, day: countedOn, paise: amountPaise });
    }
    this.accepted.push({
      slot: book.slot,
      transfer,
      state: waits ? "AWAITING_APPROVAL" : claim ? "SUBMITTING" : "RESERVED",
      countedOn,
      expiresAt: waits ? terms!.expiresAt : null,
    });
    book.add({
      type: `${kind}.${waits ? "awaiting_approval" : "accepted"}`,
      subjectId: transferId,
      money: { kind: "reserve", amountPaise },
      actor: origin?.actor ?? null,
      address: origin?.address ?? null,
    });
  }

  /**
   * Decides on a report, after the items before it in the batch. Returns the transfer's new status. Nothing is booked for a transfer
   * that was changed with SQL: the bank is asked again until somebody has corrected it.
   */
  report(given: Report, transfer: ReportedTransfer): TransferStatus {
    const { book, feesPaidBy } = this.#payers.get(given.merchantId)!;
    const isBookable = transfer.isSound && (feesPaidBy !== null || !given.fee);
    const report = isBookable ? given : askedLater(given, this.#now);
    const { transferId, amountPaise, countedOn } = transfer;
    const transition = transitionOf(transfer.state, report.status, transfer.isResolved);
    const state = transition?.state ?? transfer.state;
    this.#queue(book.slot, report, transfer, state);
    const fee = report.fee && !transfer.fee && hasLeft(state) && isCharged(report.fee) ? report.fee : null;
    const isFeeReturned = report.returnsFee === true && state === "REVERSED" && transfer.fee?.isReturned !== true;
    if (!transition && transfer.claimId === null && !fee && !(isFeeReturned && transfer.fee))
      return { transferId, state, utr: transfer.utr, reason: transfer.reason };
    let posting: NonNullable<typeof transition>["posting"] | "late_success_unfunded" = transition?.posting ?? null;
    if (posting === "late_success" && book.availablePaise < amountPaise) posting = "late_success_unfunded";
    const hasPosted = posting !== null;
    const { claimId } = transfer;
    const [wasOpen, provedUtr] = [isOpen(transfer.state), utrToProve(report, transfer)];
    const sentProof = isOpen(state) ? transfer.sentProof : null;
    this.reported.push({ slot: book.slot, report, state, wasOpen, claimId, hasPosted, provedUtr, sentProof });
    if (sentProof !== null) {
      const { bucket, merchantId } = report;
      this.sendings.push({ bucket, merchantId, type: SENDING, subjectId: transferId });
    }
    if (posting !== null) {
      this.#post(book, transfer, state, posting);
      const isGivenBack = posting === "failed" || posting === "reversed";
      const paise = isGivenBack ? -amountPaise : posting === "success" ? 0n : amountPaise;
      const { bucket, merchantId } = report;
      if (countedOn && paise !== 0n) this.days.push({ bucket, merchantId, day: countedOn, paise });
    }
    const booked = fee ? postFee(book, transferId, fee, feesPaidBy!) : transfer.fee;
    if (isFeeReturned && booked) postFeeReturn(book, transferId, booked);
    const isPending = state === "PENDING" && report.status === "PENDING";
    const reason = state === "SUCCESS" ? null : (report.reason ?? (isPending ? null : transfer.reason));
    return { transferId, state, utr: report.utr ?? transfer.utr, reason };
  }

  /** Updates the queue: every open transfer is in it unless it is claimed. */
  #queue(slot: number, report: Report, { state: earlier, claimId }: ReportedTransfer, state: TransferState): void {
    if (!isOpen(earlier) || earlier === "AWAITING_APPROVAL") return;
    if (isOpen(state)) this.asked.push({ slot, report });
    else if (claimId === null) this.finished.push({ slot, report });
  }

  #post(
    book: BatchBook,
    { transferId: subjectId, kind, franchiseId, amountPaise }: ReportedTransfer,
    state: TransferState,
    posting: "success" | "failed" | "reversed" | "late_success" | "late_success_unfunded",
  ): void {
    const by = { actor: null, address: null };
    const money = { kind: posting, amountPaise };
    book.add({ type: `${kind}.${state.toLowerCase()}`, subjectId, money, ...by });
    if (kind !== "commission" || posting === "failed") return;
    // The franchise's posting for a commission that was paid or returned.
    const commission = posting === "reversed" ? ("commission_unpaid" as const) : ("commission_paid" as const);
    const owned = { kind: commission, amountPaise, ownerId: franchiseId! };
    book.add({ type: `posting.${commission}`, subjectId, money: owned, ...by });
  }
}

/** Turns a report on a transfer that was changed with SQL into another question to the bank. */
function askedLater({ bucket, merchantId, transferId, dueAt, attempts }: Report, now: Temporal.Instant): Report {
  const nothing = { status: "UNKNOWN", utr: null, reason: null, acknowledged: false } as const;
  return { bucket, merchantId, transferId, ...nothing, dueAt: dueAt ?? now.add(CHANGED_ASKED_AFTER), attempts };
}

/**
 * The UTR to prove: the one that the bank reports, or `null` for an open transfer without one. Otherwise the proof is kept, so that no
 * report certifies a UTR that was written with SQL.
 */
function utrToProve({ utr }: Report, earlier: ReportedTransfer): string | null | undefined {
  return utr ?? (earlier.utr === null && isOpen(earlier.state) ? null : undefined);
}

/**
 * Posts the provider's fee for a payment. By contract the merchant bears it, and owes any uncovered part, or the platform does:
 * docs/rules/payouts.md#fees-of-providers
 */
function postFee(
  book: BatchBook,
  subjectId: bigint,
  { feePaise, taxPaise }: ProviderFee,
  feesPaidBy: FeePayer,
): BookedFee {
  const isExpensed = feesPaidBy === "platform";
  for (const [of, amountPaise] of [["fee", feePaise] as const, ["fee_tax", taxPaise] as const]) {
    if (amountPaise <= 0n) continue;
    const isFunded = amountPaise <= book.availablePaise;
    const kind: PostingKind = isExpensed ? `${of}_expensed` : isFunded ? of : `${of}_unfunded`;
    book.add({ type: `posting.${kind}`, subjectId, money: { kind, amountPaise }, actor: null, address: null });
  }
  return { feePaise, taxPaise, isExpensed, isReturned: false };
}

/** Posts the return of a provider's fee for a payment that came back, to the side that bore the fee. */
function postFeeReturn(book: BatchBook, subjectId: bigint, { feePaise, taxPaise, isExpensed }: BookedFee): void {
  for (const [of, amountPaise] of [["fee", feePaise] as const, ["fee_tax", taxPaise] as const]) {
    if (amountPaise <= 0n) continue;
    const kind: PostingKind = isExpensed ? `${of}_expense_returned` : `${of}_returned`;
    book.add({ type: `posting.${kind}`, subjectId, money: { kind, amountPaise }, actor: null, address: null });
  }
}

/** Whether a payment was sent. One that came back before its success was reported has cost its fee too. */
function hasLeft(state: TransferState): boolean {
  return state === "SUCCESS" || state === "REVERSED";
}

function isCharged({ feePaise, taxPaise }: ProviderFee): boolean {
  return feePaise > 0n || taxPaise > 0n;
}

/** Judges a payout by the terms. */
function judgeByTerms(
  terms: Terms,
  now: Temporal.Instant,
  { amountPaise, payeeSince, isApproved }: NewTransfer,
  isVerified: boolean,
): "created" | "awaiting_approval" | "transfer_limit" | "not_verified" | "cooling_off" | "daily_limit" {
  const { transferLimitPaise, approveOverPaise, leftPaise } = terms;
  if (transferLimitPaise !== null && amountPaise > transferLimitPaise) return "transfer_limit";
  if (terms.verifiedPayeesOnly && !isVerified) return "not_verified";
  const payableAt = payableFrom(terms, payeeSince);
  if (payableAt && Temporal.Instant.compare(payableAt, now) > 0) return "cooling_off";
  if (leftPaise !== null && amountPaise > leftPaise) return "daily_limit";
  const waits = approveOverPaise !== null && amountPaise > approveOverPaise && !isApproved;
  return waits ? "awaiting_approval" : "created";
}

function payableFrom({ coolingOffMinutes }: Terms, payeeSince: Temporal.Instant | null): Temporal.Instant | null {
  return payeeSince && coolingOffMinutes !== null ? payeeSince.add({ minutes: coolingOffMinutes }) : null;
}

function limitOf(outcome: AcceptOutcome["outcome"], terms: Terms | null): bigint | null {
  if (outcome === "transfer_limit") return terms!.transferLimitPaise;
  return outcome === "daily_limit" ? terms!.dailyLimitPaise : null;
}

/** The terms that a refusal's message names. */
function describeTerms(terms: Terms, { payeeSince }: NewTransfer, limitPaise: bigint | null): PayoutTerms {
  const payableAt = payableFrom(terms, payeeSince)?.toZonedDateTimeISO(terms.timeZone) ?? null;
  return { limitPaise, leftPaise: terms.leftPaise, payableAt };
}
