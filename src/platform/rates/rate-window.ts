// Rate limits: an exact sliding window for each key, over all processes. Callers choose the keys, and the answer at the
// limit. Not a library, because the well-maintained ones use fixed windows, but docs/rules/access.md#rate-limit needs a
// sliding one.
//
// The counts are in the database. A busy key takes some ahead, for a few seconds at most, so that its requests don't
// wait for the database. Requests of all keys share a statement. A rarely used key asks each time.
import { Batcher, runBatch } from "../batcher.ts";
import { NodalError, type RateState } from "../errors.ts";
import type { RateAsk, RateGrant } from "./rate-store.ts";

/** How long counts taken ahead may be used, and how long a refusal is cached. */
const LEASE_MS = 1000;
/** The same while half of the limit or more is left. Each request costs the database about 200 µs. */
const LONG_LEASE_MS = 5000;
/** Requests to take ahead are gathered for this long, over all keys, since nobody waits for them. */
const GATHERING_MS = 50;
/** The least time from which a rate is estimated. */
const SHORTEST_MS = 50;

/** `resetMs`: until a refused request would be allowed, else until the oldest one counted leaves the window. */
export type RateDecision = RateState & { readonly allowed: boolean };

/** A decision, and a function to undo it if it turns out not to count. Giving back twice has no further effect. */
export type Taken = RateDecision & { giveBack(): void };

/** Takes from limits: `takeRates` on the database. */
export type TakeRates = (asks: readonly RateAsk[]) => Promise<readonly RateGrant[]>;

/** Unused counts that were taken ahead. They become invalid if the limit is lowered. */
type Block = { left: number; readonly limit: number; readonly endMs: number; readonly usableUntilMs: number };
/** A grant, with its time by this process's clock. */
type Answer = RateGrant & { readonly freeAtMs: number };
/** A request that is not sent yet, so that later calls can join it. */
type Asking = { readonly ask: RateAsk; readonly answer: Promise<Answer> };
type Key = {
  blocks: Block[];
  asking: Asking | null;
  isRenewing: boolean;
  /** The limit that was reached, and how long that is cached. */
  full: { readonly limit: number; readonly untilMs: number; readonly freeAtMs: number } | null;
  /** What was left at the last answer, and when the oldest count ends. */
  remaining: number;
  freeAtMs: number;
  /** The number taken since a time, to estimate the rate. */
  used: number;
  sinceMs: number;
};

export class RateWindow {
  readonly #windowMs: number;
  readonly #asks: Batcher<RateAsk, RateGrant>;
  readonly #keys = new Map<string, Key>();
  readonly #sweeps: NodeJS.Timeout;
  #renewals: (() => void)[] = [];

  /** @param windowMs length of the window; the limit holds in any span of this length */
  constructor(take: TakeRates, windowMs: number) {
    this.#windowMs = windowMs;
    this.#asks = new Batcher({ run: (asks) => this.#run(asks, take), maxBatch: 500, lanes: 1 });
    this.#sweeps = setInterval(() => this.#sweep(performance.now()), LEASE_MS).unref();
  }

