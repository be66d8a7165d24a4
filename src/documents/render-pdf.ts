// The invoice as PDF: its view and logo, for templates/invoice.typ. render-view.ts has the wording, the template the layout.
import type { MerchantKey } from "../merchants/index.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { InvoiceDocument } from "./document.ts";
import { accentPalette } from "./render-colour.ts";
import { invoiceView } from "./render-view.ts";

const TEMPLATE = "invoice.typ";
const PAPER = { light: "#ffffff", dark: "#000000" };
const LOGO_FILE = "logo.png";

/**
 * Renders a merchant's document, in that merchant's turn. If it fails, it is retried once without its logo: a broken picture must
 * not keep an invoice from its customer. Rejects as `PdfRenderer.render` does.
 */
export function renderInvoicePdf(
  renderer: PdfRenderer,
  owner: MerchantKey,
  document: InvoiceDocument,
): Promise<Uint8Array> {
  return render(renderer, "render", owner, document);
}

/** The pages of the same document in one SVG, one below the other. Rejects as `PdfRenderer.renderPages` does. */
export function renderInvoicePages(
  renderer: PdfRenderer,
  owner: MerchantKey,
  document: InvoiceDocument,
): Promise<Uint8Array> {
  return render(renderer, "renderPages", owner, document);
}

type How = "render" | "renderPages";

async function render(
  renderer: PdfRenderer,
  how: How,
  owner: MerchantKey,
  document: InvoiceDocument,
): Promise<Uint8Array> {
  try {
    return await renderOnce(renderer, how, owner, document);
  } catch (error) {
    if (document.logo === null) throw error;
    return renderOnce(renderer, how, owner, { ...document, logo: null });
  }
}

function renderOnce(
  renderer: PdfRenderer,
  how: How,
  owner: MerchantKey,
  document: InvoiceDocument,
): Promise<Uint8Array> {
  const view = invoiceView(document);
  const palette = accentPalette(document.accentColour, PAPER);
  const data = {
    ...view,
    accent: palette.onLight,
    logo: document.logo && LOGO_FILE,
    date: { year: document.billDate.year, month: document.billDate.month, day: document.billDate.day },
  };
  return renderer[how](owner, TEMPLATE, data, document.logo ? { [LOGO_FILE]: document.logo.bytes } : {});
}
