// Order of a short list that is there as a whole: chosen by its headings, kept in the address, made in the browser.
// What belongs here: that. Lists that come in pages are ordered by the server: use-list.ts.
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Sort } from "./use-list.ts";

/** What rows are compared by, for each column that sorts: its key in the table. Texts are compared as people do. */
export type SortKeys<Row> = Readonly<Record<string, (row: Row) => string | number>>;

export type Sorted<Row> = {
  readonly rows: readonly Row[];
  readonly sort: Sort | null;
  readonly onSort: (sort: Sort) => void;
};

/** The rows in the order that the address says, or as they came. */
export function useSorted<Row>(rows: readonly Row[], keys: SortKeys<Row>): Sorted<Row> {
  const search: Readonly<Record<string, string>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const by = search["sort"]?.replace(/^-/, "") ?? "";
  const keyOf = keys[by];
  const descending = search["sort"]?.startsWith("-") ?? false;
  const onSort = (next: Sort): void => {
    const sort = `${next.descending ? "-" : ""}${next.by}`;
    void navigate({ to: ".", search: { ...search, sort }, replace: true, resetScroll: false });
  };
  if (!keyOf) return { rows, sort: null, onSort };
  const direction = descending ? -1 : 1;
  const ordered = rows.toSorted((a, b) => direction * compare(keyOf(a), keyOf(b)));
  return { rows: ordered, sort: { by, descending }, onSort };
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
}
