// A page with a list: search and filters above, the table, pages below, and what to say when there is nothing.
// What belongs here: the arrangement. Fetching is lists/use-list.ts; filters that a page adds are its own fields.
import { Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useListView } from "../lists/kept-views.ts";
import type { List } from "../lists/use-list.ts";
import { parts } from "../strings/shell.ts";
import { Action } from "./actions.tsx";
import { DataTable, type Column, type RowKey } from "./data-table.tsx";
import { ExportButton } from "./export-button.tsx";
import { ListViewMenu } from "./list-view.tsx";
import { EmptyState, ErrorNotice } from "./notices.tsx";
import { Page, Panel } from "./page.tsx";
import type { RowDetails } from "./row-details.tsx";
import type { Selection } from "./row-selection.tsx";
import { SearchField } from "./search-field.tsx";

type PanelProps<Row, Extra> = {
  /** Of the panel, where it has one. */
  readonly title?: string;
  /** What the rows are, where no title says it. */
  readonly caption?: string;
  readonly actions?: ReactNode;
  readonly list: List<Row, Extra>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: RowKey<Row>;
  /** The filter that the search field sets, and what can be found with it. */
  readonly search?: { readonly filter: string; readonly placeholder: string };
  /** Further fields, which get their props of `list.filter`. */
  readonly filterFields?: ReactNode;
  /** Whether the same list is had as a file, too. */
  readonly hasFile?: boolean;
  /** Between the filters and the table: totals. */
  readonly summary?: ReactNode;
  /** What stands there before there is a first record. */
  readonly empty: { readonly title: string; readonly hint?: ReactNode; readonly action?: ReactNode };
  /** Where rows can be chosen; what is done with them is in `summary`. */
  readonly selection?: Selection<Row> | undefined;
  /** Where rows open to show what belongs to them. */
  readonly details?: RowDetails<Row> | undefined;
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
      {(search || filterFields || hasFile) && (
        <Group p="md" gap="sm" align="flex-end">
          {search && (
            <SearchField
              flex="1 1 14rem"
              maw={420}
              placeholder={search.placeholder}
              label={search.placeholder}
              value={list.filters[search.filter] ?? ""}
              onSearch={(text) => list.setFilters({ [search.filter]: text })}
            />
          )}
          {filterFields}
          {list.isFiltered && <Action label={parts.clearFilters} variant="subtle" onClick={list.clearFilters} />}
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
        />
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

/** The way to the next page of a list and back; nothing where there is one page only. */
function ListPages<Row, Extra>({ list }: { readonly list: List<Row, Extra> }) {
  if (!list.hasPrevious && !list.hasNext) return null;
  return (
    <Stack component="nav" aria-label={parts.pages} p="md">
      <Group justify="flex-end" gap="xs">
        <Action label={parts.previous} disabled={!list.hasPrevious} onClick={list.goPrevious} />
        <Action label={parts.next} disabled={!list.hasNext || list.isOutdated} onClick={list.goNext} />
      </Group>
    </Stack>
  );
}
