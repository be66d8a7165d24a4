// The logo of a template: which files are taken, told by what is in them and never by their names.
// What belongs here: looking at bytes. A logo is shown to strangers, so an SVG may neither act nor load anything.
import type { Logo, LogoType } from "./template.ts";

/** The largest logo, in bytes. */
export const LOGO_MAX_BYTES = 200 * 1024;

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG = Buffer.from("ffd8ff", "hex");

/** The root of an SVG and what may stand before it. A declaration with `[` could define entities. */
const SVG_START = /^\uFEFF?\s*(<\?xml\s[^>]*\?>\s*)?(<!--((?!-->)[^])*-->\s*|<!DOCTYPE\s[^>[]*>\s*)*<(\w+:)?svg[\s>]/i;

/** What an SVG may not hold, and its name in the sentence that refuses it. */
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

/** Takes a file as a logo, or says, after "must", why it is none. */
export function readLogo(bytes: Uint8Array): Logo | string {
  if (bytes.length > LOGO_MAX_BYTES)
    return `be at most ${LOGO_MAX_BYTES / 1024} KiB large; it has ${bytes.length} bytes.`;
  if (startsWith(bytes, PNG)) return logo("image/png", bytes);
  if (startsWith(bytes, JPEG)) return logo("image/jpeg", bytes);
  const text = utf8(bytes);
  if (text === null || !SVG_START.test(text)) return "be a PNG, JPEG or SVG image.";
  const refused = SVG_REFUSED.find(([pattern]) => pattern.test(text));
  return refused ? `be an SVG without ${refused[1]}: save it as plain SVG, or as PNG.` : logo("image/svg+xml", bytes);
}

function logo(mimeType: LogoType, bytes: Uint8Array): Logo {
  return { mimeType, bytes };
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
