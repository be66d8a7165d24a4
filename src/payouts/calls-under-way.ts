// The calls to banks under way in a process, so that a provider or a merchant whose calls hang leaves room for others.
import { SIMULATOR } from "./rails/simulator.ts";

/** A call is over a rail, for a merchant. */
export type Called = { readonly rail: string; readonly merchantId: bigint };

/** A call that has had no answer for so long hangs: its place is free for others. */
const HANGS_AFTER_MS = 2000;
/** So many calls may hang for each place; beyond that they keep theirs. */
const HANGING_PER_PLACE = 4;
const MOST_SHRUNK = 10;

/** What a merchant has over a rail: calls under way, and how often its share was halved since its calls hang. */
type Share = { underWay: number; shrunk: number };

export class CallsUnderWay {
  readonly #capacity: number;
  readonly #shares = new Map<string, Share>();
  readonly #ofProvider = new Map<string, number>();
  #size = 0;
  #hanging = 0;

  /**
   * @param capacity how many may be under way at once, but for those that hang: half of them to one provider, a quarter for one
   * merchant over one rail, fewer where its calls hang, and one in the end
   */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** Whether one more leaves room for others. The simulated bank is ours, and does not hang. */
  hasRoom(called: Called): boolean {
    if (this.isFull) return false;
    if (called.rail === SIMULATOR) return true;
    const { underWay, shrunk } = this.#shares.get(keyOf(called)) ?? { underWay: 0, shrunk: 0 };
    const ofProvider = this.#ofProvider.get(providerOf(called)) ?? 0;
    return ofProvider < Math.max(1, this.#capacity >> 1) && underWay < Math.max(1, this.#capacity >> (2 + shrunk));
  }

  /**
   * Begins a call. Returns what ends it, and is told whether it had an answer.
   * @param onRoom called where it hangs, so that there is room for another
   */
  begin(called: Called, onRoom: () => void = () => {}): (isAnswered: boolean) => void {
    this.#size += 1;
    if (called.rail === SIMULATOR) return () => void (this.#size -= 1);
    const key = keyOf(called);
    const share = this.#shares.get(key) ?? { underWay: 0, shrunk: 0 };
    this.#shares.set(key, share);
    share.underWay += 1;
    this.#count(called, 1);
    let isHanging = false;
    const timer = setTimeout(() => {
      share.shrunk = Math.min(MOST_SHRUNK, share.shrunk + 1);
      if (this.#hanging >= this.#capacity * HANGING_PER_PLACE) return;
      isHanging = true;
      this.#hanging += 1;
      this.#size -= 1;
      this.#count(called, -1);
      onRoom();
    }, HANGS_AFTER_MS);
    return (isAnswered) => {
      clearTimeout(timer);
      share.underWay -= 1;
      if (isAnswered) share.shrunk = Math.max(0, share.shrunk - 1);
      if (share.underWay === 0 && share.shrunk === 0) this.#shares.delete(key);
      if (isHanging) {
        this.#hanging -= 1;
        return;
      }
      this.#size -= 1;
      this.#count(called, -1);
    };
  }

  #count(called: Called, more: number): void {
    const provider = providerOf(called);
    this.#ofProvider.set(provider, (this.#ofProvider.get(provider) ?? 0) + more);
  }
}

function providerOf({ rail }: Called): string {
  return rail.split(":")[0]!;
}

function keyOf({ rail, merchantId }: Called): string {
  return `${rail} ${merchantId}`;
}
