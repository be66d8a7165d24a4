// Routes of the statement: a page of entries with the balances that they leave, and the whole period as a file.
import type { Balances } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { readStatementPage, statementColumns, streamStatement, type StatementEntry } from "../payouts/index.ts";
import { soundRange } from "../platform/http/field.ts";
import { date, digitsOrNumber, optional } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { type DashboardScope } from "./guarded-routes.ts";
import { listFileRoute, listRoute, numberIn } from "./list-routes.ts";

const list = {
  url: "/statement",
  permission: "statement.view",
  filters: { from: optional(date()), to: optional(date()) },
} as const;

/** Adds the routes of the statement. */
export function registerStatementRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      // Its rows are short.
      paging: { after: optional(digitsOrNumber(18)), maximum: 500, usual: 100 },
      rowsIn: "entries",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const found = await readStatementPage(
          { pool: db, merchant },
          { ...soundRange(query), before: numberIn(after), limit },
        );
        return {
          rows: found.entries.map((entry) => describeEntry(entry, merchant)),
          next: found.next === null ? null : String(found.next),
          more: { opening: describeBalances(found.opening), closing: describeBalances(found.closing) },
        };
      },
    }),
    listFileRoute(scope, {
      ...list,
      read: ({ db, merchant, query }) => ({
        columns: statementColumns(merchant.timeZone),
        rows: streamStatement({ pool: db, merchant }, soundRange(query)),
      }),
    }),
  ];
}

function describeBalances({ availablePaise, heldPaise }: Balances) {
  return { available: formatPaise(availablePaise), ledger: formatPaise(availablePaise + heldPaise) };
}

function describeEntry(entry: StatementEntry, { timeZone }: Merchant) {
  return {
    entry_no: String(entry.entryNo),
    posted_at: formatTimestamp(entry.postedAt, timeZone),
    description: entry.description,
    reference: entry.reference ?? "",
    transfer_id: entry.transfer ? String(entry.transfer.transferId) : null,
    utr: entry.transfer?.utr ?? "",
    debit_account: entry.debitAccount,
    credit_account: entry.creditAccount,
    amount: formatPaise(entry.amountPaise),
    ...describeBalances(entry.balances),
  };
}
