// The API of subscriptions: save.
import { Type } from "typebox";
import { readInvoiceSettings, scopesOfInvoices, type InvoiceSaves, type SentInvoice } from "../invoices/index.ts";
import { merchantRoute } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import { warn } from "../platform/http/warning.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { saveSubscription } from "./save-subscription.ts";
import { checkSubscription, subscriptionFields, toSubscriptionRequest } from "./subscription-fields.ts";
import { SUBSCRIPTION_STATES } from "./subscription.ts";

/** An invoice with very many long rows exceeds the server's own limit. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

const parked = Type.Object({
  code: Type.String(),
  reason: Type.String(),
  since: Type.String({ description: "YYYY-MM-DD HH:MM:SS" }),
  retry_at: Type.String({ description: "When it is retried, YYYY-MM-DD HH:MM:SS" }),
});

const savedSubscription = Type.Object({
  subscription_id: Type.String(),
  status: Type.String({ enum: [...SUBSCRIPTION_STATES] }),
  next_invoice_date: Type.String({ description: "YYYY-MM-DD; empty if no invoice is upcoming" }),
  next_invoice_dates: Type.Array(Type.String(), { description: "The next dates, at most five" }),
  invoices_created: Type.Integer({ description: "Number of invoices created for dates up to today" }),
  invoice_ids: Type.Array(Type.String(), { description: "Their ids, in the order of their dates" }),
  parked: Type.Union([parked, Type.Null()], {
    description: "Why a due invoice could not be created; it is retried. null if there is no problem",
  }),
});

/** Adds the route of subscriptions to a part of the server made by `registerBodyKeyRoutes`. */
export function registerSubscriptionRoutes(
  app: HttpServer,
  { tenants, ids, saves }: { readonly tenants: TenantDatabase; readonly ids: IdSource; readonly saves: InvoiceSaves },
): void {
  merchantRoute(app, {
    url: "/api/v1/merchant/subscription/save",
    summary: "Save a subscription: a repeated invoice",
    tag: "Invoicing",
    kind: "write",
    scopes: ["subscriptions.manage"],
    body: subscriptionFields,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    srvrsp: savedSubscription,
    errors: [
      "template_not_found",
      "customer_not_found",
      "franchise_not_found",
      "customer_code_exists",
      "invoice_number_exists",
      "invoice_number_reserved",
      "too_many_occurrences",
    ],
    check: async (body, { merchant, errors }) => {
      const of = { templateId: body?.template_id ? BigInt(body.template_id) : null };
      const sent = (body?.invoice ?? {}) as SentInvoice;
      const settings = await readInvoiceSettings(tenants.of(merchant), merchant, [sent], of);
      checkSubscription(body ?? {}, settings, errors);
      return settings;
    },
    read: (body, { errors, found: settings }) => toSubscriptionRequest(body, settings, errors),
    scopesOf: ({ input }) => scopesOfInvoices([input]),
    handler: async ({ merchant, origin, request, idempotency }) => {
      const { answer, replayed } = await saves.inTurn(merchant, () =>
        saveSubscription({ pool: tenants.of(merchant, origin), ids, merchant, idempotency }, request),
      );
      const { subscriptionId, status, nextDates, invoiceIds, parked: parking } = answer;
      const srvrsp = {
        subscription_id: subscriptionId,
        status,
        next_invoice_date: nextDates[0] ?? "",
        next_invoice_dates: [...nextDates],
        invoices_created: invoiceIds.length,
        invoice_ids: [...invoiceIds],
        parked: parking
          ? { code: parking.code, reason: parking.reason, since: parking.since, retry_at: parking.retryAt }
          : null,
      };
      return { srvrsp, replayed, ...warn(answer.warnings) };
    },
  });
}
