// Batches and their lines in answers of the API, events, commands and the dashboard. `show` formats account numbers.
import { Type, type Static } from "typebox";
import type { Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { texts } from "../../platform/http/field.ts";
import { formatPaise } from "../../platform/money.ts";
import { mask } from "../../platform/secrets/index.ts";
import { formatTimestamp, type WriteInstant } from "../../platform/time.ts";
import { reasonOf } from "../transfer.ts";
import { findBatches } from "./batch-store.ts";
import { countLines, findLinesByTransfer, type LineCount } from "./line-store.ts";
import { LINE_STATUSES, lineStatus, type LineOutcome, type PayoutBatch } from "./payout-batch.ts";

const BATCH_STATUSES = {
  awaiting_approval: "AWAITING_APPROVAL",
  running: "RUNNING",
  finished: "FINISHED",
  cancelled: "CANCELLED",
  rejected: "REJECTED",
} as const;

const count = Type.Object({ count: Type.Integer(), amount: Type.String() });

/** A batch. */
export const batchObject = Type.Object({
  ...texts("batch_id", "name"),
  batch_status: Type.Enum(Object.values(BATCH_STATUSES)),
  payouts: Type.Integer({ description: "Number of payouts" }),
  amount: Type.String({ description: "Sum of all payouts" }),
  ...texts("added_at", "finished_at"),
  outcomes: Type.Object(Object.fromEntries(LINE_STATUSES.map((status) => [status, Type.Optional(count)])), {
    description: "Count and sum of its payouts, by status",
  }),
});

/** A payout of a batch. */
export const lineObject = Type.Object({
  line: Type.Integer({
    description: "Its line in the batch's file, or its position in the request, from 1",
  }),
  ...texts("reference_id", "transfer_id", "beneficiary_id", "name", "account_number", "ifsc", "upi", "mode"),
  ...texts("amount", "narrative", "scheduled_for"),
  status: Type.Enum([...LINE_STATUSES]),
  ...texts("utr", "code", "reason"),
});

/** A batch, with the statuses of its lines. `write` formats times. */
export function describeBatch(
  batch: PayoutBatch,
  counts: readonly LineCount[],
  { timeZone }: Pick<Merchant, "timeZone">,
  write: WriteInstant = formatTimestamp,
): Static<typeof batchObject> {
  return {
    batch_id: String(batch.batchId),
    name: batch.name,
    batch_status: BATCH_STATUSES[batch.status],
    payouts: batch.lineCount,
    amount: formatPaise(batch.totalPaise),
    added_at: write(batch.addedAt, timeZone),
    finished_at: batch.finishedAt ? write(batch.finishedAt, timeZone) : "",
    outcomes: Object.fromEntries(
      LINE_STATUSES.flatMap((status) => {
        const found = counts.find((each) => each.status === status);
        return found ? [[status, { count: found.count, amount: formatPaise(found.amountPaise) }]] : [];
      }),
    ),
  };
}

/** A line with its outcome. It has a transfer id once the transfer exists or is scheduled for a later day. */
export function describeLine(
  line: LineOutcome,
  show: (text: string) => string = (text) => text,
): Static<typeof lineObject> {
  const status = lineStatus(line);
  const isMade = line.transfer !== null || status === "SCHEDULED";
  return {
    line: line.lineNo,
    reference_id: line.referenceId,
    transfer_id: isMade ? String(line.transferId) : "",
    beneficiary_id: line.beneficiaryId === null ? "" : String(line.beneficiaryId),
    name: line.payeeName,
    account_number: show(line.accountNumber ?? ""),
    ifsc: line.ifsc ?? "",
    upi: show(line.upi ?? ""),
    mode: line.mode ?? "",
    amount: formatPaise(line.amountPaise),
    narrative: line.narrative,
    scheduled_for: line.scheduledFor?.toString() ?? "",
    status,
    utr: line.transfer?.utr ?? "",
    code: (line.first ?? line).code ?? "",
    reason: whyOf(line),
  };
}

/** The reason for a line's status; "" for none. */
export function whyOf(line: LineOutcome): string {
  const { transfer, first } = line;
  const { state, scheduledFor, reason } = first ?? line;
  if (state === "waiting" && scheduledFor) return `Scheduled for ${scheduledFor.toString()}.`;
  return (transfer && reasonOf(transfer)) ?? reason ?? "";
}

/** The records of batches for events, by id. */
export async function readBatchObjects(
  db: Queryable,
  merchant: Merchant,
  batchIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const batches = await findBatches(db, merchant, batchIds);
  const counts = await countLines(db, merchant, batchIds);
  return new Map(batches.map((each) => [each.batchId, describeBatch(each, counts.get(each.batchId) ?? [], merchant)]));
}

/** The records of scheduled payouts for events, by the ids of their transfers. */
export async function readScheduledObjects(
  db: Queryable,
  merchant: Merchant,
  transferIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const lines = await findLinesByTransfer(db, merchant, transferIds);
  return new Map(
    lines.map((line) => {
      const { line: _place, ...described } = describeLine(line, mask);
      return [line.transferId, { ...described, transfer_id: String(line.transferId) }];
    }),
  );
}
