// Taking turns: work of one key runs one after the other, work of different keys side by side.
// What belongs here: the waiting. It spares the database waiters that would each hold a connection; what must hold
// between processes is still the database's to lock.

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work of its key has ended, however it ended. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(key) ?? Promise.resolve();
    const turn = earlier.then(work, work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
