// Accounting reports as of a day: the trial balance, and receivables by age.
import { readAgeing, readTrialBalance, type AgeingKey, type AgeingRow, type TrialRow } from "../books/index.ts";
import { franchiseOf, todayOf } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import { date, digitsOrNumber, optional, type Field } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { requireFranchise } from "./franchise-routes.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { listRoute, placeField, sendCsv, sendXlsx } from "./list-routes.ts";

const permission = "invoices.view";
/** The report's day; left out for today. */
const AS_OF = { as_of: optional(date()) };
/** The same for the invoices of one franchise. */
const AS_OF_FRANCHISE = { ...AS_OF, franchise: optional(digitsOrNumber(16)) };

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
type Fields = { readonly as_of: Field<Temporal.PlainDate | null> } & Readonly<Record<string, Field<unknown>>>;
type Call<Q extends Fields> = MerchantCall & { readonly query: Values<Q> };

type ReportFiles<U extends string, Row, Q extends Fields> = {
  readonly url: U;
  readonly summary: string;
  readonly query: Q;
  readonly narrowsToFranchise?: true;
  readonly columns: Columns<Row>;
  /** Checks the request before the file begins, and returns a function that reads the rows. */
  readonly read: (call: Call<Q>) => Promise<() => Promise<readonly Row[]>>;
};

/** The files of a report, at its address with .csv and .xlsx. */
function fileRoutes<const U extends string, Row, Q extends Fields>(
  scope: DashboardScope,
  { url, summary, query, narrowsToFranchise, columns, read }: ReportFiles<U, Row, Q>,
) {
  const name = url.split("/").at(-1)!;
  const guard = { permission, query, ...(narrowsToFranchise ? { narrowsToFranchise } : {}) } as const;
  const rowsOf = async function* (rows: () => Promise<readonly Row[]>): AsyncGenerator<Row> {
    yield* await rows();
  };
  return [
    dashboardRoute(scope, {
      route: `GET ${url}.csv`,
      summary: `${summary}, as CSV`,
      ...guard,
      handler: async (call) => sendCsv(call.reply, `${name}.csv`, columns, rowsOf(await read(call))),
    }),
    dashboardRoute(scope, {
      route: `GET ${url}.xlsx`,
      summary: `${summary}, as XLSX`,
      ...guard,
      handler: async (call) => {
        const rows = rowsOf(await read(call));
        return sendXlsx(call.reply, name, { columns, numbers: new Set(), rows });
      },
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
    ...fileRoutes(scope, {
      url,
      summary,
      query: AS_OF,
      columns: TRIAL_COLUMNS,
      read: (call) => Promise.resolve(() => readTrialBalance(...readingDay(scope, call))),
    }),
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
      narrowsToFranchise: true,
      filters: AS_OF_FRANCHISE,
      paging: { after: placeField(40, AGEING_PLACE) },
      rowsIn: "customers",
      read: async (call, { after, limit }) => {
        const [db, merchant, asOf] = readingDay(scope, call);
        const place = ageingPlaceIn(after);
        const page = { franchiseId: await franchiseIn(call), after: place, limit: limit + 1 };
        const { rows: found, totals } = await readAgeing(db, merchant, asOf, page);
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
    ...fileRoutes(scope, {
      url,
      summary,
      query: AS_OF_FRANCHISE,
      narrowsToFranchise: true,
      columns: AGEING_COLUMNS,
      read: async (call) => {
        const page = { franchiseId: await franchiseIn(call), ...WHOLE };
        return async () => (await readAgeing(...readingDay(scope, call), page)).rows;
      },
    }),
  ];
}

/**
 * The franchise whose customers are asked for; a franchise only sees its own: docs/rules/franchises.md#receivables
 * @throws NodalError `franchise_not_found`
 */
async function franchiseIn(call: Call<typeof AS_OF_FRANCHISE>): Promise<bigint | null> {
  const asked = call.query.franchise;
  return asked === null ? franchiseOf(call.caller) : (await requireFranchise(call, asked)).franchiseId;
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
