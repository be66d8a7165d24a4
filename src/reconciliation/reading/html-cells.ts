// Reads one cell of an HTML table: its text, and why the text may differ from the amount that people see.
import { formatRupees } from "../../platform/indian-format.ts";
import { OTHER_ORDER, STRUCK_OUT } from "./css-meaning.ts";
import { hidingOf, type Hiding, type Look } from "./html-hidden.ts";
import { decodeEntities, textOf } from "./html-text.ts";
import type { Attributes } from "./html-tokens.ts";
import { isNothing, readAmount } from "./values.ts";

/** Elements whose text is not a plain part of an amount. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  sup: "superscript text",
  sub: "subscript text",
  s: STRUCK_OUT,
  strike: STRUCK_OUT,
  del: STRUCK_OUT,
  bdo: OTHER_ORDER,
};
export const FORM_FIELD = "a form field";
export const SEVERAL_PARTS = "several parts";
/** A part that may show anything: a drawing, or an element that programs show differently. */
export const UNKNOWN = "a part that is no plain text";
const PICTURE = "a picture";
export const HIDDEN: Readonly<Record<Hiding, string>> = {
  style: "hidden text",
  sheet: "text that a style sheet hides",
};
const FIELDS: ReadonlySet<string> = new Set(["input", "select", "textarea"]);
/** Elements of a cell that show their text unchanged. */
const PLAIN: ReadonlySet<string> = new Set(
  `a abbr acronym address b big bdi bdo blockquote br center cite code col dd details dialog div dl dt em font form h1 h2 h3 h4 h5 h6 hr i ins kbd
  label li mark nobr ol p pre q s samp small span strike strong sub sup summary time tt u ul var wbr del template noscript rp o:p`.split(
    /\s+/,
  ),
);
/** Elements without an end tag. */
export const VOID: ReadonlySet<string> = new Set([
  "br",
  "hr",
  "img",
  "input",
  "wbr",
  "col",
  "area",
  "link",
  "meta",
  "base",
]);
export const MAX_SPAN = 100;
const MAX_EXACT = 500;

/** The content of a cell besides its text. */
export type CellNotes = {
  /** Why its text may differ from the amount that people see; `null` if it doesn't. */
  readonly odd: string | null;
  /** The number that a spreadsheet program wrote beside the rounded text; `null` for none. */
  readonly exact: string | null;
  /** Its text including hidden parts. */
  readonly written: string;
  /** Its text as people see it. */
  readonly seen: string;
};

/** Collects the parts of a cell. */
export class OpenCell {
  readonly columns: number;
  readonly rows: number;
  readonly look: Look;
  readonly #written: string[] = [];
  readonly #seen: string[] = [];
  readonly #exact: string | null;
  /** The open elements in the cell, with anything unusual about their texts. */
  readonly #open: { readonly name: string; readonly odd: string | null; readonly look: Look; depth: number }[] = [];
  #odd: string | null = null;
  #partsWithDigits = 0;

  /** @param look the style of a text in it */
  constructor(attributes: Attributes, look: Look) {
    const spanOf = (key: string): number => Number(/^\s*(\d{1,6})/.exec(attributes.get(key) ?? "")?.[1] ?? 1);
    this.columns = Math.min(Math.max(spanOf("colspan"), 1), MAX_SPAN);
    // A span of 0 rows extends to the end of the table.
    this.rows = spanOf("rowspan") === 0 ? Infinity : spanOf("rowspan");
    this.#exact = exactIn(attributes);
    this.look = look;
  }

  /** The style of text in the innermost open element. */
  get innerLook(): Look {
    return this.#open.at(-1)?.look ?? this.look;
  }

  get depth(): number {
    return this.#open.length;
  }

