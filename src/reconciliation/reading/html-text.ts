// Texts of HTML as people see them.
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  rsquo: "’",
};

/** Decodes the character references in a text, such as `&amp;` and `&#45;`. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, decimal: string, hex: string, name: string) => {
      if (name) return ENTITIES[name.toLowerCase()] ?? whole;
      const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}

/** The text of an element's parts. Blanks and line breaks of the source become one blank; a part `\n` is a line break. */
export function textOf(parts: readonly string[]): string {
  const text = parts.map((part) => (part === "\n" ? part : part.replaceAll(/\s+/g, " "))).join("");
  return decodeEntities(text)
    .split("\n")
    .map((row) => row.trim())
    .join("\n")
    .trim();
}
