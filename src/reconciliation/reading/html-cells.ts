// One cell of an HTML table while it is read: its text, and what makes the text differ from the amount that people see.
import { formatRupees } from "../../platform/indian-format.ts";
import type { Hiding, HtmlStyles, Look } from "./html-hidden.ts";
import { textOf } from "./html-text.ts";
import { isNothing, readAmount } from "./values.ts";

/** Elements whose text is not a plain part of an amount. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  sup: "superscript text",
  sub: "subscript text",
  s: "struck out text",
  strike: "struck out text",
  del: "struck out text",
  bdo: "text in another order",
};
export const FORM_FIELD = "a form field";
export const SEVERAL_PARTS = "several parts";
export const HIDDEN: Readonly<Record<Hiding, string>> = {
  style: "hidden text",
  sheet: "text that a style sheet hides",
};
const FIELDS: ReadonlySet<string> = new Set(["input", "select", "textarea"]);
/** Elements without an end tag. */
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "wbr", "col", "area", "link", "meta"]);
const MAX_SPAN = 100;

/** A paragraph ends where a block begins. */
const PARAGRAPH: ReadonlySet<string> = new Set(["p"]);
/** Parts of a table of which the next one ends the one before. */
const ROW_GROUPS: ReadonlySet<string> = new Set(["tbody", "thead", "tfoot", "colgroup"]);

type OpenElement = { readonly name: string; readonly look: Look; depth: number };

/** The elements around the rows that say how their texts look: a table, a group of rows, or a block around the table. */
export class LooksAround {
  readonly #styles: HtmlStyles;
  #open: OpenElement[] = [];
  /** How the columns of the table look, and the group that began last. */
  #columns: Look[] = [];
  #group: { readonly from: number; readonly look: Look; isEmpty: boolean } | null = null;
  looks: readonly Look[] = [];

  constructor(styles: HtmlStyles) {
    this.#styles = styles;
  }

