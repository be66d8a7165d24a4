// Finds cells of a CSV file that spreadsheets or unquoted commas have damaged.

/** A cell with leading blanks. `isQuoted` if it or the cell before it is in quotation marks. */
export type BlankStart = { readonly place: number; readonly isQuoted: boolean };

/** A line of a file, from the CSV reader. */
type Row = { readonly cells: readonly string[]; readonly blankStarts?: readonly BlankStart[] };

/** The longest quotation of a cell in a message. */
const QUOTED_LENGTH = 60;

/** The cells of a record that have blanks between the separator and their text. */
export function blankStarts(raw: string, separator: string): BlankStart[] {
  // Texts don't have tabs or bars that they could be cut at.
  if (separator !== "," && separator !== ";") return [];
  if (!/[,;][ \t]+[^\s,;]/.test(raw)) return [];
  const field = separator === "," ? FIELD_BY_COMMA : FIELD_BY_SEMICOLON;
  const fields = [...raw.trim().matchAll(field)].map(([, blanks = "", text = ""]) => ({
    hasBlanks: blanks !== "" && text.trim() !== "",
    isQuoted: text.startsWith('"'),
  }));
  return fields.flatMap(({ hasBlanks, isQuoted }, place) =>
    place > 0 && hasBlanks ? [{ place, isQuoted: isQuoted || fields[place - 1]!.isQuoted }] : [],
  );
}

/** Blanks, then a text in quotation marks or without. */
const FIELD_BY_COMMA = /(?:^|,)([ \t]*)("(?:[^"]|"")*"[^,]*|[^,]*)/g;
const FIELD_BY_SEMICOLON = /(?:^|;)([ \t]*)("(?:[^"]|"")*"[^;]*|[^;]*)/g;

/**
 * The lines in which a text was cut at a comma, with the place of its rest: a cell with a leading blank after a text,
 * both unquoted, in a file that has no blank after any other comma. `isText` tells whether a column has texts.
 */
export function findCutTexts<R extends Row>(
  head: Row,
  rows: readonly R[],
  isText: (place: number) => boolean,
): ReadonlyMap<R, number> {
  const found = new Map<R, number>();
  if ((head.blankStarts ?? []).length > 0) return found;
  for (const row of rows) {
    const { cells, blankStarts: starts = [] } = row;
    if (starts.length === 0) continue;
    const isCut = ({ place, isQuoted }: BlankStart): boolean =>
      !isQuoted && isText(place) && isText(place - 1) && /\p{L}/u.test(cells[place - 1]!);
    const isPadded = starts.length === cells.filter((cell, place) => place > 0 && cell !== "").length;
    if (isPadded || !starts.every(isCut)) return new Map();
    found.set(row, starts[0]!.place);
  }
  return found;
}

/** The problem of a line that `findCutTexts` found. It follows "The line" in a sentence. */
export function cutTextProblem({ cells }: Row, place: number): string {
  const [before, rest] = [cells[place - 1]!.slice(0, QUOTED_LENGTH), cells[place]!.slice(0, QUOTED_LENGTH)];
  return `has “${rest}” behind a comma and a blank: a text seems to be cut there. Put it in quotation marks, such as "${before}, ${rest}", or remove the blank if nothing is cut.`;
}

/** Did a spreadsheet or a program turn a text into a number and lose digits? `4.12E+11`, `4.12e11`, `4,12E+11`. */
export function isLostNumber(text: string): boolean {
  return /^[-+]?\d(?:(?:[.,]\d{1,15})?E\+|[.,]\d{1,15}E)\d{1,3}$/i.test(text.trim());
}

/** The problem of a cell that `isLostNumber` found. It follows "The line" in a sentence. */
export function lostNumberProblem(cell: string): string {
  return `has ${cell}: a spreadsheet turned it into a number and lost digits. Format the column as text and enter it again.`;
}
