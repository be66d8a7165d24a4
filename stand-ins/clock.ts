// The clock of a stand-in: real time, which can be moved ahead or stopped.

export class Clock {
  #offsetMs = 0;
  #stoppedAtMs: number | null = null;

  /** Milliseconds since 1970. */
  nowMs(): number {
    return this.#stoppedAtMs ?? Date.now() + this.#offsetMs;
  }

  now(): Temporal.Instant {
    return Temporal.Instant.fromEpochMilliseconds(this.nowMs());
  }

  /** Moves ahead; a stopped clock stays stopped there. */
  advance(ms: number): void {
    if (this.#stoppedAtMs === null) this.#offsetMs += ms;
    else this.#stoppedAtMs += ms;
  }

  /** Stops at this moment, until it is advanced or set going. */
  stopAt(ms: number): void {
    this.#stoppedAtMs = ms;
  }

  /** Goes on from where it stands. */
  go(): void {
    if (this.#stoppedAtMs === null) return;
    this.#offsetMs = this.#stoppedAtMs - Date.now();
    this.#stoppedAtMs = null;
  }
}
