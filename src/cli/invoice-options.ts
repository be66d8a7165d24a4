// What the commands about invoices and credit notes share: the id of an invoice, its links, and writing a PDF.
import { writeFile } from "node:fs/promises";
import { parseInvoiceId, PublicLinks, renderInvoicePdf, type InvoiceDocument } from "../invoices/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import { fail, requiredField } from "../platform/http/field.ts";
import type { Field } from "../platform/http/fields.ts";
import { createPdfRenderer } from "../platform/pdf/renderer.ts";
import { createCommandLogger } from "./command.ts";

/** The id of an invoice, as the API writes it. */
export function invoiceId(): Field<bigint> {
  const hint = "an invoice's id, such as R000029148, which `nodal invoice list` shows";
  return requiredField({ type: "string" }, hint, (value, path, errors) => {
    const id = typeof value === "string" ? parseInvoiceId(value.trim().toUpperCase()) : null;
    if (id !== null) return id;
    fail(errors, path, "invalid", `must be ${hint}.`);
    return 0n;
  });
}

/** The addresses of invoices, at the server that this configuration starts. */
export function linksOf({ PUBLIC_URL, HOST, PORT }: Config): PublicLinks {
  return new PublicLinks(() => PUBLIC_URL ?? `http://${HOST}:${PORT}`);
}

/** Renders a merchant's document into a file and answers the file's size in bytes. An existing file is replaced. */
export async function writePdf(
  config: Config,
  owner: MerchantKey,
  document: InvoiceDocument,
  path: string,
): Promise<number> {
  const renderer = createPdfRenderer({ logger: createCommandLogger(config) });
  try {
    const pdf = await renderInvoicePdf(renderer, owner, document);
    await writeFile(path, pdf);
    return pdf.length;
  } finally {
    await renderer.close();
  }
}
