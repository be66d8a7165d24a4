// The columns that the merchant defines for its customers.
import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { FirstLoad, Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { customerColumns as words } from "../../strings/customers.ts";
import { titles } from "../../strings/titles.ts";

type CustomColumn = Answer<"GET", "/customer-columns">["columns"][number];

const COLUMNS: readonly Column<CustomColumn>[] = [
  { key: "name", title: words.name },
  { key: "type", title: words.type, render: ({ type }) => words.types[type] },
  { key: "column_id", title: words.id, hideBelow: "sm" },
];

/** Columns of customers. */
export function Page() {
  const mayManage = usePermissions()("customers.manage");
  const found = useGet("/customer-columns");
  const [isAdding, setAdding] = useState(false);
  const add = mayManage && <Action label={words.add} primary onClick={() => setAdding(true)} />;
  return (
    <Outline
      title={titles.customerColumns}
      hint={words.hint}
      actions={found.isPending ? <FirstLoad /> : found.data?.columns.length === 0 ? undefined : add}
    >
      <TablePanel
        caption={titles.customerColumns}
        of={found}
        rows={found.data?.columns}
        columns={COLUMNS}
        rowKey="column_id"
        empty={{ title: words.empty, hint: words.emptyHint, action: add }}
      />
      {isAdding && found.data && (
        <FormDialog
          title={words.add}
          initialValues={{ name: "", type: "text" }}
          submit={(body) => api("POST", "/customer-columns", { body })}
          changes={["/customer-columns"]}
          done={words.saved}
          onClose={() => setAdding(false)}
        >
          {({ field }) => (
            <>
              <TextInput {...field("name", words.name)} required data-autofocus />
              <NativeSelect
                {...field("type", words.type)}
                data={found.data.types.map((value) => ({ value, label: words.types[value] }))}
              />
            </>
          )}
        </FormDialog>
      )}
    </Outline>
  );
}
