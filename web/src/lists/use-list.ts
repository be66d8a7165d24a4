// The state of a list: filters, order and page are in the address, so that links, reload and back work. components/data-page.tsx
// shows it.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { whileAnyUnderWay } from "../api/ask-again.ts";
import { api, type ApiError } from "../api/client.ts";
import type { Answer, Known } from "../api/contract.ts";
import { usePageSize } from "./page-size.ts";

export type Sort = { readonly by: string; readonly descending: boolean };

type ListOptions<Path extends string, RowsIn, Row> = {
  /** The route below /api/v4; also the key under which answers are kept. */
  readonly path: Known<"GET", Path>;
  /** The member of the answer that holds the rows: `transfers`. */
  readonly rowsIn: RowsIn;
  /** The names of the filters, in the address and in the request alike. */
  readonly filters: readonly string[];
  /** Sent always, and never in the address. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Whether a row may still change; the page is polled while one of its rows does. */
  readonly isUnderWay?: (row: Row) => boolean;
};

export type List<Row, Answered = object> = {
  readonly path: string;
  readonly rows: readonly Row[];
  /** The whole answer, with what the route adds to it (totals); `null` before the first. */
  readonly answer: Answered | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** The rows shown are those of the earlier filter or page. */
  readonly isOutdated: boolean;
  readonly filters: Readonly<Record<string, string>>;
  readonly isFiltered: boolean;
  /** Changes filters and goes to the first page. An empty value removes a filter. */
  readonly setFilters: (changes: Readonly<Record<string, string>>) => void;
  readonly clearFilters: () => void;
  /** The props of a field that sets a filter: `<NativeSelect {...list.filter("status", words.status)} />`. */
  readonly filter: (name: string, label: string) => FilterProps;
  readonly sort: Sort | null;
  readonly setSort: (sort: Sort) => void;
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  readonly goPrevious: () => void;
  readonly goNext: () => void;
  /** The most rows of a page. A change goes to the first page. */
  readonly pageSize: number;
  readonly setPageSize: (size: number) => void;
  /** The query of the request, for an export of the same list. */
  readonly query: Readonly<Record<string, string>>;
  readonly reload: () => void;
};

type FilterProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void;
};

type Search = Readonly<Record<string, string>>;
/** What every list route answers with, beside the rows: what `after` is for the next page, `null` on the last one. */
type Paged = Readonly<Record<PropertyKey, unknown>> & { readonly next: string | null };
type RowOf<Rows> = Rows extends readonly (infer Row)[] ? Row : never;

/** Which route it is, and so what it answers with, is known only where the list is used. */
const get = (path: string, options: { readonly query: Search; readonly signal: AbortSignal }): Promise<Paged> =>
  api("GET", path as never, options as never);

/** The list at a route, as the address says. */
export function useList<const Path extends string, RowsIn extends keyof Answer<"GET", Path>>(
  options: ListOptions<Path, RowsIn, RowOf<Answer<"GET", Path>[RowsIn]>>,
): List<RowOf<Answer<"GET", Path>[RowsIn]>, Answer<"GET", Path>> {
  const search: Search = useSearch({ strict: false });
  const filters = Object.fromEntries(options.filters.map((name) => [name, search[name] ?? ""]));
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  const { sort: sorted, after } = search;
  type Row = RowOf<Answer<"GET", Path>[RowsIn]>;
  const rowsOf = (answer: Paged): readonly Row[] => (answer[options.rowsIn] ?? []) as Row[];
  const query = { ...options.fixed, ...given, ...(sorted ? { sort: sorted } : {}) };
  const [pageSize, setPageSize] = usePageSize();
  const page = { limit: String(pageSize), ...(after ? { after } : {}) };
  const result = useQuery<Paged, ApiError>({
    queryKey: [options.path, query, page],
    queryFn: ({ signal }) => get(options.path, { query: { ...query, ...page }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: whileAnyUnderWay(rowsOf, options.isUnderWay ?? (() => false)),
  });
  const moves = useMoves(search);
  return {
    path: options.path,
    rows: result.data ? rowsOf(result.data) : [],
    answer: (result.data ?? null) as Answer<"GET", Path> | null,
    error: result.error,
    isLoading: result.isPending,
    isOutdated: result.isPlaceholderData,
    filters,
    isFiltered: Object.keys(given).length > 0,
    setFilters: (changes) => moves.change(changes),
    clearFilters: () => moves.change(Object.fromEntries(options.filters.map((name) => [name, ""]))),
    filter: (name, label) => ({
      label,
      value: filters[name] ?? "",
      onChange: ({ currentTarget: { value } }) => moves.change({ [name]: value }),
    }),
    sort: sorted ? { by: sorted.replace(/^-/, ""), descending: sorted.startsWith("-") } : null,
    setSort: ({ by, descending }) => moves.change({ sort: `${descending ? "-" : ""}${by}` }),
    hasPrevious: Boolean(after),
    hasNext: Boolean(result.data?.next),
    goPrevious: moves.goPrevious,
    goNext: () => moves.goNext(result.data?.next ?? ""),
    pageSize,
    setPageSize: (size) => {
      setPageSize(size);
      moves.change({});
    },
    query,
    reload: () => void result.refetch(),
  };
}

/** Pages are steps that "back" undoes; filters are not, since typing one makes many of them. */
function useMoves(search: Search) {
  const navigate = useNavigate();
  const { trail = [] } = useLocation().state;
  const go = (changes: Search, how: { readonly replace: boolean; readonly trail: readonly string[] }): void => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== "");
    const state = { trail: how.trail };
    void navigate({
      to: ".",
      search: Object.fromEntries(next),
      replace: how.replace,
      state,
      resetScroll: !how.replace,
    });
  };
  return {
    change: (changes: Search) => go({ ...changes, after: "" }, { replace: true, trail: [] }),
    goNext: (after: string) => go({ after }, { replace: false, trail: [...trail, search["after"] ?? ""] }),
    // Keys lead forward only: the way back is remembered. A deep link has none, and goes back to the first page.
    goPrevious: () => go({ after: trail.at(-1) ?? "" }, { replace: false, trail: trail.slice(0, -1) }),
  };
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The keys (`after`) of the pages of a list that led to the one shown. */
    trail?: readonly string[];
  }
}
