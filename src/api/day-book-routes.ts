// Accounting reports over a period: the day book, and the routes that belong to it.
import { registerBookSettingRoutes } from "./book-setting-routes.ts";
import {
  BOOK_CHART,
  readDayBook,
  voucherOf,
  type BookAccount,
  type DayBookKey,
  type DayBookRow,
} from "../books/index.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { registerAccountStatementRoutes } from "./account-statement-routes.ts";
import { creditOf, debitOf } from "./book-routes.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { listRoute, placeField, sendCsv, unknownPosition } from "./list-routes.ts";
import { PERIOD, reading } from "./report-routes.ts";
import { registerTallyRoutes } from "./tally-routes.ts";
import { registerZohoRoutes } from "./zoho-routes.ts";

const permission = "invoices.view";
const EXPORT_PAGE = 1000;

/** Adds them: docs/accounts.md#reports */
export function registerDayBookRoutes(scope: DashboardScope) {
  return [
    ...registerDayBook(scope),
    ...registerTallyRoutes(scope),
    ...registerZohoRoutes(scope),
    ...registerAccountStatementRoutes(scope),
    ...registerBookSettingRoutes(scope),
  ];
}

/** Empty for a receipt. */
const invoiceName = (invoiceId: bigint): string => (invoiceId === 0n ? "" : formatInvoiceId(invoiceId));

const CHART = new Map<BookAccount, (typeof BOOK_CHART)[number]>(BOOK_CHART.map((entry) => [entry.name, entry]));

/** The key of a row of the day book: its day, invoice, subject, event, number and part. */
const DAY_BOOK_PLACE =
  /^(?:19|2[01])[0-9]{2}-[0-9]{2}-[0-9]{2}_[0-9]{1,16}_[0-9]{1,16}_[0-9]{1,9}_[0-9]{1,4}_[a-z_]{1,30}$/;

function registerDayBook(scope: DashboardScope) {
  const url = "/reports/day-book";
  const summary = "Read the day book";
  return [
    listRoute(scope, {
      url,
      summary,
      permission,
      filters: PERIOD,
      paging: { after: placeField(100, DAY_BOOK_PLACE) },
      rowsIn: "entries",
      read: async (call, { after, limit }) => {
        const [db, merchant, period] = reading(scope, call);
        const found = await readDayBook(db, merchant, period, { after: dayBookPlaceIn(after), limit: limit + 1 });
        const rows = found.slice(0, limit);
        return { rows: rows.map(describeEntry), next: found.length > limit ? nameOf(rows.at(-1)!) : null };
      },
    }),
    dashboardRoute(scope, {
      route: `GET ${url}.csv`,
      summary: `${summary}, as CSV`,
      permission,
      query: PERIOD,
      handler: (call) => sendCsv(call.reply, "day-book.csv", JOURNAL_COLUMNS, allLines(...reading(scope, call))),
    }),
  ];
}

function dayBookPlaceIn(after: string | null): DayBookKey | null {
  if (after === null) return null;
  const [day = "", invoice = "", subject = "", no = "", part = "", ...event] = after.split("_");
  try {
    return {
      day: Temporal.PlainDate.from(day),
      invoiceId: BigInt(invoice),
      subjectId: BigInt(subject),
      no: Number(no),
      part: Number(part),
      event: event.join("_"),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unknownPosition();
  }
}

/** The key of a posting, also used in `next`. */
function nameOf({ day, invoiceId, subjectId, no, part, event }: DayBookKey): string {
  return [day.toString(), invoiceId, subjectId, no, part, event].join("_");
}

function linesOf(row: DayBookRow) {
  return [...row.amounts].map(([account, paise]) => ({ row, entry: CHART.get(account)!, paise }));
}

function describeEntry(row: DayBookRow) {
  return {
    entry_id: nameOf(row),
    date: row.day.toString(),
    voucher_type: voucherOf(row),
    number: row.number,
    invoice_id: invoiceName(row.invoiceId),
    customer_code: row.customerCode,
    customer_name: row.customerName,
    reference: row.reference,
    lines: linesOf(row).map(({ entry, paise }) => ({
      code: entry.code,
      account: entry.name,
      title: entry.title,
      debit: formatPaise(debitOf(paise)),
      credit: formatPaise(creditOf(paise)),
    })),
  };
}

type JournalLine = ReturnType<typeof linesOf>[number];

async function* allLines(
  db: Queryable,
  merchant: Merchant,
  period: ReturnType<typeof reading>[2],
): AsyncGenerator<JournalLine> {
  let after: DayBookKey | null = null;
  for (;;) {
    const rows: DayBookRow[] = await readDayBook(db, merchant, period, { after, limit: EXPORT_PAGE });
    for (const row of rows) yield* linesOf(row);
    if (rows.length < EXPORT_PAGE) return;
    after = rows.at(-1)!;
  }
}

/** One side of a line is empty. */
const JOURNAL_COLUMNS: Readonly<Record<string, (line: JournalLine) => CsvCell>> = {
  entry_id: ({ row }) => nameOf(row),
  date: ({ row }) => row.day.toString(),
  voucher_type: ({ row }) => voucherOf(row),
  voucher_number: ({ row }) => row.number,
  account_code: ({ entry }) => entry.code,
  account_name: ({ entry }) => entry.title,
  party_code: ({ row }) => row.customerCode,
  party_name: ({ row }) => row.customerName,
  debit: ({ paise }) => (paise > 0n ? paise : ""),
  credit: ({ paise }) => (paise < 0n ? -paise : ""),
  reference: ({ row }) => row.reference,
  nodal_id: ({ row }) => invoiceName(row.invoiceId),
};
