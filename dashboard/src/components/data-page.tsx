// A page with a list: search and filters above, the table, pages below, and what to say when there is nothing.
// What belongs here: the arrangement. Fetching is lists/use-list.ts; filters that a page adds are its own fields.
import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { List } from "../lists/use-list.ts";
import { parts } from "../strings/shell.ts";
import { DataTable, type Column } from "./data-table.tsx";
import { EmptyState } from "./empty-state.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { ExportButton } from "./export-button.tsx";
import { Page, Panel } from "./page.tsx";
import { SearchField } from "./search-field.tsx";

type Props<Row, Extra> = {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  readonly list: List<Row, Extra>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** The filter that the search field sets, and what can be found with it. */
  readonly search?: { readonly filter: string; readonly placeholder: string };
  /** Further fields that call `list.setFilters`. */
  readonly filterFields?: ReactNode;
  /** Where the same list is had as CSV, below /dashboard/api. */
  readonly exportAs?: { readonly path: string; readonly fileName: string };
  /** Between the filters and the table: totals. */
  readonly summary?: ReactNode;
  /** What stands there before there is a first record. */
  readonly empty: { readonly title: string; readonly hint?: ReactNode; readonly action?: ReactNode };
};

/** A list as a page. */
export function DataPage<Row, Extra = object>(props: Props<Row, Extra>) {
  const { list, search } = props;
  const isEmpty = !list.isLoading && !list.error && list.rows.length === 0;
  return (
    <Page title={props.title} hint={props.hint} actions={props.actions}>
      <Panel flush>
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
          {props.filterFields}
          {list.isFiltered && (
            <Button variant="subtle" onClick={list.clearFilters}>
              {parts.clearFilters}
            </Button>
          )}
          {props.exportAs && (
            <Group ml="auto">
              <ExportButton {...props.exportAs} query={list.query} />
            </Group>
          )}
        </Group>
        {props.summary}
        {list.error && <ErrorNotice error={list.error} onRetry={list.reload} m="md" />}
        {isEmpty ? (
          <NothingHere list={list} empty={props.empty} />
        ) : (
          <DataTable
            caption={props.title}
            columns={props.columns}
            rows={list.rows}
            rowKey={props.rowKey}
            sort={list.sort}
            onSort={list.setSort}
            isLoading={list.isLoading}
            isOutdated={list.isOutdated}
          />
        )}
        <ListPages list={list} />
      </Panel>
    </Page>
  );
}

function NothingHere<Row, Extra>({ list, empty }: Pick<Props<Row, Extra>, "list" | "empty">) {
  if (!list.isFiltered) return <EmptyState {...empty} />;
  return <EmptyState title={parts.nothingMatches} hint={parts.nothingMatchesHint} />;
}

/** The way to the next page of a list and back; nothing where there is one page only. */
export function ListPages<Row, Extra>({ list }: { readonly list: List<Row, Extra> }) {
  if (!list.hasPrevious && !list.hasNext) return null;
  return (
    <Stack component="nav" aria-label={parts.pages} p="md">
      <Group justify="flex-end" gap="xs">
        <Button variant="default" disabled={!list.hasPrevious} onClick={list.goPrevious}>
          {parts.previous}
        </Button>
        <Button variant="default" disabled={!list.hasNext || list.isOutdated} onClick={list.goNext}>
          {parts.next}
        </Button>
      </Group>
    </Stack>
  );
}
