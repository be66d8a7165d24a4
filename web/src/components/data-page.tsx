// A page with a list: search, filters and totals above, the table, pages below, and an empty state. lists/use-list.ts fetches the
// rows; pages add their own filter fields.
import {
  ActionIcon,
  Checkbox,
  Divider,
  Group,
  NativeSelect,
  Popover,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { SearchField } from "../lists/filters.tsx";
import { PAGE_SIZES } from "../lists/page-size.ts";
import type { List } from "../lists/use-list.ts";
import { parts } from "../strings/shell.ts";
import { Action } from "./actions.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { type Column, DataTable, type RowDetails, type RowKey, type Selection, type TotalsOf } from "./data-table.tsx";
import { ExportButton } from "./export-button.tsx";
import { InfoTip } from "./info-tip.tsx";
import { EmptyState, ErrorNotice } from "./notices.tsx";
import { Page, Panel } from "./page.tsx";
import { lists } from "../strings/lists.ts";
import { CrossIcon } from "./icons.tsx";
import { useLocalStorage } from "@mantine/hooks";
import { useSession } from "../api/session.ts";
import { WEIGHT } from "../app/tokens.ts";

type PanelProps<Row, Extra> = {
  /** The title of the panel, if it has one. */
  readonly title?: string;
  /** The name of the rows, if there is no title. */
  readonly caption?: string;
  readonly actions?: ReactNode;
  readonly list: List<Row, Extra>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: RowKey<Row>;
  /** The filter that the search field sets, and its placeholder. */
  readonly search?: { readonly filter: string; readonly placeholder: string };
  /** Further fields, which get their props from `list.filter`. */
  readonly filterFields?: ReactNode;
  /** Whether the list can be exported as a file. */
  readonly hasFile?: boolean;
  /** Between the filters and the table: totals. */
  readonly summary?: ReactNode;
  /** Shown before there is a first record. */
  readonly empty: { readonly title: string; readonly hint?: ReactNode; readonly action?: ReactNode };
  /** Above the filters: links to parts of the list. */
  readonly tabs?: ReactNode;
  /** If rows can be selected. */
  readonly selection?: Selection<Row> | undefined;
  /** The actions on selected rows. */
  readonly bulk?: ReactNode;
  /** If rows open to show details. */
  readonly details?: RowDetails<Row> | undefined;
  readonly totals?: TotalsOf | undefined;
  /** Below the list: a dialog about a row. */
  readonly children?: ReactNode;
};

type PageProps<Row, Extra> = PanelProps<Row, Extra> & { readonly title: string; readonly hint?: ReactNode };

/** A list as a page. */
export function DataPage<Row, Extra = object>({ title, hint, actions, ...panel }: PageProps<Row, Extra>) {
  return (
    <Page title={title} hint={hint} actions={actions}>
      <ListPanel caption={title} {...panel} />
    </Page>
  );
}

/** A list as a part of a page. */
export function ListPanel<Row, Extra = object>(props: PanelProps<Row, Extra>) {
  const { title, caption = title ?? "", actions, list, search, filterFields, hasFile, summary, children } = props;
  const view = useListView(list.path);
  const columns = props.columns.filter(({ key }, index) => index === 0 || !view.hidden.includes(key));
  const isEmpty = !list.isLoading && !list.error && list.rows.length === 0;
  return (
    <Panel title={title} actions={actions} flush>
      {props.tabs}
      {(search || filterFields || hasFile || props.tabs) && (
        <Group p="md" gap="sm" align="flex-end">
          {search && (
            <SearchField
              flex="1 1 14rem"
              maw={420}
              label={search.placeholder}
              value={list.filters[search.filter] ?? ""}
              onSearch={(text) => list.setFilters({ [search.filter]: text })}
            />
          )}
          {filterFields}
          {list.isFiltered && (search || filterFields) && (
            <Action label={parts.clearFilters} variant="subtle" onClick={list.clearFilters} />
          )}
          <Group ml="auto">
            <ListViewMenu list={list} view={view} columns={props.columns} />
            {hasFile && (
              <ExportButton path={`${list.path}.csv`} fileName={`${list.path.slice(1)}.csv`} query={list.query} />
            )}
          </Group>
        </Group>
      )}
      {summary}
      {list.error && <ErrorNotice error={list.error} onRetry={list.reload} m="md" />}
      {isEmpty ? (
        <NothingHere list={list} empty={props.empty} />
      ) : (
        <DataTable
          caption={caption}
          columns={columns}
          rows={list.rows}
          rowKey={props.rowKey}
          sort={list.sort}
          onSort={list.setSort}
          isLoading={list.isLoading}
          isOutdated={list.isOutdated}
          selection={props.selection}
          details={props.details}
          totals={props.totals}
          hasLines
        />
      )}
      {props.selection && props.bulk && (
        <BulkBar count={props.selection.selected.size} onClear={() => props.selection?.onChange(new Set())}>
          {props.bulk}
        </BulkBar>
      )}
      <ListPages list={list} />
      {children}
    </Panel>
  );
}

function NothingHere<Row, Extra>({ list, empty }: Pick<PanelProps<Row, Extra>, "list" | "empty">) {
  if (!list.isFiltered) return <EmptyState {...empty} />;
  return <EmptyState title={parts.nothingMatches} hint={parts.nothingMatchesHint} />;
}

/** The next and previous page of a list, and how long pages are; nothing if the shortest page holds the whole list. */
function ListPages<Row, Extra>({ list }: { readonly list: List<Row, Extra> }) {
  const { hasPrevious, hasNext, rows, pageSize, setPageSize } = list;
  if (!hasPrevious && !hasNext && rows.length <= Math.min(...PAGE_SIZES)) return null;
  return (
    <Group component="nav" aria-label={parts.pages} p="md" justify="space-between" gap="xs">
      <NativeSelect
        aria-label={lists.pageSize}
        value={String(pageSize)}
        onChange={({ currentTarget: { value } }) => setPageSize(Number(value))}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: lists.perPage(size) }))}
      />
      {(hasPrevious || hasNext) && (
        <Group gap="xs">
          <Action label={parts.previous} disabled={!hasPrevious} onClick={list.goPrevious} />
          <Action label={parts.next} disabled={!hasNext || list.isOutdated} onClick={list.goNext} />
        </Group>
      )}
    </Group>
  );
}

