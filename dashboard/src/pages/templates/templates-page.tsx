// All templates of the merchant; there are a hundred at most.
// What belongs here: the list.
import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { templates as words } from "../../strings/templates.ts";
import type { ListedTemplate } from "./template.ts";

const COLUMNS: readonly Column<ListedTemplate>[] = [
  {
    key: "name",
    title: words.name,
    render: ({ template_id, name }) => (
      <Anchor component={Link} to={`/templates/${template_id}`}>
        {name}
      </Anchor>
    ),
  },
  {
    key: "default",
    title: words.isDefault,
    render: ({ is_default }) => is_default && <StatusBadge status={words.isDefault} tone="info" />,
  },
  { key: "next", title: words.nextNumber, render: ({ next_number }) => next_number },
  { key: "credit", title: words.nextCredit, hideBelow: "sm", render: ({ next_credit_number }) => next_credit_number },
  { key: "rows", title: words.rowCount, align: "right", hideBelow: "md", render: ({ rows }) => rows },
  { key: "logo", title: words.logo, hideBelow: "md", render: ({ has_logo }) => has_logo && words.hasLogo },
];

/** Templates. */
export function Page() {
  const mayManage = usePermissions()("templates.manage");
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ["/templates", "all"],
    queryFn: ({ signal }) => api<{ templates: ListedTemplate[] }>("GET", "/templates", { signal }),
  });
  const add = mayManage && (
    <Button component={Link} to="/templates/new">
      {words.add}
    </Button>
  );
  return (
    <Outline title={words.title} hint={words.hint} actions={add}>
      <Panel flush>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        {data?.templates.length === 0 ? (
          <EmptyState title={words.empty} hint={words.hint} action={add} />
        ) : (
          <DataTable
            caption={words.title}
            columns={COLUMNS}
            rows={data?.templates ?? []}
            rowKey={({ template_id }) => template_id}
            isLoading={isPending}
          />
        )}
      </Panel>
    </Outline>
  );
}
