// The worker that makes the transfers of batches, in order, a few lines at a time. A turn may stop at any point and be
// repeated by any process: a line always uses the same id and reference, so repeating it makes no second transfer.
import { LRUCache } from "lru-cache";
import { recordEvents, type NewEvent } from "../../ledger/index.ts";
import { findMerchantByKey, todayOf, type Merchant } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import { inTransaction, type Pool } from "../../platform/database/pool.ts";
import { actWithin } from "../../platform/database/tenant.ts";
import { NodalError, type ErrorCode } from "../../platform/errors.ts";
import { Worker } from "../../platform/jobs/worker.ts";
import type { Logger } from "../../platform/log.ts";
import type { Actor, Origin } from "../../platform/origin.ts";
import type { OrderedAnswer, OrderedRequest, TransferDesk } from "../request-transfer.ts";
import { saveBatchPayee } from "../beneficiaries/save-beneficiary.ts";
import { BATCH_LEASE_MS } from "../waits.ts";
import { freeBatches, giveTurnBack, lockTurn, setBatchStatus, takeDueBatches, type TakenBatch } from "./batch-store.ts";
import { dayBegins, type PayoutBatch, type PayoutLine } from "./payout-batch.ts";
import { BATCH_FINISHED, findEndedLines, LINES_REFUSED, SCHEDULED_FAILED } from "./ended-line-store.ts";
import {
  beginLines,
  endLines,
  readLinesLeft,
  setBeneficiaries,
  type BegunLine,
  type LineEnd,
  type LinesLeft,
} from "./line-store.ts";

const LOOK_MS = 500;
/** How many batches are processed at once, each of a different merchant. */
const AT_ONCE = 4;
/** How many lines are requested in a turn. */
const LINES_A_TURN = 25;
/** After this time a turn requests nothing more, since another process may soon take the batch. */
const LONGEST_MS = 8_000;
/** The pause after an interrupted turn. */
const PAUSE_MS = 3_000;
const TAMPERED_REMEMBERED = 10_000;
const FORGED = "This payout differs from the request: its line was changed in the database. Nothing was paid.";
/** Errors that have nothing to do with the line itself: it is requested again. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["unavailable", "access_denied", "internal_error"]);

export type BatchWorkerOptions = {
  /** The server's connections, with the worker as the actor. */
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly desk: Pick<TransferDesk, "requestInOrder">;
  readonly logger: Logger;
};

export class BatchWorker {
  readonly #options: BatchWorkerOptions;
  readonly #worker: Worker<TakenBatch>;
  readonly #tampered = new LRUCache<bigint, true>({ max: TAMPERED_REMEMBERED });

