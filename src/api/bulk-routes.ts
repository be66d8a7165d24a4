// Routes of bulk and scheduled payouts: files with their problems, and the batches made from them.
import { readBalances } from "../ledger/index.ts";
import type { ApiCaller } from "../merchants/index.ts";
import {
  batchResult,
  cancelBatch,
  cancelScheduled,
  describeLine,
  importPayouts,
  listBatchObjects,
  listScheduled,
  payoutFileSample,
  readBatch,
  readPayoutFile,
  showNotes,
  type FileLine,
  type LineOutcome,
} from "../payouts/index.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { digitsOrNumber, flag, optional, requiredText, textOrNumber, wholeNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dateOrderQuery, fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { markReplayed } from "./once.ts";
import { cutPage, dayPlaceField, dayPlaceIn, formatDayPlace, listRoute, numberIn } from "./list-routes.ts";
import { showTo } from "./shown.ts";

/** The largest line number of a file: it has no more bytes. */
const LAST_LINE = MAX_FILE_BYTES;
/** The most lines and notes to show; all are counted. */
const MAX_SHOWN = 500;
const view = "payouts.view";
const pay = "payouts.transfer";

/** Adds the routes of files of payouts and their batches. */
export function registerBulkRoutes(scope: DashboardScope) {
  return [...registerFiles(scope), ...registerBatches(scope), ...registerScheduled(scope)];
}

function registerFiles(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /payout-files/sample",
      summary: "Download a sample file of payouts",
      permission: pay,
      handler: async ({ reply }) => {
        reply.header("content-disposition", 'attachment; filename="payouts.csv"');
        return reply.type("text/csv; charset=utf-8").send(payoutFileSample());
      },
    }),
    dashboardRoute(scope, {
      route: "POST /payout-files/preview",
      summary: "Check a file of payouts",
      once: "changes_nothing",
      permission: pay,
      query: dateOrderQuery,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, query, request }) => {
        const sent = { bytes: fileOf(request.body), dateOrder: query.date_order };
        const file = await readPayoutFile({ pool: db, merchant }, sent);
        const totalPaise = file.good.reduce((sum, { payoutRequest }) => sum + payoutRequest.amountPaise, 0n);
        const { availablePaise } = await readBalances(db, merchant.bucket, merchant.merchantId);
        return {
          lines: file.rowCount,
          good: file.good.length,
          total: formatPaise(totalPaise),
          available: formatPaise(availablePaise),
          is_covered: totalPaise <= availablePaise,
          first_lines: file.good.slice(0, MAX_SHOWN).map(describeFileLine),
          errors: showNotes(file.errors.slice(0, MAX_SHOWN)),
          more_errors: Math.max(0, file.errors.length - MAX_SHOWN),
          warnings: showNotes(file.warnings.slice(0, MAX_SHOWN)),
          more_warnings: Math.max(0, file.warnings.length - MAX_SHOWN),
          ignored: file.ignored,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /payout-batches",
      summary: "Create a payout batch",
      permission: pay,
      query: { name: requiredText(100), accept_warnings: optional(flag()), ...dateOrderQuery },
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      once: "by_use_case",
      handler: async ({ db, merchant, query, request, reply, idempotency }) => {
        const { ids } = scope.parts;
        const { answer, replayed } = await importPayouts(
          { pool: db, ids, merchant, idempotency },
          {
            name: query.name,
            bytes: fileOf(request.body),
            dateOrder: query.date_order,
            acceptsWarnings: query.accept_warnings ?? false,
          },
        );
        markReplayed(reply, replayed);
        return { batch_id: answer.batchId };
      },
    }),
  ];
}

function describeFileLine({ line, payoutRequest, payeeName }: FileLine) {
  return {
    line,
    payee: payeeName,
    amount: formatPaise(payoutRequest.amountPaise),
    reference_id: payoutRequest.referenceId ?? "",
    narrative: payoutRequest.narrative,
    scheduled_for: payoutRequest.scheduledFor?.toString() ?? "",
  };
}

function registerBatches(scope: DashboardScope) {
  const params = { batch_id: digitsOrNumber(16) };
  return [
    listRoute(scope, {
      url: "/payout-batches",
      summary: "List payout batches",
      permission: view,
      filters: {},
      rowsIn: "batches",
      read: async ({ db, merchant }, { after, limit }) => {
        const page = { before: numberIn(after), limit: limit + 1 };
        const found = await listBatchObjects({ pool: db, merchant }, page, formatInstant);
        return cutPage(found, { limit }, ({ batch_id: id }) => id);
      },
    }),
    dashboardRoute(scope, {
      route: "GET /payout-batches/:batch_id",
      summary: "Read a payout batch",
      permission: view,
      params,
      query: { after: optional(wholeNumber(0, LAST_LINE)) },
      handler: async ({ db, merchant, caller, params: { batch_id: id }, query }) => {
        const page = { batchId: BigInt(id), after: query.after ?? 0, limit: MAX_SHOWN };
        const { batch, lines } = await readBatch({ pool: db, merchant }, page, formatInstant);
        return { ...batch, lines: describeLines(lines, caller) };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /payout-batches/:batch_id/result.csv",
      summary: "Download the outcomes of a payout batch as CSV",
      permission: view,
      params,
      handler: async ({ db, merchant, params: { batch_id: id }, reply }) => {
        const text = await batchResult({ pool: db, merchant }, BigInt(id));
        reply.header("content-disposition", `attachment; filename="batch-${id}.csv"`);
        return reply.type("text/csv; charset=utf-8").send(text);
      },
    }),
    dashboardRoute(scope, {
      route: "POST /payout-batches/:batch_id/cancel",
      summary: "Cancel the remaining payouts of a batch",
      permission: pay,
      params,
      handler: async ({ db, merchant, params: { batch_id: id } }) => {
        return { cancelled: await cancelBatch({ pool: db, merchant }, BigInt(id)) };
      },
    }),
  ];
}

function describeLines(lines: readonly LineOutcome[], caller: ApiCaller) {
  return lines.map((line) => describeLine(line, showTo(caller)));
}

function registerScheduled(scope: DashboardScope) {
  return [
    listRoute(scope, {
      url: "/scheduled-payouts",
      summary: "List scheduled payouts by date",
      permission: view,
      filters: {},
      paging: { after: dayPlaceField() },
      rowsIn: "payouts",
      read: async ({ db, merchant, caller }, { after, limit }) => {
        const place = dayPlaceIn(after);
        const behind = place && { day: place.day, transferId: place.id };
        const found = await listScheduled(db, merchant, { after: behind, limit: limit + 1 });
        const { rows, next } = cutPage(found, { limit }, ({ scheduledFor, transferId: id }) =>
          formatDayPlace({ day: scheduledFor!, id }),
        );
        return { rows: describeLines(rows, caller), next };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /scheduled-payouts/cancel",
      summary: "Cancel a scheduled payout",
      permission: pay,
      body: { reference_id: textOrNumber(64) },
      handler: async ({ db, merchant, body }) => {
        const { transferId } = await cancelScheduled({ pool: db, merchant }, body.reference_id);
        return { transfer_id: String(transferId) };
      },
    }),
  ];
}
