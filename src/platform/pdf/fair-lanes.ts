// Who is next: one lane for each owner, and lanes take turns, so that a long lane keeps nobody in another from the front.
// What belongs here: the order, and how much may wait. What is done with whoever is next is the caller's.

export type LaneLimits = {
  /** Of one owner. */
  readonly maxInLane: number;
  /** Of all together; an owner with nothing waiting always has a place. */
  readonly maxWaiting: number;
};

export class FairLanes<Item> {
  /** In the order of their turns. A lane without items is not kept. */
  readonly #lanes = new Map<string, Item[]>();
  readonly #limits: LaneLimits;
  #size = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Puts an item at the end of its owner's lane; false where that is full, and nothing was put. */
  add(owner: string, item: Item): boolean {
    const lane = this.#lanes.get(owner);
    if (lane && (lane.length >= this.#limits.maxInLane || this.#size >= this.#limits.maxWaiting)) return false;
    if (lane) lane.push(item);
    else this.#lanes.set(owner, [item]);
    this.#size += 1;
    return true;
  }

  /** Puts back what was taken: first in its lane again. Never refused. */
  putBack(owner: string, item: Item): void {
    const lane = this.#lanes.get(owner);
    if (lane) lane.unshift(item);
    else this.#lanes.set(owner, [item]);
    this.#size += 1;
  }

  /** Takes the first of the lane whose turn it is; that lane's next turn comes after everybody else's. */
  take(): Item | undefined {
    const next = this.#lanes.entries().next();
    if (next.done) return undefined;
    const [owner, lane] = next.value;
    const item = lane.shift()!;
    this.#lanes.delete(owner);
    if (lane.length > 0) this.#lanes.set(owner, lane);
    this.#size -= 1;
    return item;
  }

  /** Takes all that waits. */
  takeAll(): Item[] {
    const all = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    this.#size = 0;
    return all;
  }
}
