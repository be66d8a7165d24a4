// Reads statements in SWIFT's MT940.
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problems, refuseTooMany, SLICE_LINES, unreadable, type ReadLine, type ReadStatement } from "./statement.ts";
import { inSequence, OneAccount, type StatementPart } from "./statement-parts.ts";
import { readSwiftAmount, readShortDay } from "./values.ts";
import { joinRows } from "./wrapped-text.ts";

/**
 * `:61:`: value date, entry date, mark, funds code, amount, type, the account owner's reference `//` the bank's. It also refuses
 * three digits after the comma.
 */
const ENTRY =
  /^\s*(\d{6})\s*(\d{4})?\s*(R?[CD])\s*[A-Z]?\s*(\d{1,15}(?:,(?!\d{3}(?!\d))\d{0,4}|\.\d{0,2})?)\s*([A-Z][A-Z0-9]{3})\s*(.*)$/;
/** Three digits after a comma or a point are thousands: rupees have two decimals. */
const BALANCE = /^\s*([CD])\s*(\d{6})\s*([A-Z]{3})\s*(\d{1,15}(?:,(?!\d{3}(?!\d))\d{0,4}|\.\d{0,2})?)(?![\d.,])/;
/** The length of a row of `:86:`, in characters. */
const ROW_WIDTH = 65;
/** SWIFT allows one row of details below a `:61:`; some banks write more. */
const MAX_DETAILS = 20;
/** Some banks divide `:86:` into subfields such as `?20`; those with the remittance have this many characters. */
const SUBFIELD = /\?\d{2}/;
const SUBFIELD_WIDTH = 27;

type Field = { readonly tag: string; readonly rows: string[]; readonly line: number };
type OpenLine = { -readonly [Name in keyof ReadLine]: ReadLine[Name] };
type OpenPart = { -readonly [Name in keyof StatementPart]: StatementPart[Name] } & { readonly lines: OpenLine[] };

/**
 * Reads one or several consecutive statements of one account. Opening balance and lines must add up to the closing balance.
 * @throws NodalError `validation_failed`
 */
export async function readMt940(text: string): Promise<ReadStatement> {
  // Checked before any is kept, to limit memory.
  let entries = 0;
  for (let at = text.indexOf("\n:61:"); at >= 0; at = text.indexOf("\n:61:", at + 1)) entries += 1;
  refuseTooMany(entries);
  const reader = new Reader();
  let read = 0;
  for (const field of fieldsOf(text)) {
    reader.add(field);
    refuseTooMany(reader.lineCount);
    read += 1;
    if (read % SLICE_LINES === 0) await nextTurn();
  }
  return reader.finish();
}

/** A field begins with `:tag:` and ends at the next one. Envelope blocks and blank rows are left out. */
function* fieldsOf(text: string): Generator<Field> {
  let field: Field | null = null;
  for (const [index, row] of text.split(/\r\n|\r|\n/).entries()) {
    const begun = /^\s*(?:\{[^}]{0,200}\})*(?:\{4:)?:(\d{2}[A-Z]?):(.*)$/.exec(row);
    if (begun) {
      if (field) yield field;
      field = { tag: begun[1]!, rows: [begun[2]!], line: index + 1 };
    } else if (row.trim() !== "" && !/^\s*(?:-\}?\s*$|\{)/.test(row)) field?.rows.push(row);
  }
  if (field) yield field;
}

class Reader {
  lineCount = 0;
  readonly #problems = new Problems();
  readonly #account = new OneAccount();
  readonly #parts: OpenPart[] = [];
  /** The reference (`:20:`) and the number (`:28C:`) of the statement that begins. */
  #reference = "";
  #number = "";
  /** The line that a `:86:` belongs to: only directly after its `:61:`. */
  #entry: Entry | null = null;

  add(field: Field): void {
    const { tag, rows } = field;
    if (tag === "86") {
      this.#entry?.addNarration(rows);
      return;
    }
    this.#endEntry();
    if (tag === "20") this.#reference = rows[0]!.trim();
    else if (tag === "28C" || tag === "28") this.#number = rows[0]!.trim();
    else if (tag === "25" || tag === "25P") this.#account.see(rows[0]!);
    else if (tag === "60F" || tag === "60M") this.#open(field);
    else if (tag === "61") this.#addEntry(field);
    else if (tag === "62F" || tag === "62M") this.#close(field);
  }

  finish(): ReadStatement {
    this.#endEntry();
    this.#problems.refuse();
    const isWhole = this.#parts.every((part) => part.openingPaise !== null && part.closingPaise !== null);
    if (this.#parts.length === 0 || !isWhole) {
      throw unreadable(
        "The file has no opening or no closing balance (:60F:, :62F:).",
        "Download the whole statement.",
      );
    }
    const parts = inSequence(this.#parts, this.#problems, ":60F:");
    this.#problems.refuse();
    return {
      format: "mt940",
      layout: "mt940",
      lines: parts.flatMap(({ lines }) => lines),
      notBookedCount: 0,
      openingPaise: parts[0]!.openingPaise,
      closingPaise: parts.at(-1)!.closingPaise,
      mapping: null,
      dateOrder: null,
    };
  }

  #endEntry(): void {
    this.#entry?.describe();
    this.#entry = null;
  }

