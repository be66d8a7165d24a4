// Circuit breakers: the provider accounts that this process has found to be down. Nothing new is sent over those. The
// state is in memory, for each process. A call that "may have been done" is never aborted or repeated here, which rules
// out the usual libraries (docs/dependencies.md).
import { LRUCache } from "lru-cache";

/** A circuit opens after this many calls in a row with an unknown outcome, or that were not accepted. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
const REMEMBERED = 10_000;

/** The end of a call, for the account's health. `none` has no meaning for it: the call was not made, or was rate-limited. */
export type CallEnd =
  | { readonly how: "answered" | "none" }
  /** `down` affects the account for all; `short` means that the balance is too low for this merchant's payment. */
  | { readonly how: "down" | "short"; readonly reason: string };

/** A merchant's use of an account. The account's name is unique in the installation and begins with its provider's. */
export type Route = { readonly bucket: number; readonly merchantId: bigint; readonly account: string };

/** Permission for one call. Call it once with the call's end. */
export type Pass = (end: CallEnd) => void;

/** An account that went down, or recovered if `reason` is `null`. */
export type HealthChange = Route & { readonly reason: string | null };

class Circuit {
  readonly #threshold: number;
  #failures = 0;
  #pauses = 0;
  #nextMs = 0;
  #isTrying = false;
  #reason: string | null = null;

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** Why it is open; `null` while it is closed. */
  get reason(): string | null {
    return this.#reason;
  }

  /** How many calls may pass now: all, one trial, or none. */
  room(nowMs: number): number {
    if (this.#reason === null) return Infinity;
    return !this.#isTrying && nowMs >= this.#nextMs ? 1 : 0;
  }

  /** Lets one pass; returns whether it is a trial. */
  enter(): boolean {
    this.#isTrying ||= this.#reason !== null;
    return this.#reason !== null;
  }

  leave(isTrial: boolean): void {
    if (isTrial) this.#isTrying = false;
  }

  close(): void {
    this.#failures = 0;
    this.#pauses = 0;
    this.#reason = null;
  }

  /** Returns whether this has opened it. Calls from before it opened don't extend the pause. */
  fail(reason: string, isTrial: boolean, nowMs: number): boolean {
    this.#failures += 1;
    const wasOpen = this.#reason !== null;
    if (wasOpen && !isTrial) return false;
    if (!wasOpen && this.#failures < this.#threshold) return false;
    this.open(reason, nowMs);
    return !wasOpen;
  }

  open(reason: string, nowMs: number): void {
    this.#reason = reason;
    this.#nextMs = nowMs + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#pauses, 10));
    this.#pauses += 1;
  }
}

export class Circuits {
  readonly #accounts = new LRUCache<string, Circuit>({ max: REMEMBERED });
  /** By merchant and account: the balance is too low for this merchant's payments, but may be enough for others. */
  readonly #balances = new LRUCache<string, Circuit>({ max: REMEMBERED });
  /** Accounts that are marked as down in the database. */
  readonly #noted = new Set<string>();
  readonly #now: () => number;
  /** Called on each change. */
  onChange: (change: HealthChange) => void = () => {};

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many unsent payments may be sent now: any number, one trial, or none. */
  room(route: Route): number {
    const nowMs = this.#now();
    const rooms = [this.#accounts.get(route.account), this.#balances.get(payerOf(route))];
    return Math.min(...rooms.map((circuit) => circuit?.room(nowMs) ?? Infinity));
  }

  /** Why not all may be sent; `null` if all may. */
  reasonOf(route: Route): string | null {
    return this.#accounts.get(route.account)?.reason ?? this.#balances.get(payerOf(route))?.reason ?? null;
  }

  /** Permission for a payment, or for a status query, which needs no balance; `null` if there is none now. */
  enter(route: Route, what: "payment" | "question"): Pass | null {
    const account = this.#circuit(this.#accounts, route.account, FAILURES_TO_OPEN);
    const balance = what === "payment" ? this.#circuit(this.#balances, payerOf(route), 1) : null;
    const nowMs = this.#now();
    if (account.room(nowMs) === 0 || balance?.room(nowMs) === 0) return null;
    const [triesAccount, triesBalance] = [account.enter(), balance?.enter() ?? false];
    return (end) => {
      account.leave(triesAccount);
      balance?.leave(triesBalance);
      if (end.how === "none") return;
      if (end.how === "down") {
        if (account.fail(end.reason, triesAccount, this.#now())) this.#note({ ...route, reason: end.reason });
        return;
      }
      account.close();
      if (end.how === "short" && balance?.fail(end.reason, triesBalance, this.#now()))
        this.#note({ ...route, reason: end.reason });
      if (end.how === "answered") {
        if (what === "payment") balance?.close();
        this.#clear(route);
      }
    };
  }

  /** Opens an account's circuit at once, after a report of the provider. As always, it is tried again after a pause. */
  open(route: Route, reason: string): void {
    this.#circuit(this.#accounts, route.account, FAILURES_TO_OPEN).open(reason, this.#now());
    this.#note({ ...route, reason });
  }

  /** Notes that the database has marked an account as down, so that the mark is removed once a call succeeds. */
  noteEarlier(route: Route): void {
    this.#noted.add(route.account);
  }

  /** The number of accounts that are down, by provider. */
  countOpen(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [key, { reason }] of this.#accounts.entries()) {
      const provider = key.split(":")[0]!;
      counts.set(provider, (counts.get(provider) ?? 0) + (reason === null ? 0 : 1));
    }
    return counts;
  }

  #circuit(circuits: LRUCache<string, Circuit>, key: string, threshold: number): Circuit {
    const known = circuits.get(key) ?? new Circuit(threshold);
    circuits.set(key, known);
    return known;
  }

  #note(change: HealthChange): void {
    this.#noted.add(change.account);
    this.onChange(change);
  }

  #clear(route: Route): void {
    const key = route.account;
    if (!this.#noted.has(key)) return;
    for (const [payer, { reason }] of this.#balances.entries())
      if (reason !== null && payer.startsWith(`${key} `)) return;
    this.#noted.delete(key);
    this.onChange({ ...route, reason: null });
  }
}

function payerOf({ account, merchantId }: Route): string {
  return `${account} ${merchantId}`;
}