  /**
   * Counts a request if it is within `limit` in any window; a refused one does not count. @throws NodalError
   * `unavailable` if the database is unavailable
   */
  async take(key: string, limit: number): Promise<Taken> {
    const now = performance.now();
    const state = this.#stateOf(key, now);
    const full = knownFull(state, limit, now);
    if (full) return refused(limit, full.freeAtMs - now);
    const block = state.blocks.find((each) => each.left > 0 && each.limit <= limit && now < each.usableUntilMs);
    if (!block) return this.#askFor(key, state, limit);
    block.left -= 1;
    state.used += 1;
    this.#renew(key, state, limit, now);
    return {
      allowed: true,
      limit,
      remaining: state.remaining + leftOf(state, now),
      resetMs: Math.max(0, state.freeAtMs - now),
      giveBack: once(() => this.#giveBackTo(key, block)),
    };
  }

  /** What `take` would decide about another request, without counting one. Throws as `take` does. */
  async look(key: string, limit: number): Promise<RateDecision> {
    const now = performance.now();
    const state = this.#stateOf(key, now);
    const full = knownFull(state, limit, now);
    if (full) return refused(limit, full.freeAtMs - now);
    const { remaining: shared, freeAtMs } = await this.#ask(key, state, limit).answer;
    const remaining = shared + leftOf(state, now);
    return remaining > 0
      ? { allowed: true, limit, remaining, resetMs: 0 }
      : refused(limit, freeAtMs - performance.now());
  }

  /** Gives back counts that were taken ahead, and takes no more. */
  async close(): Promise<void> {
    clearInterval(this.#sweeps);
    this.#renewals = [];
    await this.#asks.drain();
    this.#sweep(Infinity);
    await this.#asks.drain();
  }

  async #askFor(key: string, state: Key, limit: number): Promise<Taken> {
    const { ask, answer } = this.#ask(key, state, limit);
    const place = ask.wanted;
    ask.wanted += 1;
    const { granted, endMs, remaining, freeAtMs } = await answer;
    const now = performance.now();
    if (place >= granted) return refused(limit, freeAtMs - now);
    state.used += 1;
    return {
      allowed: true,
      limit,
      // Later requests of the same grant still have to be counted.
      remaining: remaining + leftOf(state, now) + granted - 1 - place,
      resetMs: Math.max(0, freeAtMs - now),
      giveBack: once(() => this.#giveBack(key, endMs, 1)),
    };
  }

  /** The unsent request of a key, or a new one. */
  #ask(key: string, state: Key, limit: number): Asking {
    if (state.asking?.ask.limit === limit) return state.asking;
    const askedAtMs = performance.now();
    const leaseMs = leaseOf(state, limit);
    const ahead = Math.min(limit, expected(state, leaseMs, askedAtMs));
    const back = takeExpired(state, askedAtMs);
    const ask = { key, limit, windowMs: this.#windowMs, wanted: 0, ahead, leaseMs, back };
    const answer = this.#asks.add(ask).then((grant) => learn(state, ask, grant, askedAtMs));
    // Waiting callers get the error; nobody waits for counts taken ahead.
    answer.catch(() => {});
    return (state.asking = { ask, answer });
  }

  #run(asks: readonly RateAsk[], take: TakeRates): Promise<readonly (RateGrant | Error)[]> {
    for (const ask of asks) {
      const state = this.#keys.get(ask.key);
      if (state?.asking?.ask === ask) state.asking = null;
    }
    return runBatch(asks, take, 0);
  }

  /** Takes more ahead while some are left, so that nobody has to wait. */
  #renew(key: string, state: Key, limit: number, now: number): void {
    const isLow = leftOf(state, now) * 4 < expected(state, leaseOf(state, limit), now);
    if (state.isRenewing || !isLow) return;
    state.isRenewing = true;
    this.#renewals.push(() => {
      // If it fails, the next request gets the error.
      void this.#ask(key, state, limit)
        .answer.catch(() => {})
        .finally(() => {
          state.isRenewing = false;
        });
    });
    if (this.#renewals.length > 1) return;
    setTimeout(() => this.#renewals.splice(0).forEach((renew) => renew()), GATHERING_MS).unref();
  }

  #giveBackTo(key: string, block: Block): void {
    if (performance.now() < block.usableUntilMs) block.left += 1;
    else this.#giveBack(key, block.endMs, 1);
  }

  #giveBack(key: string, endMs: number, count: number): void {
    const state = this.#keys.get(key);
    if (state) state.full = null;
    const back = { endMs, count };
    const asked = { key, limit: 0, windowMs: this.#windowMs, wanted: 0, ahead: 0, leaseMs: 0, back };
    // Counts that can't be given back simply end later.
    this.#asks.add(asked).catch(() => {});
  }

  #stateOf(key: string, now: number): Key {
    const known = this.#keys.get(key);
    if (known) return known;
    const rest = { remaining: 0, freeAtMs: 0, used: 0, sinceMs: now };
    const state: Key = { blocks: [], asking: null, isRenewing: false, full: null, ...rest };
    this.#keys.set(key, state);
    return state;
  }

  /** Gives back expired counts, and drops unused keys, so that memory follows the traffic. */
  #sweep(now: number): void {
    for (const [key, state] of this.#keys) {
      for (const { left, endMs, usableUntilMs } of state.blocks) {
        if (now >= usableUntilMs && left > 0) this.#giveBack(key, endMs, left);
      }
      state.blocks = state.blocks.filter(({ usableUntilMs }) => now < usableUntilMs);
      const isSilent = state.blocks.length === 0 && !state.asking && !state.isRenewing;
      if (isSilent && now >= Math.max(state.sinceMs + LONG_LEASE_MS, state.full?.untilMs ?? 0)) this.#keys.delete(key);
    }
  }
}

