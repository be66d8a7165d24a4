// Lists: pages by the key of the last row, and the whole list as a file at the same path with .csv; with limits on
// concurrent files. Each route defines its filters and rows.
import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";
import type { Permission } from "../merchants/index.ts";
import { csvPieces, type CsvCell } from "../platform/csv.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { savedAs } from "../platform/file-name.ts";
import { Gate } from "../platform/gate.ts";
import { date, digitsOrNumber, money, optional, text, wholeNumber, type Field } from "../platform/http/fields.ts";
import type { Json, JsonObject } from "../platform/json.ts";
import { xlsxFile, XLSX_TYPE } from "../platform/xlsx.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";

const PAGE_DEFAULT = 50;
const PAGE_MAXIMUM = 200;

/** The requested page: the rows after `after`, which is `next` of the page before; `null` for the first page. */
export type PageRequest = { readonly after: string | null; readonly limit: number };

/** A page of a list. */
type Page<Row> = { readonly rows: readonly Row[]; readonly next: string | null };

type Fields = { readonly [name: string]: Field<unknown> };

/** A call of a list, with its filters. */
type ListCall<P extends Fields, F extends Fields> = MerchantCall & {
  readonly params: Values<P>;
  readonly query: Values<F>;
};

type List<U extends string, In extends string, Row, More, P extends Fields, F extends Fields> = {
  /** Behind /api/v4. */
  readonly url: U;
  readonly summary: string;
  readonly permission: Permission;
  readonly narrowsToFranchise?: true;
  readonly params?: P;
  /** Its filters and sort orders. */
  readonly filters: F;
  /** The form of `after` if it is not a number; and the largest and the default number of rows per page. */
  readonly paging?: { readonly after?: Field<string | null>; readonly maximum?: number; readonly usual?: number };
  /** The member of the answer that holds the rows. */
  readonly rowsIn: In;
  /** Reads a page, and `more` members of the answer. */
  readonly read: (call: ListCall<P, F>, page: PageRequest) => Promise<Page<Row> & { readonly more?: More }>;
};

/** The query fields for a page. */
export function pageFields({
  after = optional(digitsOrNumber(16)),
  maximum = PAGE_MAXIMUM,
}: NonNullable<AnyList["paging"]> = {}) {
  return { after, limit: optional(wholeNumber(1, maximum)) };
}
type AnyList = List<string, string, Json, JsonObject, Fields, Fields>;

/** `after` as a number. */
export function numberIn(after: string | null): bigint | null {
  return after === null ? null : BigInt(after);
}

/** A range of days. */
export const DAY_FIELDS = { from: optional(date()), to: optional(date()) };

/** The same with amounts. */
export const RANGE_FIELDS = { ...DAY_FIELDS, amount_from: optional(money()), amount_to: optional(money()) };

/** The position of a page's end in a list sorted by day: a day and a number. */
type DayPlace = { readonly day: Temporal.PlainDate; readonly id: bigint };

/** The field `after` of a list whose positions are not numbers. */
export function placeField(maxLength: number, pattern?: RegExp): Field<string | null> {
  return optional(
    text({ hint: "the value of next in the previous response", maxLength, ...(pattern ? { pattern } : {}) }),
  );
}

/** The error for an invalid position in a list. */
export function unknownPosition(): NodalError {
  const problem = "must be the value of next in the previous response.";
  return validationError([{ field: "after", code: "invalid", problem }]);
}

/** The field `after` of a list sorted by day. Statement lines may be from before 2000. */
export function dayPlaceField(): Field<string | null> {
  return placeField(30, /^(?:19|2[01])[0-9]{2}-[0-9]{2}-[0-9]{2}_[0-9]{1,16}$/);
}

/**
 * `after` as a position. @throws NodalError `validation_failed` for an invalid day
 */
export function dayPlaceIn(after: string | null): DayPlace | null {
  if (after === null) return null;
  const [written = "", id = ""] = after.split("_");
  try {
    return { day: Temporal.PlainDate.from(written), id: BigInt(id) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unknownPosition();
  }
}

/** A position as text for `next`. */
export function formatDayPlace({ day, id }: DayPlace): string {
  return `${day.toString()}_${id}`;
}

/** Cuts a page from the found rows, with the key of its last row. The query must request one row more than the page has. */
export function cutPage<Row>(
  found: readonly Row[],
  { limit }: { readonly limit: number },
  keyOf: (row: Row) => string | bigint | number,
) {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? String(keyOf(rows.at(-1)!)) : null };
}

/** Adds a paged list of a merchant. It answers with the rows, `next`, and further members from `read`. */
export function listRoute<
  const U extends string,
  const In extends string,
  Row extends Json,
  More extends JsonObject = Record<never, never>,
  P extends Fields = Record<never, never>,
  F extends Fields = Record<never, never>,
>(scope: DashboardScope, list: List<U, In, Row, More, P, F>) {
  const { url, summary, permission, narrowsToFranchise, params, rowsIn, paging } = list;
  return dashboardRoute(scope, {
    route: `GET ${url}`,
    summary,
    permission,
    ...(narrowsToFranchise ? { narrowsToFranchise } : {}),
    ...(params ? { params } : {}),
    query: { ...list.filters, ...pageFields(paging) },
    handler: (call) => readPage(rowsIn, call.query as PageQuery, (asked) => list.read(call, asked), paging?.usual),
  });
}

