// What somebody may choose for a list: filters that are kept under a name, and which columns are shown.
// What belongs here: choosing. Keeping it is kept-views.ts.
import { ActionIcon, Checkbox, Divider, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { lists } from "../strings/lists.ts";
import type { ListView } from "../lists/kept-views.ts";
import type { List } from "../lists/use-list.ts";
import { Action } from "./actions.tsx";
import type { Column } from "./data-table.tsx";
import { CrossIcon } from "./icons.tsx";

type Props<Row> = {
  readonly list: Pick<List<unknown>, "filters" | "isFiltered" | "setFilters">;
  readonly view: ListView;
  readonly columns: readonly Column<Row>[];
};

/** A button that opens the choices. */
export function ListViewMenu<Row>({ list, view, columns }: Props<Row>) {
  const hasFilters = Object.keys(list.filters).length > 0;
  return (
    <Popover width={320} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Action label={lists.view} />
      </Popover.Target>
      <Popover.Dropdown aria-label={lists.view}>
        <Stack gap="sm">
          {hasFilters && (
            <>
              <SavedFilterList list={list} view={view} />
              <Divider />
            </>
          )}
          <ColumnChoice columns={columns} view={view} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function SavedFilterList({ list, view }: Pick<Props<never>, "list" | "view">) {
  const [name, setName] = useState("");
  const keep = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === "") return;
    view.save({ name: name.trim(), filters: list.filters });
    setName("");
  };
  const none = Object.fromEntries(Object.keys(list.filters).map((filter) => [filter, ""]));
  return (
    <Stack gap="xs" component="form" onSubmit={keep}>
      <Text size="sm" fw={600}>
        {lists.savedFilters}
      </Text>
      {view.saved.length === 0 && (
        <Text size="sm" c="dimmed">
          {lists.noneSaved}
        </Text>
      )}
      {view.saved.map((saved) => (
        <Group key={saved.name} gap="xs" wrap="nowrap" justify="space-between">
          <Action
            label={saved.name}
            variant="subtle"
            size="compact-sm"
            onClick={() => list.setFilters({ ...none, ...saved.filters })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={lists.removeSaved(saved.name)}
            onClick={() => view.remove(saved.name)}
          >
            <CrossIcon size={14} />
          </ActionIcon>
        </Group>
      ))}
      {list.isFiltered && (
        <Group gap="xs" wrap="nowrap" align="flex-end">
          <TextInput
            label={lists.filterName}
            maxLength={40}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Action label={lists.saveFilters} type="submit" />
        </Group>
      )}
    </Stack>
  );
}

/** The first column stays: it leads to the row. */
function ColumnChoice<Row>({ columns, view }: Pick<Props<Row>, "columns" | "view">) {
  const shown = columns.map(({ key }) => key).filter((key) => !view.hidden.includes(key));
  return (
    <Checkbox.Group
      label={lists.columns}
      value={shown}
      onChange={(chosen) => view.setHidden(columns.map(({ key }) => key).filter((key) => !chosen.includes(key)))}
    >
      <Stack gap={6} mt="xs">
        {columns.map(({ key, title }, index) => (
          <Checkbox key={key} value={key} label={title} disabled={index === 0} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
