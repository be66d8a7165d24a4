// All bulk payouts.
import { Group } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { useList } from "../../lists/use-list.ts";
import { bulk } from "../../strings/bulk.ts";
import { BatchBadge, doneOf } from "./bulk-status.tsx";

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
  const list = useList({ path: "/payout-batches", rowsIn: "batches", filters: [] });
  const create = may("payouts.transfer") && <Action label={bulk.create} primary to="/bulk-payouts/new" />;
  return (
    <DataPage
      title={bulk.title}
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
