// Checks whether an HTML file is complete: browsers show the rest of a truncated page, but a statement must have all lines.
import { unreadable } from "./statement.ts";

/** Elements around tables. Unlike paragraphs, they must be closed. */
const WRAPPERS: ReadonlySet<string> = new Set(["html", "div", "center", "form"]);
/** A table tag inside broken markup: an unclosed tag, or an extra quotation mark. */
const BROKEN_TAG = /<\/?(?:table|t[rdh])\b/i;
/** A tag, comment or instruction that is cut by the end of the file. */
const CUT_TAG = /<(?:\/?[a-z]|$|[!?/][^>]*$)/i;

/** The open elements of a file while it is read. */
export class HtmlEnd {
  /** The lines on which the open tables begin. */
  readonly #tables: number[] = [];
  /** The outermost element around tables: without its end tag, a table after the first may be missing. */
  #outer: { readonly name: string; readonly line: number; depth: number } | null = null;

  /** Takes a start or end tag. The end of `body` ends the page: many leave out the end of `html`. */
  seeTag(written: string, isEnd: boolean, line: number): void {
    const name = written === "body" ? "html" : written;
    if (name === "table") {
      if (isEnd) this.#tables.pop();
      else this.#tables.push(line);
    }
    if (!WRAPPERS.has(name)) return;
    if (!isEnd) this.#outer ??= { name, line, depth: 0 };
    const outer = this.#outer;
    if (outer?.name !== name) return;
    if (isEnd) outer.depth = name === "html" ? 0 : outer.depth - 1;
    else outer.depth = name === "html" ? 1 : outer.depth + 1;
    if (outer.depth === 0) this.#outer = null;
  }

  /** @throws NodalError `validation_failed` for a comment, script or style without its end */
  seeAside(isClosed: boolean, line: number): void {
    if (!isClosed) throw cutOff(line, "the comment or script that begins here is not closed");
  }

  /** @throws NodalError `validation_failed` for a tag whose attributes contain a table tag */
  seeAttributes(written: string, line: number): void {
    if (BROKEN_TAG.test(written)) throw cutOff(line, "a tag of the table has no end");
  }

  /**
   * Takes the text after the last tag.
   * @param openRow the line of an open row or cell
   * @throws NodalError `validation_failed` if the file ends in a tag, a row, a table or an element around it
   */
  finish(tail: string, line: number, openRow: number | null): void {
    const [table = null] = this.#tables;
    if (table !== null) throw cutOff(table, "the table that begins here is not closed");
    if (openRow !== null) throw cutOff(openRow, "the row that begins here is not closed");
    if (CUT_TAG.test(tail)) throw cutOff(line, "the last tag has no end");
    if (this.#outer) throw cutOff(this.#outer.line, `<${this.#outer.name}> that begins here is not closed`);
  }
}

function cutOff(line: number, problem: string): Error {
  return unreadable(
    `Line ${line}: ${problem}, so the file seems to be cut off.`,
    "Download the statement again. Nothing was imported.",
  );
}
