// Routes of receipts: the list, one receipt with its allocations, a new one, its use, refund and reversal.
import type { FastifyReply } from "fastify";
import { findCustomers } from "../customers/index.ts";
import {
  allocateReceipt,
  allocationFields,
  describeReceipt,
  findInvoices,
  formatInvoiceId,
  importedReceiptList,
  importReceipts,
  listDues,
  MAX_ALLOCATIONS,
  MAX_RECEIPT_LINES,
  pageReceipts,
  readReceiptFile,
  RECEIPT_HEADINGS,
  RECEIPT_KINDS,
  receiptFields,
  receiptRefundFields,
  recordReceipt,
  refundReceipt,
  requireVoucher,
  reverseReceipt,
  sumAdvance,
  toAllocations,
  toImportedReceipt,
  toNewReceipt,
  toReceipt,
  toReceiptRefund,
  warningsOfReceipt,
  type ImportedReceipt,
  type ReceiptFile,
  type RefusedReceipt,
} from "../invoices/index.ts";
import { renderVoucherPdf } from "../documents/index.ts";
import { bankLines } from "../reconciliation/index.ts";
import { todayOf, type Answered } from "../merchants/index.ts";
import { csvFile } from "../platform/csv.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { digitsOrNumber, oneOf, optional, requiredText } from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise } from "../platform/money.ts";
import { dateOrderQuery, fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { cutPage, listRoute, numberIn } from "./list-routes.ts";
import { markReplayed } from "./once.ts";
import { sendPdf } from "./pdf-routes.ts";

const REASON_LENGTH = 500;
/** The most errors to show; all are counted. */
const MAX_ERRORS = 1000;
const BATCH_LIMIT_BYTES = 1024 * 1024;
const view = "invoices.view";
const permission = "invoices.settle";
const params = { receipt_id: digitsOrNumber(16) };
const FILTER_FIELDS = { customer_id: optional(digitsOrNumber(16)), kind: optional(oneOf(RECEIPT_KINDS)) };

/** Adds the routes of receipts. */
export function registerReceiptRoutes(scope: DashboardScope) {
  return [
    ...registerReadRoutes(scope),
    ...registerUseRoutes(scope),
    ...registerTakeBackRoutes(scope),
    ...registerReceiptFileRoutes(scope),
  ];
}

function registerReadRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      url: "/receipts",
      summary: "List receipts, the newest first",
      permission: view,
      filters: FILTER_FIELDS,
      rowsIn: "receipts",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const filter = { customerId: numberIn(query.customer_id), kind: query.kind };
        const found = await pageReceipts(db, merchant, filter, { after: numberIn(after), limit: limit + 1 });
        const { rows, next } = cutPage(found, { limit }, ({ receiptId }) => receiptId);
        const customers = await findCustomers(db, merchant, [...new Set(rows.map(({ customerId }) => customerId))]);
        return { rows: rows.map((each) => toReceipt(each, merchant, customers.get(each.customerId)!)), next };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /receipts/:receipt_id",
      summary: "Read a receipt with its allocations",
      permission: view,
      params,
      handler: async (call) => ({
        receipt: await describeReceipt(call.db, call.merchant, BigInt(call.params.receipt_id)),
      }),
    }),
    dashboardRoute(scope, {
      route: "GET /receipts/:receipt_id/vouchers/:voucher_id/pdf",
      summary: "Download a voucher of an advance as a PDF",
      permission: view,
      params: { ...params, voucher_id: digitsOrNumber(16) },
      handler: async (call) => {
        const key = { receiptId: BigInt(call.params.receipt_id), voucherId: BigInt(call.params.voucher_id) };
        const papers = await requireVoucher(call.db, call.merchant, key);
        const make = () => renderVoucherPdf(scope.parts.renderer, call.merchant, papers);
        return sendPdf(scope.parts.rates, call, { kind: "vouchers", name: papers.voucher.voucherNumber, make });
      },
    }),
    dashboardRoute(scope, {
      route: "GET /session/customers/:customer_id/dues",
      summary: "List what a customer owes, due first in front, and the advance",
      permission: view,
      params: { customer_id: digitsOrNumber(16) },
      handler: (call) => describeDues(call, BigInt(call.params.customer_id)),
    }),
  ];
}

type Idempotent = MerchantCall & Pick<Parameters<typeof recordReceipt>[0], "idempotency">;

/** The context of the use cases. */
function contextOf({ ids, saves }: DashboardScope["parts"], { db: pool, merchant, idempotency }: Idempotent) {
  return { pool, ids, merchant, idempotency, inTurn: saves.inTurn, bankLines };
}

async function answer(call: MerchantCall & { readonly reply: FastifyReply }, done: Answered<string>) {
  markReplayed(call.reply, done.replayed);
  return describeReceipt(call.db, call.merchant, BigInt(done.answer));
}

function registerUseRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "POST /receipts",
      summary: "Record money of a customer",
      permission,
      body: receiptFields,
      once: "by_use_case",
      handler: async (call) => {
        const done = await recordReceipt(contextOf(parts, call), toNewReceipt(call.body));
        return {
          receipt: await answer(call, done),
          ...warn(warningsOfReceipt(call.body.date, todayOf(call.merchant))),
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /receipts/:receipt_id/allocate",
      summary: "Use what is left of a receipt for further invoices",
      permission,
      params,
      body: allocationFields,
      once: "by_use_case",
      handler: async (call) => {
        const { body, merchant } = call;
        const date = body.date ?? todayOf(merchant);
        const use = { allocations: toAllocations(body.allocations), date, notify: body.notify ?? false };
        const done = await allocateReceipt(contextOf(parts, call), {
          receiptId: BigInt(call.params.receipt_id),
          ...use,
        });
        return { receipt: await answer(call, done), ...warn(warningsOfReceipt(date, todayOf(merchant))) };
      },
    }),
  ];
}

function registerTakeBackRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "POST /receipts/:receipt_id/refund",
      summary: "Record that money of a receipt was given back",
      permission,
      params,
      body: receiptRefundFields,
      once: "by_use_case",
      handler: async (call) => {
        const refund = toReceiptRefund(call.body);
        const done = await refundReceipt(contextOf(parts, call), { receiptId: BigInt(call.params.receipt_id), refund });
        return {
          receipt: await answer(call, done),
          ...warn(warningsOfReceipt(refund.paidDate, todayOf(call.merchant))),
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /receipts/:receipt_id/reverse",
      summary: "Reverse a receipt with its allocations",
      permission,
      params,
      body: { reason: requiredText(REASON_LENGTH) },
      once: "by_use_case",
      handler: async (call) => {
        const reversal = { receiptId: BigInt(call.params.receipt_id), reason: call.body.reason };
        return { receipt: await answer(call, await reverseReceipt(contextOf(parts, call), reversal)) };
      },
    }),
  ];
}

function registerReceiptFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "POST /receipts/batch",
      summary: "Record many receipts, each by itself and once",
      permission,
      body: { receipt: importedReceiptList() },
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      // Each receipt has a key of its own, which outlives the request's.
      once: "at_most_once",
      handler: async (call) => {
        const outcomes = await importReceipts(contextOf(scope.parts, call), call.body.receipt.map(toImportedReceipt));
        return { outcomes: outcomes.map(describeImported) };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /receipt-files/sample",
      summary: "Download a sample file of receipts",
      permission,
      handler: async ({ reply }) => {
        reply.header("content-disposition", 'attachment; filename="receipts-to-import.csv"');
        return reply.type("text/csv; charset=utf-8").send(csvFile([RECEIPT_HEADINGS]));
      },
    }),
    dashboardRoute(scope, {
      route: "POST /receipt-files/preview",
      summary: "Check a file of receipts",
      once: "changes_nothing",
      permission,
      query: dateOrderQuery,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, query, request }) => {
        const file = { bytes: fileOf(request.body), dateOrder: query.date_order };
        return describeFile(await readReceiptFile({ pool: db, merchant }, file));
      },
    }),
  ];
}

function describeImported(outcome: ImportedReceipt | RefusedReceipt) {
  const { importKey: import_key } = outcome;
  if ("message" in outcome) {
    const error = { field: outcome.field, message: outcome.message };
    return { import_key, receipt_id: null, receipt_number: null, recorded_before: false, error };
  }
  const { receiptId, receiptNumber: receipt_number, wasThere: recorded_before } = outcome;
  return { import_key, receipt_id: String(receiptId), receipt_number, recorded_before, error: null };
}

function describeFile({ lines, good, recorded, errors, warnings, ignored }: ReceiptFile) {
  return {
    lines,
    good: good.map(({ line, customerName, receipt }) => ({ line, customer_name: customerName, receipt })),
    good_amount: formatPaise(good.reduce((all, { amountPaise }) => all + amountPaise, 0n)),
    recorded: recorded.map(({ line, receiptId, receiptNumber }) => {
      return { line, receipt_id: String(receiptId), receipt_number: receiptNumber };
    }),
    bad_lines: lines - good.length - recorded.length,
    errors: errors.slice(0, MAX_ERRORS),
    more_errors: Math.max(0, errors.length - MAX_ERRORS),
    warnings: warnings.slice(0, MAX_ERRORS),
    more_warnings: Math.max(0, warnings.length - MAX_ERRORS),
    ignored,
    most_lines: MAX_RECEIPT_LINES,
  };
}

/** What a customer's receipt can pay, in Nodal's order of payment, and the customer's advance. */
async function describeDues({ db, merchant }: MerchantCall, customerId: bigint) {
  const [advancePaise, dues] = await Promise.all([
    sumAdvance(db, merchant, customerId),
    listDues(db, merchant, customerId, MAX_ALLOCATIONS),
  ]);
  const ids = dues.map(({ invoiceId }) => invoiceId);
  const invoices = new Map((await findInvoices(db, merchant, ids)).map((invoice) => [invoice.invoiceId, invoice]));
  return {
    advance_amount: formatPaise(advancePaise),
    invoices: dues.map(({ invoiceId, duePaise }) => {
      const { invoiceNumber, dueDate } = invoices.get(invoiceId)!;
      return {
        invoice_id: formatInvoiceId(invoiceId),
        invoice_number: invoiceNumber,
        due_date: dueDate.toString(),
        due_amount: formatPaise(duePaise),
      };
    }),
  };
}