  #open(field: Field): void {
    const openingPaise = this.#readBalance(field);
    const name = [this.#number, this.#reference && `(${this.#reference})`].filter(Boolean).join(" ") || null;
    this.#parts.push({ name, fileLine: field.line, lines: [], openingPaise, closingPaise: null });
    this.#reference = "";
    this.#number = "";
  }

  #close(field: Field): void {
    const balance = this.#readBalance(field);
    const part = this.#parts.at(-1);
    if (balance === null || !part) return;
    part.closingPaise = balance;
    const reached = part.lines.at(-1)?.balancePaise ?? part.openingPaise;
    if (reached === null || reached === balance) return;
    this.#problems.add(field.line, `:${field.tag}:`, "opening balance and lines do not add up to the closing balance.");
  }

  #readBalance({ tag, rows, line }: Field): bigint | null {
    const match = BALANCE.exec(rows[0]!);
    const paise = match && readSwiftAmount(match[4]!);
    if (!match || paise === null || match[3] !== "INR") {
      this.#problems.add(line, `:${tag}:`, `“${rows[0]!.slice(0, 40)}” is not a balance in INR.`);
      return null;
    }
    return match[1] === "D" ? -paise : paise;
  }

  #addEntry({ rows, line }: Field): void {
    const match = ENTRY.exec(rows[0]!);
    const paise = match && readSwiftAmount(match[4]!);
    const valueDay = match && readShortDay(match[1]!);
    const bookedOn = valueDay && bookingDay(valueDay, match?.[2]);
    if (!match || paise === null || !valueDay || !bookedOn) {
      this.#problems.add(line, ":61:", `“${rows[0]!.slice(0, 40)}” is not a statement line.`);
      return;
    }
    // A waived charge moves nothing; its `:86:` belongs to no other line.
    if (paise === 0n) return;
    const part = this.#partOf(line);
    // A reversed credit is a debit, a reversed debit a credit.
    const side = match[3] === "C" || match[3] === "RD" ? "in" : "out";
    const before = part.lines.at(-1)?.balancePaise ?? part.openingPaise;
    const balancePaise = before === null ? null : before + (side === "in" ? paise : -paise);
    const opened: OpenLine = {
      fileLine: line,
      bookedOn,
      ...(!valueDay.equals(bookedOn) && { otherDays: [valueDay.toString()] }),
      side,
      amountPaise: paise,
      reference: null,
      narration: "",
      balancePaise,
    };
    this.#entry = new Entry(opened, match[6]!, rows.slice(1));
    part.lines.push(opened);
    this.lineCount += 1;
  }

  /** The open statement. A line outside one creates one without an opening balance, which is refused. */
  #partOf(fileLine: number): OpenPart {
    const last = this.#parts.at(-1);
    if (last && last.closingPaise === null) return last;
    const part = { name: null, fileLine, lines: [], openingPaise: null, closingPaise: null };
    this.#parts.push(part);
    return part;
  }
}

/** The texts of one line: its references in `:61:`, the details below them, and its `:86:`. */
class Entry {
  readonly #line: OpenLine;
  /** The text of `:61:` besides the line's reference. */
  readonly #beside: readonly string[];
  /** Words cut by the end of the row of `:61:`. */
  readonly #cutWords: readonly string[];
  readonly #rows: string[] = [];

  constructor(line: OpenLine, references: string, below: readonly string[]) {
    const details = below.slice(0, MAX_DETAILS);
    const [own = "", banks = ""] = references.split("//").map((part) => part.trim());
    const known = [banks, own].filter((part) => part !== "" && part !== "NONREF");
    this.#line = line;
    line.reference = known[0] ?? null;
    this.#cutWords = joinRows([references, ...details], Infinity).otherWords;
    this.#beside = [...known.slice(1), ...details.map((row) => row.trim())];
  }

  addNarration(rows: readonly string[]): void {
    for (const row of rows) this.#rows.push(row);
  }

  /** Gives the line its narration, once it is complete. */
  describe(): void {
    const isDivided = SUBFIELD.test(this.#rows.join(""));
    const { text, otherWords } = isDivided
      ? joinRows(this.#rows.join("").split(SUBFIELD), SUBFIELD_WIDTH)
      : joinRows(this.#rows, ROW_WIDTH);
    const besides = this.#beside.filter((part) => part !== "" && !hasWords(text, part));
    this.#line.narration = [...besides, text].filter((part) => part !== "").join(" ");
    this.#line.otherWords = [...this.#cutWords, ...otherWords];
  }
}

/** Whether a text has these as whole words. */
function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const around = (text[at - 1] ?? " ") + (text[at + words.length] ?? " ");
    if (!/[A-Za-z0-9]/.test(around)) return true;
  }
  return false;
}

/** The entry date has no year: it takes the one nearest to the value date. */
function bookingDay(valueDay: Temporal.PlainDate, written: string | undefined): Temporal.PlainDate | null {
  if (written === undefined) return valueDay;
  const inYear = (year: number) => readShortDay(`${String(year % 100).padStart(2, "0")}${written}`);
  const days = [valueDay.year - 1, valueDay.year, valueDay.year + 1].map(inYear).filter((day) => day !== null);
  const distance = (day: Temporal.PlainDate) => Math.abs(day.since(valueDay, { largestUnit: "days" }).days);
  return days.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}
