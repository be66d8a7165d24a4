// Routes of reconciliation: statement lines with their status, imports, and resolving open lines.
import type { Merchant } from "../merchants/index.ts";
import {
  bookAsFunding,
  bookFee,
  columnMapping,
  DATE_ORDERS,
  findStatementAccount,
  importStatement,
  itemNames,
  LINE_COLUMNS,
  LINE_STATES,
  describeReceiptLine,
  describeSuggestions,
  NO_RECEIPTS,
  listCandidates,
  listLines,
  listMissingThere,
  listStatementAccounts,
  matchByHand,
  nameOfItem,
  previewStatement,
  readReceiptLine,
  readReconciledDay,
  reconcile,
  setAside,
  streamLines,
  undoFee,
  undoMatches,
  type Candidate,
  type ListedLine,
} from "../reconciliation/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { digitsOrNumber, list, object, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import {
  cutPage,
  DAY_FIELDS,
  dayPlaceField,
  dayPlaceIn,
  formatDayPlace,
  listFileRoute,
  listRoute,
} from "./list-routes.ts";

const permission = "reconciliation.manage";
const PREVIEW_LINES = 8;
const MAX_MISSING = 200;
const MAX_UNDONE = 500;

const lineList = {
  url: "/reconciliation",
  summary: "List bank statement lines",
  permission: "statement.view",
  filters: {
    account: optionalText(60),
    ...DAY_FIELDS,
    state: optional(oneOf(LINE_STATES)),
  },
} as const;

/** A file's account, and the meaning of its columns. */
const fileQuery = {
  account: requiredText(60),
  mapping: optional(columnMapping()),
  date_order: optional(oneOf(DATE_ORDERS)),
  file_name: optionalText(200),
};

/** Adds the routes of reconciliation. */
export function registerReconciliationRoutes(scope: DashboardScope) {
  return [
    ...registerLineRoutes(scope),
    ...registerFileRoutes(scope),
    ...registerResolveRoutes(scope),
    ...registerUndoRoutes(scope),
  ];
}

function registerLineRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...lineList,
      paging: { after: dayPlaceField() },
      rowsIn: "lines",
      read: async ({ db, merchant, query }, page) => {
        const context = { pool: db, merchant };
        const place = dayPlaceIn(page.after);
        const after = place && { bookedOn: place.day, lineId: place.id };
        const found = await listLines(context, {
          ...(await searchOf(db, merchant, query)),
          after,
          limit: page.limit + 1,
        });
        const { rows, next } = cutPage(found, page, ({ bookedOn: day, lineId: id }) => formatDayPlace({ day, id }));
        return { rows: rows.map(lineWire), next, more: await readSummary(db, merchant, query) };
      },
    }),
    listFileRoute(scope, {
      ...lineList,
      read: async ({ db, merchant, query }) => {
        const rows = streamLines({ pool: db, merchant }, await searchOf(db, merchant, query));
        return { columns: LINE_COLUMNS, rows };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reconciliation/missing",
      summary: "List ledger items that are on no statement",
      permission: "statement.view",
      handler: async ({ db, merchant }) => {
        const items = await listMissingThere({ pool: db, merchant }, MAX_MISSING);
        return {
          items: items.map((item) => ({
            what: nameOfItem(item),
            kind: item.kind,
            subject_id: String(item.subjectId),
            posted_on: item.postedOn.toString(),
            amount: formatPaise(item.amountPaise),
          })),
        };
      },
    }),
  ];
}

function registerFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "POST /reconciliation/preview",
      summary: "Check a bank statement file",
      once: "changes_nothing",
      permission,
      query: fileQuery,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, query, request }) => {
        const bytes = fileOf(request.body);
        const read = await previewStatement({ pool: db, merchant }, { ...query, dateOrder: query.date_order, bytes });
        return {
          format: read.format,
          mapping: Object.entries(read.mapping ?? {})
            .map(([role, heading]) => `${role}=${heading}`)
            .join(","),
          line_count: read.lines.length,
          not_booked: read.notBookedCount,
          opening: rupees(read.openingPaise),
          closing: rupees(read.closingPaise),
          lines: read.lines.slice(0, PREVIEW_LINES).map((line) => ({
            file_line: line.fileLine,
            date: line.bookedOn.toString(),
            side: line.side,
            amount: formatPaise(line.amountPaise),
            reference: line.reference,
            narration: line.narration,
          })),
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /reconciliation/import",
      summary: "Import a bank statement",
      permission,
      query: fileQuery,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, query, request }) => {
        const context = { pool: db, merchant, ids: scope.parts.ids, accounts: scope.parts.pool };
        const { account, mapping, date_order: dateOrder, file_name: fileName } = query;
        const given = { account, mapping, dateOrder, fileName: fileName ?? "statement", bytes: fileOf(request.body) };
        const made = await importStatement(context, given);
        const { matchedLines, openLines } = await reconcile(context);
        return {
          import_id: String(made.importId),
          lines: made.lineCount,
          new_lines: made.newCount,
          not_booked: made.notBookedCount,
          from: made.fromOn?.toString() ?? null,
          to: made.toOn?.toString() ?? null,
          matched: matchedLines,
          open: openLines,
        };
      },
    }),
  ];
}

function registerResolveRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /reconciliation/candidates",
      summary: "List ledger items that a statement line may match",
      permission,
      query: { line_id: digitsOrNumber(16), search: optionalText(100) },
      handler: async ({ db, merchant, query, caller }) => {
        const [context, lineId] = [{ pool: db, merchant }, BigInt(query.line_id)];
        const found = await listCandidates(context, { lineId, search: query.search });
        // A search only covers the ledger's items. Customers are only shown to callers who see invoices.
        const receipts =
          query.search === null && caller.permissions.has("invoices.view")
            ? await readReceiptLine(context, lineId)
            : NO_RECEIPTS;
        return { candidates: found.map(candidateWire), ...describeSuggestions(receipts) };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /session/receipt-lines/:line_id",
      summary: "Read an open line for a receipt, and what it may be recorded as",
      permission,
      params: { line_id: digitsOrNumber(16) },
      handler: async ({ db, merchant, params, caller }) => {
        const { line, ...receipts } = await readReceiptLine({ pool: db, merchant }, BigInt(params.line_id));
        const shown = caller.permissions.has("invoices.view") ? receipts : NO_RECEIPTS;
        return { line: describeReceiptLine(line), ...describeSuggestions(shown) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /reconciliation/match",
      summary: "Match a statement line with a ledger item",
      permission,
      body: { line_id: digitsOrNumber(16), with: itemNames(), reason: requiredText(200) },
      handler: async ({ db, merchant, body }) => {
        const context = { pool: db, merchant, ids: scope.parts.ids };
        const asked = { lineIds: [BigInt(body.line_id)], items: body.with, reason: body.reason };
        return { match_id: String(await matchByHand(context, asked)) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /reconciliation/set-aside",
      summary: "Set a statement line aside",
      permission,
      body: { line_id: digitsOrNumber(16), reason: optionalText(200) },
      handler: async ({ db, merchant, body }) => {
        const context = { pool: db, merchant, ids: scope.parts.ids };
        await setAside(context, { target: BigInt(body.line_id), reason: body.reason });
        return { line_id: body.line_id };
      },
    }),
    // Anybody can forge a statement file, so booking from it needs the permission to credit a merchant.
    dashboardRoute(scope, {
      route: "POST /reconciliation/fund",
      summary: "Credit the merchant with a deposit on the statement",
      permission: "merchants.fund",
      body: { line_id: digitsOrNumber(16) },
      handler: async ({ db, merchant, body }) => {
        const context = { pool: db, merchant, ids: scope.parts.ids };
        const { fundingId, isWaiting } = await bookAsFunding(context, BigInt(body.line_id));
        return {
          funding_id: isWaiting ? null : String(fundingId),
          approval_id: isWaiting ? String(fundingId) : null,
        };
      },
    }),
  ];
}

/** Fees, and the reversal of matches and fees. A fee moves the balance, so it needs the same permission as incoming money. */
function registerUndoRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "POST /reconciliation/book-fee",
      summary: "Book a bank fee from a statement line",
      permission: "merchants.fund",
      body: { line_id: digitsOrNumber(16) },
      handler: async ({ db, merchant, body }) => {
        const context = { pool: db, merchant, ids: scope.parts.ids };
        return { fee_id: String(await bookFee(context, BigInt(body.line_id))) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /reconciliation/undo",
      summary: "Undo a match, or what was set aside",
      permission,
      body: { matches: list(object({ match_id: digitsOrNumber(16) }), MAX_UNDONE), reason: requiredText(200) },
      handler: async ({ db, merchant, body }) => {
        const context = { pool: db, merchant, ids: scope.parts.ids };
        const matchIds = body.matches.map((each) => BigInt(each.match_id));
        return { undone: await undoMatches(context, { matchIds, reason: body.reason }) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /reconciliation/undo-fee",
      summary: "Undo the booking of a bank fee",
      permission: "merchants.fund",
      body: { fee_id: digitsOrNumber(16), reason: requiredText(200) },
      handler: async ({ db, merchant, body }) => {
        const context = { pool: db, merchant, ids: scope.parts.ids };
        const isUndone = await undoFee(context, { feeId: BigInt(body.fee_id), reason: body.reason });
        return { undone: isUndone ? 1 : 0 };
      },
    }),
  ];
}

function candidateWire(candidate: Candidate) {
  return {
    what: nameOfItem(candidate),
    kind: candidate.kind,
    subject_id: String(candidate.subjectId),
    amount: formatPaise(candidate.amountPaise),
    posted_on: candidate.postedOn.toString(),
    name: candidate.name,
    utr: candidate.utr,
    reference: candidate.reference,
  };
}

type Query = {
  readonly account: string | null;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly state: (typeof LINE_STATES)[number] | null;
};

/** An unknown account has no lines. */
async function searchOf(db: Pool, merchant: Merchant, { account, ...query }: Query) {
  const found = account === null ? null : await findStatementAccount(db, merchant, account);
  return { ...query, accountId: account === null ? null : (found?.accountId ?? 0n) };
}

/** The merchant's accounts, and the summary of a day if the list is limited to one day of one account. */
async function readSummary(db: Pool, merchant: Merchant, { account: name, from, to }: Query) {
  const accounts = await listStatementAccounts(db, merchant);
  const account = accounts.find((each) => each.name === name);
  const isDay = account !== undefined && from !== null && to !== null && from.equals(to);
  const day = isDay ? await readReconciledDay({ pool: db, merchant }, account, from) : null;
  return {
    accounts: accounts.map((each) => each.name),
    day: day && {
      opening: rupees(day.openingPaise),
      closing: rupees(day.closingPaise),
      in: formatPaise(day.inPaise),
      out: formatPaise(day.outPaise),
      gap: rupees(day.gapPaise),
      counts: day.counts,
    },
  };
}

function lineWire(line: ListedLine) {
  return {
    line_id: String(line.lineId),
    date: line.bookedOn.toString(),
    account: line.account,
    side: line.side,
    amount: formatPaise(line.amountPaise),
    reference: line.reference,
    narration: line.narration,
    state: line.state,
    matched_by: line.matchedBy,
    match_id: line.matchId === null ? null : String(line.matchId),
    fee_id: line.feeId === null ? null : String(line.feeId),
    difference: line.difference,
    about_id: line.aboutId === null ? null : String(line.aboutId),
    suggestion: line.suggestion && nameOfItem(line.suggestion),
    /** The receipt that was recorded from it; `null` for none. */
    receipt_id: line.receipt && String(line.receipt.receiptId),
    /** Its number; `null` for none. */
    receipt_number: line.receipt && line.receipt.receiptNumber,
    note: line.note,
  };
}

function rupees(paise: bigint | null): string | null {
  return paise === null ? null : formatPaise(paise);
}
