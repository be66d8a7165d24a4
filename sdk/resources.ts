// What the generated methods of /api/v4 are made of.
import type { RequestOptions } from "./transport.ts";

export type { RequestOptions };
/** The bytes of a file. */
export type File = Uint8Array<ArrayBuffer>;
/** A request's body, and its query. */
export type Body<Data extends { readonly body?: unknown }> = NonNullable<Data["body"]>;
export type Query<Data extends { readonly query?: unknown }> = NonNullable<Data["query"]>;
export type ListOptions = Pick<RequestOptions, "signal">;

/** Sends a request below /api/v4. */
export type Call = <Answer>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  request: {
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: object;
    readonly file?: File;
    readonly answersFile?: true;
    readonly options?: RequestOptions | undefined;
  },
) => Promise<Answer>;

/** A path with ids in it. */
export function at(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: parts }, ...ids.map(encodeURIComponent));
}

/** The address with a query; what is `undefined` or `null` is left out. */
export function withQuery(path: string, query: Readonly<Record<string, unknown>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** The records of a list, page after page. What is added meanwhile makes no record come twice. */
export async function* everyRecord<Rows extends string, Row>(
  rowsIn: Rows,
  readPage: (
    after: string | undefined,
  ) => Promise<{ readonly [Name in Rows]: readonly Row[] } & { readonly next: string | null }>,
): AsyncGenerator<Row> {
  let after: string | undefined;
  for (;;) {
    const page = await readPage(after);
    yield* page[rowsIn];
    if (page.next === null) return;
    after = page.next;
  }
}
