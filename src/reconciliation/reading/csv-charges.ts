// Charges in columns beside a payment, in a provider's table.
import type { CsvRecord } from "../../platform/csv.ts";
import { cellAt } from "./csv-cells.ts";
import type { Columns } from "./csv-columns.ts";
import { isNewestFirst, signed, type Problems, type ReadLine } from "./statement.ts";
import { amountProblem, isNothing, readAmount } from "./values.ts";

/** The charges beside each line that has any. */
export type Charges = ReadonlyMap<ReadLine, readonly ReadLine[]>;
type Opening = (isNewestFirst: boolean) => bigint | null;

/** The fee and the tax in the columns of a line. A cell that is not an amount is added to `problems`. */
export function chargesIn(
  record: CsvRecord,
  { places, mapping }: Columns,
  problems: Problems,
): Pick<ReadLine, "narration" | "amountPaise">[] {
  return (["fee", "tax"] as const).flatMap((role) => {
    const written = cellAt(record, places.get(role));
    if (isNothing(written)) return [];
    const amount = readAmount(written);
    if (!amount) problems.add(record.line, mapping[role] ?? role, amountProblem(written));
    return amount && amount.paise > 0n
      ? [{ narration: role === "fee" ? "Fee" : "Tax on the fee", amountPaise: amount.paise }]
      : [];
  });
}

/**
 * Which charges beside payments were debited with them. Providers' documents don't say, so the balances decide: line by line, and
 * for a line without a preceding balance by the others. A line without a balance counts its charges.
 */
export function chargesThatLeft(
  lines: readonly ReadLine[],
  charges: Charges,
  opening: Opening,
): { readonly left: Charges; readonly isBackward: boolean } {
  const hasDays = lines.length > 1 && !lines[0]!.bookedOn.equals(lines.at(-1)!.bookedOn);
  const orders = hasDays ? [isNewestFirst(lines)] : [false, true];
  const tried = orders.map((isBackward) => ({ isBackward, ...proofs(lines, charges, { opening, isBackward }) }));
  const { proved, unknown, isBackward } = tried.find((each) => each.proved.length > 0) ?? tried[0]!;
  const without = [...charges.keys()].filter(({ balancePaise }) => balancePaise === null);
  const left = new Set([...without, ...proved, ...(proved.length > 0 ? unknown : [])]);
  return { left: new Map([...charges].filter(([line]) => left.has(line))), isBackward };
}

function proofs(
  lines: readonly ReadLine[],
  charges: Charges,
  { opening, isBackward }: { opening: Opening; isBackward: boolean },
): { proved: ReadLine[]; unknown: ReadLine[] } {
  const proved: ReadLine[] = [];
  const unknown: ReadLine[] = [];
  let before = opening(isBackward);
  for (const line of isBackward ? lines.toReversed() : lines) {
    const beside = charges.get(line);
    if (beside && line.balancePaise !== null) {
      const charged = beside.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
      if (before === null) unknown.push(line);
      else if (before + signed(line) - charged === line.balancePaise) proved.push(line);
    }
    before = line.balancePaise;
  }
  return { proved, unknown };
}
