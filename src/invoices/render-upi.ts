// The UPI link of an invoice. Source of the form: rails.md, "UPI link on an invoice".
// What belongs here: the text that a UPI app reads.
import { formatPaise } from "../platform/money.ts";
import type { InvoiceDocument } from "./document.ts";

const MAX_NOTE = 50;
const SETTLED_OTHERWISE = new Set(["Cancelled", "Carried forward"]);

/** Whether the document asks for money: something is due on it, by itself. */
export function isPayable(document: InvoiceDocument): boolean {
  return document.kind !== "credit_note" && document.duePaise > 0n && !SETTLED_OTHERWISE.has(document.status);
}

/** `upi://pay?…` for what is due, or `null` where there is no handle or nothing due. */
export function upiLink(document: InvoiceDocument): string | null {
  if (document.upi === null || !isPayable(document)) return null;
  const note = [...`Invoice ${document.number ?? document.recipient.code}`.trim()].slice(0, MAX_NOTE).join("");
  const fields: [string, string][] = [
    ["pa", document.upi.handle],
    ["pn", document.upi.payee || document.supplier.name],
    ["am", formatPaise(document.duePaise)],
    ["cu", "INR"],
    ["tn", note],
  ];
  if (document.number !== null) fields.push(["tr", document.number]);
  return `upi://pay?${fields.map(([name, value]) => `${name}=${encode(value)}`).join("&")}`;
}

// UPI apps read `pa=name@bank` with a bare @, as in NPCI's own examples; everything else is percent-encoded.
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("%40", "@");
}
