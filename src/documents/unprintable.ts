// What of a document can't be put on paper.
import { unprintableLetters } from "../platform/pdf/fonts.ts";
import type { InvoiceDocument } from "./document.ts";

/** The letters of a document that its PDF shows as empty boxes, each once; empty where there are none. */
export function unprintableIn(document: InvoiceDocument): string {
  const texts = { ...document, logo: null };
  return unprintableLetters(JSON.stringify(texts, (_, value: unknown) => (typeof value === "bigint" ? 0 : value)));
}
