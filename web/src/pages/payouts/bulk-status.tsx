// How a bulk payout and its lines stand, as people read it.
import { StatusBadge } from "../../components/values.tsx";
import { bulk } from "../../strings/bulk.ts";
import type { Tone } from "../../strings/statuses.ts";

const BATCH_TONES: Readonly<Record<string, Tone>> = {
  AWAITING_APPROVAL: "warning",
  RUNNING: "info",
  FINISHED: "success",
  REJECTED: "danger",
};
const LINE_TONES: Readonly<Record<string, Tone>> = {
  SUCCESS: "success",
  PENDING: "info",
  SCHEDULED: "info",
  FAILED: "danger",
  REJECTED: "danger",
  REFUSED: "danger",
  REVERSED: "warning",
};

type Batch = {
  readonly batch_status: string;
  readonly payouts: number;
  readonly outcomes: Readonly<Record<string, { readonly count: number; readonly amount: string } | undefined>>;
};

/** The badge of a bulk payout. */
export function BatchBadge({ batch: { batch_status: status } }: { readonly batch: Batch }) {
  return <StatusBadge status={bulk.batchStates[status] ?? status} tone={BATCH_TONES[status] ?? "neutral"} />;
}

/** The badge of a line. */
export function LineBadge({ status }: { readonly status: string }) {
  return <StatusBadge status={bulk.lineStates[status] ?? status} tone={LINE_TONES[status] ?? "neutral"} />;
}

/** How many payouts wait for nothing any more, of all. */
export function doneOf(batch: Batch): string {
  return `${countDone(batch)} / ${batch.payouts}`;
}

/** How many payouts were requested, or ended before. */
export function countDone({ payouts, outcomes }: Batch): number {
  return payouts - (outcomes["WAITING"]?.count ?? 0) - (outcomes["SCHEDULED"]?.count ?? 0);
}
