import {
  formatInvoiceId,
  PROBLEM_TEXTS,
  readAdvances,
  readHsnSummary,
  readNumberRuns,
  readProblems,
  readSalesRegister,
  readTaxSummary,
  seriesOf,
  sumSalesRegister,
  type AdvanceRow,
  type DocumentSeries,
  type HsnRow,
  type Period,
  type ProblemKey,
  type ProblemRow,
  type RateRow,
  type RegisterKey,
  type RegisterRow,
  type TaxSums,
} from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { validationError } from "../platform/errors.ts";
import { date } from "../platform/http/fields.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { dayPlaceField, dayPlaceIn, formatDayPlace, listRoute, placeField, sendCsv, sendXlsx } from "./list-routes.ts";
import {
  formatQuantity,
  HSN_COLUMNS,
  NUMBER_COLUMNS,
  PROBLEM_COLUMNS,
  RATE_COLUMNS,
  REGISTER_COLUMNS,
  SERIES_COLUMNS,
  STATE_NAMES,
  type Columns,
} from "./report-columns.ts";

const permission = "invoices.view";
/** Documents dated from one day to another, both included. */
export const PERIOD = { from_date: date(), to_date: date() };
const EXPORT_PAGE = 1000;

/** Adds the reports of the tax register, each with its files: docs/rules/tax-register.md */
export function registerReportRoutes(scope: DashboardScope) {
  return [
    ...registerSalesRegister(scope),
    ...registerSummaries(scope),
    ...registerSeries(scope),
    ...registerProblems(scope),
  ];
}

type AskedPeriod = { readonly from_date: Temporal.PlainDate; readonly to_date: Temporal.PlainDate };

/** @throws NodalError `validation_failed` for a period that ends before it begins */
export function periodOf({ from_date: from, to_date: to }: AskedPeriod): Period {
  if (Temporal.PlainDate.compare(from, to) <= 0) return { from, to };
  const problem = "must not be before from_date.";
  throw validationError([{ field: "to_date", code: "invalid", problem }]);
}

/**
 * The pool for long reads, so that short ones need not wait for them; the merchant; and the period.
 * @throws NodalError as `periodOf` does
 */
export function reading(
  scope: DashboardScope,
  { merchant, query }: Pick<MerchantCall, "merchant"> & { query: AskedPeriod },
) {
  return [scope.parts.reports.of(merchant), merchant, periodOf(query)] as const;
}

function registerSalesRegister(scope: DashboardScope) {
  const url = "/reports/sales-register";
  return [
    listRoute(scope, {
      url,
      summary: "Read the sales register",
      permission,
      filters: PERIOD,
      paging: { after: dayPlaceField() },
      rowsIn: "documents",
      read: async (call, { after, limit }) => {
        const [db, merchant, period] = reading(scope, call);
        const place = dayPlaceIn(after);
        const found = await readSalesRegister(db, merchant, period, { after: place, limit: limit + 1 });
        const rows = found.slice(0, limit);
        // Only for the first page: they cover all pages.
        const totals = place === null ? await sumSalesRegister(db, merchant, period) : null;
        return {
          rows: rows.map(describeDocument),
          next: found.length > limit ? formatDayPlace(placeOf(rows.at(-1)!)) : null,
          more: {
            totals: totals && {
              documents: totals.documents,
              ...describeSums(totals),
              round_off: formatPaise(totals.roundOffPaise),
              total: formatPaise(totals.valuePaise),
            },
          },
        };
      },
    }),
    ...fileRoutes(scope, url, "Read the sales register", REGISTER_COLUMNS, allDocuments),
  ];
}

function placeOf({ documentDate: day, documentId: id }: Pick<RegisterRow, "documentDate" | "documentId">): RegisterKey {
  return { day, id };
}

async function* allDocuments(db: Queryable, merchant: Merchant, period: Period): AsyncGenerator<RegisterRow> {
  let after: RegisterKey | null = null;
  for (;;) {
    const rows: RegisterRow[] = await readSalesRegister(db, merchant, period, { after, limit: EXPORT_PAGE });
    yield* rows;
    if (rows.length < EXPORT_PAGE) return;
    after = placeOf(rows.at(-1)!);
  }
}

