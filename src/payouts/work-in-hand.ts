// The transfers that a process has claimed and not reported on, and how much room there is for more.
// What belongs here: counting, so that one merchant's many leave room for those of others.
import type { TransferIdentity } from "./transfer.ts";

export class WorkInHand {
  readonly #capacity: number;
  readonly #transfers = new Set<bigint>();
  readonly #countOf = new Map<bigint, number>();

  /**
   * @param capacity how many transfers can be in hand at once. A merchant may have as many as it leaves free: half where it is
   * alone, a third beside another that has as many, so that however many hang, there is room for one more.
   */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#transfers.size;
  }

  /** How many more there is room for, of merchants that have not all theirs. */
  get room(): number {
    return Math.max(0, this.#capacity - this.#transfers.size);
  }

  has(transferId: bigint): boolean {
    return this.#transfers.has(transferId);
  }

  /** Of these transfers, in their order, those that there is room for. */
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

  /** The merchants that have as many as they leave free. */
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
