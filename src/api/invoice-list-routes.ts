// Routes of the list of invoices: pages, totals, CSV file, and the choices of its filters.
import { listGroupNames } from "../customers/index.ts";
import { countOpenDrafts, MAX_OPEN_DRAFTS } from "../drafts/index.ts";
import { listFranchises } from "../franchises/index.ts";
import {
  browseInvoices,
  FILTER_DATES,
  LISTED_STATUSES,
  listTemplates,
  readInvoiceFilter,
  shownStatus,
  sumInvoices,
  toRecord,
  type BrowsedPage,
  type BrowsedRecord,
  type BrowseKey,
  type BrowseOrder,
  type FilterDate,
  type InvoiceFilter,
  type InvoiceTotals,
} from "../invoices/index.ts";
import { franchiseOf, todayOf } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import { validRange } from "../platform/http/field.ts";
import { digitsOrNumber, oneOf, optional, optionalText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { dayPlaceField, dayPlaceIn, formatDayPlace, listFileRoute, listRoute, RANGE_FIELDS } from "./list-routes.ts";

const EXPORT_PAGE = 1000;
const MAX_CHOICES = 1000;
const permission = "invoices.view";

const SORTS = FILTER_DATES.flatMap((name) => [name, `-${name}`] as const);
const FILTER_FIELDS = {
  search: optionalText(100),
  status: optional(oneOf(LISTED_STATUSES)),
  date: optional(oneOf(FILTER_DATES)),
  ...RANGE_FIELDS,
  customer: optionalText(45),
  group: optionalText(100),
  template: optional(digitsOrNumber(16)),
  franchise: optional(digitsOrNumber(16)),
  sort: optional(oneOf(SORTS)),
};
type Filters = Values<typeof FILTER_FIELDS>;

const list = {
  url: "/invoices",
  summary: "List invoices",
  permission,
  narrowsToFranchise: true,
  filters: FILTER_FIELDS,
} as const;

/** Adds the list of invoices. */
export function registerInvoiceListRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      paging: { after: dayPlaceField() },
      rowsIn: "invoices",
      read: async (call, asked) => {
        const { db, merchant, query } = call;
        const filter = await filterOf(call, query);
        const place = dayPlaceIn(asked.after);
        const after = place && { day: place.day, invoiceId: place.id };
        const page = await browseInvoices(db, merchant, filter, readOrder(query), after, asked.limit);
        const more = { is_cut: filter.found?.isCut ?? false, searched_to: page.searchedTo?.toString() ?? null };
        const rows = page.records.map((record) => describe(record, call));
        return { rows, next: page.next && formatDayPlace({ day: page.next.day, id: page.next.invoiceId }), more };
      },
    }),
    // Separate from the list, which then need not wait for the totals; requested once for all pages.
    dashboardRoute(scope, {
      route: "GET /invoices/totals",
      summary: "Add up invoices",
      permission,
      narrowsToFranchise: true,
      query: FILTER_FIELDS,
      handler: async (call) => {
        const totals = await sumInvoices(call.db, call.merchant, await filterOf(call, call.query));
        return { totals: totals && describeTotals(totals) };
      },
    }),
    listFileRoute(scope, {
      ...list,
      read: async (call) => {
        const filter = await filterOf(call, call.query);
        return { columns: COLUMNS, rows: allRecords(call, filter, readOrder(call.query)) };
      },
    }),
    registerCountsRoute(scope),
    ...registerChoicesRoute(scope),
  ];
}

/** The counts in the tabs above the list, added up from monthly and daily counts. */
function registerCountsRoute(scope: DashboardScope) {
  return dashboardRoute(scope, {
    route: "GET /session/invoices/counts",
    summary: "Count invoices by what is to be done about them",
    permission,
    narrowsToFranchise: true,
    handler: async ({ db, merchant, caller }) => {
      const franchiseId = franchiseOf(caller);
      const count = async (status: "Open" | "Overdue" | "Paid" | null): Promise<number> => {
        const filter = await readInvoiceFilter({ pool: db, merchant }, { status, franchiseId });
        return Number((await sumInvoices(db, merchant, filter))!.invoices);
      };
      const [all, unpaid, overdue, paid, drafts] = await Promise.all([
        count(null),
        count("Open"),
        count("Overdue"),
        count("Paid"),
        franchiseId === null ? countOpenDrafts(db, merchant, MAX_OPEN_DRAFTS) : null,
      ]);
      return { all, drafts, unpaid, overdue, paid };
    },
  });
}

