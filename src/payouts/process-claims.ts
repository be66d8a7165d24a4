// What this process has claimed: which of its claims are in use, and which are done with.
// What belongs here: counting, in memory. What stands in the database is in claim-store.ts.
import type { IdSource } from "../platform/database/ids.ts";
import type { Claim, InHand } from "./claim-store.ts";

export class ProcessClaims {
  readonly #processId: bigint;
  readonly #ids: IdSource;
  /** Claims that are being written at the moment. */
  readonly #beingWritten = new Set<bigint>();
  /** How many transfers have not been settled under each claim. */
  readonly #countOf = new Map<bigint, number>();
  readonly #claimOf = new Map<bigint, bigint>();
  /** Transfers that this process does not work on any more, and has not settled. */
  readonly #dropped = new Map<bigint, InHand>();
  /** Claims whose transfers have all left this process's hand, so that their rows may go. */
  readonly #done = new Set<bigint>();

  constructor(processId: bigint, ids: IdSource) {
    this.#processId = processId;
    this.#ids = ids;
  }

  /**
   * Runs `write`, which writes a new claim and adds what it took in hand under it. Each attempt to write needs a claim of its
   * own, since of an earlier one it may not be known whether it was committed: where it failed, the claim is forgotten, and is
   * a stray if it is there all the same.
   */
  async use<T>(write: (claim: Claim) => Promise<T>): Promise<T> {
    const claimId = await this.#ids.next();
    this.#beingWritten.add(claimId);
    try {
      return await write({ processId: this.#processId, claimId });
    } finally {
      this.#beingWritten.delete(claimId);
    }
  }

  /** Notes a transfer that was taken in hand under a claim, while it is being written. */
  add(claimId: bigint, transferId: bigint): void {
    const earlier = this.#claimOf.get(transferId);
    if (earlier !== undefined) this.settle({ transferId, claimId: earlier });
    this.#claimOf.set(transferId, claimId);
    this.#countOf.set(claimId, (this.#countOf.get(claimId) ?? 0) + 1);
  }

  /**
   * Notes that a transfer is not in hand under a claim any more: its end, or its place in the queue, is in the database. It
   * may have come in hand again by then: under another claim it still is, whose row must not go.
   */
  settle({ transferId, claimId }: Pick<InHand, "transferId" | "claimId">): void {
    if (this.#claimOf.get(transferId) !== claimId) return;
    this.#claimOf.delete(transferId);
    this.#dropped.delete(transferId);
    const left = this.#countOf.get(claimId)! - 1;
    if (left > 0) this.#countOf.set(claimId, left);
    else {
      this.#countOf.delete(claimId);
      this.#done.add(claimId);
    }
  }

  /**
   * Notes that nobody works on a transfer any more, and that the database has it in this process's hand under a claim: it is
   * put back, unless it has come in hand again.
   */
  drop(inHand: InHand): void {
    const { transferId, claimId } = inHand;
    if (this.#claimOf.get(transferId) === claimId) this.#dropped.set(transferId, inHand);
  }

  /** What is to be put back. */
  listDropped(): InHand[] {
    return [...this.#dropped.values()];
  }

  /** Whether the process knows of a claim; one in its name of which it does not know is a stray. */
  knows(claimId: bigint): boolean {
    return this.#beingWritten.has(claimId) || this.#countOf.has(claimId) || this.#done.has(claimId);
  }

  /** Claims whose rows may go. */
  listDone(): bigint[] {
    return [...this.#done];
  }

  /** Forgets claims whose rows are gone. */
  forget(claimIds: readonly bigint[]): void {
    for (const claimId of claimIds) this.#done.delete(claimId);
  }
}
