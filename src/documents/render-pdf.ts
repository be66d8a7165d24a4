// The invoice as PDF: its view and logo handed to templates/invoice.typ.
// Wording is render-view.ts, layout the template's business.
import type { MerchantKey } from "../merchants/index.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { InvoiceDocument } from "./document.ts";
import { accentPalette } from "./render-colour.ts";
import { invoiceView } from "./render-view.ts";

const TEMPLATE = "invoice.typ";
const PAPER = { light: "#ffffff", dark: "#000000" };
const LOGO_FILE = "logo.png";

/**
 * Renders a merchant's document, in that merchant's turn. Where it fails, it is tried once without its logo: a broken
 * picture must not keep an invoice from its customer. Rejects as `PdfRenderer.render` does.
 */
export async function renderInvoicePdf(
  renderer: PdfRenderer,
  owner: MerchantKey,
  document: InvoiceDocument,
): Promise<Uint8Array> {
  try {
    return await render(renderer, owner, document);
  } catch (error) {
    if (document.logo === null) throw error;
    return render(renderer, owner, { ...document, logo: null });
  }
}

function render(renderer: PdfRenderer, owner: MerchantKey, document: InvoiceDocument): Promise<Uint8Array> {
  const view = invoiceView(document);
  const palette = accentPalette(document.accentColour, PAPER);
  const data = {
    ...view,
    accent: palette.onLight,
    logo: document.logo && LOGO_FILE,
    date: { year: document.billDate.year, month: document.billDate.month, day: document.billDate.day },
  };
  return renderer.render(owner, TEMPLATE, data, document.logo ? { [LOGO_FILE]: document.logo.bytes } : {});
}
