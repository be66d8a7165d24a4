// A panel with a table of a route's answer or of a part of a record, with its error and empty states. data-page.tsx is for lists
// with pages and filters.
import { Group, Text } from "@mantine/core";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Sort } from "../lists/use-list.ts";
import { Action } from "./actions.tsx";
import { DataTable, type Column, type RowKey, type TotalsOf } from "./data-table.tsx";
import { EmptyState, ErrorNotice } from "./notices.tsx";
import { Panel } from "./page.tsx";

type PanelQuery = Pick<UseQueryResult<unknown>, "error" | "isPending" | "refetch"> &
  Partial<Pick<UseQueryResult<unknown>, "isPlaceholderData">> &
  Partial<Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">>;

type Props<Row> = {
  /** The title of the panel, if it has one. */
  readonly title?: string;
  /** The name of the rows, if there is no title. */
  readonly caption?: string;
  readonly actions?: ReactNode;
  /** Above the table. */
  readonly hint?: ReactNode;
  /** The request for the rows; none for a part of a loaded record. */
  readonly of?: PanelQuery;
  readonly rows: readonly Row[] | undefined;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: RowKey<Row>;
  /** The sort keys of columns, if not the displayed values: the list is completely loaded. */
  readonly sortKeys?: Readonly<Record<string, (row: Row) => string | number>>;
  /** The text if there are no rows. */
  readonly empty?: string | { readonly title: string; readonly hint?: ReactNode; readonly action?: ReactNode };
  readonly totals?: TotalsOf | undefined;
  /** The label of the button that adds older rows, if there are more. */
  readonly older?: string;
  /** Below the table. */
  readonly children?: ReactNode;
};

/** A table in its panel. */
export function TablePanel<Row>(props: Props<Row>) {
  const { title, caption = title ?? "", actions, hint, of, rows = [], columns, rowKey, empty, children } = props;
  const sorted = useSorted(rows, columns, props.sortKeys);
  const isEmpty = empty !== undefined && props.rows?.length === 0;
  return (
    <Panel title={title} actions={actions} flush>
      {hint !== undefined && (
        <Text c="dimmed" px="md" pb="sm">
          {hint}
        </Text>
      )}
      {of?.error && <ErrorNotice error={of.error} onRetry={() => void of.refetch()} m="md" />}
      {isEmpty ? (
        <Nothing empty={empty} />
      ) : (
        <DataTable
          caption={caption}
          columns={columns}
          {...sorted}
          rowKey={rowKey}
          isLoading={of?.isPending ?? false}
          isOutdated={of?.isPlaceholderData ?? false}
          totals={props.totals}
        />
      )}
      {of?.hasNextPage && (
        <Group justify="center" p="md">
          <Action label={props.older} loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage?.()} />
        </Group>
      )}
      {children}
    </Panel>
  );
}

function Nothing({ empty }: { readonly empty: NonNullable<Props<never>["empty"]> }) {
  if (typeof empty !== "string") return <EmptyState {...empty} />;
  return (
    <Text px="md" pb="md" c="dimmed">
      {empty}
    </Text>
  );
}

/** The rows in the order that the address requests, or in the server's. Texts are compared by the language's rules. */
function useSorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], keys: Props<Row>["sortKeys"] = {}) {
  const search: Readonly<Record<string, string>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const by = search["sort"]?.replace(/^-/, "") ?? "";
  const descending = search["sort"]?.startsWith("-") ?? false;
  const onSort = (next: Sort): void => {
    const sort = `${next.descending ? "-" : ""}${next.by}`;
    void navigate({ to: ".", search: { ...search, sort }, replace: true, resetScroll: false });
  };
  if (!columns.some(({ key, sortable }) => sortable && key === by)) return { rows, sort: null, onSort };
  const keyOf = keys[by] ?? ((row: Row) => row[by as keyof Row] as string | number);
  const direction = descending ? -1 : 1;
  const ordered = rows.toSorted((a, b) => direction * compare(keyOf(a), keyOf(b)));
  return { rows: ordered, sort: { by, descending }, onSort };
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
}
