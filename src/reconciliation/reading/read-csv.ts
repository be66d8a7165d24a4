// One question: which lines a CSV file of a bank or provider has.
// What belongs here: preambles, footers, wrapped narrations, and the cells of a line. Headings are in csv-columns.ts.
import { setImmediate as nextTurn } from "node:timers/promises";
import { readCsv, type CsvRecord } from "../../platform/csv.ts";
import { fieldsRefusal } from "../../platform/errors.ts";
import { findColumns, type Columns } from "./csv-columns.ts";
import {
  MAX_STATEMENT_LINES,
  Problems,
  SLICE_LINES,
  refuseTooMany,
  type ColumnRole,
  type DateOrder,
  type ReadLine,
  type ReadOptions,
  type ReadStatement,
  signed,
  type Side,
} from "./statement.ts";
import { isLostReference, orderOfDate, readAmount, readBalance, readDay, sideOfAmount } from "./values.ts";

/** Preamble, footer and repeated headings beside the lines. */
const OTHER_RECORDS = 2000;
const FOOTER =
  /^(\*+ *)?(statement summary|end of statement|legends?\b|grand total|total\b|note\b|this is a computer)/i;
const SIDES: Readonly<Record<string, Side>> = {
  dr: "out",
  d: "out",
  debit: "out",
  withdrawal: "out",
  cr: "in",
  c: "in",
  credit: "in",
  deposit: "in",
};

const EXAMPLES: Readonly<Record<DateOrder, string>> = { "day-first": "22/11/2026", "month-first": "11/22/2026" };

/** A line of which the narration may go on below. */
type OpenLine = { -readonly [Name in keyof ReadLine]: ReadLine[Name] };

/**
 * Reads a CSV file. Cells that are no amount or no day are refused by line and column.
 * @throws NodalError `validation_failed`
 */
export async function readCsvStatement(
  text: string,
  { mapping = null, remembered = null, key, ...orders }: ReadOptions,
): Promise<ReadStatement> {
  const records = await readCsv(text, {
    field: "file",
    maxRecords: MAX_STATEMENT_LINES + OTHER_RECORDS,
    key,
    separator: separatorOf(text),
  });
  const columns = findColumns(records, mapping, remembered);
  const dateOrder = orderOfDates(records.slice(columns.skipped), columns, orders);
  const reader = new Reader(columns, dateOrder ?? "day-first");
  for (const [index, record] of records.slice(columns.skipped).entries()) {
    if (!reader.add(record)) break;
    if (index % SLICE_LINES === SLICE_LINES - 1) await nextTurn();
  }
  reader.problems.refuse();
  refuseTooMany(reader.lines.length);
  return {
    format: "csv",
    lines: reader.lines,
    openingPaise: reader.openingPaise,
    closingPaise: null,
    mapping: columns.mapping,
    dateOrder,
  };
}

/**
 * Whether a file's dates have the day or the month first: what somebody says, or what one of its dates can only be, or what the
 * account's files had before. `null` where all dates read the same in both. docs/rules/reconciliation.md#reading
 * @throws NodalError `validation_failed` where nothing tells
 */
function orderOfDates(
  records: readonly CsvRecord[],
  { places }: Columns,
  { dateOrder = null, rememberedOrder = null }: Pick<ReadOptions, "dateOrder" | "rememberedOrder">,
): DateOrder | null {
  if (dateOrder) return dateOrder;
  const place = places.get("date")!;
  const shown = new Map<DateOrder | "either", CsvRecord>();
  for (const record of records) {
    const order = orderOfDate(record.cells[place] ?? "");
    if (order && !shown.has(order)) shown.set(order, record);
  }
  const monthFirst = shown.get("month-first");
  // A date that has the month first is what is wrong with a file of others: its line is told.
  if (shown.has("day-first")) return "day-first";
  if (monthFirst && rememberedOrder !== "day-first") return "month-first";
  const unsure = monthFirst ?? shown.get("either");
  if (!unsure) return null;
  if (rememberedOrder && !monthFirst) return rememberedOrder;
  const written = unsure.cells[place]!;
  const problem = monthFirst
    ? `Line ${unsure.line} has the date “${written}”, with the month first, and earlier files of this account had the day first.`
    : `Every date of the file can be read with the day or with the month first, such as “${written}” on line ${unsure.line}.`;
  const sentence = `${problem} Say which it is, day-first or month-first: the account remembers it. Nothing was imported.`;
  throw fieldsRefusal("validation_failed", [{ field: "date_order", code: "required", problem: sentence }]);
}

/** The separator that one of the first lines has most of: what is above the headings may have none. */
function separatorOf(text: string): string {
  const head = text
    .slice(0, 64 * 1024)
    .replaceAll(/"[^"]*"/g, "")
    .split(/\r\n|\r|\n/, 100);
  const most = (separator: string): number => Math.max(...head.map((line) => line.split(separator).length));
  return [",", "\t", ";", "|"].reduce((best, each) => (most(each) > most(best) ? each : best));
}

class Reader {
  readonly lines: OpenLine[] = [];
  readonly problems = new Problems();
  openingPaise: bigint | null = null;
  readonly #columns: Columns;
  readonly #heading: string;
  readonly #dateOrder: DateOrder;

  constructor(columns: Columns, dateOrder: DateOrder) {
    this.#columns = columns;
    this.#dateOrder = dateOrder;
    this.#heading = columns.headings.join("\0");
  }

