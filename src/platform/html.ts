// HTML templates that escape all values except `Html`; and QR codes as images.
import { encodeQR } from "qr";

/** HTML that is inserted unescaped. `markup` returns it; use `new Html` only for text that is known to be safe. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | null | false | readonly Piece[];

/**
 * A template whose text values are escaped, for content and quoted attributes alike. `null` and `false` print nothing.
 * It is not called `html`, because formatters lay out templates of that name, and change their text.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? print(values[index]!) : "")).join(""));
}

function print(piece: Piece): string {
  if (piece === null || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(print).join("");
  return escapeHtml(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
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
