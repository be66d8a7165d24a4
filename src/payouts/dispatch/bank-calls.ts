// The bank calls for one transfer: asks for its status if it may have been sent, otherwise sends it, and decides what to do
// if it certainly was not sent. The dispatcher schedules the calls and writes the results.
import { NotSentError, OutageError, RefusedError, type NotSentCause } from "../../platform/providers/errors.ts";
import type { Batcher } from "../../platform/batcher.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { Logger } from "../../platform/log.ts";
import type { ClaimedTransfer, Unsent } from "../claim-store.ts";
import { UNKNOWN_RAIL } from "../known-rail-store.ts";
import { takeOtherRail, type Claimed } from "./claim-transfers.ts";
import type { CallEnd, Pass } from "../../platform/providers/circuits.ts";
import { NeverPayableError, AccountUnfitError } from "../providers/connector.ts";
import type { Destination } from "../providers/downtimes.ts";
import { inOrder } from "../providers/priorities.ts";
import { railName } from "../providers/provider-account.ts";
import { hasDestination, type PaymentReport, type Rail } from "../rails/rail.ts";
import type { Rails } from "../providers/rails.ts";
import { SIMULATOR } from "../rails/simulator.ts";
import type { Report } from "../transfer-store.ts";
import type { TransferIdentity } from "../transfer.ts";
import type { BankCall } from "./dispatch-state.ts";
import { listUsableAccounts, type WaitRules } from "./wait-rules.ts";

/** After so many attempts, which take at least 15 minutes, a payment that was sent would be found by its id. */
const REFUSAL_FINAL_AFTER_ATTEMPTS = 10;
/** The pause before retrying a payment that a busy provider did not accept. */
const BUSY_MS = 2000;
const FAILED = { status: "FAILED", utr: null, acknowledged: false } as const;

/** Why a provider did not accept a payment, for the merchant. */
const REASONS: Record<Exclude<NotSentCause, "busy">, string> = {
  unreachable: "The payout provider can't be reached.",
  unauthorized: "The payout provider refuses the account's credentials.",
  address: "The payout provider refuses calls from this server's address.",
  low_balance: "The account at the payout provider has too low a balance.",
};
const OUT_OF_ORDER = "The payout provider is out of order.";

/** A claimed transfer, with its claim and the term of the process's lease. */
export type Work = Claimed & { readonly claimId: bigint; readonly term: number };

/** It was put back, with the reason if it waits for the provider. */
export type PutBack = { readonly waitsFor: string | null };

export type BankAnswer = Omit<Report, "dueAt" | "attempts">;

/**
 * The result: the bank's answer; `PutBack` if it was never sent and is in the queue again; `later` if its merchant's book was locked;
 * `not ours` if the process stalled for so long that others may have taken the transfer over; `unasked` if the bank was not called.
 */
export type CallResult = BankAnswer | PutBack | "later" | "not ours" | "unasked";

export type BankCallsOptions = {
  readonly pool: Pool;
  readonly rails: Rails;
  readonly rules: WaitRules;
  /** Whether the process still holds its claim. */
  readonly isOurs: (work: Work) => boolean;
  /** Checks again whether a payment may leave. */
  readonly looks: Pick<Batcher<TransferIdentity & { readonly rail: string }, boolean>, "add">;
  /** Puts unsent transfers back. */
  readonly holds: Pick<Batcher<Unsent, null | "later">, "add">;
  /** Whether the service is stopping. Calls that it then aborts say nothing about a provider. */
  readonly isStopping: () => boolean;
  readonly logger: Logger;
};

export class BankCalls {
  readonly #options: BankCallsOptions;

  constructor(options: BankCallsOptions) {
    this.#options = options;
  }

