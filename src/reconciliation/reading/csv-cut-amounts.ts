// Amounts of a bank's table that look cut at their commas, unless balances prove their lines right.
import { isCutAmountAt, type CsvRecord } from "../../platform/csv.ts";
import type { Columns } from "./csv-columns.ts";
import { signed, type Problems, type ReadLine } from "./statement.ts";

type Suspect = { readonly record: CsvRecord; readonly place: number; readonly line: ReadLine };
type Moved = Pick<ReadLine, "side" | "amountPaise" | "balancePaise">;

/** Collects lines such as `10` beside `960.00`: whole rupees and a balance, or an amount of 10,960.00. */
export class CutAmounts {
  readonly #columns: Columns;
  readonly #problems: Problems;
  readonly #suspects: Suspect[] = [];

  constructor(columns: Columns, problems: Problems) {
    this.#columns = columns;
    this.#problems = problems;
  }

  /** The place of an amount that seems cut; `undefined` for none. */
  placeIn({ cells }: CsvRecord): number | undefined {
    const { places } = this.#columns;
    const moved = (["debit", "credit", "amount"] as const).flatMap((role) => places.get(role) ?? []);
    return moved.find((place) => isCutAmountAt(cells, place));
  }

  /** Refuses a line whose amount in this place was cut. */
  refuse({ line }: CsvRecord, place: number): void {
    const problem = "the amount is split into several cells by its commas. Put amounts with commas in quotation marks.";
    this.#problems.add(line, this.#columns.headings[place] ?? "cells", problem);
  }

  /** Adds a line as it was read, to be checked against the balances once all are known. */
  add(suspect: Suspect): void {
    this.#suspects.push(suspect);
  }

  /** Refuses the lines that no balance proves. `openings` are the balances at the beginning of the file or its pages. */
  check(lines: readonly ReadLine[], openings: readonly bigint[]): void {
    if (this.#suspects.length === 0) return;
    const proved = new Set([lines, lines.toReversed()].flatMap((order) => [...provedIn(order, new Set(openings))]));
    for (const { record, place, line } of this.#suspects) if (!proved.has(line)) this.refuse(record, place);
  }
}

/** The lines between two balances where the second follows from the first, or from an opening one. */
function provedIn(lines: readonly ReadLine[], openings: ReadonlySet<bigint>): ReadonlySet<Moved> {
  const proved = new Set<Moved>();
  let before: ReadLine | null = null;
  let moved = 0n;
  for (const line of lines) {
    moved += signed(line);
    if (line.balancePaise === null) continue;
    const start = line.balancePaise - moved;
    if (before === null ? openings.has(start) : before.balancePaise === start) {
      proved.add(line);
      if (before !== null) proved.add(before);
    }
    before = line;
    moved = 0n;
  }
  return proved;
}

/** Whether a cell and the next look like one amount cut at its comma: `1` and `23`, or `4` and `000.00`. */
export function isCutAmount(cell: string, place: number, cells: readonly string[]): boolean {
  return /^[-+(]?(?:₹|rs\.?)? ?\d{1,3}$/i.test(cell) && /^\d{2,3}(?:\.\d*)?\)?$/.test(cells[place + 1] ?? "");
}
