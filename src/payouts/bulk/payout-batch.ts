// Many payouts that are requested at once, and single ones for a later day.
// docs/rules/payouts.md#batches
import type { MerchantKey } from "../../merchants/index.ts";
import { NodalError } from "../../platform/errors.ts";
import { wireStatus, type TransferMode, type TransferState } from "../transfer.ts";

/** The most payouts in one request. */
export const MAX_LINES = 5000;
/** How far ahead a payout may be scheduled. */
export const MAX_DAYS_AHEAD = 366;

export type BatchKey = MerchantKey & { readonly batchId: bigint };

export type BatchStatus = "awaiting_approval" | "running" | "finished" | "cancelled" | "rejected";

export type PayoutBatch = BatchKey & {
  /** `scheduled` is a single payout for a later day. */
  readonly kind: "bulk" | "scheduled";
  readonly name: string;
  readonly lineCount: number;
  readonly totalPaise: bigint;
  readonly status: BatchStatus;
  readonly isApproved: boolean;
  readonly requestedBy: string;
  readonly requestedFrom: string | null;
  readonly addedAt: Temporal.Instant;
  readonly finishedAt: Temporal.Instant | null;
};

/** The payee of a line: a saved beneficiary, or one that is saved when the line's turn comes. */
export type LinePayee = {
  readonly beneficiaryId: bigint | null;
  readonly payeeName: string;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
};

/** A requested payout. */
export type LineRequest = LinePayee & {
  readonly amountPaise: bigint;
  /** `null` if Nodal generates it. */
  readonly referenceId: string | null;
  readonly mode: TransferMode | null;
  readonly narrative: string;
  /** `null`: pay at once. */
  readonly scheduledFor: Temporal.PlainDate | null;
};

export type LineState = "waiting" | "requesting" | "requested" | "repeated" | "refused" | "cancelled";

export type PayoutLine = BatchKey &
  LineRequest & {
    /** Its line in the file, or else its place in the request, from 1. */
    readonly lineNo: number;
    readonly transferId: bigint;
    readonly referenceId: string;
    readonly state: LineState;
    readonly code: string | null;
    readonly reason: string | null;
  };

/** The outcome of a line, with its transfer if there is one. */
export type LineOutcome = PayoutLine & {
  readonly transfer: {
    readonly state: TransferState;
    readonly utr: string | null;
    readonly reason: string | null;
  } | null;
  /** For a repeated line, the line that it repeats, while that has no transfer. */
  readonly first: Pick<PayoutLine, "state" | "scheduledFor" | "code" | "reason"> | null;
  /** When it was requested. */
  readonly addedAt: Temporal.Instant;
};

/** The status of a line. A `REFUSED` line never became a transfer. */
export const LINE_STATUSES = [
  "WAITING",
  "SCHEDULED",
  "PENDING",
  "SUCCESS",
  "FAILED",
  "REJECTED",
  "REVERSED",
  "REFUSED",
  "CANCELLED",
] as const;
export type LineStatus = (typeof LINE_STATUSES)[number];

export type StatusFacts = Pick<PayoutLine, "state" | "scheduledFor"> & {
  readonly transfer: { readonly state: TransferState } | null;
  readonly first: Pick<PayoutLine, "state" | "scheduledFor"> | null;
};

/** The status of a line. A repeated line has the status of the first one: docs/rules/payouts.md#batches. */
export function lineStatus({ state, transfer, first, scheduledFor }: StatusFacts): LineStatus {
  switch (state) {
    case "waiting":
      return scheduledFor ? "SCHEDULED" : "WAITING";
    case "requesting":
      // Its transfer is made a moment before the line says so.
      return transfer ? wireStatus(transfer.state) : "WAITING";
    case "refused":
      return "REFUSED";
    case "cancelled":
      return "CANCELLED";
    case "repeated":
      if (first) return lineStatus({ ...first, transfer: null, first: null });
      return transfer ? wireStatus(transfer.state) : "PENDING";
    case "requested":
      return transfer ? wireStatus(transfer.state) : "PENDING";
  }
}

/** Whether a line was refused or cancelled, so that it never gets a transfer. */
export function isNeverMade(line: StatusFacts): boolean {
  const status = lineStatus(line);
  return status === "REFUSED" || status === "CANCELLED";
}

/** The generated reference of a line without one. */
export function referenceOfLine(batchId: bigint, lineNo: number): string {
  return `B${batchId}-${lineNo}`;
}

/** Whether two lines request the same payout. Names are not compared, since the account decides who is paid. */
export function asksForSame(one: LineRequest, other: LineRequest): boolean {
  return (
    payeeKey(one) === payeeKey(other) &&
    one.amountPaise === other.amountPaise &&
    one.mode === other.mode &&
    String(one.scheduledFor) === String(other.scheduledFor)
  );
}

/** A key that identifies a payee. */
export function payeeKey({ beneficiaryId, accountNumber, ifsc, upi }: LinePayee): string {
  if (accountNumber !== null) return `${accountNumber} ${ifsc}`;
  return upi ?? `#${beneficiaryId}`;
}

/** The refusal for a batch that the merchant does not have. */
export function batchNotFound(): NodalError {
  return new NodalError("batch_not_found", "This batch does not exist: check its batch_id.");
}

/** The zone in which days begin first. */
const EARLIEST_ZONE = "Etc/GMT-14";

/**
 * When to process payouts that wait for a day (docs/rules/payouts.md#later-days), which begins in the merchant's time zone. Before it
 * has begun in the earliest zone, returns that time: the merchant may change its zone meanwhile, so the worker calculates again then.
 */
export function dayBegins(day: Temporal.PlainDate, timeZone: string, now = Temporal.Now.instant()): Temporal.Instant {
  const earliest = day.toZonedDateTime(EARLIEST_ZONE).toInstant();
  return Temporal.Instant.compare(earliest, now) > 0 ? earliest : day.toZonedDateTime(timeZone).toInstant();
}