  addText(text: string): void {
    this.#written.push(text);
    if (text.trim() === "" || text === "&nbsp;") {
      this.#seen.push(text);
      return;
    }
    if (/[\d&]/.test(text.replaceAll(/&nbsp;|&#160;|&#xa0;/gi, ""))) this.#partsWithDigits += 1;
    const hiding = hidingOf(this.innerLook);
    if (hiding === null) this.#seen.push(text);
    this.#odd ??= hiding === null ? (this.#open.at(-1)?.odd ?? this.innerLook.odd) : HIDDEN[hiding];
  }

  addBreak(): void {
    this.#written.push("\n");
    this.#seen.push("\n");
  }

  /** Takes a start tag of an element with this style. */
  open(name: string, attributes: Attributes, look: Look): void {
    const isSeen = hidingOf(look) === null;
    const isHiddenField = name === "input" && (attributes.get("type") ?? "").toLowerCase() === "hidden";
    if (FIELDS.has(name) && !isHiddenField) this.#odd ??= FORM_FIELD;
    else if (name === "img") this.#odd ??= isSeen ? PICTURE : null;
    else if (!FIELDS.has(name) && !PLAIN.has(name) && isSeen) this.#odd ??= UNKNOWN;
    if (VOID.has(name)) return;
    const outer = this.#open.findLast((each) => each.name === name);
    const odd = NOT_PLAIN[name] ?? null;
    // An element without any effect is counted only if its end tag could be taken for that of an outer element.
    if (look === this.innerLook && odd === null) {
      if (outer) outer.depth += 1;
    } else this.#open.push({ name, odd: this.#open.at(-1)?.odd ?? odd, look, depth: 1 });
  }

  close(name: string): void {
    const at = this.#open.findLastIndex((each) => each.name === name);
    if (at < 0) return;
    this.#open[at]!.depth -= 1;
    if (this.#open[at]!.depth === 0) this.#open.splice(at);
  }

  notes(): CellNotes {
    const odd = this.#odd ?? (this.#partsWithDigits > 1 ? SEVERAL_PARTS : null);
    return { odd, exact: this.#exact, written: textOf(this.#written), seen: textOf(this.#seen) };
  }
}

/** The number that Excel (`x:num`), LibreOffice (`sdval`) or Google (`data-sheets-value`) keeps beside the text of a cell. */
function exactIn(attributes: Attributes): string | null {
  const own = attributes.get("x:num") ?? attributes.get("sdval");
  if (own !== undefined) return own.trim() || null;
  const googles = decodeEntities(attributes.get("data-sheets-value") ?? "").slice(0, MAX_EXACT);
  return /"3"\s*:\s*([-+.\dE]+)/i.exec(googles)?.[1] ?? /(?<!\d)3\s*:\s*([-+.\dE]+)/i.exec(googles)?.[1] ?? null;
}

/**
 * The text of an amount with the exact value beside it: the text if both agree, and the exact value if the text is that value rounded.
 * `null` if they contradict each other.
 */
export function exactAmount(text: string, exact: string): string | null {
  const paise = paiseOfExact(exact);
  const shown = readAmount(text);
  if (shown === null) return isNothing(text) && paise === 0n ? text : isNothing(text) ? null : text;
  if (paise === null) return null;
  const size = paise < 0n ? -paise : paise;
  const isBelowZero = shown.isNegative || shown.side === "out";
  const isSigned = shown.isNegative || shown.hasPlus || shown.side !== null;
  if (isSigned && paise < 0n !== isBelowZero && size !== 0n && shown.side === null) return null;
  if (size === shown.paise && (paise >= 0n || isBelowZero)) return text;
  const decimals = /\.(\d+)/.exec(text.replace(/rs\./i, ""))?.[1]?.length ?? 0;
  const step = decimals === 0 ? 100n : decimals === 1 ? 10n : 1n;
  const gap = size > shown.paise ? size - shown.paise : shown.paise - size;
  if (gap * 2n > step || shown.side !== null) return null;
  return formatRupees(paise).replace("₹", "");
}

/**
 * The paise of a spreadsheet number, which may be off by a float's error, such as `1500.5499999999999`; `null` if finer than a
 * paisa.
 */
function paiseOfExact(exact: string): bigint | null {
  const match = /^([-+]?)(\d{1,13})(?:\.(\d{1,20}))?$/.exec(exact);
  if (!match) return null;
  const decimals = (match[3] ?? "").padEnd(8, "0");
  const rest = decimals.slice(2, 8);
  if (!/^(?:0+|9+)$/.test(rest)) return null;
  const size = BigInt(match[2]!) * 100n + BigInt(decimals.slice(0, 2)) + (rest.startsWith("9") ? 1n : 0n);
  return match[1] === "-" ? -size : size;
}
