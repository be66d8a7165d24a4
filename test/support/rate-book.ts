// Rate-limit counts without a database, on this process's clock: for tests that control it.
import type { RateAsk, RateGrant } from "../../src/platform/rates/rate-store.ts";
import type { TakeRates } from "../../src/platform/rates/rate-window.ts";

/** One count for each thing that was taken, by when it leaves the window. */
export class RateBook {
  readonly #ends = new Map<string, number[]>();
  readonly take: TakeRates = async (asks) => asks.map((ask) => this.takeOne(ask, performance.now()));

  takeOne({ key, limit, windowMs, wanted, ahead, leaseMs, back }: RateAsk, nowMs: number): RateGrant {
    const ends = (this.#ends.get(key) ?? []).filter((end) => end > nowMs);
    for (let count = back?.count ?? 0; count > 0 && ends.includes(back!.endMs); count -= 1) {
      ends.splice(ends.indexOf(back!.endMs), 1);
    }
    const granted = Math.min(wanted, Math.max(0, limit - ends.length));
    const room = limit - ends.length - granted;
    const aheadGranted = room >= 64 ? Math.min(ahead, Math.floor(room / 16)) : 0;
    const step = limit > 250 ? Math.max(1, Math.floor(windowMs / 250)) : 1;
    const endMs = Math.ceil((nowMs + windowMs) / step) * step;
    const aheadEndMs = Math.ceil((nowMs + leaseMs + windowMs) / step) * step;
    ends.push(...Array<number>(granted).fill(endMs), ...Array<number>(aheadGranted).fill(aheadEndMs));
    ends.sort((a, b) => a - b);
    this.#ends.set(key, ends);
    const first = ends[Math.max(0, ends.length - limit)] ?? nowMs;
    return {
      granted,
      endMs,
      ahead: aheadGranted,
      aheadEndMs,
      remaining: Math.max(0, limit - ends.length),
      resetMs: first - nowMs,
    };
  }
}
