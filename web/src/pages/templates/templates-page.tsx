// All templates of the merchant; there are a hundred at most.
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { templates as words } from "../../strings/templates.ts";
import { TemplateRowMenu } from "./template-actions.tsx";
import { titles } from "../../strings/titles.ts";

type ListedTemplate = Answer<"GET", "/templates">["templates"][number];

const COLUMNS: readonly Column<ListedTemplate>[] = [
  { key: "name", title: words.name, sortable: true, to: ({ template_id }) => `/templates/${template_id}` },
  {
    key: "default",
    title: words.isDefault,
    isBelowFirst: true,
    render: ({ is_default }) => is_default && <StatusBadge status={words.isDefault} tone="info" />,
  },
  { key: "next_number", title: words.nextNumber, as: "number" },
  { key: "next_credit_number", title: words.nextCredit, hideBelow: "sm", as: "number" },
  { key: "rows", title: words.rowCount, sortable: true, align: "right", hideBelow: "md" },
  { key: "logo", title: words.logo, hideBelow: "md", render: ({ has_logo }) => has_logo && words.hasLogo },
  menuColumn((template) => <TemplateRowMenu template={template} />),
];

/** Templates. */
export function Page() {
  const mayManage = usePermissions()("templates.manage");
  const { data, ...found } = useGet("/templates");
  const add = mayManage && <Action label={words.add} primary to="/templates/new" />;
  return (
    <Outline title={titles.templates} hint={words.hint} actions={add}>
      <TablePanel
        caption={titles.templates}
        of={found}
        rows={data?.templates}
        columns={COLUMNS}
        rowKey="template_id"
        empty={{ title: words.empty, hint: words.hint, action: add }}
      />
    </Outline>
  );
}
