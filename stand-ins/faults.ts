// Faults that a stand-in injects: set through its control API, for a number of calls, or at random from a seed.
import { isRecord } from "./json.ts";

/** What a call is for. */
export const OPERATIONS = ["submit", "status", "payee", "balance", "verify", "gateway"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What can go wrong with a call's answer. `before` and `after` say whether the provider has done what it was asked for. */
export const CALL_FAULTS = [
  "error_before",
  "error_after",
  "lost_before",
  "lost_after",
  "silence",
  "malformed",
  "too_many",
  "low_balance",
  "unknown_payee",
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

/** What can go wrong with the notices of a payment that is asked for. */
export const NOTICE_FAULTS = [
  "missing",
  "duplicate",
  "reordered",
  "contradicting",
  "old_timestamp",
  "wrong_signature",
] as const;
export type NoticeFault = (typeof NOTICE_FAULTS)[number];

/** What can become of a payment that is asked for, in place of what its payee stands for. */
export const OUTCOMES = [
  "paid",
  "failed",
  "pending",
  "deemed",
  "paid_then_reversed",
  "failed_then_paid",
  "rejected",
] as const;
export type OutcomeFault = (typeof OUTCOMES)[number];

type Planned<Kind> = { readonly kind: Kind; readonly on: Operation | null; left: number; readonly percent: number };

export class FaultPlan {
  #calls: Planned<CallFault>[] = [];
  #notices: Planned<NoticeFault>[] = [];
  #outcomes: Planned<OutcomeFault>[] = [];
  #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Whatever is decided by dice follows this from now on. */
  seed(random: () => number): void {
    this.#random = random;
  }

  clear(): void {
    [this.#calls, this.#notices, this.#outcomes] = [[], [], []];
  }

  /**
   * Adds `{ kind, on?, count?, percent? }`: for the next `count` calls (without: until cleared), each with a chance of `percent`.
   * @throws Error that names the field
   */
  add(fault: unknown): void {
    if (!isRecord(fault)) throw new Error("a fault is an object { kind, on?, count?, percent? }");
    const { kind, on = null, count = Infinity, percent = 100 } = fault;
    if (on !== null && !OPERATIONS.includes(on as Operation)) throw new Error(`on: one of ${OPERATIONS.join(", ")}`);
    if (typeof count !== "number" || typeof percent !== "number") throw new Error("count and percent are numbers");
    const planned = { on: on as Operation | null, left: count, percent };
    if (CALL_FAULTS.includes(kind as CallFault)) this.#calls.push({ ...planned, kind: kind as CallFault });
    else if (NOTICE_FAULTS.includes(kind as NoticeFault)) this.#notices.push({ ...planned, kind: kind as NoticeFault });
    else if (OUTCOMES.includes(kind as OutcomeFault)) this.#outcomes.push({ ...planned, kind: kind as OutcomeFault });
    else throw new Error(`kind: one of ${[...CALL_FAULTS, ...NOTICE_FAULTS, ...OUTCOMES].join(", ")}`);
  }

  ofCall(operation: Operation): CallFault | null {
    return this.#take(this.#calls, operation);
  }

  ofNotice(): NoticeFault | null {
    return this.#take(this.#notices, null);
  }

  ofOutcome(): OutcomeFault | null {
    return this.#take(this.#outcomes, null);
  }

  #take<Kind>(planned: Planned<Kind>[], operation: Operation | null): Kind | null {
    for (const fault of planned) {
      if (fault.left <= 0 || (operation !== null && fault.on !== null && fault.on !== operation)) continue;
      if (this.#random() * 100 >= fault.percent) continue;
      fault.left -= 1;
      return fault.kind;
    }
    return null;
  }
}
