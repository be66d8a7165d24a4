// The customer's routes: the public page of an invoice, and its PDF. No login: the address is the key.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MerchantKey } from "../merchants/index.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import { fileNameOf } from "../platform/file-name.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { rateLimited, type RateWindow } from "../platform/rates/rate-window.ts";
import { buildDocument, readSources } from "./build-document.ts";
import { COPIES, type InvoiceDocument } from "./document.ts";
import { findInvoice, type Links } from "../invoices/index.ts";
import { pageLanguage, type PageLanguage } from "./page-words.ts";
import { opensInvoice, parsePublicName } from "./public-link.ts";
import { renderInvoiceNotFoundPage, renderInvoicePage, type RenderedPage } from "./render-page.ts";
import { renderInvoicePdf } from "./render-pdf.ts";

export type PublicRoutesOptions = {
  readonly tenants: TenantDatabase;
  readonly links: Links;
  readonly renderer: PdfRenderer;
  /** Counts per minute. */
  readonly rates: RateWindow;
};

/** Not checked by a schema: an invalid address gets a page that says so. */
type Route = { Params: { name: string }; Querystring: { copy?: string | string[]; lang?: string | string[] } };
const PAGE = "/i/:name";
/**
 * How many PDFs of an invoice are rendered per minute. Counted per link and not per IP address: one link can't block the renderer
 * for others, and visitors who share an address don't limit each other.
 */
const PDFS_PER_MINUTE = 60;

/** Adds the public page and the PDF of invoices. They are for customers, so they are not in the API's document. */
export function registerPublicRoutes(app: HttpServer, options: PublicRoutesOptions): void {
  app.get<Route>(PAGE, { schema: { hide: true } }, async (request, reply) => {
    const found = await openInvoice(options, request.params.name);
    const language = languageOf(request);
    if (!found) return sendPage(reply.code(404), renderInvoiceNotFoundPage(language));
    return sendPage(reply, renderInvoicePage(found.document, { ...found, canCopy: true, language }));
  });

  app.get<Route>(`${PAGE}/pdf`, { schema: { hide: true } }, async (request, reply) => {
    const found = await openInvoice(options, request.params.name);
    if (!found) return sendPage(reply.code(404), renderInvoiceNotFoundPage(languageOf(request)));
    const rate = await options.rates.take(`invoice ${request.params.name}`, PDFS_PER_MINUTE);
    if (!rate.allowed) throw rateLimited(rate, "PDFs of this invoice");
    const copy = COPIES.find((each) => each === request.query.copy);
    const document = { ...found.document, ...(copy ? { copy } : {}) };
    const pdf = await renderInvoicePdf(options.renderer, found.owner, document);
    const fileName = `${fileNameOf(found.document.number ?? "invoice")}.pdf`;
    return protect(reply)
      .type("application/pdf")
      .header("content-disposition", `inline; filename="${fileName}"`)
      .send(Buffer.from(pdf));
  });
}

/** The current document of an address; `null` if the address is not valid. */
async function openInvoice(
  { tenants, links }: PublicRoutesOptions,
  name: string,
): Promise<{ owner: MerchantKey; document: InvoiceDocument; pdfUrl: string; today: Temporal.PlainDate } | null> {
  const key = parsePublicName(name);
  if (!key) return null;
  const db = tenants.of(key);
  const invoice = await findInvoice(db, key);
  if (!invoice || !opensInvoice(invoice, key.token)) return null;
  const sources = await readSources(db, invoice, links);
  return { owner: invoice, document: buildDocument(sources), pdfUrl: links.pdfUrl(invoice), today: sources.today };
}

function languageOf({ query, headers }: FastifyRequest<Route>): PageLanguage {
  return pageLanguage(query.lang, headers["accept-language"]);
}

function sendPage(reply: FastifyReply, page: RenderedPage): FastifyReply {
  return (
    protect(reply)
      .type("text/html; charset=utf-8")
      .header("content-security-policy", page.contentSecurityPolicy)
      // The same address is a page in another language for another reader.
      .header("vary", "accept-language")
      .send(page.html)
  );
}

/** Anybody with the address can read it, so it is neither indexed, cached by proxies, nor sent to other sites as a referrer. */
function protect(reply: FastifyReply): FastifyReply {
  return reply
    .header("x-robots-tag", "noindex, nofollow")
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "private, no-store")
    .header("x-frame-options", "DENY");
}
