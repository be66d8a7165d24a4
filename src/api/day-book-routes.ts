// Reports on the books of billing over a period: the day book, and a customer's statement of account.
import { registerBookSettingRoutes } from "./book-setting-routes.ts";
import {
  BOOK_CHART,
  readCustomerStatement,
  readDayBook,
  type BookAccount,
  type DayBookKey,
  type DayBookRow,
  type StatementLine,
} from "../books/index.ts";
import { findCustomers } from "../customers/index.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { digitsOrNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { creditOf, debitOf } from "./book-routes.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { listRoute, placeField, sendCsv, unknownPosition } from "./list-routes.ts";
import { PERIOD, reading } from "./report-routes.ts";
import { registerTallyRoutes } from "./tally-routes.ts";

const permission = "invoices.view";
const EXPORT_PAGE = 1000;

/** Adds them: docs/accounts.md#reports */
export function registerDayBookRoutes(scope: DashboardScope) {
  return [
    ...registerDayBook(scope),
    ...registerTallyRoutes(scope),
    ...registerStatement(scope),
    ...registerBookSettingRoutes(scope),
  ];
}

/** What a posting is called in books. */
const VOUCHERS: Readonly<Record<string, string>> = {
  revision: "Sales",
  cancellation: "Sales cancelled",
  settlement: "Receipt",
  reversal: "Receipt reversed",
  credit_note: "Credit Note",
  credit_note_cancellation: "Credit Note cancelled",
  offset: "Refund set off",
  receipt: "Receipt",
  receipt_reversal: "Receipt reversed",
  receipt_refund: "Receipt refunded",
  refund: "Refund",
};
/** The use of a receipt moves no money. */
const USES: Readonly<Record<string, string>> = { settlement: "Advance used", reversal: "Advance released" };
function voucherOf({ event, usesReceipt = false }: { readonly event: string; readonly usesReceipt?: boolean }): string {
  return (usesReceipt ? USES[event] : VOUCHERS[event]) ?? "Journal";
}
/** Empty for what is about a receipt. */
const invoiceName = (invoiceId: bigint): string => (invoiceId === 0n ? "" : formatInvoiceId(invoiceId));

const CHART = new Map<BookAccount, (typeof BOOK_CHART)[number]>(BOOK_CHART.map((entry) => [entry.name, entry]));

/** Of a row of the day book: its day, invoice, subject, event, number and part. */
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

/** The name of a posting, which `next` says too. */
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

function registerStatement(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /customers/:customer_id/statement",
      summary: "Read a customer's statement of account",
      permission,
      params: { customer_id: digitsOrNumber(16) },
      query: PERIOD,
      handler: async (call) => {
        const [db, merchant, period] = reading(scope, call);
        const customerId = BigInt(call.params.customer_id);
        const customer = (await findCustomers(db, merchant, [customerId])).get(customerId);
        if (!customer)
          throw new NodalError("customer_not_found", "This customer does not exist: check its id in the list.");
        const { openingPaise, lines } = await readCustomerStatement(db, merchant, customerId, period);
        const closingPaise = lines.reduce((sum, { deltaPaise }) => sum + deltaPaise, openingPaise);
        return {
          customer_id: String(customerId),
          customer_code: customer.customerCode,
          customer_name: customer.customerName,
          from_date: period.from.toString(),
          to_date: period.to.toString(),
          /** What the customer owed before the period; below 0 where it had paid too much. */
          opening_balance: formatPaise(openingPaise),
          lines: describeLines(lines, openingPaise),
          closing_balance: formatPaise(closingPaise),
        };
      },
    }),
  ];
}

function describeLines(lines: readonly StatementLine[], openingPaise: bigint) {
  let balancePaise = openingPaise;
  return lines.map(({ day, event, invoiceId, number, reference, deltaPaise }) => {
    balancePaise += deltaPaise;
    return {
      date: day.toString(),
      voucher_type: voucherOf({ event }),
      invoice_id: invoiceName(invoiceId),
      number,
      reference,
      debit: formatPaise(debitOf(deltaPaise)),
      credit: formatPaise(creditOf(deltaPaise)),
      balance: formatPaise(balancePaise),
    };
  });
}
