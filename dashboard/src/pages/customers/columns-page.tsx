// The columns that the merchant defines for its customers.
// What belongs here: the list, and adding one.
import { Button, Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { customerColumns as words } from "../../strings/customers.ts";
import { parts } from "../../strings/shell.ts";
import { columnsQuery, type ColumnType, type CustomColumn } from "./customer.ts";

const COLUMNS: readonly Column<CustomColumn>[] = [
  { key: "name", title: words.name, render: ({ name }) => name },
  { key: "type", title: words.type, render: ({ type }) => words.types[type] },
  { key: "column_id", title: words.id, hideBelow: "sm", render: ({ column_id }) => column_id },
];

/** Columns of customers. */
export function Page() {
  const mayManage = usePermissions()("customers.manage");
  const { data, error, refetch, isPending } = useQuery(columnsQuery);
  const [isAdding, setAdding] = useState(false);
  const add = mayManage && <Button onClick={() => setAdding(true)}>{words.add}</Button>;
  const isEmpty = data?.columns.length === 0;
  return (
    <Outline title={words.title} hint={words.hint} actions={isEmpty ? undefined : add}>
      <Panel flush>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        {isEmpty ? (
          <EmptyState title={words.empty} hint={words.emptyHint} action={add} />
        ) : (
          <DataTable
            caption={words.title}
            columns={COLUMNS}
            rows={data?.columns ?? []}
            rowKey={({ column_id }) => column_id}
            isLoading={isPending}
          />
        )}
      </Panel>
      {isAdding && data && <ColumnDialog types={data.types} onClose={() => setAdding(false)} />}
    </Outline>
  );
}

function ColumnDialog({ types, onClose }: { readonly types: readonly ColumnType[]; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const sent = useApiForm({
    initialValues: { name: "", type: "text" },
    submit: (body) => api("POST", "/customer-columns", { body }),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ["/customer-columns"] });
      notifications.show({ color: "green", message: words.saved });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={words.add} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack>
          <FormError error={sent.error} />
          <TextInput label={words.name} required data-autofocus {...sent.form.getInputProps("name")} />
          <NativeSelect
            label={words.type}
            data={types.map((value) => ({ value, label: words.types[value] }))}
            {...sent.form.getInputProps("type")}
          />
          <SubmitRow of={sent} label={words.add} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
