// Cached queries of pages, by path and query, which are fetched again after a change. Also the key that a form sends, so that a
// double click, or a retry after a lost answer, saves nothing twice.
import {
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
  type UseQueryResult,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { api, type ApiError, type Query } from "./client.ts";
import type { Answer, Known, QueryOf } from "./contract.ts";
import { useState } from "react";

type Options<P extends string> = { readonly query?: QueryOf<"GET", P> } & Pick<
  UseQueryOptions<Answer<"GET", P>, ApiError>,
  "enabled" | "placeholderData" | "refetchInterval" | "refetchOnWindowFocus"
>;

/** The cache key of an answer. */
const keyOf = (path: string, query?: Query): readonly unknown[] => (query ? [path, query] : [path]);

function getOptions<const P extends string>(path: Known<"GET", P>, { query, ...rest }: Options<P>) {
  return queryOptions<Answer<"GET", P>, ApiError>({
    queryKey: keyOf(path, query),
    queryFn: ({ signal }) => api<"GET", P>("GET", path, { query, signal }),
    ...rest,
  });
}

/** The answer of a route, for a page that shows the loading state itself. */
export function useGet<const P extends string>(
  path: Known<"GET", P>,
  options: Options<P> = {},
): UseQueryResult<Answer<"GET", P>, ApiError> {
  return useQuery(getOptions<P>(path, options));
}

/** The same, for a form or menu that starts with the server's current data: no cached data is used. */
export function useFresh<const P extends string>(path: Known<"GET", P>): UseQueryResult<Answer<"GET", P>, ApiError> {
  const result = useQuery({ ...getOptions<P>(path, {}), refetchOnMount: "always" });
  return result.isFetchedAfterMount ? result : ({ ...result, data: undefined } as typeof result);
}

/** The same, for a page that needs it: the frame shows that it is loading, or why it failed. */
export function useLoaded<const P extends string>(
  path: Known<"GET", P>,
  options: Pick<Options<P>, "refetchInterval"> = {},
): Answer<"GET", P> {
  return useSuspenseQuery(getOptions<P>(path, options)).data;
}

/** A list that grows: its first page, and older ones on demand. `pages` has all loaded ones. */
export function usePages<const P extends string>(path: Known<"GET", P>) {
  const { data, ...rest } = useInfiniteQuery({
    queryKey: keyOf(path),
    queryFn: async ({ pageParam, signal }) =>
      (await api<"GET", P>("GET", path, { query: { after: pageParam } as QueryOf<"GET", P>, signal })) as Answer<
        "GET",
        P
      > &
        Paged,
    initialPageParam: "",
    getNextPageParam: ({ next }: Paged) => next,
  });
  return { pages: data?.pages, ...rest };
}
type Paged = { readonly next: string | null };

/** For changes that may be seen anywhere. */
export const EVERYTHING = [""];

/** `/session/customers/form`, which a change below `/customers` changes, as `/customers/form`. */
const withoutScreen = (path: string): string => path.replace(/^\/session(?=\/)/, "");

/** Fetches everything below some paths again: `await changed("/invoices", "/customers")`. */
export function useChanged(): (...paths: readonly string[]) => Promise<void> {
  const queries = useQueryClient();
  return (...paths) =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [key] }) =>
        paths.some((path) => `${withoutScreen(String(key))}/`.startsWith(`${withoutScreen(path)}/`)),
    });
}

/** Makes a unique key. */
export function makeRequestKey(): string {
  // `crypto.randomUUID` is missing if the page was loaded over plain http from another machine.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The key of the current form, and a function that starts a new one. */
export function useRequestKey(): readonly [string, () => void] {
  const [key, setKey] = useState(makeRequestKey);
  return [key, () => setKey(makeRequestKey())];
}
