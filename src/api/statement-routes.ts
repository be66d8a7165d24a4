// Routes of the statement: pages of lines with running balances, and the whole period as CSV or PDF.
import { renderStatementPdf } from "../documents/index.ts";
import type { Balances, PostingOfSubject } from "../ledger/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import {
  collectStatementLines,
  lineColumns,
  readStatementLines,
  streamStatementLines,
  type StatementLine,
} from "../payouts/index.ts";
import { validRange } from "../platform/http/field.ts";
import { digitsOrNumber, optional } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { DAY_FIELDS, listFileRoute, listRoute, numberIn } from "./list-routes.ts";
import { sendPdf } from "./pdf-routes.ts";
import { describePosting } from "./shown.ts";

const list = {
  url: "/statement",
  summary: "List lines of the account statement, newest first",
  permission: "statement.view",
  filters: DAY_FIELDS,
} as const;

/** Adds the routes of the statement. */
export function registerStatementRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      // Its rows are short.
      paging: { after: optional(digitsOrNumber(18)), maximum: 500, usual: 100 },
      rowsIn: "lines",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const found = await readStatementLines(
          { pool: db, merchant },
          { ...validRange(query), before: numberIn(after), limit },
        );
        return {
          rows: found.lines.map((line) => describeLine(line, found.entriesOf, merchant)),
          next: found.next === null ? null : String(found.next),
          more: { opening: describeBalances(found.opening), closing: describeBalances(found.closing) },
        };
      },
    }),
    listFileRoute(scope, {
      ...list,
      read: ({ db, merchant, query }) => ({
        columns: lineColumns(merchant.timeZone),
        rows: streamStatementLines({ pool: db, merchant }, validRange(query)),
      }),
    }),
    registerPdf(scope),
  ];
}

function registerPdf(scope: DashboardScope) {
  const { renderer, rates, reports } = scope.parts;
  return dashboardRoute(scope, {
    route: `GET ${list.url}/pdf`,
    summary: "Download the account statement as a PDF",
    permission: list.permission,
    query: list.filters,
    handler: (call) => {
      const { merchant } = call;
      const period = validRange(call.query);
      const make = async () => {
        const found = await collectStatementLines({ pool: reports.of(merchant), merchant }, period);
        return renderStatementPdf(renderer, merchant, { ...found, period, today: todayOf(merchant) });
      };
      return sendPdf(rates, call, { kind: "statements", name: "statement", make });
    },
  });
}

function describeBalances({ availablePaise, heldPaise }: Balances) {
  return { available: formatPaise(availablePaise), ledger: formatPaise(availablePaise + heldPaise) };
}

function describeLine(
  line: StatementLine,
  entriesOf: ReadonlyMap<bigint, readonly PostingOfSubject[]>,
  { timeZone }: Merchant,
) {
  const { transfer } = line;
  return {
    line_no: String(line.entryNo),
    posted_at: formatInstant(line.postedAt, timeZone),
    description: line.description,
    reference: line.reference ?? "",
    transfer_id: transfer ? String(transfer.transferId) : null,
    utr: transfer?.utr ?? "",
    debit: amountOrNone(line.debitPaise),
    credit: amountOrNone(line.creditPaise),
    balance: formatPaise(line.balancePaise),
    entries: (transfer ? (entriesOf.get(transfer.transferId) ?? []) : []).map((entry) =>
      describePosting(entry, timeZone),
    ),
  };
}

function amountOrNone(paise: bigint): string | null {
  return paise === 0n ? null : formatPaise(paise);
}
