// One question: which lines a statement in SWIFT's MT940 has.
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problems, refuseTooMany, SLICE_LINES, unreadable, type ReadLine, type ReadStatement } from "./statement.ts";
import { readPlainAmount, readShortDay } from "./values.ts";

const ENTRY = /^(\d{6})(\d{4})?(R?[CD])[A-Z]?(\d[\d]{0,14},\d{0,4})([A-Z][A-Z0-9]{3})([^\n]*)(?:\n([^\n]*))?$/;
const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d[\d]{0,14},\d{0,4})/;

type Field = { readonly tag: string; text: string; readonly line: number };

/**
 * Reads one or several statements of one account that follow each other. Opening balance and lines must give the closing one.
 * @throws NodalError `validation_failed`
 */
export async function readMt940(text: string): Promise<ReadStatement> {
  const reader = new Reader();
  for (const [index, field] of fieldsOf(text).entries()) {
    reader.add(field);
    refuseTooMany(reader.lines.length);
    if (index % SLICE_LINES === SLICE_LINES - 1) await nextTurn();
  }
  reader.problems.refuse();
  if (reader.openingPaise === null || reader.closingPaise === null) {
    throw unreadable("The file has no opening or no closing balance (:60F:, :62F:).", "Download the whole statement.");
  }
  const { lines, openingPaise, closingPaise } = reader;
  return { format: "mt940", lines, openingPaise, closingPaise, mapping: null, dateOrder: null };
}

/** A field begins with `:tag:`, and goes on to the next one. Blocks of the envelope are left out. */
function fieldsOf(text: string): Field[] {
  const fields: Field[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const begun = /^(?:\{[^}]{0,200}\})*(?:\{4:)?:(\d{2}[A-Z]?):(.*)$/.exec(line);
    if (begun) fields.push({ tag: begun[1]!, text: begun[2]!, line: index + 1 });
    else if (!/^(?:-\}?$|\{)/.test(line) && fields.length > 0) fields.at(-1)!.text += `\n${line}`;
  }
  return fields;
}

class Reader {
  readonly lines: { -readonly [Name in keyof ReadLine]: ReadLine[Name] }[] = [];
  readonly problems = new Problems();
  openingPaise: bigint | null = null;
  closingPaise: bigint | null = null;
  #runningPaise: bigint | null = null;

  add(field: Field): void {
    const { tag, text } = field;
    if (tag === "60F" || tag === "60M") this.#open(field);
    else if (tag === "61") this.#addEntry(field);
    else if (tag === "86" && this.lines.length > 0) {
      this.lines.at(-1)!.narration = text.replaceAll(/\n|\?\d{2}/g, " ").trim();
    } else if (tag === "62F" || tag === "62M") this.#close(field);
  }

  #open(field: Field): void {
    const balance = this.#readBalance(field);
    if (balance === null) return;
    this.openingPaise ??= balance;
    if (this.#runningPaise !== null && this.#runningPaise !== balance) {
      this.problems.add(
        field.line,
        `:${field.tag}:`,
        "the balance is not that with which the statement before it ends.",
      );
    }
    this.#runningPaise = balance;
  }

  #close(field: Field): void {
    const balance = this.#readBalance(field);
    if (balance === null) return;
    this.closingPaise = balance;
    if (this.#runningPaise !== balance) {
      this.problems.add(
        field.line,
        `:${field.tag}:`,
        "opening balance and lines do not add up to the closing balance.",
      );
    }
  }

  #readBalance({ tag, text, line }: Field): bigint | null {
    const match = BALANCE.exec(text);
    const paise = match && readPlainAmount(match[4]!);
    if (!match || paise === null || match[3] !== "INR") {
      this.problems.add(line, `:${tag}:`, `“${text.slice(0, 40)}” is no balance in INR.`);
      return null;
    }
    return match[1] === "D" ? -paise : paise;
  }

  #addEntry({ text, line }: Field): void {
    const match = ENTRY.exec(text);
    const paise = match && readPlainAmount(match[4]!);
    const valueDay = match && readShortDay(match[1]!);
    const bookedOn = valueDay && bookingDay(valueDay, match?.[2]);
    if (!match || !paise || !bookedOn) {
      this.problems.add(line, ":61:", `“${text.slice(0, 40)}” is no line of a statement.`);
      return;
    }
    // A reversed credit takes money out, a reversed debit brings it in.
    const side = match[3] === "C" || match[3] === "RD" ? "in" : "out";
    const [own = "", banks = ""] = match[6]!.split("//");
    const reference = banks.trim() || own.trim();
    if (this.#runningPaise !== null) this.#runningPaise += side === "in" ? paise : -paise;
    const narration = [own, match[7] ?? ""]
      .map((part) => part.trim())
      .filter((part) => part !== "" && part !== "NONREF");
    this.lines.push({
      fileLine: line,
      bookedOn,
      side,
      amountPaise: paise,
      reference: reference === "" || reference === "NONREF" ? null : reference,
      narration: narration.join(" "),
      balancePaise: this.#runningPaise,
    });
  }
}

/** The day of the entry has no year: it is the one nearest to the day of the value. */
function bookingDay(valueDay: Temporal.PlainDate, written: string | undefined): Temporal.PlainDate | null {
  if (written === undefined) return valueDay;
  const inYear = (year: number) => readShortDay(`${String(year % 100).padStart(2, "0")}${written}`);
  const days = [valueDay.year - 1, valueDay.year, valueDay.year + 1].map(inYear).filter((day) => day !== null);
  const distance = (day: Temporal.PlainDate) => Math.abs(day.since(valueDay, { largestUnit: "days" }).days);
  return days.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}
