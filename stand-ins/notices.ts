// Sends notices to the caller: signed, again until they are taken, and wrong where that is asked for.
import type { Clock } from "./clock.ts";
import type { FaultPlan, NoticeFault } from "./faults.ts";
import type { Notice, Payment, PayoutBook } from "./payout-book.ts";

const TIMEOUT_MS = 5000;
const RETRY_MS = 500;
/** As long as providers go on. */
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
/** How late a notice comes that others overtake. */
const REORDERED_MS = 1500;
const OLD_MS = 20 * 60_000;

export type Credentials = { readonly id: string; readonly secret: string; readonly noticeSecret: string };

/** How a provider words and signs its notices. */
export type NoticeForm = {
  /** The body of the notice of a payment as it is now, `null` for none; the headers are made when it is sent. */
  noticeOf(payment: Payment, noticeNumber: bigint): string | null;
  signNotice(body: string, credentials: Credentials, nowMs: number): Record<string, string>;
};

export type NoticeOptions = {
  readonly noticeUrl: string | null;
  readonly credentials: Credentials;
  readonly form: NoticeForm;
  readonly book: PayoutBook;
  readonly clock: Clock;
  readonly faults: FaultPlan;
};

type Kept = { readonly body: string; readonly fault: NoticeFault | null };

export class NoticeSender {
  readonly #options: NoticeOptions;
  #url: string | null;
  #sending: Promise<void> | null = null;

  constructor(options: NoticeOptions) {
    this.#options = options;
    this.#url = options.noticeUrl;
  }

  /** Where notices go from now on. */
  sendTo(url: string | null): void {
    this.#url = url;
  }

  /** Keeps the notice of a payment as it is now. */
  add(payment: Payment): void {
    const { book, clock, faults, form } = this.#options;
    const fault = faults.ofNotice();
    if (fault === "missing") return;
    const shown = fault === "contradicting" ? contradicted(payment) : payment;
    const body = form.noticeOf(shown, book.nextNumber("notice"));
    if (body === null) return;
    const kept: Kept = { body, fault };
    const dueMs = clock.nowMs() + (fault === "reordered" ? REORDERED_MS : 0);
    book.addNotice(JSON.stringify(kept), dueMs);
    if (fault === "duplicate") book.addNotice(JSON.stringify(kept), dueMs);
  }

  async stop(): Promise<void> {
    await this.#sending;
  }

  /** Sends those that are due, unless it is at it. Returns whether there are any. */
  sendDue(): boolean {
    if (this.#url === null || this.#sending !== null) return false;
    const due = this.#options.book.listDueNotices(this.#options.clock.nowMs());
    if (due.length === 0) return false;
    this.#sending = this.#sendAll(this.#url, due).finally(() => {
      this.#sending = null;
    });
    return true;
  }

  async #sendAll(url: string, due: readonly Notice[]): Promise<void> {
    const { book, clock } = this.#options;
    for (const { noticeId, body, attempts } of due) {
      const isTaken = await this.#send(url, JSON.parse(body) as Kept);
      if (isTaken || RETRY_MS * 2 ** Number(attempts) > GIVEN_UP_AFTER_MS) book.removeNotice(noticeId);
      else book.putOffNotice(noticeId, clock.nowMs() + RETRY_MS * 2 ** Number(attempts));
    }
  }

  async #send(url: string, { body, fault }: Kept): Promise<boolean> {
    const { form, credentials, clock } = this.#options;
    const secrets =
      fault === "wrong_signature" ? { ...credentials, secret: "wrong", noticeSecret: "wrong" } : credentials;
    const headers = form.signNotice(body, secrets, clock.nowMs() - (fault === "old_timestamp" ? OLD_MS : 0));
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.arrayBuffer();
      // What is wrong on purpose is not sent again.
      return answer.ok || fault === "wrong_signature" || fault === "old_timestamp";
    } catch {
      return false;
    }
  }
}

/** A payment as it is not. */
function contradicted(payment: Payment): Payment {
  return { ...payment, state: payment.state === "PAID" ? "FAILED" : "PAID" };
}