type PageQuery = { readonly after: string | null; readonly limit: number | null };

/** The requested page of a list, with its rows in the member with the given name. */
export async function readPage<const In extends string, Row, More = Record<never, never>>(
  rowsIn: In,
  { after, limit }: PageQuery,
  read: (asked: PageRequest) => Promise<Page<Row> & { readonly more?: More }>,
  usual = PAGE_DEFAULT,
) {
  const { rows, next, more } = await read({ after, limit: limit ?? usual });
  // The compiler can't type a computed member name.
  return { [rowsIn]: rows, next, ...more } as unknown as { readonly [Name in In]: readonly Row[] } & {
    readonly next: string | null;
  } & More;
}

type ListFile<U extends string, Row, F extends Fields> = {
  /** Of the list, without `.csv`. */
  readonly url: U;
  /** Of the list. */
  readonly summary: string;
  readonly permission: Permission;
  readonly narrowsToFranchise?: true;
  readonly filters: F;
  readonly read: (call: ListCall<Record<never, never>, F>) => MaybePromise<{
    readonly columns: Readonly<Record<string, (row: Row) => CsvCell>>;
    readonly rows: AsyncIterable<Row>;
  }>;
};
type MaybePromise<T> = T | Promise<T>;

/** Adds the file of a list, for the same filters: `/transfers.csv` with the name `transfers.csv`. */
export function listFileRoute<const U extends string, Row, F extends Fields = Record<never, never>>(
  scope: DashboardScope,
  { url, summary, permission, narrowsToFranchise, filters, read }: ListFile<U, Row, F>,
) {
  return dashboardRoute(scope, {
    route: `GET ${url}.csv`,
    summary: `${summary}, as CSV`,
    permission,
    ...(narrowsToFranchise ? { narrowsToFranchise } : {}),
    query: filters,
    handler: async (call) => {
      const { columns, rows } = await read({ ...call, db: scope.parts.reports.of(call.merchant) });
      return sendCsv(call.reply, `${url.slice(1)}.csv`, columns, rows);
    },
  });
}

export const CSV_TYPE = "text/csv; charset=utf-8";

/** Answers a route of a merchant with a file of a line of headings and one line for each row. @throws as `sendFile` */
export function sendCsv<Row>(
  reply: FastifyReply,
  name: string,
  columns: Readonly<Record<string, (row: Row) => CsvCell>>,
  rows: AsyncIterable<Row>,
): Promise<FastifyReply> {
  return sendFile(reply, { name, type: CSV_TYPE, pieces: csvPieces(columns, rows) });
}

/** Answers a route of a merchant with a workbook of one sheet. @throws as `sendFile` */
export function sendXlsx<Row>(
  reply: FastifyReply,
  name: string,
  {
    columns,
    numbers,
    rows,
  }: {
    readonly columns: Readonly<Record<string, (row: Row) => CsvCell>>;
    /** Columns whose texts are numbers. */
    readonly numbers: ReadonlySet<string>;
    readonly rows: AsyncIterable<Row>;
  },
): Promise<FastifyReply> {
  const cells = Object.values(columns);
  const lines = async function* (): AsyncGenerator<CsvCell[]> {
    for await (const row of rows) yield cells.map((cell) => cell(row));
  };
  const pieces = xlsxFile({ name, headings: Object.keys(columns), numbers, rows: lines() });
  return sendFile(reply, { name: `${name}.xlsx`, type: XLSX_TYPE, pieces });
}

/** A file is aborted if the client reads nothing for so long, or if it takes too long in total. */
const UNREAD_MS = 30_000;
const LONGEST_MS = 10 * 60_000;

const REFUSAL = "Too many downloads at once. Wait for one to finish, then try again.";
/** Only a few files are made at a time, since each reads much: two per merchant, and merchants take turns. */
const files = new Gate({
  atOnce: 6,
  atOncePerKey: 2,
  maxWaiting: 200,
  maxWaitingPerKey: 4,
  waitMs: 60_000,
  refusal: REFUSAL,
});

type MadeFile = {
  readonly name: string;
  readonly type: string;
  /** Lines are made only as fast as the client reads them. */
  readonly pieces: AsyncIterable<string | Uint8Array>;
};

/**
 * Answers a route of a merchant with a file. @throws NodalError `unavailable` if too many files are being made
 */
export async function sendFile(reply: FastifyReply, { name, type, pieces }: MadeFile): Promise<FastifyReply> {
  const leave = await files.enter(String(reply.request.dashboard.merchant?.merchantId));
  if (reply.raw.destroyed) {
    // The client disconnected while waiting.
    leave();
    throw new NodalError("unavailable", REFUSAL);
  }
  const watched = async function* (): AsyncGenerator<string | Uint8Array> {
    for await (const piece of pieces) {
      const unread = setTimeout(breakOff, UNREAD_MS);
      try {
        yield piece;
      } finally {
        clearTimeout(unread);
      }
    }
  };
  const file = Readable.from(watched());
  const breakOff = (): void => void file.destroy(new Error("The reader of this file is gone."));
  const longest = setTimeout(breakOff, LONGEST_MS);
  file.once("close", () => {
    clearTimeout(longest);
    leave();
  });
  // The client has disconnected, possibly before the first line.
  reply.raw.once("close", () => file.destroy());
  reply.header("content-disposition", savedAs(name));
  return reply.type(type).send(file);
}
