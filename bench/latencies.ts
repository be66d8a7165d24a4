// Latencies of very many requests: counted into slots of a fixed width, so that memory and time stay the same. What is
// timed is the caller's.

const SLOT_MS = 0.01;
const SLOTS = 1_000_000;

/** A histogram of 0.01 ms resolution up to 10 s; what is longer counts as 10 s, except in `maxMs`. */
export class Latencies {
  readonly #counts = new Uint32Array(SLOTS);
  #count = 0;
  #maxMs = 0;

  get count(): number {
    return this.#count;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  record(latencyMs: number): void {
    const slot = Math.min(SLOTS - 1, Math.max(0, Math.floor(latencyMs / SLOT_MS)));
    this.#counts[slot]! += 1;
    this.#count += 1;
    if (latencyMs > this.#maxMs) this.#maxMs = latencyMs;
  }

  /** The latency that `percent` of the requests did not exceed, rounded up to the slot; 0 when there were none. */
  percentileMs(percent: number): number {
    const wanted = Math.ceil((this.#count * percent) / 100);
    let seen = 0;
    for (let slot = 0; slot < SLOTS && wanted > 0; slot += 1) {
      seen += this.#counts[slot]!;
      if (seen >= wanted) return (slot + 1) * SLOT_MS;
    }
    return 0;
  }
}
