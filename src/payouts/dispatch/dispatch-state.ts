// The in-memory state of a process's dispatcher: claimed transfers, bank calls in progress, and requests that wait for a first
// answer. A merchant with many transfers, or a provider that hangs, leaves room for others.
import { SIMULATOR } from "../rails/simulator.ts";
import type { TransferStatus } from "../transfer-store.ts";
import type { TransferIdentity } from "../transfer.ts";

export class ClaimedTransfers {
  readonly #capacity: number;
  readonly #transfers = new Set<bigint>();
  readonly #countOf = new Map<bigint, number>();

  /**
   * @param capacity how many transfers can be claimed at once. A merchant may claim at most as many as stay free: half if it is alone, a
   * third beside another with as many. So there is always room for one more, however many hang.
   */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#transfers.size;
  }

  /** The remaining room, for merchants below their share. */
  get room(): number {
    return Math.max(0, this.#capacity - this.#transfers.size);
  }

  has(transferId: bigint): boolean {
    return this.#transfers.has(transferId);
  }

  /** Those transfers, in order, that there is room for. */
  findRoom<T extends TransferIdentity>(transfers: readonly T[]): ReadonlySet<T> {
    const found = new Set<T>();
    const more = new Map<bigint, number>();
    for (const transfer of transfers) {
      const { merchantId } = transfer;
      const count = (this.#countOf.get(merchantId) ?? 0) + (more.get(merchantId) ?? 0);
      if (count >= this.room - found.size) continue;
      more.set(merchantId, (more.get(merchantId) ?? 0) + 1);
      found.add(transfer);
    }
    return found;
  }

  /** The merchants that have used up their share. */
  merchantsWithoutRoom(): bigint[] {
    return [...this.#countOf].filter(([, count]) => count >= this.room).map(([merchantId]) => merchantId);
  }

  add({ merchantId, transferId }: TransferIdentity): void {
    if (this.#transfers.has(transferId)) return;
    this.#transfers.add(transferId);
    this.#countOf.set(merchantId, (this.#countOf.get(merchantId) ?? 0) + 1);
  }

  remove({ merchantId, transferId }: TransferIdentity): void {
    if (!this.#transfers.delete(transferId)) return;
    const left = this.#countOf.get(merchantId)! - 1;
    if (left === 0) this.#countOf.delete(merchantId);
    else this.#countOf.set(merchantId, left);
  }
}

export type BankCall = { readonly rail: string; readonly merchantId: bigint };

/** A call without an answer for this long counts as hanging and frees its place. */
const HANGS_AFTER_MS = 2000;
/** How many hanging calls may free their places, for each place; further ones keep theirs. */
const HANGING_PER_PLACE = 4;
const MAX_SHRINKAGE = 10;

/** A merchant's calls in progress over a rail, and how often its share was halved because they hang. */
type Share = { underWay: number; shrunk: number };

export class CallsInProgress {
  readonly #capacity: number;
  readonly #shares = new Map<string, Share>();
  readonly #ofProvider = new Map<string, number>();
  #size = 0;
  #hanging = 0;

  /**
   * @param capacity how many calls may be in progress at once, without those that hang: at most half of them to one provider, and a quarter
   * for one merchant over one rail, fewer if its calls hang, but at least one
   */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** Whether another call leaves room for others. The simulated bank is local and doesn't hang. */
  hasRoom(called: BankCall): boolean {
    if (this.isFull) return false;
    if (called.rail === SIMULATOR) return true;
    const { underWay, shrunk } = this.#shares.get(keyOf(called)) ?? { underWay: 0, shrunk: 0 };
    const ofProvider = this.#ofProvider.get(providerOf(called)) ?? 0;
    return ofProvider < Math.max(1, this.#capacity >> 1) && underWay < Math.max(1, this.#capacity >> (2 + shrunk));
  }

  /**
   * Starts a call. Returns a function that ends it and takes whether it was answered.
   * @param onRoom called when it hangs, so that there is room for another
   */
  begin(called: BankCall, onRoom: () => void = () => {}): (isAnswered: boolean) => void {
    this.#size += 1;
    if (called.rail === SIMULATOR) return () => void (this.#size -= 1);
    const key = keyOf(called);
    const share = this.#shares.get(key) ?? { underWay: 0, shrunk: 0 };
    this.#shares.set(key, share);
    share.underWay += 1;
    this.#count(called, 1);
    let isHanging = false;
    const timer = setTimeout(() => {
      share.shrunk = Math.min(MAX_SHRINKAGE, share.shrunk + 1);
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

  #count(called: BankCall, more: number): void {
    const provider = providerOf(called);
    this.#ofProvider.set(provider, (this.#ofProvider.get(provider) ?? 0) + more);
  }
}

function providerOf({ rail }: BankCall): string {
  return rail.split(":")[0]!;
}

function keyOf({ rail, merchantId }: BankCall): string {
  return `${rail} ${merchantId}`;
}

type Listener = (status: TransferStatus | null) => void;

/** The bank's first answer on a transfer; `within` gives `null` when none came in that time. */
export type ExpectedAnswer = {
  within(timeoutMs: number): Promise<TransferStatus | null>;
  forget(): void;
};

export class FirstAnswers {
  readonly #listeners = new Map<bigint, Set<Listener>>();

  /** Starts to listen for the bank's first answer on a transfer. The caller must `forget` in the end. */
  expect(transferId: bigint): ExpectedAnswer {
    const { promise, resolve: hear } = Promise.withResolvers<TransferStatus | null>();
    const listeners = this.#listeners.get(transferId) ?? new Set();
    this.#listeners.set(transferId, listeners.add(hear));
    let timer: NodeJS.Timeout | undefined;
    return {
      within: (timeoutMs) => {
        timer = setTimeout(() => hear(null), timeoutMs);
        return promise;
      },
      forget: () => {
        clearTimeout(timer);
        listeners.delete(hear);
        if (listeners.size === 0 && this.#listeners.get(transferId) === listeners) this.#listeners.delete(transferId);
      },
    };
  }

  tell(transferId: bigint, status: TransferStatus | null): void {
    for (const hear of this.#listeners.get(transferId) ?? []) hear(status);
  }

  /** Ends all waits, since no more answers come. */
  end(): void {
    for (const transferId of this.#listeners.keys()) this.tell(transferId, null);
  }
}

/** While a bank hangs, polling takes at most a twentieth of the database's time. */
const REST = 20;

export class SearchBackoff {
  #untilMs = 0;

  /** Whether the last poll was long enough ago. */
  get areOver(): boolean {
    return performance.now() >= this.#untilMs;
  }

  /** Records a poll that found nothing, because no merchant with waiting transfers has room. */
  add(startedAtMs: number): void {
    const nowMs = performance.now();
    this.#untilMs = nowMs + (nowMs - startedAtMs) * REST;
  }
}
