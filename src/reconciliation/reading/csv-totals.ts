// Total rows in a bank's table: they must be the sums of the lines.
import type { CsvRecord } from "../../platform/csv.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import type { Columns } from "./csv-columns.ts";
import type { Problems, ReadLine, Side } from "./statement.ts";
import { isNothing, readAmount } from "./values.ts";

type Moved = Pick<ReadLine, "side" | "amountPaise">;
type Sums = Readonly<Record<Side, bigint>>;
/** A total in a row, and the number of lines before it. `side` is `null` in a table with one column of amounts. */
type Total = {
  readonly fileLine: number;
  readonly after: number;
  readonly column: string;
  readonly side: Side | null;
  readonly paise: bigint;
};

const NONE: Sums = { in: 0n, out: 0n };

/** Collects the totals of a table, and compares them with its lines at the end. */
export class TotalsOfTable {
  readonly #columns: Columns;
  readonly #totals: Total[] = [];
  readonly #carried: Sums[] = [];

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Adds a row of totals after this many lines. `label` may say that it totals debits or credits alone. */
  add({ line, cells }: CsvRecord, label: string, after: number): void {
    const { places, headings } = this.#columns;
    const hasSides = places.has("debit") && places.has("credit");
    const only = /debit/i.test(label) ? "out" : /credit/i.test(label) ? "in" : null;
    for (const role of hasSides ? (["debit", "credit"] as const) : (["amount"] as const)) {
      const place = places.get(role)!;
      const written = cells[place] ?? "";
      const amount = isNothing(written) ? null : readAmount(written);
      const side = hasSides ? (role === "debit" ? "out" : "in") : (amount?.side ?? only);
      if (amount === null || (only !== null && side !== only)) continue;
      this.#totals.push({ fileLine: line, after, column: headings[place]!, side, paise: amount.paise });
    }
  }

  /** Adds an opening or closing balance in a column of amounts: some programs include it in the total below. */
  carry({ side, amountPaise }: Moved): void {
    this.#carried.push({ ...NONE, [side]: amountPaise });
  }

  /**
   * Adds a problem for each total that is not the sum of all lines, of those before its row, or of those between it and another
   * total row; with or without the charges beside payments and the balances in the columns of amounts.
   */
  check(lines: readonly Moved[], charges: ReadonlyMap<Moved, readonly Moved[]>, problems: Problems): void {
    if (this.#totals.length === 0) return;
    const all = sumsUpTo(lines.map((line) => [line, ...(charges.get(line) ?? [])]));
    const payments = sumsUpTo(lines.map((line) => [line]));
    const ends = [...new Set([0, ...this.#totals.map(({ after }) => after), lines.length])];
    const placeOf = new Map(ends.map((end, at) => [end, at]));
    const balances = [NONE, ...this.#carried, this.#carried.reduce(plus, NONE)];
    const mayBe = {
      in: balancesBy(balances, "in"),
      out: balancesBy(balances, "out"),
      both: balancesBy(balances, null),
    };
    for (const { fileLine, after, column, side, paise } of this.#totals) {
      const at = placeOf.get(after)!;
      const spans = [
        [0, lines.length],
        [0, after],
        [ends[at - 1] ?? 0, after],
        [after, ends[at + 1] ?? after],
      ] as const;
      const isSum = spans.some(([from, to]) =>
        [all, payments].some((sums) =>
          valuesOf(less(sums[to]!, sums[from]!), side).some((value, kind) =>
            mayBe[side ?? "both"][kind]!.has(paise - value),
          ),
        ),
      );
      if (isSum) continue;
      const expected = formatRupees(valuesOf(all.at(-1)!, side)[0]!);
      const problem = `the total is ${formatRupees(paise)}, but the lines make ${expected}. A line is missing or was changed. Download the whole statement.`;
      problems.add(fileLine, column, problem);
    }
  }
}

/** The sum that balances add to each value of `valuesOf`. */
function balancesBy(balances: readonly Sums[], side: Side | null): readonly ReadonlySet<bigint>[] {
  const values = balances.map((balance) => valuesOf(balance, side));
  return values[0]!.map((_, kind) => new Set(values.map((each) => each[kind]!)));
}

/** Running sums: of no line, the first one, the first two, and so on. */
function sumsUpTo(lines: readonly (readonly Moved[])[]): Sums[] {
  const sums = [NONE];
  for (const moved of lines) {
    sums.push(moved.reduce((sum, { side, amountPaise }) => plus(sum, { ...NONE, [side]: amountPaise }), sums.at(-1)!));
  }
  return sums;
}

function plus(one: Sums, other: Sums): Sums {
  return { in: one.in + other.in, out: one.out + other.out };
}

function less(one: Sums, other: Sums): Sums {
  return { in: one.in - other.in, out: one.out - other.out };
}

/** A total of a single amount column may be the sum of both sides, of either, or their difference. */
function valuesOf(sums: Sums, side: Side | null): bigint[] {
  if (side !== null) return [sums[side]];
  return [sums.in + sums.out, sums.in - sums.out, sums.out - sums.in, sums.in, sums.out];
}
