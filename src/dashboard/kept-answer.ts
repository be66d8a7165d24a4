// Answers that are dear to compute and may be a little old: kept for a while, and computed once at a time for a merchant.
// What belongs here: keeping them. Nothing that a decision about money rests on is kept.
import type { MerchantKey } from "../merchants/index.ts";
import { LruMap } from "../platform/lru-map.ts";

const MERCHANTS_KEPT = 1000;
/** An answer is kept this many times as long as it took: it costs at most a hundredth of somebody's time. */
const KEPT_TIMES = 100;

type Kept<T> = { untilMs: number; readonly answer: Promise<T> };

/** Remembers what `compute` answers for a merchant. A failure is not remembered. */
export class KeptAnswer<T, Args extends { readonly merchant: MerchantKey }> {
  readonly #compute: (args: Args) => Promise<T>;
  readonly #kept = new LruMap<bigint, Kept<T>>(MERCHANTS_KEPT);

  constructor(compute: (args: Args) => Promise<T>) {
    this.#compute = compute;
  }

  get(args: Args): Promise<T> {
    const { merchantId } = args.merchant;
    const known = this.#kept.get(merchantId);
    const startedMs = performance.now();
    if (known && known.untilMs > startedMs) return known.answer;
    const kept: Kept<T> = { untilMs: Infinity, answer: this.#compute(args) };
    this.#kept.set(merchantId, kept);
    kept.answer.then(
      () => {
        const nowMs = performance.now();
        kept.untilMs = nowMs + KEPT_TIMES * (nowMs - startedMs);
      },
      () => {
        kept.untilMs = 0;
      },
    );
    return kept.answer;
  }
}
