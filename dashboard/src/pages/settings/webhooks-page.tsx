// The webhook endpoints of a merchant.
// What belongs here: the list. One endpoint is webhook-page.tsx, a new one webhook-form.tsx.
import { Anchor, Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { useSorted, type SortKeys } from "../../lists/use-sorted.ts";
import { webhooks } from "../../strings/webhooks.ts";
import { WEBHOOKS_KEY, type Endpoint, type EndpointsAnswer } from "./webhook.ts";
import { WebhookForm } from "./webhook-form.tsx";

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    key: "url",
    title: webhooks.url,
    sortable: true,
    render: ({ endpoint_id, url }) => (
      <Anchor
        component={Link}
        to="/settings/webhooks/$endpointId"
        params={{ endpointId: endpoint_id } as never}
        style={{ overflowWrap: "anywhere" }}
      >
        {url}
      </Anchor>
    ),
  },
  {
    key: "events",
    title: webhooks.events,
    hideBelow: "md",
    render: ({ events }) => (events === "all" ? webhooks.allEvents : events.replaceAll(",", ", ")),
  },
  { key: "status", title: webhooks.status, sortable: true, render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: "behind",
    title: webhooks.behind,
    align: "right",
    sortable: true,
    hideBelow: "sm",
    render: ({ behind }) => behind,
  },
  {
    key: "waiting",
    title: webhooks.waiting,
    align: "right",
    sortable: true,
    hideBelow: "sm",
    render: ({ waiting }) => waiting,
  },
  {
    key: "failed",
    title: webhooks.failed,
    align: "right",
    sortable: true,
    hideBelow: "sm",
    render: ({ failed }) => failed,
  },
];

const SORT_KEYS: SortKeys<Endpoint> = {
  url: ({ url }) => url,
  status: ({ status }) => status,
  behind: ({ behind }) => behind,
  waiting: ({ waiting }) => waiting,
  failed: ({ failed }) => failed,
};

/** Webhooks. */
export function Page() {
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: WEBHOOKS_KEY,
    queryFn: ({ signal }) => api<EndpointsAnswer>("GET", "/webhooks", { signal }),
  });
  const sorted = useSorted(data?.endpoints ?? [], SORT_KEYS);
  const add = (
    <Button onClick={() => setAdding(true)} disabled={!data}>
      {webhooks.add}
    </Button>
  );
  return (
    <Outline title={webhooks.title} hint={webhooks.hint} actions={add}>
      <Panel flush>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        {!error && !isPending && sorted.rows.length === 0 ? (
          <EmptyState title={webhooks.empty} hint={webhooks.emptyHint} />
        ) : (
          <DataTable
            caption={webhooks.title}
            columns={COLUMNS}
            {...sorted}
            rowKey={({ endpoint_id }) => endpoint_id}
            isLoading={isPending}
          />
        )}
      </Panel>
      {isAdding && data && (
        <WebhookForm
          kinds={data.event_kinds}
          types={data.event_types}
          onDone={(shown) => {
            setAdding(false);
            setSecret(shown);
            void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={webhooks.secretTitle}
          hint={webhooks.secretHint}
          secrets={[{ label: webhooks.secret, value: secret }]}
          onClose={() => setSecret(null)}
        />
      )}
    </Outline>
  );
}
