// Routes that draw the pages of a PDF as a picture: of a saved invoice, or of an unsaved form with a watermark. Phones,
// and the pages' content security policy, don't allow PDFs within a page.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  buildDocument,
  previewInvoice,
  readSources,
  renderInvoicePages,
  toEstimateDocument,
  type InvoiceDocument,
} from "../documents/index.ts";
import { estimateFields, readEstimate } from "../estimates/index.ts";
import { digitsOrNumber, optional } from "../platform/http/fields.ts";
import { rateLimited } from "../platform/rates/rate-window.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { requireEstimate } from "./estimate-routes.ts";
import {
  BODY_LIMIT_BYTES,
  invoiceParams,
  previewFields,
  readPreview,
  refuseNewCustomer,
  requireInvoice,
} from "./invoice-routes.ts";
import { PDFS_PER_MINUTE } from "./pdf-routes.ts";

const compress = promisify(gzip);
/** The limit for all people of a merchant: each view of an invoice counts. */
const LOOKS_PER_MINUTE = 240;
type Call = Parameters<Parameters<typeof dashboardRoute>[1]["handler"]>[0];

/** Adds the pages of saved invoices, and of new invoices, subscriptions' first invoices and estimates. Nothing is saved and no number is taken. */
export function registerPagePreviewRoutes(scope: DashboardScope) {
  return [
    registerSavedPages(scope),
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
        return sendDraft(scope, call, { ...toEstimateDocument(document, validUntil), number });
      },
    }),
  ];
}

function registerSavedPages(scope: DashboardScope) {
  return dashboardRoute(scope, {
    route: "GET /session/invoices/:invoice_id/pages",
    summary: "Draw the pages of an invoice",
    permission: "invoices.view",
    narrowsToFranchise: true,
    params: invoiceParams,
    handler: async (call) => {
      const invoice = await requireInvoice(call, call.params.invoice_id);
      const document = buildDocument(await readSources(call.db, invoice, scope.parts.links));
      return sendPages(scope, call, document, { kind: "invoice pages", perMinute: LOOKS_PER_MINUTE });
    },
  });
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
      return sendDraft(scope, call, { ...document, number: document.number || null });
    },
  });
}

type Answering = Pick<Call, "merchant" | "reply">;

/** Draws an unsaved document, within the limit for PDFs of one kind. */
function sendDraft(scope: DashboardScope, call: Answering, document: InvoiceDocument) {
  return sendPages(scope, call, { ...document, isDraft: true }, { kind: "previews", perMinute: PDFS_PER_MINUTE });
}

/**
 * Draws the pages, at most `perMinute` of one kind for a merchant.
 * @throws NodalError `rate_limited`, `limit_exceeded` for too many pages, or `unavailable`
 */
async function sendPages(
  { parts: { rates, renderer } }: DashboardScope,
  { merchant, reply }: Answering,
  document: InvoiceDocument,
  { kind, perMinute }: { readonly kind: string; readonly perMinute: number },
) {
  const rate = await rates.take(`${kind} ${merchant.merchantId}`, perMinute);
  if (!rate.allowed) throw rateLimited(rate, kind);
  const svg = await renderInvoicePages(renderer, merchant, document);
  return reply
    .type("image/svg+xml")
    .header("content-encoding", "gzip")
    .send(await compress(svg));
}
