// Use cases: request many payouts at once, or one for a later day. work-batches.ts makes their transfers.
import { createHash } from "node:crypto";
import { auditValues, recordEvents } from "../../ledger/index.ts";
import {
  findPolicy,
  requestApproval,
  runIdempotently,
  todayOf,
  type Answered,
  type Context,
  type Merchant,
} from "../../merchants/index.ts";
import { unavailable, violates } from "../../platform/database/failure.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { formatPaise } from "../../platform/money.ts";
import { refuseSuspended, withDefaultRails, requireRails } from "../make-payout.ts";
import type { TransferDesk, TransferRequest } from "../request-transfer.ts";
import { findTransfersByReferences } from "../transfer-store.ts";
import { insertBatch, lockStatus } from "./batch-store.ts";
import { findLineByReference, findLinesByReference, insertLines } from "./line-store.ts";
import {
  asksForSame,
  dayBegins,
  MAX_DAYS_AHEAD,
  MAX_LINES,
  lineStatus,
  referenceOfLine,
  type BatchStatus,
  type LineOutcome,
  type LineRequest,
  type PayoutLine,
} from "./payout-batch.ts";

export type RequestBatch = {
  /** The file's name, or one that the caller gives. */
  readonly name: string;
  /** The file that it was read from, with the line of each payout; `null` for none. */
  readonly file: { readonly bytes: Uint8Array; readonly lines: readonly number[] } | null;
  readonly lines: readonly LineRequest[];
};

/** The answer for a batch, stored as JSON. */
export type BatchAnswer = {
  readonly batchId: string;
  readonly status: BatchStatus;
  readonly lineCount: number;
  /** In rupees. */
  readonly total: string;
};

/** How often a request is tried while others use its references. */
const TRIES = 5;
const NO_NEW_PAYEE = { payeeName: "", accountNumber: null, ifsc: null, upi: null } as const;

export function hashOfFile(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/**
 * Requests payouts in order. If a line is invalid, none is saved. If the merchant's policy requires approval for the batch's total, the
 * batch waits as a whole. If new payouts would be refused now, but some were requested before, the batch is saved: each line then shows
 * its earlier payout.
 * @throws NodalError `validation_failed` with `transfers[n].…` for each invalid line; `access_denied`,
 * `no_payout_provider`, `idempotency_conflict`
 */
export async function requestBatch(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  { name, file, lines: payoutRequests }: RequestBatch,
): Promise<Answered<BatchAnswer>> {
  const refusal = await findRefusal(pool, merchant);
  return underOneReference(async () => {
    const batchId = await ids.next();
    const transferIds: bigint[] = [];
    for (const _request of payoutRequests) transferIds.push(await ids.next());
    return runIdempotently(pool, merchant, idempotency, async (connection) => {
      // Not before: a repeated key gets its earlier answer, even if the request would be refused now.
      const earlier = await findEarlierLines(connection, merchant, payoutRequests);
      if (refusal && !(await repeatsPayouts(connection, merchant, payoutRequests, earlier))) throw refusal;
      refuseInvalid(payoutRequests, merchant, earlier);
      const lineNos = file?.lines ?? payoutRequests.map((_, index) => index + 1);
      const lines = await keepLines(connection, merchant, { batchId, payoutRequests, transferIds, lineNos, earlier });
      await refuseMoved(connection, merchant);
      const totalPaise = lines.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
      const policy = await findPolicy(connection, merchant);
      const waits = policy.approveOverPaise !== null && totalPaise > policy.approveOverPaise;
      const addedAt = Temporal.Now.instant();
      const { bucket, merchantId } = merchant;
      const batch = {
        bucket,
        merchantId,
        batchId,
        name,
        totalPaise,
        addedAt,
        kind: "bulk" as const,
        lineCount: lines.length,
        status: waits ? ("awaiting_approval" as const) : ("running" as const),
      };
      const fileHash = file && hashOfFile(file.bytes);
      await insertBatch(connection, { ...batch, fileHash, dueAt: waits ? null : addedAt });
      await recordEvents(connection, merchant, [
        { type: "payout_batch.requested", subjectId: batchId, after: auditValues(batch) },
      ]);
      if (waits) {
        const approval = { bucket, merchantId, approvalId: batchId, kind: "payout_batch", subjectId: batchId } as const;
        await requestApproval(connection, policy, approval);
      }
      return {
        batchId: String(batchId),
        status: batch.status,
        lineCount: lines.length,
        total: formatPaise(totalPaise),
      };
    });
  });
}

export type ScheduleContext = Context<Merchant> & { readonly desk: Pick<TransferDesk, "check"> };

/** Why new payouts of a merchant would be refused now; `null` if they wouldn't. */
async function findRefusal(db: Queryable, merchant: Merchant): Promise<NodalError | null> {
  const payer = await withDefaultRails(db, merchant);
  return refusalIn(() => {
    refuseSuspended(payer);
    requireRails(payer);
  });
}

/** The refusal that the work rejects with; `null` for none. */
async function refusalIn(work: () => unknown): Promise<NodalError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof NodalError && error.status < 500) return error;
    throw error;
  }
}

