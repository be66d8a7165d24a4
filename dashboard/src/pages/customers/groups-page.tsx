// The groups of customers: making and renaming them.
// What belongs here: the list and its two dialogs.
import { Anchor, Button, Modal, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { customerGroups as words } from "../../strings/customers.ts";
import { parts } from "../../strings/shell.ts";
import { groupsQuery, type CustomerGroup } from "./customer.ts";

/** Groups of customers. */
export function Page() {
  const mayManage = usePermissions()("customers.manage");
  const { data, error, refetch, isPending } = useQuery(groupsQuery);
  // The group that is renamed; "new" while one is made.
  const [edited, setEdited] = useState<CustomerGroup | "new" | null>(null);
  const add = mayManage && <Button onClick={() => setEdited("new")}>{words.add}</Button>;
  const isEmpty = data?.groups.length === 0;
  return (
    <Outline title={words.title} hint={words.hint} actions={isEmpty ? undefined : add}>
      <Panel flush>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        {isEmpty ? (
          <EmptyState title={words.empty} hint={words.emptyHint} action={add} />
        ) : (
          <DataTable
            caption={words.title}
            columns={columnsFor(mayManage ? setEdited : null)}
            rows={data?.groups ?? []}
            rowKey={({ group_id }) => group_id}
            isLoading={isPending}
          />
        )}
      </Panel>
      {edited !== null && <GroupDialog group={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </Outline>
  );
}

function columnsFor(onRename: ((group: CustomerGroup) => void) | null): Column<CustomerGroup>[] {
  const columns: Column<CustomerGroup>[] = [
    {
      key: "name",
      title: words.name,
      render: ({ name }) => (
        <Anchor component={Link} to={`/customers?group=${encodeURIComponent(name)}`}>
          {name}
        </Anchor>
      ),
    },
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
    <Button size="xs" variant="default" aria-label={words.renameTitle(group.name)} onClick={() => onRename(group)}>
      {words.rename}
    </Button>
  );
  return [...columns, { key: "rename", title: words.rename, align: "right", render: rename }];
}

function GroupDialog({ group, onClose }: { readonly group: CustomerGroup | null; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const sent = useApiForm({
    initialValues: { name: group?.name ?? "" },
    submit: (body) =>
      group ? api("PUT", `/customer-groups/${group.group_id}`, { body }) : api("POST", "/customer-groups", { body }),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ["/customer-groups"] });
      await queries.invalidateQueries({ queryKey: ["/customers"] });
      notifications.show({ color: "green", message: words.saved });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={group ? words.renameTitle(group.name) : words.add}
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack>
          <FormError error={sent.error} />
          <TextInput label={words.name} required data-autofocus {...sent.form.getInputProps("name")} />
          <SubmitRow of={sent} label={group ? words.rename : words.add} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
