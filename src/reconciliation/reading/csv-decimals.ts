// Amounts with more than two decimals in a bank's table. `1.500` may be one and a half rupees, or 1,500 with a European thousands point.
import type { CsvRecord } from "../../platform/csv.ts";
import { cellAt } from "./csv-cells.ts";
import type { Columns } from "./csv-columns.ts";
import type { ColumnRole, Problems } from "./statement.ts";
import { readAmount } from "./values.ts";

const ROLES = ["debit", "credit", "amount", "balance", "fee", "tax"] as const satisfies readonly ColumnRole[];
/** An amount that may mean thousands in European notation: `1.500`, `25.000`. */
const MAY_BE_THOUSANDS = /(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?!\d)/;

/** Decides which amounts with more than two decimals can't be read safely. */
export class Decimals {
  readonly #columns: Columns;
  /** The number of decimals, above two, that the file's amounts prove; `null` for none. */
  readonly #proved: number | null;

  /**
   * @param records the records below the headings. They prove more than two decimals if all of their amounts have the same number
   * of decimals, and at least one can't mean thousands: `0.000`, `1500.000`, `1.5000`.
   */
  constructor(records: readonly CsvRecord[], columns: Columns) {
    this.#columns = columns;
    const counts = new Set<number>();
    let isProof = false;
    for (const record of records) {
      for (const role of ROLES) {
        const written = cellAt(record, columns.places.get(role));
        const amount = readAmount(written);
        const count = decimalsIn(written);
        // A bare 0 is not an amount: programs write it in the column of the other side.
        if (amount === null || (amount.paise === 0n && count === 0)) continue;
        counts.add(count);
        isProof ||= count > 2 && !MAY_BE_THOUSANDS.test(withoutCurrency(written));
      }
    }
    const [only = 0] = counts;
    this.#proved = counts.size === 1 && isProof ? only : null;
  }

  /** Adds a problem for each amount of a record with more than two decimals, unless the file proves them. Returns whether there is one. */
  addUnclear(record: CsvRecord, problems: Problems): boolean {
    const { places, mapping } = this.#columns;
    let hasUnclear = false;
    for (const role of ROLES) {
      const written = cellAt(record, places.get(role));
      const count = decimalsIn(written);
      if (count <= 2 || count === this.#proved || readAmount(written) === null) continue;
      hasUnclear = true;
      const problem = `“${written}” has ${count} decimals, so its point may separate thousands. Write amounts with two decimals, such as 1500.00.`;
      problems.add(record.line, mapping[role] ?? role, problem);
    }
    return hasUnclear;
  }
}

function decimalsIn(written: string): number {
  return /\.(\d+)/.exec(withoutCurrency(written))?.[1]?.length ?? 0;
}

/** The point in `Rs.` does not belong to the amount. */
function withoutCurrency(written: string): string {
  return written.replace(/rs\./i, "");
}
