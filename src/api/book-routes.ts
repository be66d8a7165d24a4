// Accounting reports as of a day: the trial balance, and receivables by age.
import { readAgeing, readTrialBalance, type AgeingKey, type AgeingRow, type TrialRow } from "../books/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { date, optional } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { listRoute, placeField, sendCsv, sendXlsx } from "./list-routes.ts";

const permission = "invoices.view";
/** The report's day; left out for today. */
const AS_OF = { as_of: optional(date()) };

/** Adds both, each with its files: docs/accounts.md#reports */
export function registerBookRoutes(scope: DashboardScope) {
  return [...registerTrialBalance(scope), ...registerAgeing(scope)];
}

/** The pool for long reads, the merchant, and the requested day. */
function readingDay(
  scope: DashboardScope,
  { merchant, query }: Pick<MerchantCall, "merchant"> & { query: { readonly as_of: Temporal.PlainDate | null } },
) {
  return [scope.parts.reports.of(merchant), merchant, query.as_of ?? todayOf(merchant)] as const;
}

/** An amount as a debit; 0 for a credit. */
export const debitOf = (paise: bigint): bigint => (paise > 0n ? paise : 0n);
/** An amount as a credit; 0 for a debit. */
export const creditOf = (paise: bigint): bigint => (paise < 0n ? -paise : 0n);

type Columns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;
type Read<Row> = (db: Queryable, merchant: Merchant, asOf: Temporal.PlainDate) => Promise<readonly Row[]>;

/** The files of a report, at its address with .csv and .xlsx. */
function fileRoutes<const U extends string, Row>(
  scope: DashboardScope,
  url: U,
  summary: string,
  columns: Columns<Row>,
  read: Read<Row>,
) {
  const name = url.split("/").at(-1)!;
  const rowsOf = async function* (call: Parameters<typeof readingDay>[1]): AsyncGenerator<Row> {
    yield* await read(...readingDay(scope, call));
  };
  return [
    dashboardRoute(scope, {
      route: `GET ${url}.csv`,
      summary: `${summary}, as CSV`,
      permission,
      query: AS_OF,
      handler: (call) => sendCsv(call.reply, `${name}.csv`, columns, rowsOf(call)),
    }),
    dashboardRoute(scope, {
      route: `GET ${url}.xlsx`,
      summary: `${summary}, as XLSX`,
      permission,
      query: AS_OF,
      handler: (call) => sendXlsx(call.reply, name, { columns, numbers: new Set(), rows: rowsOf(call) }),
    }),
  ];
}

function registerTrialBalance(scope: DashboardScope) {
  const url = "/reports/trial-balance";
  const summary = "Read the trial balance";
  return [
    dashboardRoute(scope, {
      route: `GET ${url}`,
      summary,
      permission,
      query: AS_OF,
      handler: async (call) => {
        const [db, merchant, asOf] = readingDay(scope, call);
        const rows = await readTrialBalance(db, merchant, asOf);
        const sumOf = (side: (paise: bigint) => bigint): string =>
          formatPaise(rows.reduce((sum, { balancePaise }) => sum + side(balancePaise), 0n));
        return {
          as_of: asOf.toString(),
          accounts: rows.map(describeAccount),
          totals: { debit: sumOf(debitOf), credit: sumOf(creditOf) },
        };
      },
    }),
    ...fileRoutes(scope, url, summary, TRIAL_COLUMNS, readTrialBalance),
  ];
}

function describeAccount({ code, account, title, kind, balancePaise }: TrialRow) {
  const [debit, credit] = [formatPaise(debitOf(balancePaise)), formatPaise(creditOf(balancePaise))];
  return { code, account, title, kind, debit, credit };
}

const TRIAL_COLUMNS: Columns<TrialRow> = {
  code: (row) => row.code,
  account: (row) => row.title,
  kind: (row) => row.kind,
  debit: (row) => debitOf(row.balancePaise),
  credit: (row) => creditOf(row.balancePaise),
};

/** The key of a row of receivables: the owed amount in paise, which may be below 0, and the customer. */
const AGEING_PLACE = /^-?[0-9]{1,18}_[0-9]{1,16}$/;

/** All customers at once, since each page would compute all of them again. */
const WHOLE = { after: null, limit: null };

function registerAgeing(scope: DashboardScope) {
  const url = "/reports/ageing";
  const summary = "Read receivables by age";
  return [
    listRoute(scope, {
      url,
      summary,
      permission,
      filters: AS_OF,
      paging: { after: placeField(40, AGEING_PLACE) },
      rowsIn: "customers",
      read: async (call, { after, limit }) => {
        const [db, merchant, asOf] = readingDay(scope, call);
        const place = ageingPlaceIn(after);
        const { rows: found, totals } = await readAgeing(db, merchant, asOf, { after: place, limit: limit + 1 });
        const rows = found.slice(0, limit);
        return {
          rows: rows.map(describeAged),
          next: found.length > limit ? formatAgeingPlace(rows.at(-1)!) : null,
          more: {
            as_of: asOf.toString(),
            // Only for the first page: they cover all pages.
            totals: place === null ? { customers: totals.customers, ...describeAges(totals) } : null,
          },
        };
      },
    }),
    ...fileRoutes(scope, url, summary, AGEING_COLUMNS, async (...asked) => {
      return (await readAgeing(...asked, WHOLE)).rows;
    }),
  ];
}

function ageingPlaceIn(after: string | null): AgeingKey | null {
  if (after === null) return null;
  const [paise = "", id = ""] = after.split("_");
  return { totalPaise: BigInt(paise), customerId: BigInt(id) };
}

function formatAgeingPlace({ totalPaise, customerId }: AgeingKey): string {
  return `${totalPaise}_${customerId}`;
}

type Ages = Omit<AgeingRow, "customerId" | "customerCode" | "customerName">;

function describeAges(ages: Ages) {
  return {
    not_due: formatPaise(ages.notDuePaise),
    days_1_to_30: formatPaise(ages.to30Paise),
    days_31_to_60: formatPaise(ages.to60Paise),
    days_61_to_90: formatPaise(ages.to90Paise),
    over_90_days: formatPaise(ages.over90Paise),
    total: formatPaise(ages.totalPaise),
  };
}

function describeAged(row: AgeingRow) {
  const { customerId, customerCode, customerName } = row;
  return {
    customer_id: String(customerId),
    customer_code: customerCode,
    customer_name: customerName,
    ...describeAges(row),
  };
}

const AGEING_COLUMNS: Columns<AgeingRow> = {
  customer_code: (row) => row.customerCode,
  customer_name: (row) => row.customerName,
  not_due: (row) => row.notDuePaise,
  days_1_to_30: (row) => row.to30Paise,
  days_31_to_60: (row) => row.to60Paise,
  days_61_to_90: (row) => row.to90Paise,
  over_90_days: (row) => row.over90Paise,
  total: (row) => row.totalPaise,
};
