// The HSN/SAC summary of a tax invoice: taxable value, each GST and cess, by code and rate. The printed taxes are split over the
// codes, so that the columns add up to them exactly.
import {
  GST_NAMES,
  gstOf,
  isCess,
  isTaxable,
  rowRateOf,
  sum,
  type GstName,
  type Row,
  type Tax,
} from "../invoices/index.ts";

/** The columns, in print order. */
const COLUMN_NAMES = [...GST_NAMES, "Cess"] as const;
type ColumnName = (typeof COLUMN_NAMES)[number];

export type SummaryLine = {
  readonly sacCode: string;
  readonly gstThousandths: bigint;
  readonly taxablePaise: bigint;
  /** One amount for each of the summary's `taxNames`. */
  readonly taxesPaise: readonly bigint[];
};

export type TaxSummary = { readonly taxNames: readonly ColumnName[]; readonly lines: readonly SummaryLine[] };

type Group = { sacCode: string; gstThousandths: bigint; cessThousandths: bigint; taxablePaise: bigint };

/**
 * Groups the taxable rows by code and rates, in order of appearance. A tax line belongs to the rate that it is (IGST) or half of
 * (the others); its amount is split in proportion to the taxable values. If the tax lines can't be computed from the rows' rates (a
 * merchant may send other tax rows), but each is on all rows, their rate applies to every row. Otherwise there are no tax columns,
 * rather than wrong ones. Cess has a column only if it is computed from the rows.
 */
export function taxSummary(rows: readonly Row[], taxes: readonly Tax[]): TaxSummary {
  const taxable = rows.filter(isTaxable);
  const lines = mergeTaxes(taxes);
  const gst = lines.filter(isGst);
  const groups = groupRows(taxable);
  const byRate = shareTaxes(groups, gst, (line, { gstThousandths }) => rowRateOf(line) === gstThousandths);
  if (byRate !== null) return shareTaxes(groups, lines, isOfGroup) ?? byRate;
  const common = commonRate(gst);
  const untaxed = { taxNames: [], lines: withTaxes(groups, []) };
  if (common === null || taxable.some(({ gstThousandths }) => gstThousandths !== 0n)) return untaxed;
  const grouped = groupRows(taxable.map((row) => ({ ...row, gstThousandths: common })));
  return shareTaxes(grouped, gst, () => true) ?? untaxed;
}

/** Whether a tax is charged at a rate of the group. */
function isOfGroup(line: SummaryTax, { gstThousandths, cessThousandths }: Group): boolean {
  return isGst(line) ? rowRateOf(line) === gstThousandths : line.percentThousandths === cessThousandths;
}

function isGst(line: SummaryTax): line is GstLine {
  return line.name !== "Cess";
}

/** The total rate of taxes on all rows: that of IGST, or of both halves together; `null` for any others. */
function commonRate(lines: readonly GstLine[]): bigint | null {
  const [first, second, ...more] = lines;
  if (!first || more.length > 0) return null;
  if (first.name === "IGST") return second ? null : first.percentThousandths;
  const isHalf = second?.name !== "IGST" && second?.percentThousandths === first.percentThousandths;
  const isPair = (first.name === "CGST") !== (second?.name === "CGST");
  return isHalf && isPair ? first.percentThousandths * 2n : null;
}

/** Each tax split over its groups; `null` if one of them is not on the whole of its groups. */
function shareTaxes<Line extends SummaryTax>(
  groups: readonly Group[],
  taxes: readonly Line[],
  isOf: (line: Line, group: Group) => boolean,
): TaxSummary | null {
  const shares = new Map<ColumnName, bigint[]>();
  for (const line of taxes) {
    const indexes = groups.flatMap((group, index) => (isOf(line, group) ? [index] : []));
    const weights = indexes.map((index) => groups[index]!.taxablePaise);
    if (sum(weights) !== line.applicableOnPaise) return null;
    const column = shares.get(line.name) ?? groups.map(() => 0n);
    shareOut(line.amountPaise, weights).forEach((amount, place) => (column[indexes[place]!]! += amount));
    shares.set(line.name, column);
  }
  const taxNames = COLUMN_NAMES.filter((name) => shares.has(name));
  return {
    taxNames,
    lines: withTaxes(
      groups,
      taxNames.map((name) => shares.get(name)!),
    ),
  };
}

function withTaxes(groups: readonly Group[], columns: readonly bigint[][]): SummaryLine[] {
  return groups.map(({ sacCode, gstThousandths, taxablePaise }, index) => {
    return { sacCode, gstThousandths, taxablePaise, taxesPaise: columns.map((column) => column[index]!) };
  });
}

function groupRows(rows: readonly Row[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { sacCode, gstThousandths, cessThousandths = 0n, amountPaise } of rows) {
    const key = `${gstThousandths} ${cessThousandths} ${sacCode}`;
    const group = groups.get(key) ?? { sacCode, gstThousandths, cessThousandths, taxablePaise: 0n };
    group.taxablePaise += amountPaise;
    groups.set(key, group);
  }
  return [...groups.values()];
}

type SummaryTax = { name: ColumnName; percentThousandths: bigint; applicableOnPaise: bigint; amountPaise: bigint };
type GstLine = SummaryTax & { name: GstName };

/** The lines of GST and cess, merged by name and rate; other taxes are not in the summary. */
function mergeTaxes(taxes: readonly Tax[]): SummaryTax[] {
  const lines = new Map<string, SummaryTax>();
  for (const tax of taxes) {
    const name = gstOf(tax) ?? (isCess(tax) ? "Cess" : null);
    if (name === null) continue;
    const key = `${name} ${tax.percentThousandths}`;
    const line = lines.get(key) ?? {
      name,
      percentThousandths: tax.percentThousandths,
      applicableOnPaise: 0n,
      amountPaise: 0n,
    };
    line.applicableOnPaise += tax.applicableOnPaise;
    line.amountPaise += tax.amountPaise;
    lines.set(key, line);
  }
  return [...lines.values()];
}

/** Splits an amount in proportion to the weights, to the paisa; the largest remainders get the rest. */
function shareOut(amountPaise: bigint, weights: readonly bigint[]): bigint[] {
  const whole = sum(weights);
  if (whole === 0n) return weights.map((_, index) => (index === 0 ? amountPaise : 0n));
  const shares = weights.map((weight) => (amountPaise * weight) / whole);
  const byRemainder = weights
    .map((weight, index) => ({ index, remainder: (amountPaise * weight) % whole }))
    .toSorted((a, b) => (a.remainder < b.remainder ? 1 : a.remainder > b.remainder ? -1 : a.index - b.index));
  let left = amountPaise - sum(shares);
  for (const { index } of byRemainder) {
    if (left <= 0n) break;
    shares[index]! += 1n;
    left -= 1n;
  }
  return shares;
}
