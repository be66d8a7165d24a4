// What a stand-in's bank says of accounts that it is asked about, by the sandbox accounts. Kept until the stand-in ends.
import type { AccountCheck } from "../src/payouts/rails/rail.ts";
import { decideCheck } from "../src/payouts/rails/simulator-outcome.ts";

/** How long the account takes that is pending for long. */
const LONG_MS = 10 * 60_000;

export type CheckedAccount = {
  readonly number: bigint;
  readonly payeeId: string;
  readonly name: string;
  readonly ifsc: string;
  /** When it was asked about, in milliseconds since 1970. */
  readonly askedMs: number;
  /** `null` where the bank could not be reached. */
  readonly check: AccountCheck | null;
};

type Kept = CheckedAccount & { readonly readyMs: number };

export class AccountChecks {
  readonly #kept = new Map<bigint, Kept>();

  /** Asks about an account; the answer is there `afterMs` later by the clock. */
  ask(
    account: { readonly payeeId: string; readonly name: string; readonly accountNumber: string; readonly ifsc: string },
    nowMs: number,
    afterMs: number,
  ): CheckedAccount {
    const { payeeId, name, accountNumber, ifsc } = account;
    const decided = decideCheck({ name, accountNumber, ifsc, upi: null });
    const isLong = decided?.status === "pending";
    const check: AccountCheck | null = isLong
      ? { status: "valid", nameAtBank: name.toUpperCase(), branch: "Simulated branch", utr: "100000000009" }
      : decided;
    const kept = {
      number: BigInt(this.#kept.size + 1),
      payeeId,
      name,
      ifsc,
      askedMs: nowMs,
      check,
      readyMs: nowMs + (isLong ? LONG_MS : afterMs),
    };
    this.#kept.set(kept.number, kept);
    return this.find(kept.number, nowMs)!;
  }

  /** What is known by now. */
  find(number: bigint, nowMs: number): CheckedAccount | null {
    const kept = this.#kept.get(number);
    if (!kept) return null;
    const isReady = nowMs >= kept.readyMs;
    return { ...kept, check: isReady ? kept.check : { status: "pending", reference: String(number) } };
  }

  /** All that was asked, the oldest first. */
  list(nowMs: number): CheckedAccount[] {
    return [...this.#kept.keys()].map((number) => this.find(number, nowMs)!);
  }

  /** How often it was asked about an account, each of which costs a rupee. */
  get count(): number {
    return this.#kept.size;
  }
}
