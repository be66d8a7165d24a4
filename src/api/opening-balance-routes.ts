// Routes of opening balances: the list, one, new ones, changes and cancelling. Payments and reminders use the routes of
// invoices, with the same id.
import { findCustomers, type Customer } from "../customers/index.ts";
import {
  browseInvoices,
  cancelInvoice,
  changeOpeningBalance,
  dueOf,
  findInvoices,
  formatInvoiceId,
  invoiceIdField,
  MAX_OPENING_BALANCE_LINES,
  OPENING_BALANCE_HEADINGS,
  openingBalanceChanges,
  openingBalanceFields,
  openingBalanceList,
  openingBalanceOf,
  overdueDays,
  parseInvoiceId,
  readInvoiceFilter,
  readOpeningBalance,
  readOpeningBalanceFile,
  requireOpeningBalance,
  saveOpeningBalances,
  SHOWN_STATUSES,
  shownStatus,
  type Invoice,
} from "../invoices/index.ts";
import { todayOf } from "../merchants/index.ts";
import { csvFile } from "../platform/csv.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { validRange } from "../platform/http/field.ts";
import { oneOf, optional, optionalText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dateOrderQuery, fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { dayPlaceField, dayPlaceIn, formatDayPlace, listRoute, RANGE_FIELDS } from "./list-routes.ts";

/** The most errors to show; all are counted. */
const MAX_ERRORS = 1000;
const BATCH_LIMIT_BYTES = 1024 * 1024;
const params = { opening_balance_id: invoiceIdField() };
const FILTER_FIELDS = {
  status: optional(oneOf(SHOWN_STATUSES)),
  customer: optionalText(45),
  ...RANGE_FIELDS,
};
const NEWEST_FIRST = { by: "bill_date", descending: true } as const;

/** Adds the routes of opening balances. */
export function registerOpeningBalanceRoutes(scope: DashboardScope) {
  return [...registerReadRoutes(scope), ...registerWriteRoutes(scope), ...registerFileRoutes(scope)];
}

function registerReadRoutes(scope: DashboardScope) {
  const view = viewer(scope);
  return [
    listRoute(scope, {
      url: "/opening-balances",
      summary: "List opening balances",
      permission: "invoices.view",
      filters: FILTER_FIELDS,
      paging: { after: dayPlaceField() },
      rowsIn: "opening_balances",
      read: async (call, asked) => {
        const { db, merchant, query } = call;
        const { status, customer: customerCode, amount_from: amountFromPaise, amount_to: amountToPaise } = query;
        const range = { ...validRange(query), status, customerCode, amountFromPaise, amountToPaise };
        const filter = { ...(await readInvoiceFilter({ pool: db, merchant }, range)), isOpeningBalance: true };
        const place = dayPlaceIn(asked.after);
        const after = place && { day: place.day, invoiceId: place.id };
        const page = await browseInvoices(db, merchant, filter, NEWEST_FIRST, after, asked.limit);
        const ids = page.records.map((record) => record.invoice_id);
        const rows = await view(call, ids.length === 0 ? [] : await findInvoices(db, merchant, ids));
        return { rows, next: page.next && formatDayPlace({ day: page.next.day, id: page.next.invoiceId }) };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /opening-balances/:opening_balance_id",
      summary: "Read an opening balance",
      permission: "invoices.view",
      params,
      handler: async (call) => ({ opening_balance: await view.one(call, await found(call, call.params)) }),
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  const view = viewer(scope);
  return [
    dashboardRoute(scope, {
      route: "POST /opening-balances",
      summary: "Create an opening balance",
      permission: "invoices.manage",
      body: openingBalanceFields,
      handler: async (call) => {
        const { db, merchant, body } = call;
        const [saved] = await saveOpeningBalances({ pool: db, ids, merchant }, [readOpeningBalance(body)]);
        return { opening_balance: await view.one(call, saved!) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /opening-balances/batch",
      summary: "Create many opening balances, all or none",
      permission: "invoices.manage",
      body: { opening_balance: openingBalanceList() },
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handler: async (call) => {
        const { db, merchant, body } = call;
        const openings = body.opening_balance.map((sent, index) =>
          readOpeningBalance(sent, `opening_balance[${index}]`),
        );
        const saved = await saveOpeningBalances({ pool: db, ids, merchant }, openings);
        return { opening_balances: await view(call, saved) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /opening-balances/:opening_balance_id",
      summary: "Change an opening balance on which nothing is paid",
      permission: "invoices.manage",
      params,
      body: openingBalanceChanges,
      handler: async (call) => {
        const { db, merchant, body: change } = call;
        const invoiceId = idOf(call.params);
        const changed = await changeOpeningBalance({ pool: db, merchant }, { invoiceId, change });
        return { opening_balance: await view.one(call, changed) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /opening-balances/:opening_balance_id/cancel",
      summary: "Cancel an opening balance on which nothing is paid",
      permission: "invoices.cancel",
      params,
      handler: async (call) => {
        const { db, merchant } = call;
        const { invoiceId } = await found(call, call.params);
        await cancelInvoice({ pool: db, merchant, idempotency: null }, invoiceId);
        return { opening_balance: await view.one(call, await found(call, call.params)) };
      },
    }),
  ];
}

function registerFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /opening-balance-files/sample",
      summary: "Download a sample file of opening balances",
      permission: "invoices.manage",
      handler: async ({ reply }) => {
        reply.header("content-disposition", 'attachment; filename="opening-balances.csv"');
        return reply.type("text/csv; charset=utf-8").send(csvFile([OPENING_BALANCE_HEADINGS]));
      },
    }),
    dashboardRoute(scope, {
      route: "POST /opening-balance-files/preview",
      summary: "Check a file of opening balances",
      once: "changes_nothing",
      permission: "invoices.manage",
      query: dateOrderQuery,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, query, request }) => {
        const file = { bytes: fileOf(request.body), dateOrder: query.date_order };
        const { lines, good, errors, warnings, ignored } = await readOpeningBalanceFile({ pool: db, merchant }, file);
        return {
          lines,
          good: good.map(({ line, customerName, sent }) => {
            return { line, customer_name: customerName, opening_balance: sent };
          }),
          good_amount: formatPaise(good.reduce((all, { amountPaise }) => all + amountPaise, 0n)),
          bad_lines: lines - good.length,
          errors: errors.slice(0, MAX_ERRORS),
          more_errors: Math.max(0, errors.length - MAX_ERRORS),
          warnings: warnings.slice(0, MAX_ERRORS),
          more_warnings: Math.max(0, warnings.length - MAX_ERRORS),
          ignored,
          most_lines: MAX_OPENING_BALANCE_LINES,
        };
      },
    }),
  ];
}

type Params = { readonly opening_balance_id: string };

function idOf({ opening_balance_id }: Params): bigint {
  return parseInvoiceId(opening_balance_id) ?? 0n;
}

function found({ db, merchant }: MerchantCall, named: Params): Promise<Invoice> {
  return requireOpeningBalance(db, merchant, idOf(named));
}

/** Describes opening balances as in the API. */
function viewer({ parts: { links } }: DashboardScope) {
  const describe = (invoice: Invoice, { merchant }: MerchantCall, { customerCode, customerName }: Customer) => {
    const { date, dueDate, amountPaise, note, reference } = openingBalanceOf(invoice);
    const duePaise = dueOf(invoice);
    const days = overdueDays({ dueDate, duePaise }, todayOf(merchant));
    return {
      opening_balance_id: formatInvoiceId(invoice.invoiceId),
      invoice_number: invoice.invoiceNumber,
      customer_code: customerCode,
      customer_name: customerName,
      date: date.toString(),
      due_date: dueDate.toString(),
      amount: formatPaise(amountPaise),
      paid_amount: formatPaise(invoice.paidPaise),
      due_amount: formatPaise(duePaise),
      overdue_days: days,
      status: shownStatus(invoice.status, days),
      note,
      reference,
      carried_to: invoice.carriedTo === null ? "" : formatInvoiceId(invoice.carriedTo),
      short_url: links.shortUrl(invoice),
      pdf_url: links.pdfUrl(invoice),
      created_at: formatInstant(invoice.createdAt, merchant.timeZone),
    };
  };
  const view = async (call: MerchantCall, invoices: readonly Invoice[]) => {
    const customers = await findCustomers(
      call.db,
      call.merchant,
      invoices.map(({ customerId }) => customerId),
    );
    return invoices.map((invoice) => describe(invoice, call, customers.get(invoice.customerId)!));
  };
  return Object.assign(view, {
    one: async (call: MerchantCall, invoice: Invoice) => (await view(call, [invoice]))[0]!,
  });
}
