// The elements around the rows and cells of an HTML table, which style their texts.
import { MAX_SPAN, VOID } from "./html-cells.ts";
import { inColumn, PAGE, type HtmlStyles, type Look } from "./html-hidden.ts";
import type { Attributes } from "./html-tokens.ts";

/** A start tag. */
export type StartTag = { readonly name: string; readonly attributes: Attributes; readonly written: string };

/** A block element ends an open paragraph. */
const PARAGRAPH: ReadonlySet<string> = new Set(["p"]);
/** Parts of a table that the next part of the same kind closes. */
const ROW_GROUPS: ReadonlySet<string> = new Set(["tbody", "thead", "tfoot", "colgroup"]);

/** `depth` counts nested elements of the same name. */
type OpenElement = { readonly tag: StartTag; readonly look: Look; depth: number };

/** The open elements outside rows: a table, a row group, or a block around the table. */
export class LooksAround {
  readonly #styles: HtmlStyles;
  #open: OpenElement[] = [];
  /** The styles of the table's columns and of the last column group. */
  #columns: Look[] = [];
  #group: { readonly from: number; readonly look: Look; isEmpty: boolean } | null = null;

  constructor(styles: HtmlStyles) {
    this.#styles = styles;
  }

  /** The style of text in the innermost element. */
  get look(): Look {
    return this.#open.at(-1)?.look ?? PAGE;
  }

  get depth(): number {
    return this.#open.length;
  }

  /** Opens an element and returns its style. `inCell`: the style of the cell in which a table begins. */
  open(tag: StartTag, inCell: Look | null = null): Look {
    const { name } = tag;
    if (name === "table") {
      this.#columns = [];
      this.#group = null;
    }
    if (name === "col" || name === "colgroup") this.#addColumns(tag);
    const ended = ROW_GROUPS.has(name)
      ? ROW_GROUPS
      : name === "p" || name === "div" || name === "table"
        ? PARAGRAPH
        : null;
    if (ended) this.#remove(ended);
    const look = this.#styles.lookIn(inCell ?? this.look, tag);
    if (VOID.has(name)) return look;
    const outer = this.#open.findLast((each) => each.tag.name === name);
    // An element without any effect is counted only if its end tag could be taken for that of an outer element.
    if (look !== this.look || name === "table") this.#open.push({ tag, look, depth: 1 });
    else if (outer) outer.depth += 1;
    return look;
  }

  close(name: string): void {
    if (name === "table" || name === "colgroup") this.#group = null;
    const at = this.#open.findLastIndex(({ tag }) => tag.name === name);
    if (at < 0) return;
    this.#open[at]!.depth -= 1;
    // Elements still open inside it end with it.
    if (this.#open[at]!.depth === 0) this.#open.length = at;
  }

  /** The style of a cell at this position in a row of this style. */
  cellLook(row: Look, place: number): Look {
    return inColumn(row, this.#columns[place], this.look);
  }

  #addColumns(tag: StartTag): void {
    const span = Math.min(Number(/^\s*(\d{1,4})/.exec(tag.attributes.get("span") ?? "")?.[1] ?? 1), MAX_SPAN);
    const own = this.#styles.lookIn(this.look, tag);
    const isGroup = tag.name === "colgroup";
    // A group has as many columns as its span says, unless it contains column elements.
    if (isGroup) this.#group = { from: this.#columns.length, isEmpty: true, look: own };
    else if (this.#group?.isEmpty) this.#columns.length = this.#group.from;
    if (!isGroup && this.#group) this.#group.isEmpty = false;
    const look = { ...own, hiding: own.hiding ?? (isGroup ? null : (this.#group?.look.hiding ?? null)) };
    if (this.#columns.length < MAX_COLUMNS) for (let count = 0; count < span; count += 1) this.#columns.push(look);
  }

  /** Ends the elements of these names, but not the ones nested in them. */
  #remove(names: ReadonlySet<string>): void {
    const first = this.#open.findIndex(({ tag }) => names.has(tag.name));
    if (first < 0) return;
    const kept = this.#open.splice(first).filter(({ tag }) => !names.has(tag.name));
    for (const { tag, depth } of kept) this.#open.push({ tag, look: this.#styles.lookIn(this.look, tag), depth });
  }
}

/** No statement has more columns. */
const MAX_COLUMNS = 1000;