  /**
   * Asks about a transfer that may have been sent, and sends it only if the bank doesn't know it and its payment may still leave. Sends one
   * that was never sent. `isJustClaimed`: the statement that claimed it has just checked that it may leave.
   */
  async run(work: Work, isJustClaimed: boolean, signal: AbortSignal): Promise<CallResult> {
    if (work.state === "RESERVED") return this.#sendFirst(work, isJustClaimed, signal);
    const { instruction, state } = work;
    if (!work.isRailKnown) throw new Error(UNKNOWN_RAIL);
    const rail = await this.#options.rails.of(work.rail, instruction);
    const asking = this.#enter(work, work.rail, "question");
    if (!asking) return "unasked";
    const known = await this.#callWith(asking, () => rail.status(instruction, signal));
    if (known) return known;
    if (state === "PENDING") {
      const transfer_id = String(instruction.transferId);
      this.#options.logger.error({ transfer_id }, "the bank no longer knows a pending transfer");
      throw new Error("The bank no longer knows this transfer.");
    }
    if (!(await this.#mayLeave(work, work.rail)))
      throw new Error("The bank does not know this transfer, and the merchant's payouts are on hold.");
    if (!(await this.#isConnected(work, work.rail)))
      throw new Error("The bank does not know this transfer, and the payout account was disconnected.");
    requireDestination(work);
    const sending = this.#enter(work, work.rail, "payment");
    if (!sending) return "unasked";
    return this.#submit(work, rail, sending, signal);
  }

  /** Sends an unsent transfer. If the provider certainly did not accept it, the merchant's settings decide how it continues. */
  async #sendFirst(work: Work, isJustClaimed: boolean, signal: AbortSignal): Promise<CallResult> {
    const { rails, logger } = this.#options;
    const tried = new Set<string>();
    let name = work.rail;
    for (;;) {
      // First: a transfer that was set to RESERVED with SQL may have been sent, and must not be put back as unsent.
      requireDestination(work);
      const isAllowed = (isJustClaimed && tried.size === 0) || (await this.#mayLeave(work, name));
      if (!isAllowed) return this.#putBack(work, null, null);
      if (!(await this.#isConnected(work, name))) {
        tried.add(name);
        const next = await this.#leaveDisconnected(work);
        if (typeof next !== "object" || !("leavesOver" in next)) return next;
        name = next.leavesOver;
        continue;
      }
      const rail = await rails.of(name, work.instruction);
      const isDown = rails.downtimes.reasonOf(destinationOf(work, name));
      const pass = isDown === null ? this.#enter(work, name, "payment") : null;
      let reason: string;
      if (isDown !== null) reason = isDown;
      else if (pass) {
        try {
          return await this.#submit(work, rail, pass, signal);
        } catch (error) {
          const isUnfit = error instanceof AccountUnfitError;
          if (!isUnfit && !(error instanceof NotSentError)) throw error;
          const transfer_id = String(work.instruction.transferId);
          logger.warn({ err: error, transfer_id, rail: name }, "nothing was sent");
          if (isUnfit) {
            const next = await this.#overAnother(work, tried.add(name));
            if (next === null) return { ...identityOf(work), ...FAILED, reason: error.message };
            if (next === "not ours") return next;
            name = next.leavesOver;
            continue;
          }
          if (error.code === "busy")
            return this.#putBack(work, Temporal.Now.instant().add({ milliseconds: BUSY_MS }), null);
          reason = REASONS[error.code];
        }
      } else reason = rails.circuits.reasonOf({ ...identityOf(work), account: name }) ?? OUT_OF_ORDER;
      tried.add(name);
      const next = await this.#decide(work, tried, reason);
      if (typeof next !== "object" || !("leavesOver" in next)) return next;
      name = next.leavesOver;
    }
  }

  #isConnected({ instruction }: Work, rail: string): Promise<boolean> {
    return this.#options.rails.isConnected(rail, instruction);
  }

  /** Moves an unsent payment from a disconnected account to the first for its mode; without one, the payment fails. */
  async #leaveDisconnected(work: Work): Promise<BankAnswer | "not ours" | { readonly leavesOver: string }> {
    const { pool } = this.#options;
    const { instruction } = work;
    const [first] = inOrder(await listUsableAccounts(pool, instruction), instruction.mode);
    if (!first) return { ...identityOf(work), ...FAILED, reason: "Not sent: the payout account was disconnected." };
    const leavesOver = railName(first);
    return (await takeOtherRail(pool, claimedTransferOf(work), leavesOver)) ? { leavesOver } : "not ours";
  }

  /** Moves a transfer that the provider certainly did not accept to another rail, or decides how it ends. */
  async #decide(
    work: Work,
    tried: ReadonlySet<string>,
    reason: string,
  ): Promise<CallResult | { readonly leavesOver: string }> {
    const { rules, isOurs } = this.#options;
    const { whenDown } = await rules.of(work.instruction);
    if (!isOurs(work)) return "not ours";
    if (whenDown === "fail") return { ...identityOf(work), ...FAILED, reason: `Not sent: ${reason}` };
    const next = whenDown === "next" ? await this.#overAnother(work, tried) : null;
    return next ?? this.#putBack(work, null, `Waiting: ${reason}`);
  }

  /** The next account that supports the transfer's mode and accepts calls; `null` for none. */
  async #overAnother(
    work: Work,
    tried: ReadonlySet<string>,
  ): Promise<"not ours" | { readonly leavesOver: string } | null> {
    const { pool, rules } = this.#options;
    const other = (await rules.of(work.instruction))
      .othersFor(work.instruction.mode)
      .find((name) => !tried.has(name) && this.#hasRoom(work, name));
    if (other === undefined) return null;
    // Durable before the call: a process that takes the transfer over must ask this account.
    const isTaken = await takeOtherRail(pool, claimedTransferOf(work), other);
    return isTaken ? { leavesOver: other } : "not ours";
  }

  #hasRoom(work: Work, rail: string): boolean {
    const { circuits, downtimes } = this.#options.rails;
    return (
      circuits.room({ ...identityOf(work), account: rail }) > 0 &&
      downtimes.reasonOf(destinationOf(work, rail)) === null
    );
  }

  async #submit(work: Work, rail: Rail, pass: Pass, signal: AbortSignal): Promise<CallResult> {
    const { instruction, state, attempts } = work;
    if (!this.#options.isOurs(work)) {
      pass({ how: "none" });
      return "not ours";
    }
    return this.#callWith(pass, () => rail.submit(instruction, signal)).catch((error: unknown) => {
      if (error instanceof AccountUnfitError && state === "RESERVED") throw error;
      // An earlier attempt may exist there without being visible yet.
      const isNever = error instanceof NeverPayableError;
      const isBelieved = isNever || state === "RESERVED" || attempts >= REFUSAL_FINAL_AFTER_ATTEMPTS;
      if (!(error instanceof RefusedError) || !isBelieved) throw error;
      return { ...identityOf(work), ...FAILED, reason: error.message };
    });
  }

  /** Permission for a call; `null` while the account is out of order. The simulated bank needs none. */
  #enter(work: Work, rail: string, what: "payment" | "question"): Pass | null {
    return rail === SIMULATOR
      ? () => {}
      : this.#options.rails.circuits.enter({ ...identityOf(work), account: rail }, what);
  }

  /** Makes a call, and records what it shows about the account's health. */
  async #callWith<T extends PaymentReport | null>(pass: Pass, call: () => Promise<T>): Promise<T> {
    let end: CallEnd = { how: "answered" };
    try {
      const report = await call();
      // The provider accepted it, but it waits there for balance, as later payouts would.
      if (report?.isShort) end = { how: "short", reason: REASONS.low_balance };
      return report;
    } catch (error) {
      end = this.#options.isStopping() ? { how: "none" } : endOf(error);
      throw error;
    } finally {
      pass(end);
    }
  }

  #mayLeave(work: Work, rail: string): Promise<boolean> {
    return this.#options.looks.add({ ...identityOf(work), rail });
  }

  async #putBack(work: Work, dueAt: Temporal.Instant | null, waitsFor: string | null): Promise<CallResult> {
    const claimed = { ...claimedTransferOf(work), dueAt, attempts: work.attempts, waitsFor };
    return (await this.#options.holds.add(claimed)) ?? { waitsFor };
  }
}

