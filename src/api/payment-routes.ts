// Routes of payments of invoices and their reversals. Credit notes are in credit-note-routes.ts.
import {
  findSettlement,
  formatInvoiceId,
  invoiceIdField,
  paymentFields,
  reverseSettlement,
  toPayment,
  toSettled,
  writeOffInvoice,
} from "../invoices/index.ts";
import { NodalError } from "../platform/errors.ts";
import { date, digitsOrNumber, optional, requiredText } from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { markReplayed } from "./once.ts";
import { requireInvoice } from "./invoice-routes.ts";

const REASON_LENGTH = 500;
const permission = "invoices.settle";
const invoiceParams = { invoice_id: invoiceIdField() };

/** Adds the routes that record and reverse payments. */
export function registerPaymentRoutes(scope: DashboardScope) {
  const { ids, settlements } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /invoices/:invoice_id/payments",
      summary: "Record a payment of an invoice",
      permission,
      params: invoiceParams,
      body: paymentFields,
      once: "by_use_case",
      handler: async (call) => {
        const { db, merchant, origin, params, body, idempotency } = call;
        const { invoiceId } = await requireInvoice(call, params.invoice_id);
        const context = { pool: db, merchant, origin, idempotency };
        const { answer, replayed } = await settlements.settle(context, toPayment(body, invoiceId));
        markReplayed(call.reply, replayed);
        return { payment: toSettled(answer), ...warn(answer.warnings) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /invoices/:invoice_id/write-off",
      summary: "Write off what is due on an invoice",
      permission,
      params: invoiceParams,
      body: { reason: requiredText(REASON_LENGTH), date: optional(date()) },
      once: "by_use_case",
      handler: async (call) => {
        const { db, merchant, params, body, idempotency } = call;
        const { invoiceId } = await requireInvoice(call, params.invoice_id);
        const asked = { invoiceId, date: body.date, reason: body.reason };
        const { answer, replayed } = await writeOffInvoice({ pool: db, ids, merchant, idempotency }, asked);
        markReplayed(call.reply, replayed);
        return { payment: toSettled(answer), ...warn(answer.warnings) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /invoices/:invoice_id/payments/:transaction_id/reverse",
      summary: "Reverse a recorded payment",
      permission,
      params: { ...invoiceParams, transaction_id: digitsOrNumber(16) },
      body: { reason: requiredText(REASON_LENGTH) },
      handler: async (call) => {
        const { db, merchant, params, body } = call;
        const { bucket, merchantId, invoiceId } = await requireInvoice(call, params.invoice_id);
        const settlementId = BigInt(params.transaction_id);
        const settlement = await findSettlement(db, { bucket, merchantId, settlementId });
        if (settlement?.invoiceId !== invoiceId) {
          throw new NodalError("settlement_not_found", "Payment not found on this invoice. Reload the page.");
        }
        const { invoice } = await reverseSettlement({ pool: db, ids, merchant }, { settlementId, reason: body.reason });
        return { invoice_id: formatInvoiceId(invoice.invoiceId), status: invoice.status };
      },
    }),
  ];
}