function registerChoicesRoute(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /session/invoices/choices",
      summary: "List what the filters of invoices offer",
      permission,
      narrowsToFranchise: true,
      handler: async ({ db, merchant, caller }) => {
        if (franchiseOf(caller) !== null) return { franchises: [], groups: [], templates: [] };
        const [franchises, groups, templates] = await Promise.all([
          listFranchises(db, merchant),
          listGroupNames(db, merchant, MAX_CHOICES),
          listTemplates(db, merchant),
        ]);
        return {
          franchises: franchises.slice(0, MAX_CHOICES).map(({ franchiseId, name, deletedAt }) => ({
            franchise_id: String(franchiseId),
            name,
            gone: deletedAt !== null,
          })),
          groups,
          templates: templates
            .slice(0, MAX_CHOICES)
            .map(({ templateId, name }) => ({ template_id: String(templateId), name })),
        };
      },
    }),
  ];
}

function filterOf({ db, merchant, caller }: MerchantCall, query: Filters): Promise<InvoiceFilter> {
  const { status, group, customer: customerCode, template: templateId, search } = query;
  return readInvoiceFilter(
    { pool: db, merchant },
    {
      ...validRange(query),
      filterBy: query.date ?? dateOf(query),
      status,
      amountFromPaise: query.amount_from,
      amountToPaise: query.amount_to,
      customerCode,
      group,
      templateId,
      franchiseId: franchiseOf(caller)?.toString() ?? query.franchise,
      search,
    },
  );
}

/** The date to count by. Without a range, it is the date of the sort order. */
function dateOf({ sort, from, to }: Filters): FilterDate | null {
  return sort === null || from || to ? null : (sort.replace("-", "") as FilterDate);
}

function readOrder({ sort, date: filterBy }: Filters): BrowseOrder {
  if (sort === null) return { by: filterBy ?? "bill_date", descending: true };
  return { by: sort.replace("-", "") as FilterDate, descending: sort.startsWith("-") };
}

function describe(record: BrowsedRecord, { merchant }: MerchantCall) {
  const wire = toRecord(record, merchant, todayOf(merchant), formatInstant);
  return {
    invoice_id: wire.invoice_id,
    invoice_number: wire.invoice_number,
    is_opening_balance: record.is_opening_balance,
    is_debit_note: record.original_invoice_id !== null,
    bill_date: wire.bill_date,
    due_date: wire.due_date,
    sent_date: wire.sent_date,
    customer_code: wire.customer_code,
    customer_name: wire.customer_name,
    amount: wire.amount,
    paid_amount: wire.paid_amount,
    previous_dues: wire.previous_dues,
    due_amount: wire.due_amount,
    overdue_days: wire.due,
    status: shownStatus(wire.status, wire.due),
    cycle_name: wire.cycle_name,
    franchise_name: wire.franchise_name,
  };
}

function describeTotals({ invoices, billedPaise, paidPaise, duePaise }: InvoiceTotals) {
  return {
    invoices: Number(invoices),
    billed: formatPaise(billedPaise),
    paid: formatPaise(paidPaise),
    due: formatPaise(duePaise),
  };
}

type Exported = ReturnType<typeof toRecord>;
const inFull =
  (name: Exclude<keyof Exported, "due" | "customer_id" | "custom_fields">) =>
  (record: Exported): CsvCell =>
    record[name] ?? "";
const COLUMNS: Readonly<Record<string, (record: Exported) => CsvCell>> = {
  invoice_id: inFull("invoice_id"),
  invoice_number: inFull("invoice_number"),
  bill_date: inFull("bill_date"),
  due_date: inFull("due_date"),
  sent_date: inFull("sent_date"),
  customer_code: inFull("customer_code"),
  customer_name: inFull("customer_name"),
  email: inFull("email"),
  mobile: inFull("mobile"),
  amount: inFull("amount"),
  previous_dues: inFull("previous_dues"),
  paid_amount: inFull("paid_amount"),
  due_amount: inFull("due_amount"),
  status: (record) => shownStatus(record.status, record.due),
  cycle_name: inFull("cycle_name"),
  franchise_name: inFull("franchise_name"),
};

/** The whole list, streamed page by page. */
async function* allRecords(call: MerchantCall, filter: InvoiceFilter, order: BrowseOrder): AsyncGenerator<Exported> {
  const { db, merchant } = call;
  const today = todayOf(merchant);
  let after: BrowseKey | null = null;
  for (;;) {
    const page: BrowsedPage = await browseInvoices(db, merchant, filter, order, after, EXPORT_PAGE);
    for (const record of page.records) yield toRecord(record, merchant, today);
    if (page.next === null) return;
    after = page.next;
  }
}
