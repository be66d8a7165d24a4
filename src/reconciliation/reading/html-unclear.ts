// Parts of an HTML page that may hide, move or replace what people see: the file is refused, because its lines can't be known.
// docs/rules/reconciliation.md#hidden-text
import { UnclearSheet } from "./css-sheet.ts";
import { HtmlStyles } from "./html-hidden.ts";
import { tokensOfHtml, type Attributes, type HtmlToken } from "./html-tokens.ts";
import { unreadable } from "./statement.ts";

const REMEDY =
  "Open the file in a spreadsheet program, check it, save it as CSV (UTF-8), and import that file. Nothing was imported.";

/** Harmless scripts: they print or close the page. */
const PRINTING =
  /^(?:(?:return|javascript:|window|self|document|onload|function ?\(\)|\.|=|\b(?:print|close|focus)\(\)|\btrue|\bfalse|[\s;{}])*)$/;
/** Events of the mouse or keyboard; all others fire by themselves. */
const BY_PERSON =
  /^on(?:(?:dbl|aux)?click|mouse\w*|pointer\w*|key\w*|contextmenu|select(?:start)?|drag\w*|drop|copy|cut|paste|change|submit|reset|input|wheel|touch\w*)$/;

/**
 * The style sheets of a file.
 * @throws NodalError `validation_failed` for one that may change what people see
 */
export function stylesIn(text: string): HtmlStyles {
  const sheets: string[] = [];
  for (const token of tokensOfHtml(text))
    if (token.kind === "raw" && token.name === "style" && token.isClosed) sheets.push(token.content);
  return refusingUnclear(() => new HtmlStyles(sheets));
}

/** Runs `work`; an unclear style sheet refuses the file. */
export function refusingUnclear<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnclearSheet) throw unclear("The page", error.message);
    throw error;
  }
}

/** @throws NodalError `validation_failed` for a property that may change what people see, if there is one */
export function refuseUnclear(property: string | null, line: number): void {
  if (property !== null) throw unclear(`Line ${line}: the page`, `“${property}”`);
}

/** @throws NodalError `validation_failed` for a style sheet in another file */
export function refuseLink(
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
  line: number,
): void {
  if (name === "link" && /\bstylesheet\b/i.test(attributes.get("rel") ?? ""))
    throw unclear(`Line ${line}: the page`, "a style sheet in another file");
}

/** @throws NodalError `validation_failed` for a script that may change the page */
export function refuseScript({ attributes, content }: Extract<HtmlToken, { kind: "raw" }>, line: number): void {
  const type = attributes.get("type") ?? "";
  if (type !== "" && !/script|module/i.test(type)) return;
  const plain = content.replaceAll(/<!--|-->|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
  if (attributes.has("src") || !PRINTING.test(plain)) throw unclear(`Line ${line}: the page`, "a script");
}

/** @throws NodalError `validation_failed` for an attribute with a script that runs by itself */
export function refuseActions(attributes: Attributes, line: number): void {
  for (const [name, script] of attributes) {
    if (!name.startsWith("on") || BY_PERSON.test(name) || PRINTING.test(script)) continue;
    throw unclear(`Line ${line}: the page`, `a script (${name.slice(0, 40)})`);
  }
}

/** @throws NodalError `validation_failed` for a comment that only some programs show: one with a condition and rows */
export function refuseConditional(comment: string, line: number): void {
  if (/^<!--\[if\b/i.test(comment) && /<(?:table|t[rdh])\b/i.test(comment))
    throw unclear(`Line ${line}: the page`, "rows that only some programs show");
}

/** @throws NodalError `validation_failed` */
export function refuseDepth(line: number): never {
  throw unclear(`Line ${line}: the page`, "too many elements in each other");
}

function unclear(where: string, what: string): Error {
  return unreadable(`${where} has ${what}, so what people see in it is not sure.`, REMEDY);
}