/** Whether a batch that would be refused repeats existing payouts. A suspended merchant gets no new batch. */
async function repeatsPayouts(
  connection: Connection,
  { bucket, merchantId, status }: Merchant,
  payoutRequests: readonly LineRequest[],
  earlier: ReadonlyMap<string, PayoutLine>,
): Promise<boolean> {
  if (status !== "active") return false;
  if (earlier.size > 0) return true;
  const references = payoutRequests.flatMap(({ referenceId }) =>
    referenceId ? [{ bucket, merchantId, referenceId }] : [],
  );
  return (await findTransfersByReferences(connection, references)).some((transfer) => transfer !== null);
}

export type SchedulePayout = TransferRequest & { readonly scheduledFor: Temporal.PlainDate };

/**
 * Requests a payout for a later day. Repeating the reference returns the first one with its current status, even if it was cancelled
 * or a new one would be refused. Balance, limits and approval are checked on that day.
 * @throws NodalError as a transfer does for its beneficiary, mode and rail; `reference_conflict`; `validation_failed` for a
 * day that is not in the future, or too far ahead
 */
export async function schedulePayout(
  { pool, ids, merchant, idempotency, desk }: ScheduleContext,
  request: SchedulePayout,
): Promise<LineOutcome> {
  const { scheduledFor } = request;
  const payoutRequest = { ...request, ...NO_NEW_PAYEE, beneficiaryId: BigInt(request.beneficiaryId) };
  const known = await findScheduled(pool, merchant, payoutRequest);
  if (known) return known;
  const problem = findDayProblem(scheduledFor, todayOf(merchant));
  const refusal = await refusalIn(() => {
    if (problem) throw validationError([{ field: "scheduled_for", code: "invalid", problem }]);
    return desk.check(merchant, request);
  });
  const [batchId, transferId] = [await ids.next(), await ids.next()];
  await underOneReference(() =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      if (refusal) {
        // With the book held, no other request with this reference is in progress.
        await refuseMoved(connection, merchant);
        const line = await findScheduled(connection, merchant, payoutRequest);
        if (line) return String(line.transferId);
        throw refusal;
      }
      const earlier = await findEarlierLines(connection, merchant, [payoutRequest]);
      const first = earlier.get(request.referenceId);
      if (first) return String(first.transferId);
      const asked = { batchId, payoutRequests: [payoutRequest], transferIds: [transferId], lineNos: [1], earlier };
      const [line] = await keepLines(connection, merchant, asked);
      await insertScheduled(connection, merchant, line!, scheduledFor);
      return String(transferId);
    }),
  );
  const line = await findScheduled(pool, merchant, payoutRequest);
  if (!line) throw referenceConflict();
  return line;
}

/**
 * The earlier scheduled payout for a repeated request, in any status; `null` if its reference is free.
 * @throws NodalError `reference_conflict` if the reference belongs to another payout
 */
async function findScheduled(
  db: Queryable,
  merchant: Merchant,
  payoutRequest: LineRequest,
): Promise<LineOutcome | null> {
  const { bucket, merchantId } = merchant;
  const referenceId = payoutRequest.referenceId!;
  const line = await findLineByReference(db, merchant, referenceId);
  if (line && asksForSame(payoutRequest, line)) return line;
  // A refused payout frees its reference.
  if (line && lineStatus(line) !== "REFUSED") throw referenceConflict();
  const [transfer] = await findTransfersByReferences(db, [{ bucket, merchantId, referenceId }]);
  if (transfer) throw referenceConflict(transfer.transferId);
  return null;
}

function referenceConflict(transferId?: bigint): NodalError {
  return new NodalError(
    "reference_conflict",
    "This reference_id belongs to another payout: use a new one for each payout.",
    transferId === undefined ? {} : { details: { transfer_id: String(transferId) } },
  );
}

async function insertScheduled(
  connection: Connection,
  merchant: Merchant,
  line: PayoutLine,
  day: Temporal.PlainDate,
): Promise<void> {
  await refuseMoved(connection, merchant);
  const { bucket, merchantId, batchId, transferId, amountPaise, referenceId, beneficiaryId, mode, narrative } = line;
  await insertBatch(connection, {
    bucket,
    merchantId,
    batchId,
    name: "",
    lineCount: 1,
    totalPaise: amountPaise,
    fileHash: null,
    kind: "scheduled",
    status: "running",
    addedAt: Temporal.Now.instant(),
    dueAt: dayBegins(day, merchant.timeZone),
  });
  const after = auditValues({ beneficiaryId, amountPaise, referenceId, mode, narrative, scheduledFor: String(day) });
  await recordEvents(connection, merchant, [{ type: "scheduled_payout.requested", subjectId: transferId, after }]);
}

