// Parses style sheets and inline styles of HTML into declarations. It is strict: syntax it doesn't know makes a sheet unclear.

export type Declaration = { readonly name: string; readonly value: string; readonly isImportant: boolean };
export type SheetRule = {
  /** As written, without comments; one of a list. */
  readonly selector: string;
  readonly declarations: readonly Declaration[];
  /** Whether it applies only to some screens or printers. */
  readonly isConditional: boolean;
};

/** Part of a style sheet that may change what people see. The message continues "The page has". */
export class UnclearSheet extends Error {}

/** In characters. */
const MAX_SHEET = 4 * 1024 * 1024;
const MAX_DEPTH = 4;
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
/** At-rules whose inner rules apply like any others. */
const CONDITIONS: ReadonlySet<string> = new Set(["media", "supports", "layer", "container"]);
/** At-rules that have no effect by themselves: animations and styles of paper or lists. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "page",
  "charset",
  "keyframes",
  "-webkit-keyframes",
  "-moz-keyframes",
  "list",
  "namespace",
  "-ms-viewport",
  "viewport",
]);

/**
 * The rules of a style sheet, including those inside `@media`.
 * @throws UnclearSheet for an at-rule that loads other styles or fonts, and for anything but a plain rule
 */
export function rulesOfSheet(sheet: string): SheetRule[] {
  const plain = sheet.replaceAll(/<!--|-->|<!\[CDATA\[|\]\]>/g, " ").replaceAll(COMMENT, " ");
  if (plain.length > MAX_SHEET) throw new UnclearSheet("a style sheet that is too long");
  return rulesIn(plain, 0);
}

/** @param depth how many at-rules enclose the text */
function rulesIn(text: string, depth: number): SheetRule[] {
  if (depth > MAX_DEPTH) throw new UnclearSheet("a style sheet that is nested too deeply");
  const rules: SheetRule[] = [];
  let at = 0;
  /** Whether browsers drop the next rule, as they do after a stray semicolon. */
  let isBroken = false;
  for (;;) {
    const open = findOutside(text, "{;}", at);
    const prelude = text.slice(at, open < 0 ? text.length : open).trim();
    if (open < 0) {
      if (prelude !== "") throw new UnclearSheet("a style sheet that is cut off");
      return rules;
    }
    const atRule = /^@([\w-]+)/.exec(prelude)?.[1]?.toLowerCase();
    if (text[open] !== "{") {
      if (text[open] === "}" || (atRule !== undefined && !WITHOUT_EFFECT.has(atRule) && atRule !== "layer"))
        throw new UnclearSheet(
          atRule === undefined ? "a style sheet with an odd bracket" : `a style sheet with @${atRule}`,
        );
      isBroken ||= atRule === undefined;
      at = open + 1;
      continue;
    }
    const close = closingOf(text, open);
    if (close < 0) throw new UnclearSheet("a style sheet that is cut off");
    const body = text.slice(open + 1, close);
    at = close + 1;
    if (atRule === undefined) {
      if (findOutside(body, "{", 0) >= 0) throw new UnclearSheet("a style sheet with nested rules");
      const declarations = declarationsIn(body);
      const isConditional = depth > 0 || isBroken;
      isBroken = false;
      for (const selector of splitOutside(prelude, ",")) rules.push({ selector, declarations, isConditional });
    } else if (CONDITIONS.has(atRule)) for (const rule of rulesIn(body, depth + 1)) rules.push(rule);
    // A font without a source only describes one, as Word writes it.
    else if (
      atRule === "font-face" ? declarationsIn(body).some(({ name }) => name === "src") : !WITHOUT_EFFECT.has(atRule)
    )
      throw new UnclearSheet(`a style sheet with @${atRule}`);
  }
}

/** The declarations of a style, in lower case, without comments and escapes. */
export function declarationsIn(style: string): Declaration[] {
  return splitOutside(style.replaceAll(COMMENT, " "), ";").flatMap((part) => {
    const colon = part.indexOf(":");
    // Browsers skip anything that is not a declaration.
    if (colon < 0) return [];
    const name = unescaped(part.slice(0, colon)).trim().toLowerCase();
    const written = unescaped(part.slice(colon + 1))
      .trim()
      .toLowerCase();
    const value = written.replace(/\s*!\s*important$/, "");
    return [{ name, value, isImportant: value !== written }];
  });
}

/** Splits a text at separators outside quotation marks and brackets; leaves out empty parts. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const next = findOutside(text, separator, at);
    const part = text.slice(at, next < 0 ? text.length : next).trim();
    if (part !== "") parts.push(part);
    if (next < 0) return parts;
    at = next + 1;
  }
}

/** The position of the first of these characters outside quotation marks, round and square brackets; -1 if there is none. */
function findOutside(text: string, wanted: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "\\") at += 1;
    else if (character === '"' || character === "'") {
      at = endOfQuoted(text, at);
    } else if (depth === 0 && wanted.includes(character)) return at;
    else if (character === "(" || character === "[") depth += 1;
    else if (character === ")" || character === "]") depth = Math.max(depth - 1, 0);
  }
  return -1;
}

/** Where the block that opens with `{` at this position ends; negative if it doesn't. */
function closingOf(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "\\") at += 1;
    else if (character === '"' || character === "'") at = endOfQuoted(text, at);
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** The end of a quoted text; a line break ends it too. */
function endOfQuoted(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === text[open] || text[at] === "\n") return at;
  }
  return text.length;
}

/** Decodes the escapes (`\69`) in a text. */
export function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_whole, hex: string | undefined, other: string) => {
    if (hex === undefined) return other;
    const point = Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : "";
  });
}
