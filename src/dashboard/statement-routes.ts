// Routes of the statement: a page of entries with the balances that they leave, and the whole period as a file.
// What belongs here: wire shapes, no logic.
import type { Balances } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { readStatementPage, streamStatement, type StatementEntry } from "../payouts/index.ts";
import { validationError } from "../platform/errors.ts";
import { date, digitsOrNumber, optional, wholeNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { sendCsv } from "./csv-answer-routes.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const PAGE_MAXIMUM = 500;
const PAGE_DEFAULT = 100;
const permission = "statement.view";
const PERIOD = { from: optional(date()), to: optional(date()) };

/** Adds the routes of the statement. */
export function registerStatementRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/statement",
    permission,
    query: { ...PERIOD, after: optional(digitsOrNumber(18)), limit: optional(wholeNumber(1, PAGE_MAXIMUM)) },
    handler: async ({ db, merchant, query }) => {
      const before = query.after === null ? null : BigInt(query.after);
      const page = { before, limit: query.limit ?? PAGE_DEFAULT };
      const found = await readStatementPage(db, merchant, periodOf(query), page);
      return {
        entries: found.entries.map((entry) => describeEntry(entry, merchant)),
        next: found.next === null ? null : String(found.next),
        opening: describeBalances(found.opening),
        closing: describeBalances(found.closing),
      };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/statement.csv",
    permission,
    query: PERIOD,
    handler: ({ db, merchant, query, reply }) =>
      sendCsv(reply, "statement.csv", csvColumns(merchant), streamStatement(db, merchant, periodOf(query))),
  });
}

function periodOf({ from, to }: { from: Temporal.PlainDate | null; to: Temporal.PlainDate | null }) {
  if (from && to && Temporal.PlainDate.compare(from, to) > 0) {
    throw validationError([{ field: "to", code: "invalid", message: "to must not be before from." }]);
  }
  return { from, to };
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

function csvColumns({ timeZone }: Merchant) {
  return {
    entry_no: ({ entryNo }: StatementEntry) => String(entryNo),
    posted_at: ({ postedAt }: StatementEntry) => formatTimestamp(postedAt, timeZone),
    kind: ({ kind }: StatementEntry) => kind,
    description: ({ description }: StatementEntry) => description,
    reference: ({ reference }: StatementEntry) => reference ?? "",
    transfer_id: ({ transfer }: StatementEntry) => (transfer ? String(transfer.transferId) : ""),
    utr: ({ transfer }: StatementEntry) => transfer?.utr ?? "",
    debit_account: ({ debitAccount }: StatementEntry) => debitAccount,
    credit_account: ({ creditAccount }: StatementEntry) => creditAccount,
    amount: ({ amountPaise }: StatementEntry) => amountPaise,
    available_balance: ({ balances }: StatementEntry) => balances.availablePaise,
    ledger_balance: ({ balances }: StatementEntry) => balances.availablePaise + balances.heldPaise,
  };
}
