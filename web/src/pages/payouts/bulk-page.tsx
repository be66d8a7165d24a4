// All bulk payouts; and the status badges of bulk payouts and lines.
import { Group } from "@mantine/core";
import { isBatchUnderWay } from "../../api/ask-again.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { useList } from "../../lists/use-list.ts";
import { bulk } from "../../strings/bulk.ts";
import { StatusBadge } from "../../components/values.tsx";
import type { Tone } from "../../strings/statuses.ts";
import { titles } from "../../strings/titles.ts";

type Batch = Answer<"GET", "/payout-batches">["batches"][number];

const COLUMNS: readonly Column<Batch>[] = [
  { key: "added_at", title: bulk.added, as: "moment", hideBelow: "sm" },
  {
    key: "name",
    title: bulk.name,
    // A batch of the API has no file.
    render: ({ name }) => name || bulk.ofApi,
    to: ({ batch_id: id }) => `/bulk-payouts/${id}`,
  },
  { key: "batch_status", title: bulk.status, render: (batch) => <BatchBadge batch={batch} /> },
  { key: "done", title: bulk.progress, align: "right", hideBelow: "sm", render: doneOf },
  { key: "amount", title: bulk.amount, as: "money" },
];

/** Bulk payouts. */
export function Page() {
  const may = usePermissions();
  const list = useList({ path: "/payout-batches", rowsIn: "batches", filters: [], isUnderWay: isBatchUnderWay });
  const create = may("payouts.transfer") && <Action label={bulk.create} primary to="/bulk-payouts/new" />;
  return (
    <DataPage
      title={titles.bulk}
      hint={bulk.hint}
      actions={
        <Group gap="xs">
          <Action label={bulk.scheduled} to="/bulk-payouts/scheduled" />
          {create}
        </Group>
      }
      list={list}
      columns={COLUMNS}
      rowKey="batch_id"
      empty={{ title: bulk.empty, hint: bulk.emptyHint, action: create }}
    />
  );
}

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

type BatchSummary = {
  readonly batch_status: string;
  readonly payouts: number;
  readonly outcomes: Readonly<Record<string, { readonly count: number; readonly amount: string } | undefined>>;
};

/** The badge of a bulk payout. */
export function BatchBadge({ batch: { batch_status: status } }: { readonly batch: BatchSummary }) {
  return <StatusBadge status={bulk.batchStates[status] ?? status} tone={BATCH_TONES[status] ?? "neutral"} />;
}

/** The badge of a line. */
export function LineBadge({ status }: { readonly status: string }) {
  return <StatusBadge status={bulk.lineStates[status] ?? status} tone={LINE_TONES[status] ?? "neutral"} />;
}

/** The number of finished payouts, of all. */
function doneOf(batch: BatchSummary): string {
  return `${countDone(batch)} / ${batch.payouts}`;
}

/** How many payouts were requested, or ended before. */
export function countDone({ payouts, outcomes }: BatchSummary): number {
  return payouts - (outcomes["WAITING"]?.count ?? 0) - (outcomes["SCHEDULED"]?.count ?? 0);
}