  /** Sees a tag outside of cells. `inCell`: how the cell looks in which a table begins. */
  see(name: string, attributes: string, isEnd: boolean, inCell: readonly Look[] = []): void {
    if (name === "table") {
      this.#columns = [];
      this.#group = null;
    }
    if ((name === "col" || name === "colgroup") && !isEnd) this.#addColumns(name, attributes);
    if (isEnd && name === "colgroup") this.#group = null;
    if (isEnd) return this.#end(name);
    const ended = ROW_GROUPS.has(name)
      ? ROW_GROUPS
      : name === "p" || name === "div" || name === "table"
        ? PARAGRAPH
        : null;
    if (ended) this.#keep(this.#open.filter((each) => !ended.has(each.name)));
    if (VOID.has(name) || attributes.endsWith("/")) return;
    const looks = [...inCell, this.#styles.lookOf(name, attributes)];
    const look = {
      hiding: looks.find(({ hiding }) => hiding !== null)?.hiding ?? null,
      color: looks.findLast(({ color }) => color !== null)?.color ?? null,
      background: looks.findLast(({ background }) => background !== null)?.background ?? null,
      odd: looks.find(({ odd }) => odd !== null)?.odd ?? null,
    };
    const around = this.#open.findLast((each) => each.name === name);
    // Of other elements, only those of a name that has to be told from theirs are counted.
    if (Object.values(look).some((each) => each !== null)) this.#keep([...this.#open, { name, look, depth: 1 }]);
    else if (around) around.depth += 1;
  }

  /** How the column at a place looks. */
  columnAt(place: number): readonly Look[] {
    const look = this.#columns[place];
    return look ? [look] : [];
  }

  #addColumns(name: string, attributes: string): void {
    const span = Math.min(Number(/\bspan\s*=\s*["']?(\d{1,4})/i.exec(attributes)?.[1] ?? 1), MAX_SPAN);
    const own = this.#styles.lookOf(name, attributes);
    const isGroup = name === "colgroup";
    // A group has as many columns as its span says, unless there are columns in it.
    if (isGroup) this.#group = { from: this.#columns.length, isEmpty: true, look: own };
    else if (this.#group?.isEmpty) this.#columns.length = this.#group.from;
    if (!isGroup && this.#group) this.#group.isEmpty = false;
    const look = { ...own, hiding: own.hiding ?? (isGroup ? null : (this.#group?.look.hiding ?? null)) };
    for (let count = 0; count < span; count += 1) this.#columns.push(look);
  }

  #end(name: string): void {
    const at = this.#open.findLastIndex((each) => each.name === name);
    if (at < 0) return;
    this.#open[at]!.depth -= 1;
    // What is open inside of it ends with it.
    if (this.#open[at]!.depth === 0) this.#keep(this.#open.slice(0, at));
  }

  #keep(open: OpenElement[]): void {
    this.#open = open;
    this.looks = open.map(({ look }) => look);
  }
}

/** What a cell has beside its text. */
export type CellNotes = {
  /** Why its text is not surely the amount that people see; `null` if it is. */
  readonly odd: string | null;
  /** The number that a spreadsheet program wrote beside the rounded text; `null` for none. */
  readonly exact: string | null;
  /** Its text with what is hidden in it. */
  readonly written: string;
  /** Its text as people see it. */
  readonly seen: string;
};

/** Gathers the parts of a cell. */
export class OpenCell {
  readonly columns: number;
  readonly rows: number;
  readonly looks: readonly Look[];
  readonly #styles: HtmlStyles;
  readonly #written: string[] = [];
  readonly #seen: string[] = [];
  readonly #exact: string | null;
  /** The elements inside that are open, with what is odd about their texts. */
  readonly #open: { readonly name: string; readonly odd: string | null; readonly look: Look }[] = [];
  #odd: string | null = null;
  #partsWithDigits = 0;

  /** @param around how the elements look that the cell is in */
  constructor(name: string, attributes: string, around: readonly Look[], styles: HtmlStyles) {
    const columns = Number(/\bcolspan\s*=\s*["']?(\d{1,4})/i.exec(attributes)?.[1] ?? 1);
    const rows = Number(/\browspan\s*=\s*["']?(\d{1,6})/i.exec(attributes)?.[1] ?? 1);
    this.columns = Math.min(Math.max(columns, 1), MAX_SPAN);
    // A span of 0 rows goes on to the end of the table.
    this.rows = rows === 0 ? Infinity : rows;
    this.#exact = exactIn(attributes);
    this.#styles = styles;
    this.looks = [...around, styles.lookOf(name, attributes)];
  }

  addText(text: string): void {
    this.#written.push(text);
    if (text.trim() === "" || text === "&nbsp;") {
      this.#seen.push(text);
      return;
    }
    if (/[\d&]/.test(text.replaceAll(/&nbsp;|&#160;|&#xa0;/gi, ""))) this.#partsWithDigits += 1;
    const hiding = this.#styles.hidingOf([...this.looks, ...this.#open.map(({ look }) => look)]);
    if (hiding === null) this.#seen.push(text);
    this.#odd ??= hiding === null ? this.#oddOfText() : HIDDEN[hiding];
  }

  #oddOfText(): string | null {
    const odd = [...this.#open.map((each) => each.odd ?? each.look.odd), ...this.looks.map((look) => look.odd)];
    return odd.find((each) => each !== null) ?? null;
  }

  addBreak(): void {
    this.#written.push("\n");
    this.#seen.push("\n");
  }

  addTag(name: string, attributes: string, isEnd: boolean): void {
    if (isEnd) {
      const at = this.#open.findLastIndex((each) => each.name === name);
      if (at >= 0) this.#open.splice(at);
      return;
    }
    if (FIELDS.has(name) && !/type\s*=\s*["']?hidden/i.test(attributes)) this.#odd ??= FORM_FIELD;
    if (VOID.has(name) || attributes.endsWith("/")) return;
    this.#open.push({ name, odd: NOT_PLAIN[name] ?? null, look: this.#styles.lookOf(name, attributes) });
  }

  notes(): CellNotes {
    const odd = this.#odd ?? (this.#partsWithDigits > 1 ? SEVERAL_PARTS : null);
    return { odd, exact: this.#exact, written: textOf(this.#written), seen: textOf(this.#seen) };
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
