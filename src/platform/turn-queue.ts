// A queue in which keys take turns: of what waits, the next is that of the key that was served longest ago.
// What belongs here: the order. How many are served at once is the owner's.

export class TurnQueue<Item> {
  /** What waits, by key; the key whose turn is next comes first. */
  readonly #items = new Map<string, Item[]>();
  #length = 0;

  /** How many items wait, of all keys. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item behind the others of its key. */
  push(key: string, item: Item): void {
    const items = this.#items.get(key);
    if (items) items.push(item);
    else this.#items.set(key, [item]);
    this.#length += 1;
  }

  /** Takes the next item out; `undefined` where none waits. */
  shift(): Item | undefined {
    const [next] = this.#items;
    if (!next) return undefined;
    const [key, items] = next;
    const item = items.shift()!;
    this.#items.delete(key);
    if (items.length > 0) this.#items.set(key, items);
    this.#length -= 1;
    return item;
  }

  /** Forgets everything that waits. */
  clear(): void {
    this.#items.clear();
    this.#length = 0;
  }
}