/** Why a payout can't be scheduled for a day; `null` if it can. */
export function findDayProblem(day: Temporal.PlainDate, today: Temporal.PlainDate): string | null {
  if (Temporal.PlainDate.compare(day, today) <= 0) {
    return `must be after today, ${today.toString()}: leave it out to pay at once.`;
  }
  const last = today.add({ days: MAX_DAYS_AHEAD });
  return Temporal.PlainDate.compare(day, last) > 0 ? `must not be after ${last.toString()}.` : null;
}

/** Lines that repeat the reference of an earlier one, as pairs of indexes. */
export function findDuplicates(lines: readonly Pick<LineRequest, "referenceId">[]): [first: number, second: number][] {
  const places = new Map<string, number>();
  const twins: [number, number][] = [];
  for (const [place, { referenceId }] of lines.entries()) {
    if (referenceId === null) continue;
    const first = places.get(referenceId);
    if (first === undefined) places.set(referenceId, place);
    else twins.push([first, place]);
  }
  return twins;
}

function refuseInvalid(
  lines: readonly LineRequest[],
  merchant: Merchant,
  earlier: ReadonlyMap<string, PayoutLine>,
): void {
  const errors: FieldError[] = [];
  const refuse = (place: number, name: string, problem: string): void => {
    const field = `transfers[${place}].${name}`;
    errors.push({ field, code: "invalid", problem });
  };
  for (const [place, payoutRequest] of lines.entries()) {
    const { scheduledFor } = payoutRequest;
    const first = earlier.get(payoutRequest.referenceId ?? "");
    const problem = scheduledFor && findDayProblem(scheduledFor, todayOf(merchant));
    if (problem && !(first && asksForSame(payoutRequest, first))) refuse(place, "scheduled_for", problem);
  }
  for (const [first, second] of findDuplicates(lines)) {
    refuse(
      second,
      "reference_id",
      `repeats the reference of transfers[${first}]: each payout needs its own reference.`,
    );
  }
  if (lines.length === 0 || lines.length > MAX_LINES) {
    errors.push({ field: "transfers", code: "invalid", problem: `must have 1 to ${MAX_LINES} payouts.` });
  }
  if (errors.length > 0) throw validationError(errors);
}

/** The lines of earlier requests with the same references, by reference. */
function findEarlierLines(
  connection: Connection,
  merchant: Merchant,
  payoutRequests: readonly LineRequest[],
): Promise<Map<string, PayoutLine>> {
  const references = payoutRequests.flatMap(({ referenceId }) => referenceId ?? []);
  return findLinesByReference(connection, merchant, references);
}

type KeepLines = {
  readonly batchId: bigint;
  readonly payoutRequests: readonly LineRequest[];
  readonly transferIds: readonly bigint[];
  readonly lineNos: readonly number[];
  readonly earlier: ReadonlyMap<string, PayoutLine>;
};

/** Inserts the lines of a batch. A line whose reference is in another batch is paid by that one, or refused. */
async function keepLines(
  connection: Connection,
  { bucket, merchantId }: Merchant,
  { batchId, payoutRequests, transferIds, lineNos, earlier: taken }: KeepLines,
): Promise<PayoutLine[]> {
  const lines = payoutRequests.map((payoutRequest, index): PayoutLine => {
    const lineNo = lineNos[index]!;
    const line = {
      ...payoutRequest,
      bucket,
      merchantId,
      batchId,
      lineNo,
      transferId: transferIds[index]!,
      referenceId: payoutRequest.referenceId ?? referenceOfLine(batchId, lineNo),
      state: "waiting",
      code: null,
      reason: null,
    } as const;
    const earlier = taken.get(line.referenceId);
    if (!earlier) return line;
    if (asksForSame(payoutRequest, earlier)) {
      const reason = "This reference was already used for the same payout: it was not paid again.";
      return { ...line, state: "repeated", transferId: earlier.transferId, reason };
    }
    const reason = "This reference belongs to another payout: use a new one for each payout.";
    return { ...line, state: "refused", code: "reference_conflict", reason };
  });
  await insertLines(connection, lines);
  return lines;
}

/** Takes the merchant's book, and refuses a request if the merchant has switched between sandbox and live since. */
async function refuseMoved(connection: Connection, merchant: Merchant): Promise<void> {
  const isLive = await lockStatus(connection, merchant);
  if (isLive !== merchant.live) throw unavailable(new Error("the merchant has gone live in the meantime"));
}

/**
 * Retries a request that was rolled back because a concurrent one committed the same reference first; the retry finds that one. A batch
 * with many references can collide with another request on each try.
 */
async function underOneReference<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!violates(error, "payout_batch_line_reference")) throw error;
      if (tries < TRIES) continue;
      throw new NodalError(
        "unavailable",
        "Another request with one of these references is in progress. Nothing was changed: send the same request again.",
        { cause: error },
      );
    }
  }
}