function knownFull({ full }: Key, limit: number, now: number): Key["full"] {
  return full !== null && now < full.untilMs && limit <= full.limit ? full : null;
}

/** The usable counts that were taken ahead. */
function leftOf({ blocks }: Key, now: number): number {
  return blocks.reduce((sum, { left, usableUntilMs }) => (now < usableUntilMs ? sum + left : sum), 0);
}

/** Short near the limit, so that unused counts are soon available to other processes. */
function leaseOf({ remaining }: Key, limit: number): number {
  return remaining * 2 >= limit ? LONG_LEASE_MS : LEASE_MS;
}

/** The expected number of requests during a lease, by the rate since the last answer; none if that is long ago. */
function expected({ used, sinceMs }: Key, leaseMs: number, now: number): number {
  const elapsedMs = now - sinceMs;
  return elapsedMs > leaseMs ? 0 : Math.ceil((used * leaseMs) / Math.max(elapsedMs, SHORTEST_MS));
}

/** Removes the first expired block with counts left, which is given back with the next request. */
function takeExpired(state: Key, now: number): RateAsk["back"] {
  const expired = state.blocks.find(({ left, usableUntilMs }) => left > 0 && now >= usableUntilMs);
  if (!expired) return null;
  state.blocks = state.blocks.filter((block) => block !== expired);
  return { endMs: expired.endMs, count: expired.left };
}

/** `askedAtMs` is before the database's time of the answer, so that counts are never used for too long. */
function learn(state: Key, { wanted, limit, leaseMs }: RateAsk, grant: RateGrant, askedAtMs: number): Answer {
  const freeAtMs = askedAtMs + grant.resetMs;
  state.used = 0;
  state.sinceMs = performance.now();
  state.remaining = grant.remaining;
  state.freeAtMs = freeAtMs;
  const untilMs = Math.min(freeAtMs, state.sinceMs + LEASE_MS);
  state.full = grant.granted < wanted ? { limit, untilMs, freeAtMs } : null;
  if (grant.ahead > 0) {
    state.blocks.push({ left: grant.ahead, limit, endMs: grant.aheadEndMs, usableUntilMs: askedAtMs + leaseMs });
  }
  return { ...grant, freeAtMs };
}

function refused(limit: number, resetMs: number): Taken {
  return { allowed: false, limit, remaining: 0, resetMs: Math.max(1, resetMs), giveBack: () => {} };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** The refusal of a request that `take` did not allow: `rate_limited`, with the time to wait. */
export function rateLimited(rate: RateDecision, what = "requests"): NodalError {
  const seconds = Math.ceil(rate.resetMs / 1000);
  const { limit, remaining, resetMs } = rate;
  return new NodalError("rate_limited", `Too many ${what}: at most ${limit} a minute. Try again in ${seconds} s.`, {
    rate: { limit, remaining, resetMs },
  });
}
