// The groups of customers: making and renaming them.
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { customerGroups as words } from "../../strings/customers.ts";
import { titles } from "../../strings/titles.ts";

type CustomerGroup = Answer<"GET", "/customer-groups">["groups"][number];

/** Groups of customers. */
export function Page() {
  const mayManage = usePermissions()("customers.manage");
  const found = useGet("/customer-groups");
  // The group that is renamed; "new" while one is made.
  const [edited, setEdited] = useState<CustomerGroup | "new" | null>(null);
  const add = mayManage && <Action label={words.add} primary onClick={() => setEdited("new")} />;
  return (
    <Outline
      title={titles.customerGroups}
      hint={words.hint}
      actions={found.data?.groups.length === 0 ? undefined : add}
    >
      <TablePanel
        caption={titles.customerGroups}
        of={found}
        rows={found.data?.groups}
        columns={columnsFor(mayManage ? setEdited : null)}
        rowKey="group_id"
        empty={{ title: words.empty, hint: words.emptyHint, action: add }}
      />
      {edited !== null && <GroupDialog group={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </Outline>
  );
}

function columnsFor(onRename: ((group: CustomerGroup) => void) | null): Column<CustomerGroup>[] {
  const columns: Column<CustomerGroup>[] = [
    { key: "name", title: words.name, to: ({ name }) => `/customers?group=${encodeURIComponent(name)}` },
    {
      key: "customers",
      title: words.customers,
      align: "right",
      hideBelow: "sm",
      render: ({ customers }) => customers.toLocaleString("en-IN"),
    },
  ];
  if (!onRename) return columns;
  const rename = (group: CustomerGroup) => (
    <Action label={words.rename} size="xs" aria-label={words.renameTitle(group.name)} onClick={() => onRename(group)} />
  );
  return [...columns, { key: "rename", title: words.rename, align: "right", isButtons: true, render: rename }];
}

function GroupDialog({ group, onClose }: { readonly group: CustomerGroup | null; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={group ? words.renameTitle(group.name) : words.add}
      label={group ? words.rename : words.add}
      initialValues={{ name: group?.name ?? "" }}
      submit={(body) =>
        group ? api("PUT", `/customer-groups/${group.group_id}`, { body }) : api("POST", "/customer-groups", { body })
      }
      changes={["/customer-groups", "/customers"]}
      done={words.saved}
      onClose={onClose}
    >
      {({ field }) => <TextInput {...field("name", words.name)} required data-autofocus />}
    </FormDialog>
  );
}