type Sum = {
  readonly label: string;
  readonly value: ReactNode;
  /** A tooltip about what the sum includes. */
  readonly info?: string;
};

type TotalsProps<T> = {
  /** The request for them; the server returns none if there are too many rows to add up. */
  readonly of: Pick<UseQueryResult<{ readonly totals: T | null }>, "data" | "error" | "refetch">;
  /** The text in that case. */
  readonly tooMany: string;
  /** The sums; only their names until they are loaded. */
  readonly sums: (totals: T | undefined) => readonly Sum[];
};

/** The totals of a list, with placeholders until they are loaded. */
export function Totals<T>({ of: { data, error, refetch }, tooMany, sums }: TotalsProps<T>) {
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data && !data.totals) {
    return (
      <Text size="sm" c="dimmed">
        {tooMany}
      </Text>
    );
  }
  return (
    <Stack gap={4} w="100%">
      <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} m={0} aria-busy={!data}>
        {sums(data?.totals ?? undefined).map(({ label, value, info }) => (
          <div key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
              {info !== undefined && <InfoTip about={label} text={info} />}
            </Text>
            <Text component="dd" m={0} fw={WEIGHT.strong}>
              {value ?? <Skeleton component="span" display="block" height="1.55em" width="6em" />}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

type Props<Row> = {
  readonly list: Pick<List<unknown>, "filters" | "isFiltered" | "setFilters">;
  readonly view: ListView;
  readonly columns: readonly Column<Row>[];
};

/** A button that opens the choices. */
function ListViewMenu<Row>({ list, view, columns }: Props<Row>) {
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
      <Text size="sm" fw={WEIGHT.strong}>
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

/** Saved filters, by their names in the address. */
type SavedFilters = { readonly name: string; readonly filters: Readonly<Record<string, string>> };

type Kept = { readonly saved: readonly SavedFilters[]; readonly hidden: readonly string[] };
const NOTHING: Kept = { saved: [], hidden: [] };
const MAX_SAVED = 20;

type ListView = Kept & {
  /** Saves filters; those with the same name are replaced, and the oldest is dropped if there are too many. */
  readonly save: (filters: SavedFilters) => void;
  readonly remove: (name: string) => void;
  readonly setHidden: (columns: readonly string[]) => void;
};

/** The saved filters of the list at a route. */
function useListView(path: string): ListView {
  const { kind, id, merchant } = useSession();
  const [stored, setKept] = useLocalStorage<unknown>({
    key: `nodal-list:${kind}-${id}:${merchant?.id ?? ""}:${path}`,
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
  });
  const kept = isKept(stored) ? stored : NOTHING;
  const change = (changes: Partial<Kept>): void => setKept({ ...kept, ...changes });
  return {
    ...kept,
    save: (filters) => {
      const others = kept.saved.filter(({ name }) => name !== filters.name);
      change({ saved: [...others, filters].slice(-MAX_SAVED) });
    },
    remove: (removed) => change({ saved: kept.saved.filter(({ name }) => name !== removed) }),
    setHidden: (hidden) => change({ hidden }),
  };
}

/** Whether the stored value is valid: an older release or a user may have stored something else. */
function isKept(stored: unknown): stored is Kept {
  const { saved, hidden } = (stored ?? {}) as Partial<Kept>;
  return (
    Array.isArray(saved) &&
    Array.isArray(hidden) &&
    saved.every((each) => typeof each?.name === "string" && typeof each.filters === "object" && each.filters !== null)
  );
}
