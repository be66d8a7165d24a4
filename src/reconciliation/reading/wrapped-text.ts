// Texts that a bank has wrapped into rows, perhaps in the middle of a reference.

/** A text of several rows. */
export type WrappedText = {
  readonly text: string;
  /** Words at row ends in the other reading: joined where `text` has a space, split where it has none. */
  readonly otherWords: readonly string[];
};

/** Per text: more references than are looked up for a line. */
const MAX_OTHER_WORDS = 32;
/** No reference is longer. */
const MAX_WORD = 40;
const LAST_WORD = /[A-Za-z0-9_-]+$/;
const FIRST_WORD = /^[A-Za-z0-9_-]+/;

/**
 * Joins rows. A row of the full width was cut there, perhaps inside a word; a shorter one ends with a whole word. Banks don't keep
 * to one width, so the words at each end are also returned in the other reading.
 */
export function joinRows(rows: readonly string[], fullWidth: number): WrappedText {
  const kept = rows.filter((row) => row.trim() !== "");
  let text = "";
  const otherWords: string[] = [];
  /** The last word of the row before, with the words before it that it may continue. */
  let open = "";
  for (const [index, row] of kept.entries()) {
    const before = kept[index - 1];
    if (before === undefined) {
      text = row;
      open = LAST_WORD.exec(row.slice(-MAX_WORD))?.[0] ?? "";
      continue;
    }
    const isCut = before.length >= fullWidth;
    text += isCut ? row : ` ${row}`;
    if (otherWords.length >= MAX_OTHER_WORDS) continue;
    const [last, first] = [LAST_WORD.exec(before.slice(-MAX_WORD))?.[0], FIRST_WORD.exec(row)?.[0]];
    if (last !== undefined && first !== undefined) otherWords.push(...(isCut ? [last, first] : [last + first]));
    // A row of one word may be the middle of a longer word.
    const whole = first !== undefined && open !== last ? open + first : "";
    if (whole !== "" && whole.length <= MAX_WORD) otherWords.push(whole);
    const end = LAST_WORD.exec(row.slice(-MAX_WORD))?.[0] ?? "";
    open = first === row.trim() && last !== undefined ? (open + end).slice(-MAX_WORD) : end;
  }
  return { text: text.replaceAll(/\s+/g, " ").trim(), otherWords };
}
