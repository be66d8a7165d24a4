// Finds characters of an invoice that no font of its PDF has.
import { unprintableLetters } from "../platform/pdf/fonts.ts";
import type { Invoice } from "./invoice.ts";
import { textsOfLine } from "./lines/line-forms.ts";

/**
 * `field` is the first text with such characters, relative to the invoice's path; `letters` are those of all its texts, each once.
 */
export type Unprintable = { readonly field: string; readonly letters: string };

/** `undefined` if all of the invoice's texts can be printed. */
export function unprintableOf(invoice: Pick<Invoice, "content" | "cycleName">): Unprintable | undefined {
  const found = textsOf(invoice)
    .map(([field, text]) => ({ field, letters: unprintableLetters(text) }))
    .filter(({ letters }) => letters !== "");
  if (found.length === 0) return undefined;
  return { field: found[0]!.field, letters: [...new Set(found.flatMap(({ letters }) => [...letters]))].join("") };
}

/** The texts specific to one invoice. Supplier, terms and signatory are the same on all, and checked with the template. */
function textsOf({ content, cycleName }: Pick<Invoice, "content" | "cycleName">): [field: string, text: string][] {
  const { name, address, city, state } = content.recipient;
  return [
    ...content.rows.flatMap((row, index) =>
      textsOfLine(row).map(([name, text]): [string, string] => [`particular_rows[${index}].${name}`, text]),
    ),
    ...content.taxes.map((tax): [string, string] => ["tax_rows", tax.name]),
    ...content.headerFields.map((field): [string, string] => ["custom_header_fields", `${field.name} ${field.value}`]),
    ["bill_cycle_name", cycleName],
    ["customer_code", [name, address, city, state].join(" ")],
  ];
}
