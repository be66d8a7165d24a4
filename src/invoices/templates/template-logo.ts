// The logo of a template: accepted files, recognised by their content and never by their names. An SVG may neither run code nor
// load anything, and nothing may be too large to draw. The stored logo is a bitmap drawn by Nodal itself.
import type { MerchantKey } from "../../merchants/index.ts";
import { NodalError, validationError } from "../../platform/errors.ts";
import type { PictureType } from "../../platform/pdf/messages.ts";
import { jpegSize, pngSize, type Size } from "../../platform/pdf/picture-size.ts";
import type { PdfRenderer } from "../../platform/pdf/renderer.ts";
import type { GivenLogo, Logo } from "./template.ts";

/** The largest logo, in bytes. */
export const LOGO_MAX_BYTES = 200 * 1024;
/** The longest side of a bitmap, in pixels. Far more than is printed, and drawn in a fraction of the time limit. */
const MAX_SIDE = 3000;
const MAX_SVG_ELEMENTS = 5000;
const MAX_SVG_EFFECTS = 50;

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG = Buffer.from("ffd8ff", "hex");

/** The root of an SVG and what may precede it. A declaration with `[` could define entities. */
const SVG_START = /^\uFEFF?\s*(<\?xml\s[^>]*\?>\s*)?(<!--((?!-->)[^])*-->\s*|<!DOCTYPE\s[^>[]*>\s*)*<(\w+:)?svg[\s>]/i;

/** Forbidden parts of an SVG, with their names in the error. */
const SVG_REFUSED: readonly (readonly [RegExp, string])[] = [
  [/<([^\s<>/]*:)?(script|handler|foreignObject|iframe|embed|object|audio|video)\b/i, "scripts or foreign objects"],
  [/[\s"']on[a-z]+\s*=/i, "event handlers"],
  [/<!(ENTITY|ATTLIST|ELEMENT|NOTATION)|<!DOCTYPE[^<>[]*\[|<!\[CDATA\[/i, "entities or CDATA sections"],
  // An escaped letter would hide a word from the rules below.
  [/&#|\\/, "character references or backslashes"],
  [/<\?(?!xml\s)/i, "processing instructions"],
  [/encoding\s*=\s*["'](?!utf-8["'])/i, "an encoding other than UTF-8"],
  [/\b(href|src)\s*=\s*["']\s*(?!#|data:image\/(png|jpeg|gif|webp);base64,)/i, "links to other files"],
  [/attributeName\s*=\s*["']\s*(xlink:)?href/i, "links that change"],
  [/\bxml:base\s*=/i, "a base address"],
  [/url\s*\(\s*(["']\s*)?(?!["'\s]|#|data:image\/(png|jpeg|gif|webp);base64,)/i, "links to other files"],
  [/@import|image-set\s*\(|\bsrc\s*\(/i, "links to other files"],
];

/** Accepts a file as a logo to draw, or returns the error that follows "must". */
export function readLogo(bytes: Uint8Array): GivenLogo | string {
  if (bytes.length > LOGO_MAX_BYTES) return `be at most ${LOGO_MAX_BYTES / 1024} KiB; it has ${bytes.length} bytes.`;
  if (startsWith(bytes, PNG)) return bitmap("image/png", bytes, pngSize(bytes));
  if (startsWith(bytes, JPEG)) return bitmap("image/jpeg", bytes, jpegSize(bytes));
  const text = utf8(bytes);
  if (text === null || !SVG_START.test(text)) return "be a PNG, JPEG or SVG image.";
  const refused = SVG_REFUSED.find(([pattern]) => pattern.test(text));
  if (refused) return `be an SVG without ${refused[1]}: save it as plain SVG, or as PNG.`;
  if (countOf(/</g, text) > 2 * MAX_SVG_ELEMENTS || countOf(/<([^\s<>/]*:)?fe[A-Z]/g, text) > MAX_SVG_EFFECTS) {
    return `be an SVG of at most ${MAX_SVG_ELEMENTS} elements and ${MAX_SVG_EFFECTS} filter effects: save it as PNG.`;
  }
  return { mimeType: "image/svg+xml", bytes };
}

function bitmap(mimeType: PictureType, bytes: Uint8Array, size: Size | null): GivenLogo | string {
  if (size === null) return "be a complete image: this one has no dimensions.";
  if (Math.max(size.width, size.height) <= MAX_SIDE) return { mimeType, bytes };
  return `be at most ${MAX_SIDE} × ${MAX_SIDE} pixels; it has ${size.width} × ${size.height}. Save it smaller.`;
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

function startsWith(bytes: Uint8Array, magic: Buffer): boolean {
  return magic.equals(bytes.subarray(0, magic.length));
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Draws a logo, in the merchant's turn and within limits of time and memory.
 * @throws NodalError `validation_failed` naming `logo` if it can't be drawn; `unavailable` if the queue is full
 */
export async function drawLogo(renderer: PdfRenderer, owner: MerchantKey, given: GivenLogo): Promise<Logo> {
  try {
    return { mimeType: "image/png", bytes: await renderer.draw(owner, given) };
  } catch (error) {
    if (!(error instanceof NodalError) || error.code !== "validation_failed") throw error;
    throw validationError([{ field: "logo", code: "invalid", problem: `must ${error.message}` }]);
  }
}
