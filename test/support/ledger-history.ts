// Runs random operations on a real ledger, for one set of merchants, and records the requests. The model predicts the results.
import { createHash } from "node:crypto";
import type { Merchant } from "../../src/merchants/index.ts";
import { claimTransfers, type Claimed } from "../../src/payouts/dispatch/claim-transfers.ts";
import type { AcceptOutcome, NewTransfer, Report, TransferStatus } from "../../src/payouts/transfer-store.ts";
import {
  acceptTransfers,
  applyReports,
  fund,
  newTransfer,
  newClaim,
  PROCESS_ID,
  reportOn,
  type LedgerDatabase,
} from "./ledger.ts";
import type { ModelStatus } from "./ledger-model.ts";
import type { Operation, RequestedPayout } from "./ledger-operations.ts";

export type Batch = { readonly transfers: readonly NewTransfer[]; readonly claims: readonly boolean[] };

export class LedgerHistory {
  readonly #db: LedgerDatabase;
  readonly #merchants: readonly Merchant[];
  readonly #batches: Batch[] = [];
  /** Keeps this history's deposits apart from those of other histories in the same database. */
  readonly #name: string;
  /** Every transfer that was created, in order. */
  readonly created: NewTransfer[] = [];

  constructor(db: LedgerDatabase, merchants: readonly Merchant[]) {
    this.#db = db;
    this.#merchants = merchants;
    this.#name = `history ${merchants[0]!.merchantId}`;
  }

  /** Returns null if the reference belongs to another amount, or was credited to another merchant. */
  async fund(operation: Operation & { type: "fund" }): Promise<{ repeated: boolean } | null> {
    const merchant = this.#merchants[operation.merchant]!;
    try {
      return await fund(this.#db, merchant, operation.amountPaise, `${this.#name} fund ${operation.reference}`);
    } catch (error) {
      if ((error as { code?: string }).code === "reference_conflict") return null;
      throw error;
    }
  }

  async batchOf(payoutRequests: readonly RequestedPayout[]): Promise<Batch> {
    const transfers = await Promise.all(payoutRequests.map((payoutRequest) => this.#transferOf(payoutRequest)));
    const batch = { transfers, claims: payoutRequests.map((payoutRequest) => payoutRequest.claim) };
    this.#batches.push(batch);
    return batch;
  }

  /** An earlier batch, or null where there is none yet. */
  pickBatch(pick: number): Batch | null {
    return this.#batches[pick % Math.max(1, this.#batches.length)] ?? null;
  }

  /** Accepts a batch as the intake does, but for one that the database refuses: that is an error here. */
  async accept({ transfers, claims }: Batch): Promise<readonly AcceptOutcome[]> {
    const claimed = new Map(transfers.map((transfer, index) => [transfer, claims[index]!]));
    const claim = transfers.map((item) => claimed.get(item)!);
    const outcomes = await acceptTransfers(this.#db.server, Temporal.Now.instant(), PROCESS_ID, transfers, claim);
    this.created.push(...transfers.filter((_, index) => outcomes[index]!.outcome === "created"));
    return outcomes;
  }

  claim(transfers: readonly NewTransfer[]): Promise<Claimed[]> {
    return claimTransfers(this.#db.server, Temporal.Now.instant(), newClaim(), transfers);
  }

  report(reports: readonly Report[]): Promise<readonly (TransferStatus | null)[]> {
    return applyReports(this.#db.server, Temporal.Now.instant(), reports);
  }

  /** The transfers with these numbers, each once. */
  pick(picks: readonly number[]): NewTransfer[] {
    return [...new Set(picks.map((pick) => this.created[pick % Math.max(1, this.created.length)]!))].filter(Boolean);
  }

  /** The reports that these stand for, the first for each transfer. */
  pickReports(given: readonly { readonly pick: number; readonly status: ModelStatus }[]): (Report & {
    readonly status: ModelStatus;
  })[] {
    const statuses = new Map<NewTransfer, ModelStatus>();
    for (const { pick, status } of given) {
      const [transfer] = this.pick([pick]);
      if (transfer && !statuses.has(transfer)) statuses.set(transfer, status);
    }
    return [...statuses].map(([transfer, status]) => ({ ...reportOn(transfer, status), status }));
  }

  async #transferOf(payoutRequest: RequestedPayout): Promise<NewTransfer> {
    const transfer = newTransfer(
      this.#merchants[payoutRequest.merchant]!,
      await this.#db.ids.next(),
      payoutRequest.amountPaise,
      `transfer-${payoutRequest.reference}`,
    );
    const body = `${payoutRequest.reference} ${payoutRequest.amountPaise}`;
    const requestHash = createHash("sha256").update(body).digest();
    return {
      ...transfer,
      // No bank takes part here, so that none has to agree with the ledger.
      rail: "none",
      ...(payoutRequest.reference === null ? { kind: "withdrawal", referenceId: null, beneficiaryId: null } : {}),
      idempotency:
        payoutRequest.idempotencyKey === null ? null : { key: `key-${payoutRequest.idempotencyKey}`, requestHash },
    };
  }
}
