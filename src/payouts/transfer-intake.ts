// The intake: transfers and withdrawals are accepted, and taken on where there is room.
// What belongs here: what an outcome means for whoever asked. Who may ask for what is decided before, in the use cases.
import { refusalOf } from "./accept-refusal.ts";
import type { PayoutWriter } from "./batch/payout-writer.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { AcceptOutcome, NewTransfer } from "./transfer-store.ts";

/** The transfer that stands for a request: just created, or an earlier one by reference or idempotency key. */
export type Accepted = {
  readonly transferId: bigint;
  readonly how: "created" | "awaiting_approval" | "existing" | "replayed";
};

export class TransferIntake {
  readonly #writer: PayoutWriter;
  readonly #dispatcher: Dispatcher;

  constructor(writer: PayoutWriter, dispatcher: Dispatcher) {
    this.#writer = writer;
    this.#dispatcher = dispatcher;
  }

  /**
   * Accepts a transfer: durable when this resolves, its amount reserved.
   * @throws NodalError `access_denied`, `no_payout_provider`, `insufficient_balance`, `limit_exceeded`,
   * `idempotency_conflict`, or `unavailable` when the database stays away, or something else holds the merchant's books;
   * the transfer may then exist, and the same request again finds it
   */
  async accept(transfer: NewTransfer): Promise<Accepted> {
    const { outcome, claimed, term } = await this.#writer.request(transfer);
    const accepted = readOutcome(transfer, outcome);
    if (accepted.how === "created") {
      if (claimed) this.#dispatcher.takeOn({ ...transfer, mode: transfer.railMode }, term);
      else this.#dispatcher.noteBacklog();
    }
    return accepted;
  }
}

function readOutcome(item: NewTransfer, outcome: AcceptOutcome): Accepted {
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
      throw refusalOf(outcome);
  }
}
