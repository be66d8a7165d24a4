// HTML put together from text: everything that goes in is escaped, unless it is HTML already.
// What belongs here: escaping. Pages are the business of the domain that shows them.

/** A piece of HTML that goes in as it is. `markup` makes them; `new Html` is for text that is known to be safe. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | null | false | readonly Piece[];

/**
 * A template whose text values are escaped, for content and quoted attributes alike. `null` and `false` print nothing.
 * It is not called `html`, because formatters lay out templates of that name, and change their text.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? print(values[index]!) : "")).join(""));
}

function print(piece: Piece): string {
  if (piece === null || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(print).join("");
  return escapeHtml(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
