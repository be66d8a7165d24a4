// A map of bounded size: what has been used least recently makes room for what is new.

export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value of a key, which counts as used. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // A Map keeps its entries in order of insertion, so that the least recently used one comes first.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Forgets a key. */
  delete(key: Key): void {
    this.#entries.delete(key);
  }

  /** Remembers a value. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