/** What an error shows about the account: any answer, even a refusal, shows that it works. */
function endOf(error: unknown): CallEnd {
  if (error instanceof OutageError) return { how: "down", reason: OUT_OF_ORDER };
  if (error instanceof NeverPayableError) return { how: "none" };
  if (!(error instanceof NotSentError)) return { how: "answered" };
  if (error.code === "busy") return { how: "none" };
  return { how: error.code === "low_balance" ? "short" : "down", reason: REASONS[error.code] };
}

function requireDestination({ instruction }: Work): void {
  if (!hasDestination(instruction))
    throw new Error(
      "Its beneficiary is missing or can't be decrypted, or the transfer was changed in the database: nothing was sent. `nodal verify` reports it.",
    );
}

function identityOf({ instruction: { bucket, merchantId, transferId } }: Work): TransferIdentity {
  return { bucket, merchantId, transferId };
}

function destinationOf({ instruction: { mode, payee } }: Work, rail: string): Destination {
  return { rail, mode, ifsc: payee.ifsc };
}

/** The claimed transfer in the database that this work is for. */
export function claimedTransferOf(work: Work): ClaimedTransfer {
  return { ...identityOf(work), claimId: work.claimId };
}

export function bankCallOf({ rail, instruction: { merchantId } }: Work): BankCall {
  return { rail, merchantId };
}

/** The turn of a merchant on one rail. Each rail has its own, so one that hangs doesn't delay the others. */
export function turnOf({ rail, instruction: { merchantId } }: Work): string {
  return `${merchantId} ${rail}`;
}

/** The answer if the outcome at the bank is unknown. */
export function unknown({ bucket, merchantId, transferId }: TransferIdentity): BankAnswer {
  return { bucket, merchantId, transferId, status: "UNKNOWN", utr: null, reason: null, acknowledged: false };
}
