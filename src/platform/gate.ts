// A gate: so much work of a kind at once, and so much more that may wait for its turn.
// What belongs here: counting. It is for work that takes memory which many callers at once would use up.
import { NodalError } from "./errors.ts";

export class Gate {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs `work` as soon as fewer than `atOnce` others run, first come first served.
   * @throws NodalError `unavailable` where too many wait already
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#wait();
    try {
      return await work();
    } finally {
      // Whoever waits gets the place itself, so that nobody can come between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new NodalError("unavailable", "Too many passwords are being checked at once. Try again in a moment.");
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
