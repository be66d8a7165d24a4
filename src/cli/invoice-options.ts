// Shared by the commands about invoices and credit notes: invoice ids, links, and writing a PDF.
import { writeFile } from "node:fs/promises";
import { PublicLinks } from "../documents/index.ts";
import { parseInvoiceId } from "../invoices/index.ts";
import type { Config } from "../platform/config.ts";
import { fail, readOnlyField } from "../platform/http/field.ts";
import { requiredText } from "../platform/http/fields.ts";
import { createPdfRenderer, type PdfRenderer } from "../platform/pdf/renderer.ts";
import { option, type MerchantScope } from "./command.ts";
import { createCommandLogger, publicUrlOf } from "./on-database.ts";
import { recordAnswer, type Answer } from "./output.ts";

/** The id of an invoice, as in the API. */
export const INVOICE = invoiceIdOption("an invoice's id, such as R000029148, which `nodal invoice list` shows");
/** The same of a debit note. */
export const DEBIT_NOTE = invoiceIdOption("a debit note's id, such as R000029149, which `nodal debit-note list` shows");

function invoiceIdOption(hint: string) {
  return option(
    "<id>",
    hint,
    readOnlyField({ type: "string" }, hint, (value, path, errors) => {
      const found = typeof value === "string" ? parseInvoiceId(value.trim().toUpperCase()) : null;
      if (found !== null) return found;
      fail(errors, path, "invalid", `must be ${hint}.`);
      return 0n;
    }),
  );
}

export const OUT = option("<file>", "the file, which is replaced if it exists", requiredText(4096));

/** The public links of invoices on this configuration's server. */
export function linksOf(config: Config): PublicLinks {
  return new PublicLinks(() => publicUrlOf(config));
}

/** Runs `use` with a temporary renderer. */
export async function withRenderer<T>(config: Config, use: (renderer: PdfRenderer) => Promise<T>): Promise<T> {
  const renderer = createPdfRenderer({ logger: createCommandLogger(config) });
  try {
    return await use(renderer);
  } finally {
    await renderer.close();
  }
}

/** Writes a PDF to a file and reports its size. An existing file is replaced. */
export async function writePdf(
  { config }: Pick<MerchantScope, "config">,
  make: (renderer: PdfRenderer) => Promise<Uint8Array>,
  path: string,
): Promise<Answer> {
  const pdf = await withRenderer(config, make);
  await writeFile(path, pdf);
  return recordAnswer({ file: path, bytes: pdf.length });
}
