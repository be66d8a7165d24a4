// The UPI link of an invoice, and its QR code. Source of the form: rails.md, "UPI link on an invoice".
// What belongs here: the text that a UPI app reads, and how it is drawn.
import { encodeQR } from "qr";
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

/** A QR code as an SVG image of its own size, black on white with the quiet zone that scanners need. */
export function qrSvg(text: string): string {
  const modules = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const path = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  const size = modules.length;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path fill="#000" d="${path}"/></svg>`
  );
}

// UPI apps read `pa=name@bank` with a bare @, as in NPCI's own examples; everything else is percent-encoded.
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("%40", "@");
}
