// When to look again for due transfers, after a look that went past all that waits and found nothing to take up.

/** While a bank hangs, looking takes no more than a twentieth of the database's time. */
const REST = 20;

export class VainLooks {
  #untilMs = 0;

  /** Whether the last one was long enough ago. */
  get areOver(): boolean {
    return performance.now() >= this.#untilMs;
  }

  /** A look that began then found nothing, since the merchants of all that waits have no room. */
  add(startedAtMs: number): void {
    const nowMs = performance.now();
    this.#untilMs = nowMs + (nowMs - startedAtMs) * REST;
  }
}