function registerSummaries(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /reports/tax-summary",
      summary: "Read the tax summary by rate",
      permission,
      query: PERIOD,
      handler: async (call) => {
        const asked = reading(scope, call);
        const [rows, advances] = [await readTaxSummary(...asked), await readAdvances(...asked)];
        const ofPart = (part: AdvanceRow["part"]) => advances.filter((row) => row.part === part).map(describeAdvance);
        return {
          rates: rows.map(describeRate),
          totals: describeSums(added(rows)),
          advances: { received: ofPart("received"), adjusted: ofPart("adjusted") },
        };
      },
    }),
    ...fileRoutes(scope, "/reports/tax-summary", "Read the tax summary by rate", RATE_COLUMNS, ratesAndAdvances),
    dashboardRoute(scope, {
      route: "GET /reports/hsn-summary",
      summary: "Read the HSN summary",
      permission,
      query: PERIOD,
      handler: async (call) => {
        const rows = await readHsnSummary(...reading(scope, call));
        const ofSection = (section: string) => rows.filter((row) => row.section === section).map(describeHsn);
        return { b2b: ofSection("b2b"), b2c: ofSection("b2c"), totals: describeSums(added(rows)) };
      },
    }),
    ...fileRoutes(scope, "/reports/hsn-summary", "Read the HSN summary", HSN_COLUMNS, listOf(readHsnSummary)),
  ];
}

/** In one table: after the rates, the advances received, then those adjusted. */
async function* ratesAndAdvances(...asked: Parameters<typeof readAdvances>): AsyncGenerator<RateRow | AdvanceRow> {
  yield* await readTaxSummary(...asked);
  yield* await readAdvances(...asked);
}

function registerSeries(scope: DashboardScope) {
  const readSeries = async (db: Queryable, merchant: Merchant, period: Period) =>
    seriesOf(await readNumberRuns(db, merchant, period));
  return [
    dashboardRoute(scope, {
      route: "GET /reports/document-series",
      summary: "Read the series of document numbers",
      permission,
      query: PERIOD,
      handler: async (call) => ({ series: (await readSeries(...reading(scope, call))).map(describeSeries) }),
    }),
    ...fileRoutes(
      scope,
      "/reports/document-series",
      "Read the series of document numbers",
      SERIES_COLUMNS,
      listOf(readSeries),
    ),
  ];
}

function registerProblems(scope: DashboardScope) {
  const url = "/reports/gst-problems";
  return [
    listRoute(scope, {
      url,
      summary: "List what to correct before a GST return",
      permission,
      filters: PERIOD,
      paging: { after: placeField(60, PROBLEM_PLACE) },
      rowsIn: "problems",
      read: async (call, { after, limit }) => {
        const [db, merchant, period] = reading(scope, call);
        const found = await readProblems(db, merchant, period, { after: problemPlaceIn(after), limit: limit + 1 });
        const rows = found.slice(0, limit);
        return {
          rows: rows.map(describeProblem),
          next: found.length > limit ? formatProblemPlace(rows.at(-1)!) : null,
        };
      },
    }),
    ...fileRoutes(scope, url, "List what to correct before a GST return", PROBLEM_COLUMNS, allProblems),
  ];
}

/** The key of a row of problems: its date, document, line and code. */
const PROBLEM_PLACE = /^(?:19|2[01])[0-9]{2}-[0-9]{2}-[0-9]{2}_[0-9]{1,16}_[0-9]{1,4}_[a-z_]{1,30}$/;

function problemPlaceIn(after: string | null): ProblemKey | null {
  if (after === null) return null;
  const [day = "", id = "", line = "", ...code] = after.split("_");
  return { ...dayPlaceIn(`${day}_${id}`)!, line: Number(line), code: code.join("_") };
}

function formatProblemPlace(row: ProblemRow): string {
  return `${formatDayPlace(placeOf(row))}_${row.line}_${row.code}`;
}

async function* allProblems(db: Queryable, merchant: Merchant, period: Period): AsyncGenerator<ProblemRow> {
  let after: ProblemKey | null = null;
  for (;;) {
    const rows: ProblemRow[] = await readProblems(db, merchant, period, { after, limit: EXPORT_PAGE });
    yield* rows;
    if (rows.length < EXPORT_PAGE) return;
    const { line, code } = rows.at(-1)!;
    after = { ...placeOf(rows.at(-1)!), line, code };
  }
}

type Read<Row> = (db: Queryable, merchant: Merchant, period: Period) => AsyncIterable<Row>;

function listOf<Row>(read: (db: Queryable, merchant: Merchant, period: Period) => Promise<readonly Row[]>): Read<Row> {
  return async function* (db, merchant, period) {
    yield* await read(db, merchant, period);
  };
}

