// Routes that draw the pages of what a form holds, before it is saved: as its PDF will be, with a mark across. A screen shows them as a
// picture, since phones and the pages' own policy show no PDF inside a page.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { previewInvoice, renderInvoicePages, toEstimateDocument, type InvoiceDocument } from "../documents/index.ts";
import { estimateFields, readEstimate } from "../estimates/index.ts";
import { digitsOrNumber, optional } from "../platform/http/fields.ts";
import { rateLimited } from "../platform/rates/rate-window.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { requireEstimate } from "./estimate-routes.ts";
import { BODY_LIMIT_BYTES, previewFields, readPreview, refuseNewCustomer } from "./invoice-routes.ts";
import { PDFS_PER_MINUTE } from "./pdf-routes.ts";

const compress = promisify(gzip);
type Call = Parameters<Parameters<typeof dashboardRoute>[1]["handler"]>[0];

/** Adds the pages of invoices, of subscriptions' first invoices and of estimates. Nothing is saved and no number is taken. */
export function registerPagePreviewRoutes(scope: DashboardScope) {
  return [
    registerPagesOf(scope, "invoices"),
    registerPagesOf(scope, "subscriptions"),
    dashboardRoute(scope, {
      route: "POST /session/estimates/preview/pages",
      summary: "Draw the pages of an estimate without saving it",
      once: "changes_nothing",
      permission: "invoices.manage",
      body: { ...estimateFields, estimate_id: optional(digitsOrNumber(16)) },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async (call) => {
        const { db, merchant, body } = call;
        const { estimate_id: id, ...sent } = body;
        const number = id === null ? null : (await requireEstimate(call, { estimate_id: id })).estimateNumber;
        const { templateId, input, estimateDate, validUntil, dueDays } = await readEstimate(db, merchant, sent);
        refuseNewCustomer(call.caller, input);
        const dates = { billDate: estimateDate, dueDate: estimateDate.add({ days: dueDays }) };
        const asked = { templateId, invoiceId: null, input: { ...input, ...dates } };
        const { document } = await previewInvoice({ pool: db, merchant }, asked);
        return sendPages(scope, call, { ...toEstimateDocument(document, validUntil), number });
      },
    }),
  ];
}

function registerPagesOf<const Of extends "invoices" | "subscriptions">(scope: DashboardScope, of: Of) {
  return dashboardRoute(scope, {
    route: `POST /session/${of}/preview/pages`,
    summary: "Draw the pages of an invoice without saving it",
    once: "changes_nothing",
    permission: `${of}.manage`,
    body: previewFields,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    handler: async (call) => {
      const { document } = await readPreview(call);
      return sendPages(scope, call, { ...document, number: document.number || null });
    },
  });
}

/**
 * Draws the pages under the limit that PDFs of one kind have.
 * @throws NodalError `rate_limited`, `limit_exceeded` for too many pages, or `unavailable`
 */
async function sendPages(
  { parts: { rates, renderer } }: DashboardScope,
  { merchant, reply }: Pick<Call, "merchant" | "reply">,
  document: InvoiceDocument,
) {
  const rate = await rates.take(`previews ${merchant.merchantId}`, PDFS_PER_MINUTE);
  if (!rate.allowed) throw rateLimited(rate, "previews");
  const svg = await renderInvoicePages(renderer, merchant, { ...document, isDraft: true });
  return reply
    .type("image/svg+xml")
    .header("content-encoding", "gzip")
    .send(await compress(svg));
}
