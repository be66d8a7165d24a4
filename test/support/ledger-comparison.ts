// Does a history on the ledger and on the model, and compares after each operation. The model is in ledger-model.ts,
// the ledger's side in ledger-history.ts.
import { deepEqual, equal } from "node:assert/strict";
import type { Merchant } from "../../src/merchants/index.ts";
import { verify } from "../../src/payouts/verify/verify.ts";
import type { LedgerDatabase } from "./ledger.ts";
import { LedgerHistory, type Batch } from "./ledger-history.ts";
import { LedgerModel, type ModelAccounts, type ModelDeposits } from "./ledger-model.ts";
import type { Operation } from "./ledger-operations.ts";

/** The balances of the accounts that the model has, merchant by merchant. */
export async function readAccounts(db: LedgerDatabase, merchants: readonly Merchant[]): Promise<ModelAccounts[]> {
  const { rows } = await db.owner.query<{ merchant_id: bigint; kind: keyof ModelAccounts; balance: bigint }>(
    "select merchant_id, kind, balance from ledger_balances where merchant_id = any($1) and kind = any($2)",
    [merchants.map(({ merchantId }) => merchantId), Object.keys(new LedgerModel().accounts)],
  );
  return merchants.map(({ merchantId }) => {
    const own = rows.filter((row) => row.merchant_id === merchantId).map(({ kind, balance }) => [kind, balance]);
    return Object.fromEntries(own) as ModelAccounts;
  });
}

/** One history on fresh merchants, done by the ledger and by the model. Adds the outcomes that it meets to a set. */
export class Comparison {
  readonly #db: LedgerDatabase;
  readonly #merchants: readonly Merchant[];
  readonly #history: LedgerHistory;
  readonly #models: readonly LedgerModel[];
  readonly #seenOutcomes: Set<string>;

  constructor(db: LedgerDatabase, merchants: readonly Merchant[], seenOutcomes: Set<string>) {
    this.#db = db;
    this.#seenOutcomes = seenOutcomes;
    this.#merchants = merchants;
    this.#history = new LedgerHistory(db, merchants);
    const deposits: ModelDeposits = new Map();
    this.#models = merchants.map(() => new LedgerModel(deposits));
  }

  async perform(operation: Operation): Promise<void> {
    const history = this.#history;
    switch (operation.type) {
      case "fund": {
        const funded = await history.fund(operation);
        const expected = this.#models[operation.merchant]!.fund(operation.amountPaise, `fund-${operation.reference}`);
        equal(funded === null ? "conflict" : funded.repeated ? "repeated" : "funded", expected);
        break;
      }
      case "accept":
        await this.#accept(await history.batchOf(operation.payoutRequests));
        break;
      case "repeat": {
        const batch = history.pickBatch(operation.pick);
        if (batch) await this.#accept(batch);
        break;
      }
      case "claim": {
        const picked = history.pick(operation.picks);
        const claimed = await history.claim(picked);
        const expected = picked.flatMap((transfer) => {
          const state = this.#modelOf(transfer).claim(transfer.transferId);
          return state ? [[transfer.transferId, state]] : [];
        });
        deepEqual(
          new Map(claimed.map(({ instruction, state }) => [instruction.transferId, state])),
          new Map(expected as [bigint, string][]),
        );
        break;
      }
      case "report":
        await this.#report(operation);
        break;
    }
    const models = this.#models.map(({ accounts }) => ({ ...accounts }));
    deepEqual(await readAccounts(this.#db, this.#merchants), models);
  }

  async #accept(batch: Batch): Promise<void> {
    const outcomes = await this.#history.accept(batch);
    const expected = batch.transfers.map((transfer, index) =>
      this.#modelOf(transfer).accept(transfer, batch.claims[index]!),
    );
    deepEqual(outcomes, expected);
    for (const { outcome } of outcomes) this.#seenOutcomes.add(outcome);
  }

  async #report(operation: Operation & { type: "report" }): Promise<void> {
    const reports = this.#history.pickReports(operation.reports);
    const statuses = await this.#history.report(reports);
    deepEqual(
      statuses.map((status) => status?.state),
      reports.map((report) => this.#modelOf(report).report(report.transferId, report.status)),
    );
  }

  /** At the end: every transfer stands where the model has it, and the books are sound. */
  async conclude(): Promise<void> {
    const { rows } = await this.#db.owner.query<{ transfer_id: bigint; state: string }>(
      "select transfer_id, state from transfer where merchant_id = any($1)",
      [this.#merchants.map(({ merchantId }) => merchantId)],
    );
    const expected = this.#models.flatMap(({ transfers }) =>
      [...transfers].map(([id, { state }]) => [id, state] as const),
    );
    deepEqual(new Map(rows.map((row) => [row.transfer_id, row.state])), new Map(expected));
    for (const merchant of this.#merchants) {
      deepEqual((await verify(this.#db.owner, merchant)).violations, []);
    }
  }

  #modelOf({ merchantId }: { merchantId: bigint }): LedgerModel {
    return this.#models[this.#merchants.findIndex((merchant) => merchant.merchantId === merchantId)]!;
  }
}
