// Answers that are dear to compute and may be a little old: kept for a while, and computed once at a time for a merchant.
// What belongs here: keeping them. Nothing that a decision about money rests on is kept.
import type { MerchantKey } from "../merchants/index.ts";
import { LruMap } from "../platform/lru-map.ts";

const MERCHANTS_KEPT = 1000;

type Kept<T> = { readonly until: number; readonly answer: Promise<T> };

/** Remembers what `compute` answers for a merchant, for `keepMs`. A failure is not remembered. */
export class KeptAnswer<T, Args extends { readonly merchant: MerchantKey }> {
  readonly #compute: (args: Args) => Promise<T>;
  readonly #keepMs: number;
  readonly #kept = new LruMap<bigint, Kept<T>>(MERCHANTS_KEPT);

  constructor(keepMs: number, compute: (args: Args) => Promise<T>) {
    this.#keepMs = keepMs;
    this.#compute = compute;
  }

  get(args: Args): Promise<T> {
    const { merchantId } = args.merchant;
    const known = this.#kept.get(merchantId);
    if (known && known.until > performance.now()) return known.answer;
    const answer = this.#compute(args);
    const kept = { until: performance.now() + this.#keepMs, answer };
    this.#kept.set(merchantId, kept);
    answer.catch(() => {
      if (this.#kept.get(merchantId) === kept) this.#kept.set(merchantId, { until: 0, answer });
    });
    return answer;
  }
}
