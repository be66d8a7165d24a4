// Which records of a bank's table are lines, and their content.
import { shapeProblem, type CsvRecord } from "../../platform/csv.ts";
import { cutTextProblem, isLostNumber } from "../../platform/csv-damage.ts";
import { AccountOfTable } from "./csv-account.ts";
import { CutAmounts, isCutAmount } from "./csv-cut-amounts.ts";
import { BalancesOfTable } from "./csv-balances.ts";
import { cellAt, narrationOf, otherDaysOf, referencesOf, unusedAmount } from "./csv-cells.ts";
import { chargesIn, chargesThatLeft } from "./csv-charges.ts";
import { areSameHeadings, type Columns } from "./csv-columns.ts";
import type { Decimals } from "./csv-decimals.ts";
import { CLOSING, FOOTER, OPENING, TOTAL } from "./csv-labels.ts";
import { OtherTables } from "./csv-other-tables.ts";
import { readMoved, type Moved } from "./csv-moved.ts";
import { settleSides, SIDE_REMEDY, type SideSource, type UnclearLine } from "./csv-sides.ts";
import { TotalsOfTable } from "./csv-totals.ts";
import {
  isNewestFirst,
  Problems,
  signed,
  type ColumnRole,
  type DateOrder,
  type ReadLine,
  type ReadStatement,
} from "./statement.ts";
import { amountProblem, isNothing, readBalance, readDay } from "./values.ts";
import { joinRows } from "./wrapped-text.ts";

const EXAMPLES: Readonly<Record<DateOrder, string>> = { "day-first": "22/11/2026", "month-first": "11/22/2026" };
/** A line whose narration may continue below. */
type OpenLine = { -readonly [Name in keyof ReadLine]: ReadLine[Name] };

/** Turns records, in the order of the file, into lines. */
export class CsvLines {
  readonly #lines: OpenLine[] = [];
  readonly #problems = new Problems();
  readonly #account: AccountOfTable;
  readonly #columns: Columns;
  readonly #heading: string;
  /** Places from this one on have no heading. */
  readonly #width: number;
  readonly #dateOrder: DateOrder;
  readonly #totals: TotalsOfTable;
  readonly #cutAmounts: CutAmounts;
  readonly #others: OtherTables;
  /** Amounts withheld beside payments. */
  readonly #charges = new Map<ReadLine, ReadLine[]>();
  readonly #balances = new BalancesOfTable();
  readonly #opening = (newestFirst: boolean) => this.#balances.opening(this.#lines.length, newestFirst);
  /** The rows of the narration that may continue; `null` after totals and in a footer. */
  #narration: string[] | null = null;
  /** The references in other columns of the last line. */
  #otherReferences: readonly string[] = [];
  #isFooter = false;
  /** For amounts without a side column: the source of their sides, and the lines without one. */
  readonly #sideSource = new Set<SideSource>();
  readonly #unsaid: UnclearLine[] = [];
  /** A line with one empty cell too many, and whether another has none: some banks end each line with a comma. */
  #wide: CsvRecord | null = null;
  #isOtherNarrow = false;

  /** Lines in which a text was cut at a comma, and the place of the rest of it. */
  readonly #cutTexts: ReadonlyMap<CsvRecord, number>;

  readonly #decimals: Decimals;

  constructor(
    columns: Columns,
    dateOrder: DateOrder,
    { cutTexts, decimals }: { readonly cutTexts: ReadonlyMap<CsvRecord, number>; readonly decimals: Decimals },
  ) {
    this.#cutTexts = cutTexts;
    this.#decimals = decimals;
    this.#columns = columns;
    this.#account = new AccountOfTable(columns, this.#problems);
    this.#totals = new TotalsOfTable(columns);
    this.#cutAmounts = new CutAmounts(columns, this.#problems);
    this.#others = new OtherTables(columns);
    this.#dateOrder = dateOrder;
    this.#heading = columns.headings.join("\0");
    this.#width = columns.headings.findLastIndex((heading) => heading !== "") + 1;
    if (columns.hasNamedAmounts) this.#sideSource.add("word");
  }

  /** Takes a record above the headings, or the headings themselves. */
  addAbove(record: CsvRecord): void {
    if (record.cells.join("\0") === this.#heading) {
      this.#others.begin();
      this.#account.seeHeadings(record);
      return;
    }
    this.#others.seeAbove(record);
    this.#account.seeText(record);
  }