  /** Takes a record. Returns whether what follows may still have lines. */
  add(record: CsvRecord): boolean {
    const { cells } = record;
    if (cells.join("\0") === this.#heading || cells.every((cell) => /^[*\-=_]*$/.test(cell))) return true;
    if (FOOTER.test(cells.find((cell) => cell !== "") ?? "")) return false;
    const moved = this.#readMoved(record);
    const written = this.#cell(record, "date");
    const day = readDay(written, this.#dateOrder);
    if (moved === null) this.#addUnmoved(record, written, day !== null);
    else if (moved !== "bad" && day === null)
      this.#problem(record, "date", `“${written}” is no date such as ${EXAMPLES[this.#dateOrder]}.`);
    else if (moved !== "bad") this.#addLine(record, day!, moved);
    return true;
  }

  /** A record without an amount: the balance at the beginning, the rest of a narration, or a text of the bank's. */
  #addUnmoved(record: CsvRecord, written: string, isDated: boolean): void {
    const balance = readBalance(this.#cell(record, "balance"));
    if (this.lines.length === 0 && balance !== null) this.openingPaise = balance;
    const last = this.lines.at(-1);
    const narration = this.#cell(record, "narration");
    if (last && !isDated && written === "" && narration !== "") last.narration += ` ${narration}`;
  }

  #addLine(record: CsvRecord, bookedOn: Temporal.PlainDate, { side, paise }: { side: Side; paise: bigint }): void {
    const reference = this.#cell(record, "reference");
    const narration = this.#cell(record, "narration");
    if (isLostReference(reference)) {
      this.#problem(
        record,
        "reference",
        `a spreadsheet has made a number of the reference (${reference}), and its digits are lost. Download the statement again, and import it without opening it in a spreadsheet.`,
      );
    }
    const known = { fileLine: record.line, bookedOn, reference: /^[-0]*$/.test(reference) ? null : reference };
    const line = { ...known, side, amountPaise: paise, narration, balancePaise: this.#readBalance(record) };
    const charges = this.#readCharges(record).map(({ narration: what, amountPaise }) => {
      return { ...known, side: "out" as const, amountPaise, narration: what, balancePaise: null };
    });
    const before = this.lines.at(-1)?.balancePaise ?? this.openingPaise;
    this.lines.push(...(hasCharges(before, line, charges) ? charges : []), line);
  }

  /** What a provider withheld beside a payment. */
  #readCharges(record: CsvRecord): { narration: string; amountPaise: bigint }[] {
    return (["fee", "tax"] as const).flatMap((role) => {
      const written = this.#cell(record, role);
      if (/^[-0.]*$/.test(written)) return [];
      const amount = readAmount(written);
      if (!amount) this.#problem(record, role, `“${written}” is no amount.`);
      return amount ? [{ narration: role === "fee" ? "Fee" : "Tax on the fee", amountPaise: amount.paise }] : [];
    });
  }

  /** What a record moves; `null` for nothing, `"bad"` for what can't be read, of which a problem is noted. */
  #readMoved(record: CsvRecord): { side: Side; paise: bigint } | "bad" | null {
    const { places } = this.#columns;
    if (places.has("debit") && places.has("credit")) {
      const [out, came] = [this.#readCell(record, "debit"), this.#readCell(record, "credit")];
      if (out === "bad" || came === "bad") return "bad";
      if (out && came) return this.#bad(record, "debit", "the line has both a debit and a credit.");
      if (out) return { side: sideOfAmount(out, "out"), paise: out.paise };
      return came && { side: sideOfAmount(came, "in"), paise: came.paise };
    }
    const amount = this.#readCell(record, "amount");
    if (amount === "bad" || amount === null) return amount;
    const word = this.#cell(record, "side")
      .toLowerCase()
      .replaceAll(/[^a-z]/g, "");
    const named = Object.hasOwn(SIDES, word) ? SIDES[word]! : amount.side;
    if (places.has("side") && !named) return this.#bad(record, "side", `“${word}” is neither debit nor credit.`);
    return { side: sideOfAmount({ ...amount, side: named }, "in"), paise: amount.paise };
  }

  #readCell(record: CsvRecord, role: ColumnRole) {
    const written = this.#cell(record, role);
    if (/^[-. ]*$/.test(written)) return null;
    const amount = readAmount(written);
    if (amount) return amount.paise === 0n ? null : amount;
    // Texts of a bank's between the lines have no date.
    return readDay(this.#cell(record, "date"), this.#dateOrder)
      ? this.#bad(record, role, `“${written}” is no amount.`)
      : null;
  }

  #readBalance(record: CsvRecord): bigint | null {
    const written = this.#cell(record, "balance");
    if (written === "") return null;
    const { balanceSide } = this.#columns;
    const balance = readBalance(written + (balanceSide === null ? "" : (record.cells[balanceSide] ?? "")));
    if (balance === null) this.#problem(record, "balance", `“${written}” is no amount.`);
    return balance;
  }

  #cell({ cells }: CsvRecord, role: ColumnRole): string {
    const place = this.#columns.places.get(role);
    return place === undefined ? "" : (cells[place] ?? "");
  }

  #bad(record: CsvRecord, role: ColumnRole, message: string): "bad" {
    this.#problem(record, role, message);
    return "bad";
  }

  #problem(record: CsvRecord, role: ColumnRole, message: string): void {
    this.problems.add(record.line, this.#columns.mapping[role] ?? role, message);
  }
}

/**
 * Whether charges beside a payment have left the account with it. Providers' papers leave it open, so the balance tells; where
 * there is none, they have.
 */
function hasCharges(beforePaise: bigint | null, line: ReadLine, charges: readonly ReadLine[]): boolean {
  if (line.balancePaise === null) return true;
  if (beforePaise === null) return false;
  const charged = charges.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
  return beforePaise + signed(line) - charged === line.balancePaise;
}
