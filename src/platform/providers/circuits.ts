// Which accounts at providers are out of order, as this process has found them: nothing new is sent over one that is.
// It is in memory, for each process by itself: a call that "may have been done" is never broken off or repeated here,
// which is why no library does it (docs/dependencies.md).
import { LRUCache } from "lru-cache";

/** After so many calls in a row of which nobody knows what they came to, or that were never taken. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
const REMEMBERED = 10_000;

/** How a call ended, as far as the account's health goes. `none` says nothing of it: it was not made, or too many were. */
export type CallEnd =
  | { readonly how: "answered" | "none" }
  /** `down` is the account's for all, `short` the balance for what this merchant pays. */
  | { readonly how: "down" | "short"; readonly reason: string };

/** A call for a merchant over an account, whose name is unique in the installation and begins with its provider's. */
export type Route = { readonly bucket: number; readonly merchantId: bigint; readonly account: string };

/** A place for one call; it is given back once, with how the call ended. */
export type Pass = (end: CallEnd) => void;

/** An account that is out of order, or in order again where `reason` is `null`. */
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

  /** Why nothing passes; `null` while all does. */
  get reason(): string | null {
    return this.#reason;
  }

  /** How many calls it lets pass now: all, one that tries it again, or none. */
  room(nowMs: number): number {
    if (this.#reason === null) return Infinity;
    return !this.#isTrying && nowMs >= this.#nextMs ? 1 : 0;
  }

  /** Lets one pass; returns whether it tries a circuit that is open. */
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

  /** Returns whether it has opened by this. What began before it opened makes no pause longer. */
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
  /** Of merchants over accounts: the balance is too little for what one pays, and may do for others. */
  readonly #balances = new LRUCache<string, Circuit>({ max: REMEMBERED });
  /** Accounts that are noted as out of order in the database. */
  readonly #noted = new Set<string>();
  readonly #now: () => number;
  /** Told of each change. */
  onChange: (change: HealthChange) => void = () => {};

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many payments that were never sent may be sent now: any number, one that tries it again, or none. */
  room(route: Route): number {
    const nowMs = this.#now();
    const rooms = [this.#accounts.get(route.account), this.#balances.get(payerOf(route))];
    return Math.min(...rooms.map((circuit) => circuit?.room(nowMs) ?? Infinity));
  }

  /** Why not all may be sent; `null` where all may. */
  reasonOf(route: Route): string | null {
    return this.#accounts.get(route.account)?.reason ?? this.#balances.get(payerOf(route))?.reason ?? null;
  }

  /** Takes a place for a payment, or for a question about one, which no balance hinders; `null` while there is none. */
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

  /** Takes an account as out of order at once, by the provider's own word: it is tried again after a pause, as any. */
  open(route: Route, reason: string): void {
    this.#circuit(this.#accounts, route.account, FAILURES_TO_OPEN).open(reason, this.#now());
    this.#note({ ...route, reason });
  }

  /** Says that the database has an account as out of order, so that it is taken back once a call goes well. */
  noteEarlier(route: Route): void {
    this.#noted.add(route.account);
  }

  /** How many accounts are out of order by now, by the name of their provider. */
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
