// The ledger as a person would explain it: a few maps and sums, without database, locks and batches. Written from
// docs/rules/payouts.md, not from the SQL.
import type { AcceptOutcome, NewTransfer } from "../../src/payouts/transfer-store.ts";
import type { TransferState } from "../../src/payouts/transfer.ts";

/** A bank's possible answers, and UNKNOWN for a broken call. */
export type ModelStatus = "UNKNOWN" | "PENDING" | "SUCCESS" | "FAILED" | "REJECTED" | "REVERSED";

export type ModelAccounts = {
  available: bigint;
  held: bigint;
  nodal_bank: bigint;
  payout_clearing: bigint;
  owed_by_merchant: bigint;
  /** Always empty for payouts, which are all that this model covers. */
  fee_expense: bigint;
};

export type ModelTransfer = {
  readonly request: NewTransfer;
  state: TransferState;
  /** Its state in the dispatch queue. */
  queue: "due" | "claimed" | "none";
};

const OPEN: readonly TransferState[] = ["RESERVED", "SUBMITTING", "UNKNOWN", "PENDING"];

/** The deposits in an account that live merchants share, by reference: the credited merchant and the amount. */
export type ModelDeposits = Map<string, { readonly creditedTo: LedgerModel; readonly amountPaise: bigint }>;

/** The books of one merchant. */
export class LedgerModel {
  readonly accounts: ModelAccounts = {
    available: 0n,
    held: 0n,
    nodal_bank: 0n,
    payout_clearing: 0n,
    owed_by_merchant: 0n,
    fee_expense: 0n,
  };
  readonly transfers = new Map<bigint, ModelTransfer>();
  readonly #references = new Map<string, bigint>();
  readonly #keys = new Map<string, { readonly hash: string; readonly transferId: bigint }>();
  readonly #deposits: ModelDeposits;

  constructor(deposits: ModelDeposits = new Map()) {
    this.#deposits = deposits;
  }

  fund(amountPaise: bigint, reference: string): "funded" | "repeated" | "conflict" {
    const earlier = this.#deposits.get(reference);
    if (earlier) return earlier.creditedTo === this && earlier.amountPaise === amountPaise ? "repeated" : "conflict";
    this.#deposits.set(reference, { creditedTo: this, amountPaise });
    this.#move("nodal_bank", "available", amountPaise);
    return "funded";
  }

  accept(request: NewTransfer, claim: boolean): AcceptOutcome {
    const { transferId, referenceId, amountPaise, idempotency } = request;
    const hash = idempotency?.requestHash.toString("hex") ?? "";
    const known = idempotency ? this.#keys.get(idempotency.key) : undefined;
    if (known && known.hash !== hash) return { outcome: "idempotency_conflict", transferId: null };
    if (known) return { outcome: "replayed", transferId: known.transferId };
    const earlier = referenceId === null ? this.#own(transferId) : this.#references.get(referenceId);
    if (earlier !== undefined) return { outcome: "existing", transferId: earlier };
    if (amountPaise > this.accounts.available) return { outcome: "insufficient_balance", transferId: null };
    this.#move("available", "held", amountPaise);
    if (referenceId !== null) this.#references.set(referenceId, transferId);
    if (idempotency) this.#keys.set(idempotency.key, { hash, transferId });
    const [state, queue] = claim ? (["SUBMITTING", "claimed"] as const) : (["RESERVED", "due"] as const);
    this.transfers.set(transferId, { request, state, queue });
    return { outcome: "created", transferId };
  }

  /** Returns its previous state, or null if it was not free. */
  claim(transferId: bigint): TransferState | null {
    const transfer = this.transfers.get(transferId)!;
    if (transfer.queue !== "due") return null;
    const { state } = transfer;
    transfer.queue = "claimed";
    if (state === "RESERVED") transfer.state = "SUBMITTING";
    return state;
  }

  /** Whether the report says that money has left after the ledger had returned it. */
  #isLateSuccess(transferId: bigint, status: ModelStatus): boolean {
    const { state } = this.transfers.get(transferId)!;
    return status === "SUCCESS" && (state === "FAILED" || state === "REJECTED");
  }

  report(transferId: bigint, status: ModelStatus): TransferState {
    const transfer = this.transfers.get(transferId)!;
    const { amountPaise } = transfer.request;
    if (OPEN.includes(transfer.state)) this.#hearOfOpen(transfer, status);
    else if (this.#isLateSuccess(transferId, status)) {
      this.#move(
        this.accounts.available >= amountPaise ? "available" : "owed_by_merchant",
        "payout_clearing",
        amountPaise,
      );
      transfer.state = "SUCCESS";
    } else if (transfer.state === "SUCCESS" && status === "REVERSED") {
      this.#move("payout_clearing", "available", amountPaise);
      transfer.state = "REVERSED";
    }
    return transfer.state;
  }

  #hearOfOpen(transfer: ModelTransfer, status: ModelStatus): void {
    const { amountPaise } = transfer.request;
    const isSent = transfer.state === "UNKNOWN" || transfer.state === "PENDING";
    if (status !== "UNKNOWN" || !isSent) transfer.state = status;
    if (status === "UNKNOWN" || status === "PENDING") {
      transfer.queue = "due";
      return;
    }
    transfer.queue = "none";
    this.#move("held", status === "SUCCESS" ? "payout_clearing" : "available", amountPaise);
  }

  /** A debt is paid before any money becomes available. */
  #settle(): void {
    const { available, owed_by_merchant } = this.accounts;
    const paise = available < -owed_by_merchant ? available : -owed_by_merchant;
    this.accounts.available -= paise;
    this.accounts.owed_by_merchant += paise;
  }

  #own(transferId: bigint): bigint | undefined {
    return this.transfers.has(transferId) ? transferId : undefined;
  }

  #move(debit: keyof ModelAccounts, credit: keyof ModelAccounts, amountPaise: bigint): void {
    this.accounts[debit] -= amountPaise;
    this.accounts[credit] += amountPaise;
    this.#settle();
  }
}
