// What the routes of a stand-in work with: its book, its clock, its faults and its notices.
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { PaymentInstruction } from "../src/payouts/rails/rail.ts";
import { decideOutcome, makeUtr } from "../src/payouts/rails/simulator-outcome.ts";
import { AccountChecks, type CheckedAccount } from "./account-checks.ts";
import { Clock } from "./clock.ts";
import { FaultPlan, type OutcomeFault } from "./faults.ts";
import { NoticeSender, type Credentials, type NoticeForm } from "./notices.ts";
import { PayoutBook, type NewPayment, type Payment, type Step } from "./payout-book.ts";

export type DeskOptions = {
  /** Where the book is; `:memory:` for nowhere. */
  readonly file: string;
  readonly credentials: Credentials;
  /** Where notices go; `null` for nowhere. */
  readonly noticeUrl: string | null;
  /** How long a payment takes that goes well. */
  readonly settleMs: number;
  /** How many calls a second it takes; `null` for any number. */
  readonly callsPerSecond: number | null;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
};

/** A payment deemed successful may stay pending for three working days, at most five calendar days. */
const DEEMED_MS = 5 * 24 * 3_600_000;
const LATER_MS = 700;
/** How long a payment waits for balance where the provider queues it: docs/providers/cashfree.md#limits */
const QUEUED_MS = 4 * 24 * 3_600_000;
const NO_BALANCE = "INSUFFICIENT_BALANCE: The account has too little balance for this payment.";
const RETURNED = "RETURNED_FROM_BENEFICIARY: The beneficiary's bank sent the money back.";
const BANK_DOWN = "BANK_GATEWAY_ERROR: The bank could not be reached.";
const DECLINED = "BENE_BANK_DECLINED: The beneficiary's bank declined the payment.";

/** What a provider's routes work with. */
export class Desk {
  readonly book: PayoutBook;
  readonly clock: Clock;
  readonly faults: FaultPlan;
  readonly notices: NoticeSender;
  readonly accountChecks = new AccountChecks();
  /** Whether calls come from an address that the caller has listed. */
  isListed = true;
  /** With the public one, a caller signs calls from an address that is not listed. */
  readonly #signingKeys = lazily(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
  readonly #options: DeskOptions;
  #calls = { second: 0, count: 0 };

  constructor(options: DeskOptions, form: NoticeForm & { readonly returnsFees: boolean }) {
    this.#options = options;
    this.book = new PayoutBook(options.file, form.returnsFees);
    this.clock = new Clock();
    this.faults = new FaultPlan(options.random);
    this.notices = new NoticeSender({ ...options, form, book: this.book, clock: this.clock, faults: this.faults });
  }

  get signingKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
    return this.#signingKeys();
  }

  get credentials(): Credentials {
    return this.#options.credentials;
  }

  /** Books a payment that was asked for. The caller has checked that its id is free. */
  accept(payment: Omit<NewPayment, "utr">): Payment {
    const utr = makeUtr(instructionOf(payment, this.book.nextNumber("utr")), this.clock.now());
    return this.book.book({ ...payment, utr }, "PENDING", this.#decide(payment), this.clock.nowMs());
  }

  /** Books a payment that waits for balance: it goes on once the account is funded, and fails after some time. */
  queue(payment: Omit<NewPayment, "utr">, afterMs = QUEUED_MS): Payment {
    const utr = makeUtr(instructionOf(payment, this.book.nextNumber("utr")), this.clock.now());
    const steps: Step[] = [{ afterMs, state: "FAILED", reason: NO_BALANCE }];
    return this.book.book({ ...payment, utr }, "QUEUED", steps, this.clock.nowMs());
  }

  /** Asks the bank about an account; `isPrompt` where the provider waits for the answer. */
  askAbout(account: Parameters<AccountChecks["ask"]>[0], isPrompt: boolean): CheckedAccount {
    return this.accountChecks.ask(account, this.clock.nowMs(), isPrompt ? 0 : this.#options.settleMs);
  }

  /** Takes what is due by the clock, and keeps notices of it. Returns whether anything was. */
  tick(): boolean {
    if (this.book.takeNewFunds()) this.#releaseQueued();
    const due = this.book.takeDueSteps(this.clock.nowMs());
    for (const payment of due) this.notices.add(payment);
    return due.length > 0;
  }

  /** The same, and sends the notices that are due. To be called again and again. */
  look(): boolean {
    const hasTicked = this.tick();
    return this.notices.sendDue() || hasTicked;
  }

  /** Whether one more call is within the limit of this second, by real time. */
  takesOneMore(): boolean {
    const { callsPerSecond } = this.#options;
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#calls.second) this.#calls = { second, count: 0 };
    this.#calls.count += 1;
    return callsPerSecond === null || this.#calls.count <= callsPerSecond;
  }

  #releaseQueued(): void {
    for (const payment of this.book.listQueued())
      if (this.book.balancePaise() >= payment.amountPaise)
        this.book.release(payment.providerId, this.#decide(payment), this.clock.nowMs());
  }

  /** The steps of a payment that the bank starts to work on. */
  #decide(payment: Omit<NewPayment, "utr">): Step[] {
    const planned = this.faults.ofOutcome();
    return planned === null ? this.#stepsOf(decideOutcome(instructionOf(payment), false)) : this.#stepsOfFault(planned);
  }

  #stepsOf(outcome: ReturnType<typeof decideOutcome>): Step[] {
    const afterMs = this.#options.settleMs;
    const { status, reason, next } = outcome;
    const later = next && { ...next, afterMs: afterMs + next.delayMs };
    return [
      ...(status === "SUCCESS" ? [{ afterMs, state: "PAID" as const, reason: null }] : []),
      ...(status === "FAILED" ? [{ afterMs, state: "FAILED" as const, reason }] : []),
      ...(later
        ? [
            {
              afterMs: later.afterMs,
              state: later.status === "SUCCESS" ? ("PAID" as const) : later.status,
              reason: later.reason,
            },
          ]
        : []),
    ];
  }

  #stepsOfFault(fault: OutcomeFault): Step[] {
    const afterMs = this.#options.settleMs;
    const paid: Step = { afterMs, state: "PAID", reason: null };
    const failed: Step = { afterMs, state: "FAILED", reason: BANK_DOWN };
    switch (fault) {
      case "paid":
        return [paid];
      case "failed":
        return [failed];
      case "rejected":
        return [{ afterMs, state: "REJECTED", reason: DECLINED }];
      case "pending":
        return [];
      case "deemed":
        return [{ ...paid, afterMs: DEEMED_MS }];
      case "paid_then_reversed":
        return [paid, { afterMs: afterMs + LATER_MS, state: "REVERSED", reason: RETURNED }];
      case "failed_then_paid":
        return [failed, { ...paid, afterMs: afterMs + LATER_MS }];
    }
  }
}

function lazily<T>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

/** A payment as the simulated bank decides about it. */
function instructionOf(
  { amountPaise, mode, accountNumber, ifsc, upi }: Omit<NewPayment, "utr">,
  transferId = 0n,
): PaymentInstruction {
  const payee = { name: "", accountNumber, ifsc, upi };
  return { transferId, bucket: 0, merchantId: 0n, amountPaise, mode, payee, narrative: "" };
}