/** Adds the files of a report, at its address with .csv and .xlsx. */
function fileRoutes<const U extends string, Row>(
  scope: DashboardScope,
  url: U,
  summary: string,
  columns: Columns<Row>,
  read: Read<Row>,
) {
  const name = url.split("/").at(-1)!;
  return [
    dashboardRoute(scope, {
      route: `GET ${url}.csv`,
      summary: `${summary}, as CSV`,
      permission,
      query: PERIOD,
      handler: (call) => sendCsv(call.reply, `${name}.csv`, columns, read(...reading(scope, call))),
    }),
    dashboardRoute(scope, {
      route: `GET ${url}.xlsx`,
      summary: `${summary}, as XLSX`,
      permission,
      query: PERIOD,
      handler: (call) =>
        sendXlsx(call.reply, name, { columns, numbers: NUMBER_COLUMNS, rows: read(...reading(scope, call)) }),
    }),
  ];
}

function describeSums(sums: TaxSums) {
  return {
    taxable_value: formatPaise(sums.taxablePaise),
    igst: formatPaise(sums.igstPaise),
    cgst: formatPaise(sums.cgstPaise),
    sgst: formatPaise(sums.sgstPaise),
    cess: formatPaise(sums.cessPaise),
    other_taxes: formatPaise(sums.otherPaise),
  };
}

function added(rows: readonly TaxSums[]): TaxSums {
  const sumOf = (amount: (row: TaxSums) => bigint): bigint => rows.reduce((sum, row) => sum + amount(row), 0n);
  return {
    taxablePaise: sumOf((row) => row.taxablePaise),
    igstPaise: sumOf((row) => row.igstPaise),
    cgstPaise: sumOf((row) => row.cgstPaise),
    sgstPaise: sumOf((row) => row.sgstPaise),
    cessPaise: sumOf((row) => row.cessPaise),
    otherPaise: sumOf((row) => row.otherPaise),
  };
}

function describeDocument(row: RegisterRow) {
  return {
    document_id: String(row.documentId),
    /** The invoice or debit note, or what a credit note is about. */
    invoice_id: formatInvoiceId(row.invoiceId),
    kind: row.kind,
    number: row.documentNumber,
    date: row.documentDate.toString(),
    customer_name: row.partyName,
    gstin: row.partyGstin,
    place_of_supply: row.placeOfSupply,
    state_name: STATE_NAMES.get(row.placeOfSupply) ?? "",
    supply_type: row.supplyType,
    reverse_charge: row.reverseCharge,
    ...describeSums(row),
    round_off: formatPaise(row.roundOffPaise),
    total: formatPaise(row.valuePaise),
    original_number: row.originalNumber,
    original_date: row.originalDate?.toString() ?? "",
    /** The GSTIN of the platform that it was sold through; empty for none. */
    ecommerce_gstin: row.ecommerceGstin,
    /** Of an export of goods; empty until it is known. */
    shipping_bill_number: row.shippingBillNumber,
    /** Of the shipping bill; empty until it is known. */
    shipping_bill_date: row.shippingBillDate,
    /** Of the port in India that goods left by; empty until it is known. */
    port_code: row.portCode,
  };
}

function describeRate(row: RateRow) {
  return { treatment: row.treatment, rate: formatThousandths(row.rateThousandths), ...describeSums(row) };
}

function describeAdvance({ placeOfSupply: place, rateThousandths, ...sums }: AdvanceRow) {
  return {
    place_of_supply: place,
    state_name: STATE_NAMES.get(place) ?? "",
    rate: formatThousandths(rateThousandths),
    ...describeSums(sums),
  };
}

function describeHsn(row: HsnRow) {
  return {
    hsn: row.hsn,
    description: row.description,
    uqc: row.uqc,
    rate: formatThousandths(row.rateThousandths),
    quantity: formatQuantity(row.quantityThousandths),
    ...describeSums(row),
  };
}

function describeSeries(series: DocumentSeries) {
  const { kind, prefix, from, to, total, cancelled, missing, gaps } = series;
  return { kind, prefix, from, to, total, cancelled, net: total - cancelled, missing, gaps: [...gaps] };
}

function describeProblem(row: ProblemRow) {
  const { field, message } = PROBLEM_TEXTS[row.code](row.line);
  return {
    document_id: String(row.documentId),
    /** The invoice, or the invoice that a credit note is about. */
    invoice_id: formatInvoiceId(row.invoiceId),
    kind: row.kind,
    number: row.documentNumber,
    date: row.documentDate.toString(),
    customer_name: row.partyName,
    code: row.code,
    field,
    message,
  };
}
