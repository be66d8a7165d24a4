// The intake: transfers and withdrawals that arrive together are accepted in one group commit.
// What belongs here: the batch around accept_transfers. Who may ask for what is decided before, in the use cases.
import { findFreeBooks } from "../ledger/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { writeBatch } from "../platform/group-commit.ts";
import { LaneBatcher } from "../platform/lane-batcher.ts";
import { refusalOf } from "./accept-refusal.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { ProcessLease } from "./process-lease.ts";
import { acceptTransfers, type AcceptOutcome, type NewTransfer } from "./transfer-store.ts";

const MAX_BATCH = 500;
const DATABASE_PATIENCE_MS = 5000;

/** The transfer that stands for a request: just created, or an earlier one by reference or idempotency key. */
export type Accepted = {
  readonly transferId: bigint;
  readonly how: "created" | "awaiting_approval" | "existing" | "replayed";
};

export type TransferIntakeOptions = {
  readonly pool: Pool;
  readonly lease: ProcessLease;
  readonly dispatcher: Dispatcher;
  readonly lanes: number;
  /** How long a transfer waits for its merchant's books, where something else holds them. */
  readonly heldMs: number;
};

export class TransferIntake {
  readonly #pool: Pool;
  readonly #lease: ProcessLease;
  readonly #dispatcher: Dispatcher;
  readonly #batches: LaneBatcher<NewTransfer, Accepted>;

  constructor({ pool, lease, dispatcher, lanes, heldMs }: TransferIntakeOptions) {
    this.#pool = pool;
    this.#lease = lease;
    this.#dispatcher = dispatcher;
    this.#batches = new LaneBatcher({
      run: (items) => this.#accept(items),
      maxBatch: MAX_BATCH,
      lanes,
      laneOf: (item) => item.bucket,
      ownerOf: (item) => String(item.merchantId),
      findFree: (items) => findFreeBooks(pool, items),
      heldMs,
      // Twins by idempotency key take turns, so that the later one finds what the earlier one left.
      apartKey: (item) => (item.idempotency ? `${item.merchantId} ${item.idempotency.key}` : null),
    });
  }

  /**
   * Accepts a transfer: durable when this resolves, its amount reserved.
   * @throws NodalError `access_denied`, `no_payout_provider`, `insufficient_balance`, `limit_exceeded`,
   * `idempotency_conflict`, or `unavailable` when the database stays away, or something else holds the merchant's books;
   * the transfer may then exist, and the same request again finds it
   */
  accept(transfer: NewTransfer): Promise<Accepted> {
    return this.#batches.add(transfer);
  }

  /** Resolves when no acceptance is under way. */
  drain(): Promise<void> {
    return this.#batches.drain();
  }

  async #accept(items: readonly NewTransfer[]): Promise<readonly (Accepted | Error)[]> {
    const { term, processId } = this.#lease;
    const claimed = this.#dispatcher.findRoom(items);
    const outcomes = await writeBatch(
      items,
      (batch) =>
        acceptTransfers(
          this.#pool,
          Temporal.Now.instant(),
          processId,
          batch,
          batch.map((item) => claimed.has(item)),
        ),
      DATABASE_PATIENCE_MS,
    );
    return items.map((item, index) => {
      const accepted = readOutcome(item, outcomes[index]!);
      if (!(accepted instanceof Error) && accepted.how === "created") {
        if (claimed.has(item)) this.#dispatcher.takeOn({ ...item, mode: item.railMode }, term);
        else this.#dispatcher.noteBacklog();
      }
      return accepted;
    });
  }
}

function readOutcome(item: NewTransfer, outcome: AcceptOutcome | Error): Accepted | Error {
  if (outcome instanceof Error) return outcome;
  const { transferId } = outcome;
  switch (outcome.outcome) {
    case "awaiting_approval":
      return { transferId: transferId!, how: outcome.outcome };
    case "created":
    case "existing":
    case "replayed":
      // A batch that was tried again after a broken connection finds its own rows: they were created all the same.
      return { transferId: transferId!, how: transferId === item.transferId ? "created" : outcome.outcome };
    case "idempotency_conflict":
    case "suspended":
    case "wrong_rail":
    case "insufficient_balance":
    case "transfer_limit":
    case "daily_limit":
    case "cooling_off":
      return refusalOf(outcome);
  }
}
