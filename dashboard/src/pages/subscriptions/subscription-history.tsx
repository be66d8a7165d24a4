// What became of each date of a subscription: the invoice that was made, or that it was skipped.
// What belongs here: that panel. Its page is in the address.
import { Anchor, Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { parts } from "../../strings/shell.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";

type Occurrence = {
  readonly occurrence: number;
  readonly bill_date: string;
  readonly due_date: string;
  readonly status: string;
  /** Empty for one that was skipped. */
  readonly invoice_id: string;
};

const COLUMNS: readonly Column<Occurrence>[] = [
  { key: "number", title: words.number, hideBelow: "sm", render: ({ occurrence }) => occurrence },
  { key: "bill", title: words.billDate, render: ({ bill_date }) => day(bill_date) },
  { key: "due", title: words.dueDate, hideBelow: "sm", render: ({ due_date }) => day(due_date) },
  { key: "status", title: words.status, render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: "invoice",
    title: words.invoice,
    render: ({ invoice_id }) =>
      invoice_id === "" ? (
        "–"
      ) : (
        <Anchor component={Link} to={`/invoices/${invoice_id}`}>
          {invoice_id}
        </Anchor>
      ),
  },
];

/** The panel of the history. */
export function SubscriptionHistory({ path }: { readonly path: string }) {
  const list = useList<Occurrence>({ path: `${path}/occurrences`, rowsIn: "occurrences", filters: [] });
  const isEmpty = !list.isLoading && !list.error && list.rows.length === 0;
  return (
    <Panel title={words.history} flush>
      {list.error && <ErrorNotice error={list.error} onRetry={list.reload} m="md" />}
      {isEmpty ? (
        <EmptyState title={words.noHistory} hint={words.noHistoryHint} />
      ) : (
        <DataTable
          caption={words.history}
          columns={COLUMNS}
          rows={list.rows}
          rowKey={({ occurrence }) => String(occurrence)}
          isLoading={list.isLoading}
          isOutdated={list.isOutdated}
        />
      )}
      {(list.hasPrevious || list.hasNext) && (
        <Group justify="flex-end" gap="xs" p="md">
          <Button variant="default" disabled={!list.hasPrevious} onClick={list.goPrevious}>
            {parts.previous}
          </Button>
          <Button variant="default" disabled={!list.hasNext} onClick={list.goNext}>
            {parts.next}
          </Button>
        </Group>
      )}
    </Panel>
  );
}
