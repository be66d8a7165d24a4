// The journal of a load: one entry for each request, with what was asked and every answer that came. What is asked is
// in writes.ts, what must then hold is in books.ts.
import type { Members } from "../support/installation.ts";
import type { SiteMerchant } from "./site.ts";

export type Kind =
  | "transfer"
  | "withdrawal"
  | "beneficiary"
  | "funding"
  | "franchise"
  | "franchise update"
  | "franchise deletion"
  | "customer"
  | "customer update"
  | "invoice"
  | "invoice update"
  | "cancellation"
  | "settlement"
  | "reversal"
  | "credit note"
  | "subscription"
  | "clock";

/** What is asked, before it is known how it is sent. */
export type Ask = {
  readonly kind: Kind;
  /** Of this entry alone: what it makes carries it, so that the books can be searched for it. */
  readonly name: string;
  readonly merchant: SiteMerchant;
  readonly amountPaise: bigint;
  /** The entry whose work this one changes; `null` where it makes something new. */
  readonly subject: Entry | null;
  readonly beneficiaryId: string | null;
  readonly referenceId: string | null;
  readonly idempotencyKey: string | null;
};

/** One request and what became of it. */
export type Entry = Ask & {
  /** What is sent each time, the keys of the merchant left out; `null` for what a command does. */
  readonly body: Members | null;
  /** What every acknowledgement identified it by, such as an id: there must never be two. */
  readonly ids: Set<string>;
  /** The last wire status and UTR that were acknowledged. */
  status: string;
  utr: string;
  outcome: "under way" | "acknowledged" | "refused" | "unknown";
  /** When it was first acknowledged, by count: changes of one subject come one after the other. */
  acknowledgedAs: number;
  /** Statuses, with machine codes, or the error of a connection: one for each time that it was sent. */
  readonly answers: string[];
  sentAtMs: number;
};
