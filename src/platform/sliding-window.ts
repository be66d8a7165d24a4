// The rate limit's count: an exact sliding window of request times for each key, in this process's memory.
// What belongs here: counting. Whom a key stands for, and what is answered at the limit, is the caller's.
// Own code because the well-kept limiters count in fixed windows, and docs/rules/access.md#rate-limit slides.

import { NodalError, type RateState } from "./errors.ts";

const MINUTE_MS = 60_000;

/** `resetMs`: until a refused request would be allowed, else until the oldest one counted leaves the window. */
export type RateDecision = RateState & { readonly allowed: boolean };

/** Times of the requests of the last window, oldest first, read from `head` on. */
type Times = { list: number[]; head: number };

export class SlidingWindow {
  readonly #times = new Map<string, Times>();
  readonly #now: () => number;
  readonly #windowMs: number;
  #nextSweepAt = 0;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now(), windowMs = MINUTE_MS) {
    this.#now = now;
    this.#windowMs = windowMs;
  }

  /** Counts a request if it is within `limit` in any window; a refused one does not count. */
  take(key: string, limit: number): RateDecision {
    const now = this.#now();
    this.#sweep(now);
    let times = this.#times.get(key);
    if (!times) {
      times = { list: [], head: 0 };
      this.#times.set(key, times);
    }
    const decision = this.#decide(times, limit, now);
    if (!decision.allowed) return decision;
    times.list.push(now);
    return { ...decision, remaining: decision.remaining - 1, resetMs: times.list[times.head]! + this.#windowMs - now };
  }

  /** What `take` would decide about another request. Counts nothing itself. */
  look(key: string, limit: number): RateDecision {
    return this.#decide(this.#times.get(key) ?? { list: [], head: 0 }, limit, this.#now());
  }

  /** Takes back what `take` has just counted, where it turned out not to count. */
  giveBack(key: string): void {
    const times = this.#times.get(key);
    if (times && times.list.length > times.head) times.list.pop();
  }

  #decide(times: Times, limit: number, now: number): RateDecision {
    this.#forget(times, now);
    const used = times.list.length - times.head;
    if (used < limit) return { allowed: true, limit, remaining: limit - used, resetMs: 0 };
    // With a limit that was lowered meanwhile, more than one has to leave the window first.
    const blocking = times.list[times.head + used - limit] ?? now;
    return { allowed: false, limit, remaining: 0, resetMs: blocking + this.#windowMs - now };
  }

  /** Drops keys that have been silent for a window, so that memory follows the traffic. */
  #sweep(now: number): void {
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + this.#windowMs;
    for (const [key, times] of this.#times) {
      this.#forget(times, now);
      if (times.head === times.list.length) this.#times.delete(key);
    }
  }

  #forget(times: Times, now: number): void {
    while (times.head < times.list.length && times.list[times.head]! <= now - this.#windowMs) times.head += 1;
    if (times.head > 64 && times.head * 2 > times.list.length) {
      times.list.splice(0, times.head);
      times.head = 0;
    }
  }
}

/** The refusal of a request that `take` did not allow: `rate_limited`, with the time to wait. */
export function rateLimited(rate: RateDecision, what = "requests"): NodalError {
  const seconds = Math.ceil(rate.resetMs / 1000);
  return new NodalError(
    "rate_limited",
    `Too many ${what}: at most ${rate.limit} a minute. Try again in ${seconds} s.`,
    { rate },
  );
}
