// One cell of an HTML table while it is read: its text, and what makes the text differ from the amount that people see.
import { formatRupees } from "../../platform/indian-format.ts";
import { isNothing, readAmount } from "./values.ts";

/** Elements whose text is not a plain part of an amount. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  sup: "superscript text",
  sub: "subscript text",
  s: "struck out text",
  strike: "struck out text",
  del: "struck out text",
  template: "hidden text",
  noscript: "hidden text",
};
export const FORM_FIELD = "a form field";
export const SEVERAL_PARTS = "several parts";
const FIELDS: ReadonlySet<string> = new Set(["input", "select", "textarea"]);
/** Elements without an end tag. */
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "wbr", "col", "area", "link", "meta"]);
const HIDDEN_STYLE =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all|opacity\s*:\s*0(?:\.0*)?\s*(?:[;"'!]|$)|font-size\s*:\s*0(?![.\d]*[1-9]))/i;
const MAX_SPAN = 100;
const QUOTED = /"[^"]*"|'[^']*'/g;

/** Whether the attributes of a tag hide its element. */
export function isHidden(attributes: string): boolean {
  return HIDDEN_STYLE.test(attributes) || /\shidden(?:\s|=|\/|$)/i.test(attributes.replaceAll(QUOTED, '""'));
}

/** Parts of a table of which the next one ends the one before. */
const ROW_GROUPS: ReadonlySet<string> = new Set(["tbody", "thead", "tfoot"]);

/** Whether what is around the rows hides them: a table, a group of rows, or a block around the table. */
export class HiddenAround {
  #name = "";
  #depth = 0;

  get isHidden(): boolean {
    return this.#depth > 0;
  }

  /** Sees a tag. `isInCell`: the cell itself tells what is hidden in it. */
  see(name: string, attributes: string, isEnd: boolean, isInCell: boolean): void {
    const isNextGroup = !isEnd && ROW_GROUPS.has(name) && ROW_GROUPS.has(this.#name);
    if (isNextGroup) this.#depth = 0;
    if (this.#depth > 0) {
      if (name === this.#name) this.#depth += isEnd ? -1 : 1;
    } else if (!isEnd && !isInCell && !VOID.has(name) && !attributes.endsWith("/") && isHidden(attributes)) {
      this.#name = name;
      this.#depth = 1;
    }
  }
}

/** What a cell has beside its text. */
export type CellNotes = {
  /** Why its text is not surely the amount that people see; `null` if it is. */
  readonly odd: string | null;
  /** The number that a spreadsheet program wrote beside the rounded text; `null` for none. */
  readonly exact: string | null;
};

/** Gathers the parts of a cell. */
export class OpenCell {
  readonly parts: string[] = [];
  readonly columns: number;
  readonly rows: number;
  readonly #exact: string | null;
  readonly #isHidden: boolean;
  /** The elements inside that are open, with what is odd about their texts. */
  readonly #open: { readonly name: string; readonly odd: string | null }[] = [];
  #odd: string | null = null;
  #partsWithDigits = 0;

  constructor(attributes: string, isRowHidden: boolean) {
    const columns = Number(/\bcolspan\s*=\s*["']?(\d{1,4})/i.exec(attributes)?.[1] ?? 1);
    const rows = Number(/\browspan\s*=\s*["']?(\d{1,6})/i.exec(attributes)?.[1] ?? 1);
    this.columns = Math.min(Math.max(columns, 1), MAX_SPAN);
    // A span of 0 rows goes on to the end of the table.
    this.rows = rows === 0 ? Infinity : rows;
    this.#exact = exactIn(attributes);
    this.#isHidden = isRowHidden || isHidden(attributes);
  }

  addText(text: string): void {
    this.parts.push(text);
    if (text.trim() === "" || text === "&nbsp;") return;
    if (/[\d&]/.test(text.replaceAll(/&nbsp;|&#160;|&#xa0;/gi, ""))) this.#partsWithDigits += 1;
    this.#odd ??= this.#isHidden ? "hidden text" : (this.#open.find(({ odd }) => odd !== null)?.odd ?? null);
  }

  addTag(name: string, attributes: string, isEnd: boolean): void {
    if (isEnd) {
      const at = this.#open.findLastIndex((each) => each.name === name);
      if (at >= 0) this.#open.splice(at);
      return;
    }
    if (FIELDS.has(name) && !/type\s*=\s*["']?hidden/i.test(attributes)) this.#odd ??= FORM_FIELD;
    if (VOID.has(name) || attributes.endsWith("/")) return;
    this.#open.push({ name, odd: isHidden(attributes) ? "hidden text" : (NOT_PLAIN[name] ?? null) });
  }

  notes(): CellNotes {
    return { odd: this.#odd ?? (this.#partsWithDigits > 1 ? SEVERAL_PARTS : null), exact: this.#exact };
  }
}

/** The number that Excel (`x:num`), LibreOffice (`sdval`) or Google (`data-sheets-value`) keeps beside the text of a cell. */
function exactIn(attributes: string): string | null {
  const own = /(?:^|\s)(?:x:num|sdval)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes);
  const googles = /\sdata-sheets-value\s*=\s*(["']).*?(?:&quot;|")3(?:&quot;|")\s*:\s*([-+.\dE]+)/i.exec(
    attributes,
  )?.[2];
  return (own?.[1] ?? own?.[2] ?? own?.[3] ?? googles ?? "").trim() || null;
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

/** The paise of a number of a spreadsheet, which may be a hair off, such as `1500.5499999999999`; `null` if it is finer than a paisa. */
function paiseOfExact(exact: string): bigint | null {
  const match = /^([-+]?)(\d{1,13})(?:\.(\d{1,20}))?$/.exec(exact);
  if (!match) return null;
  const decimals = (match[3] ?? "").padEnd(8, "0");
  const rest = decimals.slice(2, 8);
  if (!/^(?:0+|9+)$/.test(rest)) return null;
  const size = BigInt(match[2]!) * 100n + BigInt(decimals.slice(0, 2)) + (rest.startsWith("9") ? 1n : 0n);
  return match[1] === "-" ? -size : size;
}