  /** Takes a text of HTML outside its tables. */
  addAside(record: CsvRecord, isAbove: boolean): void {
    if (isAbove) this.#others.seeAbove(record);
    else {
      this.#others.take(record, { isDated: false, hasAmount: false, hasLines: this.#lines.length > 0 });
      this.#endNarration();
    }
    this.#account.seeText(record, "outside");
  }

  add(record: CsvRecord): void {
    const { cells } = record;
    if (cells.join("\0") === this.#heading || areSameHeadings(cells, this.#columns)) {
      this.#account.seeHeadings(record);
      this.#others.end();
      this.#isFooter = false;
      return;
    }
    if (cells.every((cell) => /^[*\-=_]*$/.test(cell))) return;
    const day = readDay(this.#cell(record, "date"), this.#dateOrder);
    const hasAmount = this.#readMoved(record, false) !== null;
    if (this.#others.take(record, { isDated: day !== null, hasAmount, hasLines: this.#lines.length > 0 })) {
      this.#account.seeText(record);
      this.#endNarration();
      return;
    }
    // Below the lines, only a row with a date can be a line.
    const isText = this.#isFooter && day === null;
    if (!isText && this.#decimals.addUnclear(record, this.#problems)) return;
    if (day === null) this.#addUndated(record);
    else this.#addDated(record, day);
  }

  /** @throws NodalError `validation_failed` with each error, by line and column */
  finish(): Pick<ReadStatement, "lines" | "openingPaise" | "closingPaise"> {
    this.#endNarration();
    if (this.#wide && this.#isOtherNarrow) this.#addTooWide(this.#wide);
    this.#settleSides();
    const { left, isBackward } = chargesThatLeft(this.#lines, this.#charges, this.#opening);
    const lines = this.#lines.flatMap((line) => {
      const beside = left.get(line) ?? [];
      return isBackward ? [line, ...beside.toReversed()] : [...beside, line];
    });
    this.#cutAmounts.check(lines, this.#balances.openings);
    // A reversed amount is in the opposite column of its line's side.
    const hasTakenBack = this.#sideSource.has("column") && (this.#sideSource.has("minus") || this.#unsaid.length > 0);
    if (!hasTakenBack) this.#totals.check(this.#lines, left, this.#problems);
    this.#balances.check(this.#lines, left, this.#problems);
    this.#problems.refuse();
    const newestFirst = isNewestFirst(this.#lines);
    return {
      lines,
      openingPaise: this.#opening(newestFirst),
      closingPaise: this.#balances.closing(this.#lines.length, newestFirst),
    };
  }

  #settleSides(): void {
    if (this.#unsaid.length === 0) return;
    const contradicted = this.#unsaid.some(({ isContradicted }) => isContradicted);
    const unmarked = this.#unsaid.find(({ isContradicted }) => !isContradicted);
    if (this.#sideSource.has("word") && unmarked)
      return this.#problem(unmarked.record, "amount", "it must be marked as a debit or a credit (Dr or Cr).");
    const { unknownSides, headings, places } = this.#columns;
    // A sign proves nothing in a file where one contradicts a word or the signs of other lines.
    const signs = contradicted ? new Set<SideSource>() : this.#sideSource;
    for (const { record } of settleSides(this.#lines, this.#unsaid, { opening: this.#opening, signs })) {
      const word = unknownSides === null ? "" : cellAt(record, unknownSides);
      const isNamed = (each: ColumnRole): boolean => places.has(each) && !isNothing(this.#cell(record, each));
      const role = places.has("credit") && places.has("debit") ? (isNamed("debit") ? "debit" : "credit") : "amount";
      if (word === "") this.#problem(record, role, `nothing says whether “${this.#cell(record, role)}” ${SIDE_REMEDY}`);
      else {
        const problem = `“${word}” does not say whether “${this.#cell(record, "amount")}” ${SIDE_REMEDY}`;
        this.#problems.add(record.line, headings[unknownSides!]!, problem);
      }
    }
  }

  /** A record without a day: a balance, a total, the rest of a narration, or a text of the bank's. */
  #addUndated(record: CsvRecord): void {
    const { cells } = record;
    this.#account.seeText(record);
    const label = cells.find((cell) => cell !== "") ?? "";
    if (this.#addBalance(record, null)) return;
    const isText = FOOTER.test(label);
    const total = cells.find((cell) => TOTAL.test(cell));
    if (isText || total !== undefined) {
      this.#isFooter ||= isText;
      if (!this.#isFooter) this.#totals.add(record, total!, this.#lines.length);
      this.#endNarration();
      return;
    }
    if (this.#isFooter) return;
    const written = this.#cell(record, "date");
    const moved = this.#readMoved(record, false);
    if (moved !== null) {
      this.#problem(record, "date", `“${written}” is not a date such as ${EXAMPLES[this.#dateOrder]}.`);
      return;
    }
    this.#addUnlabelledOpening(record);
    const narration = narrationOf(record, this.#columns);
    if (written !== "" || narration === "" || this.#narration === null) return;
    if (this.#isTooWide(record)) return;
    for (const row of narration.split("\n")) this.#narration.push(row);
  }

  #addDated(record: CsvRecord, bookedOn: Temporal.PlainDate): void {
    if (this.#addBalance(record, bookedOn)) return;
    if (!this.#isFooter && (this.#isTooWide(record) || this.#isCutOff(record))) return;
    const moved = this.#readMoved(record, !this.#isFooter);
    if (moved === "bad") {
      // Below the lines, only an amount that can be read counts.
      if (this.#isFooter) this.#readMoved(record, true);
      return;
    }
    if (moved === null) {
      const unused = unusedAmount(record, this.#columns);
      if (unused) this.#problems.add(record.line, unused.column, unused.problem);
      this.#account.seeText(record, "dated");
      // A line of 0.00 moves nothing. Its narration may still continue, and belongs to no other line.
      this.#addUnlabelledOpening(record);
      this.#endNarration();
      return;
    }
    if (this.#isFooter && this.#isTooWide(record)) return;
    this.#isFooter = false;
    this.#addLine(record, bookedOn, moved);
  }

  /** Takes an opening or closing balance. Returns whether the record is one, not a payment with such a narration. */
  #addBalance(record: CsvRecord, bookedOn: Temporal.PlainDate | null): boolean {
    const labels = record.cells.map((cell) => cell.trim());
    const isOpening = labels.some((cell) => OPENING.test(cell));
    if (!isOpening && !labels.some((cell) => CLOSING.test(cell))) return false;
    const written = this.#readBalance(record, false);
    const moved = this.#readMoved(record, false);
    // A closing row may have both totals; no other row has a debit and a credit.
    if (moved === "bad" && isOpening && bookedOn !== null) return false;
    const line = moved === null || moved === "bad" ? null : { side: moved.side, amountPaise: moved.paise };
    if (line && (moved as Moved).sideSource === null && written !== null && written < 0n) line.side = "out";
    if (line && bookedOn !== null && this.#isPayment(record, line, { written, bookedOn })) return false;
    if (this.#isFooter) return true;
    this.#endNarration();
    if (line) this.#totals.carry(line);
    const balance = written ?? (line && signed(line));
    const isNamed = labels.some((label) => /^(?:opening|closing)/i.test(label));
    const found = { after: this.#lines.length, isNamed, fileLine: record.line };
    if (balance !== null) this.#balances.add(isOpening ? "opening" : "closing", { paise: balance, ...found });
    return true;
  }

  /**
   * Whether a dated row that is named like a balance, and has an amount, is a payment: its amount differs from the balance, or
   * equals it because the balance before it was 0. Without a balance, it is unknown.
   */
  #isPayment(
    record: CsvRecord,
    line: Pick<ReadLine, "side" | "amountPaise">,
    { written, bookedOn }: { written: bigint | null; bookedOn: Temporal.PlainDate },
  ): boolean {
    if (written === null) {
      const problem =
        "the line is named as a balance, and no balance shows whether its amount is one. Leave the line out, or give the narration of the payment.";
      this.#problem(record, "narration", problem);
      return false;
    }
    if (signed(line) !== written) return true;
    const before = this.#lines.at(-1)?.balancePaise ?? null;
    return before === 0n && !isNewestFirst([this.#lines[0]!, { bookedOn }]);
  }

  /** Before the first line, a lone balance is the opening one. */
  #addUnlabelledOpening(record: CsvRecord): void {
    if (this.#lines.length > 0 || this.#balances.openings.length > 0) return;
    const paise = this.#readBalance(record, false);
    if (paise !== null) this.#balances.add("opening", { paise, after: 0, isNamed: false, fileLine: record.line });
  }

  /** An unquoted comma makes extra cells: an amount or a narration would be cut. */
  #isTooWide(record: CsvRecord): boolean {
    const { cells } = record;
    const isLonger = cells.length > this.#columns.headings.length;
    const extra = cells.slice(this.#width).some((cell) => cell !== "");
    const cut = isLonger ? undefined : this.#cutAmounts.placeIn(record);
    // If a line has a balance, balances may prove it.
    if (cut !== undefined && this.#readBalance(record, false) === null) {
      this.#cutAmounts.refuse(record, cut);
      return true;
    }
    if (extra || (isLonger && cells.some(isCutAmount))) {
      this.#addTooWide(record);
      return true;
    }
    if (isLonger) this.#wide ??= record;
    else this.#isOtherNarrow = true;
    return false;
  }

  /** A line whose end is missing: without an amount, it would be skipped. */
  #isCutOff(record: CsvRecord): boolean {
    const { places, headings } = this.#columns;
    const moved = (["debit", "credit", "amount"] as const).flatMap((role) => places.get(role) ?? []);
    const hasNone = record.cells.length <= Math.min(...moved) && this.#cell(record, "narration") !== "";
    const problem = hasNone
      ? "ends before its amount, so the file seems to be cut off. Download the statement again."
      : record.cells.length < headings.length && shapeProblem(record, headings.length);
    if (problem) this.#problems.add(record.line, "cells", `the line ${problem}`);
    return Boolean(problem);
  }

  #addTooWide({ line, cells }: CsvRecord): void {
    const sentence = `the line has ${cells.length} cells under ${this.#width} headings. Put amounts and texts with commas in quotation marks.`;
    this.#problems.add(line, "cells", sentence);
  }

  #addLine(record: CsvRecord, bookedOn: Temporal.PlainDate, { side, paise, sideSource }: Moved): void {
    const { reference, others } = referencesOf(record, this.#columns);
    if (reference !== null && isLostNumber(reference)) {
      this.#problem(
        record,
        "reference",
        `a spreadsheet turned the reference into a number (${reference}) and lost digits. Download the statement again, and import it without opening it in a spreadsheet.`,
      );
    }
    const rest = this.#cutTexts.get(record);
    if (rest !== undefined)
      this.#problems.add(
        record.line,
        this.#columns.headings[rest] ?? "cells",
        `the line ${cutTextProblem(record, rest)}`,
      );
    const balancePaise = this.#readBalance(record, true);
    this.#account.seeLine(record, { side, hasBalance: balancePaise !== null });
    this.#endNarration();
    const known = {
      fileLine: record.line,
      bookedOn,
      reference,
      ...otherDaysOf(record, this.#columns, { bookedOn, order: this.#dateOrder }),
    };
    const line = { ...known, side, amountPaise: paise, balancePaise, narration: "" };
    const charges = chargesIn(record, this.#columns, this.#problems).map(({ narration: what, amountPaise }) => {
      return { ...known, side: "out" as const, amountPaise, narration: what, balancePaise: null };
    });
    if (charges.length > 0) this.#charges.set(line, charges);
    this.#lines.push(line);
    const cut = this.#cutAmounts.placeIn(record);
    if (cut !== undefined) this.#cutAmounts.add({ record, place: cut, line });
    const isContradicted = sideSource === "contradicted";
    if (sideSource === null || isContradicted) {
      this.#unsaid.push({ record, index: this.#lines.length - 1, hasCharges: charges.length > 0, isContradicted });
    } else this.#sideSource.add(sideSource);
    this.#narration = narrationOf(record, this.#columns).split("\n");
    this.#otherReferences = others;
  }

  /** Gives the last line its narration, once all of its rows were read. */
  #endNarration(): void {
    if (this.#narration) {
      const { text, otherWords } = joinRows(this.#narration, Infinity);
      Object.assign(this.#lines.at(-1)!, { narration: text, otherWords: [...otherWords, ...this.#otherReferences] });
    }
    this.#narration = null;
  }

  #readMoved(record: CsvRecord, isStrict: boolean): Moved | "bad" | null {
    return readMoved(record, this.#columns, isStrict ? this.#problems : null);
  }

  #readBalance(record: CsvRecord, isStrict: boolean): bigint | null {
    const written = this.#cell(record, "balance");
    if (isNothing(written)) return null;
    const { balanceSide } = this.#columns;
    const balance = readBalance(written + (balanceSide === null ? "" : cellAt(record, balanceSide)));
    if (balance === null && isStrict) this.#problem(record, "balance", amountProblem(written));
    return balance;
  }

  #cell(record: CsvRecord, role: ColumnRole): string {
    return cellAt(record, this.#columns.places.get(role));
  }

  #problem(record: CsvRecord, role: ColumnRole, message: string): void {
    this.#problems.add(record.line, this.#columns.mapping[role] ?? role, message);
  }
}
