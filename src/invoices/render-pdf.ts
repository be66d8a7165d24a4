// The invoice as PDF: its view and logo handed to templates/invoice.typ.
// What belongs here: what the template is given. Wording is render-view.ts, layout the template's business.
import type { NodalError } from "../platform/errors.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { DocumentLogo, InvoiceDocument } from "./document.ts";
import { accentPalette } from "./render-colour.ts";
import { invoiceView } from "./render-view.ts";

const TEMPLATE = "invoice.typ";
const PAPER = { light: "#ffffff", dark: "#000000" };
const EXTENSIONS = { "image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg" } as const;

/**
 * Renders the document. A logo that can't be drawn is left out: a broken picture must not keep an invoice from its
 * customer. Rejects as `PdfRenderer.render` does.
 */
export async function renderInvoicePdf(renderer: PdfRenderer, document: InvoiceDocument): Promise<Uint8Array> {
  if (document.logo === null) return render(renderer, document, null);
  try {
    return await render(renderer, document, document.logo);
  } catch (error) {
    if ((error as NodalError).code !== "internal_error") throw error;
    return render(renderer, document, null);
  }
}

function render(renderer: PdfRenderer, document: InvoiceDocument, logo: DocumentLogo | null): Promise<Uint8Array> {
  const view = invoiceView(document);
  const palette = accentPalette(document.accentColour, PAPER);
  const logoFile = logo === null ? null : `logo.${EXTENSIONS[logo.mimeType]}`;
  const data = {
    ...view,
    accent: palette.onLight,
    logo: logoFile,
    date: { year: document.billDate.year, month: document.billDate.month, day: document.billDate.day },
  };
  return renderer.render(TEMPLATE, data, logo === null ? {} : { [logoFile!]: logo.bytes });
}
