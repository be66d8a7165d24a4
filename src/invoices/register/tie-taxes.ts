import { taxesByRow } from "../row-taxes.ts";
import { HEAD_OF_TAX, NO_HEADS, TAXES_OF_SUPPLY, taxOfRow, type HeadAmounts } from "../gst-row.ts";
import type { InvoiceContent } from "../invoice.ts";
import { gstOf, isCess, rowRateOf, sum, type Tax } from "../totals.ts";

type Taxed = Pick<InvoiceContent, "rows" | "taxes" | "ownTaxes" | "supply">;
type Head = keyof HeadAmounts;

/** The rate of a row in thousandths of a percent, and its tax by head in paise. */
export type LineTax = HeadAmounts & { readonly rateThousandths: bigint };

export type TiedTaxes = {
  /** For each row. Without tax if `untied` is true. */
  readonly lineTaxes: readonly LineTax[];
  /** For each tax of the document, its head; `null` for a tax whose name is not GST's. */
  readonly heads: readonly (Head | null)[];
  /** Whether the merchant's own taxes could not be tied to rows. */
  readonly untied: boolean;
};

/**
 * The taxes of each row. Taxes that the merchant sent are tied to rows only if names, rates and bases agree to the paisa; nothing
 * is guessed. docs/rules/tax-register.md#taxes-that-are-sent
 */
export function tieTaxes(content: Taxed): TiedTaxes {
  const { rows, taxes, ownTaxes, supply } = content;
  const heads = taxes.map(headOf);
  const isZeroRated = supply === "zero_rated";
  const own = rows.map((row) => {
    return { rateThousandths: isZeroRated ? 0n : row.gstThousandths, ...taxOfRow(row, supply) };
  });
  if (!ownTaxes) return { lineTaxes: own, heads, untied: false };
  const lineTaxes = tieOwn(content, heads);
  if (lineTaxes !== null) return { lineTaxes, heads, untied: false };
  return { lineTaxes: own.map(({ rateThousandths }) => ({ rateThousandths, ...NO_HEADS })), heads, untied: true };
}

/** Taxes by head, and those whose names are not GST's. */
export function headsOf(taxes: readonly Tax[]): HeadAmounts & { readonly otherPaise: bigint } {
  const of = (wanted: Head | null): bigint =>
    sum(taxes.filter((tax) => headOf(tax) === wanted).map((tax) => tax.amountPaise));
  return {
    igstPaise: of("igstPaise"),
    cgstPaise: of("cgstPaise"),
    sgstPaise: of("sgstPaise"),
    cessPaise: of("cessPaise"),
    otherPaise: of(null),
  };
}

/** The head of a tax, by its name; `null` for another tax. */
function headOf(tax: Pick<Tax, "name">): Head | null {
  const name = gstOf(tax);
  if (name !== null) return HEAD_OF_TAX[name];
  return isCess(tax) ? "cessPaise" : null;
}

/** Each row's taxes; `null` if names, rates or bases don't agree. */
function tieOwn({ rows, taxes, ...rest }: Taxed, heads: readonly (Head | null)[]): LineTax[] | null {
  const byRow = taxesByRow({ rows, taxes, ...rest });
  if (byRow === null || heads.includes(null)) return null;
  const charged: readonly Head[] = TAXES_OF_SUPPLY[rest.supply].map((name) => HEAD_OF_TAX[name]);
  const hasOtherHead = heads.some((head) => head !== "cessPaise" && !charged.includes(head!));
  const hasOtherBase = taxes.some(({ applicableOnPaise }, index) => {
    return sum(byRow.rowsOf[index]!.map((place) => rows[place]!.amountPaise)) !== applicableOnPaise;
  });
  if (hasOtherHead || hasOtherBase) return null;
  const tied = rows.map((row, place): LineTax | null => {
    const on = [...taxes.keys()].filter((index) => byRow.rowsOf[index]!.includes(place));
    const gst = on.filter((index) => heads[index] !== "cessPaise");
    const rates = new Set(gst.map((index) => rowRateOf(taxes[index]!)));
    const rateThousandths = [...rates][0] ?? 0n;
    const isOnce = new Set(on.map((index) => heads[index])).size === on.length;
    const isWhole = gst.length === 0 || gst.length === charged.length;
    const agrees = row.gstThousandths === 0n || row.gstThousandths === rateThousandths;
    if (rates.size > 1 || !isOnce || !isWhole || !agrees) return null;
    const parts = on.map((index) => [heads[index]!, byRow.paise[place]![index]!]);
    return { rateThousandths, ...NO_HEADS, ...Object.fromEntries(parts) };
  });
  return tied.includes(null) ? null : (tied as LineTax[]);
}