  constructor(options: BatchWorkerOptions) {
    this.#options = options;
    this.#worker = new Worker({
      name: "payout batches",
      logger: options.logger,
      atOnce: AT_ONCE,
      lookMs: LOOK_MS,
      find: (room, inProgress) => {
        const busy = inProgress.map(({ merchantId }) => merchantId);
        return takeDueBatches(options.pool, room, BATCH_LEASE_MS, busy);
      },
      run: (batch) => this.#takeTurn(batch),
    });
  }

  /** Starts the worker. `alone` says that no other process can be running, so that the batches of dead ones are freed at once. */
  async start(alone: boolean): Promise<void> {
    if (alone) await freeBatches(this.#options.pool);
    this.#worker.start();
  }

  /** Starts no more turns, and waits for those in progress. */
  stop(): Promise<void> {
    return this.#worker.stop();
  }

  async #takeTurn(batch: TakenBatch): Promise<void> {
    const { pool } = this.#options;
    try {
      if (!(await this.#makeNext(batch))) await giveTurnBack(pool, batch, PAUSE_MS);
    } catch (error) {
      await giveTurnBack(pool, batch, PAUSE_MS).catch(() => {});
      throw error;
    }
  }

  /** Requests the next lines. Returns false if something unrelated prevents it. */
  async #makeNext(batch: TakenBatch): Promise<boolean> {
    const startedAtMs = performance.now();
    const { pool, desk } = this.#options;
    const merchant = await findMerchantByKey(pool, batch);
    if (merchant?.status !== "active") return false;
    const today = todayOf(merchant);
    if (!batch.isProved) {
      this.#tellTampered(batch);
      return false;
    }
    const begun = await beginLines(pool, batch, today, LINES_A_TURN);
    const ended = await findEndedLines(pool, batch, begun);
    if (ended.isBatchOver) {
      this.#tellTampered(batch);
      return false;
    }
    const isSound = ({ isProved, lineNo }: BegunLine): boolean => isProved && !ended.lineNos.has(lineNo);
    const forged = begun.filter((line) => !isSound(line));
    if (forged.length > 0) await this.#refuseForged(batch, merchant, forged);
    const lines = await this.#savePayees(batch, merchant, begun.filter(isSound));
    if (performance.now() - startedAtMs > LONGEST_MS) return false;
    const payoutRequests = lines.map((line): OrderedRequest => ({
      ...line,
      beneficiaryId: String(line.beneficiaryId),
      isApproved: batch.isApproved,
    }));
    const answers =
      payoutRequests.length === 0
        ? []
        : await desk.requestInOrder({ merchant, origin: originOf(batch) }, payoutRequests);
    const passing = answers.findIndex((answer) => answer instanceof NodalError && PASSING.has(answer.code));
    // Later lines may have been accepted; their next request finds them.
    const known = passing === -1 ? lines : lines.slice(0, passing);
    await this.#write(
      batch,
      merchant,
      known.map((line, index) => ({ line, end: endOf(line, answers[index]!) })),
    );
    return passing === -1;
  }

  /** Logs once that a batch was changed after its request or approval, although it is checked every few seconds. */
  #tellTampered({ merchantId, batchId }: TakenBatch): void {
    if (this.#tampered.has(batchId)) return;
    this.#tampered.set(batchId, true);
    const ids = { merchant_id: String(merchantId), batch_id: String(batchId) };
    this.#options.logger.error(ids, "a batch was tampered with in the database: not paid");
  }

  /** Refuses lines that were changed after their request or approval. */
  async #refuseForged(batch: TakenBatch, merchant: Merchant, lines: readonly PayoutLine[]): Promise<void> {
    const { merchantId, batchId } = batch;
    const ids = {
      merchant_id: String(merchantId),
      batch_id: String(batchId),
      lines: lines.map(({ lineNo }) => lineNo),
    };
    this.#options.logger.error(ids, "lines of a batch were tampered with in the database: not paid");
    const end = { state: "refused", code: "not_approved", reason: FORGED, isForged: true } as const;
    await this.#write(
      batch,
      merchant,
      lines.map((line) => ({ line, end: { ...end, lineNo: line.lineNo, transferId: line.transferId } })),
    );
  }

  /** Saves the new payees of lines, in the name of the batch's requester. */
  async #savePayees(batch: TakenBatch, merchant: Merchant, lines: readonly PayoutLine[]): Promise<PayoutLine[]> {
    const fresh = lines.filter(({ beneficiaryId }) => beneficiaryId === null);
    if (fresh.length === 0) return [...lines];
    const { pool, ids } = this.#options;
    const newIds = new Map<number, bigint>();
    for (const { lineNo } of fresh) newIds.set(lineNo, await ids.next());
    const saved = await inTransaction(pool, async (connection) => {
      await actWithin(connection, originOf(batch));
      const kept: (PayoutLine & { beneficiaryId: bigint })[] = [];
      for (const line of fresh) {
        const { lineNo, payeeName: name, accountNumber, ifsc, upi } = line;
        const payee = { name, accountNumber, ifsc, upi, beneficiaryId: newIds.get(lineNo)! };
        const { beneficiaryId } = await saveBatchPayee({ connection, merchant }, payee);
        kept.push({ ...line, beneficiaryId });
      }
      await setBeneficiaries(connection, batch, kept);
      return new Map(kept.map(({ lineNo, beneficiaryId }) => [lineNo, beneficiaryId]));
    });
    return lines.map((line) => ({ ...line, beneficiaryId: line.beneficiaryId ?? saved.get(line.lineNo)! }));
  }

  /** Writes the outcomes of lines and the next turn; does nothing if another turn has begun meanwhile. */
  async #write(taken: TakenBatch, merchant: Merchant, ended: readonly EndedLine[]): Promise<void> {
    await inTransaction(this.#options.pool, async (connection) => {
      const batch = await lockTurn(connection, taken);
      if (!batch) return;
      const ends = ended.map(({ end }) => end);
      if (ends.length > 0) await endLines(connection, batch, ends);
      const left = await readLinesLeft(connection, batch, todayOf(merchant));
      const next = statusAfter(batch, left, merchant);
      await setBatchStatus(connection, batch, next);
      const events = eventsOfRefused(batch, ended);
      if (batch.kind === "bulk" && batch.status === "running" && next.status === "finished") {
        events.push({ type: BATCH_FINISHED, subjectId: batch.batchId, after: { status: "finished" } });
      }
      await recordEvents(connection, batch, events);
    });
  }
}

type EndedLine = { readonly line: PayoutLine; readonly end: LineEnd };

/** The entries of refused lines: one for each scheduled payout, and one for all others. */
function eventsOfRefused({ batchId }: PayoutBatch, ended: readonly EndedLine[]): NewEvent[] {
  const refused = ended.filter(({ end }) => end.state === "refused");
  const [scheduled, others] = [
    refused.filter(({ line }) => line.scheduledFor !== null),
    refused.filter(({ line }) => line.scheduledFor === null),
  ];
  const events: NewEvent[] = scheduled.map(({ end: { transferId, code, reason } }) => ({
    type: SCHEDULED_FAILED,
    subjectId: transferId,
    after: { code, reason },
  }));
  const lines = others.map(({ line }) => line.lineNo);
  if (lines.length > 0) events.push({ type: LINES_REFUSED, subjectId: batchId, after: { lines } });
  return events;
}

/** The batch's requester, who is also the requester of its transfers. */
function originOf({ requestedBy, requestedFrom }: PayoutBatch): Origin {
  return { actor: requestedBy as Actor, address: requestedFrom, mayMoveMoney: true };
}

function endOf(line: PayoutLine, answer: OrderedAnswer | NodalError): LineEnd {
  const { lineNo, transferId } = line;
  if (answer instanceof NodalError) {
    return { lineNo, transferId, state: "refused", code: answer.code, reason: answer.message };
  }
  if (!answer.isEarlier) return { lineNo, transferId, state: "requested", code: null, reason: null };
  const reason = "This reference was already used for the same payout: it was not paid again.";
  return { lineNo, transferId: answer.transferId, state: "repeated", code: null, reason };
}

function statusAfter(batch: PayoutBatch, { isDue, nextDay }: LinesLeft, { timeZone }: Merchant) {
  const now = Temporal.Now.instant();
  const { isApproved } = batch;
  if (isDue) return { status: batch.status, isApproved, finishedAt: batch.finishedAt, dueAt: now };
  if (nextDay) {
    return { status: batch.status, isApproved, finishedAt: batch.finishedAt, dueAt: dayBegins(nextDay, timeZone, now) };
  }
  const status = batch.status === "running" ? ("finished" as const) : batch.status;
  return { status, isApproved, finishedAt: batch.finishedAt ?? now, dueAt: null };
}
