// The lines of a document as a table: its columns and cells.
import type { TaxTreatment } from "../../platform/gst.ts";
import { LINE_COLUMNS, type LineMember, type Row } from "./line.ts";
import { kindOf } from "./line-kinds.ts";

export type PrintedColumn = {
  readonly label: string;
  /** Aligned right. */
  readonly isNumber: boolean;
  /** On a phone, it is shown below the item instead of in a column. */
  readonly isBelowOnPhone: boolean;
};

export type PrintedLine = {
  readonly item: string;
  readonly description: string;
  /** One for each column. */
  readonly cells: readonly string[];
};

/** The columns after the item's, with their cells. */
export type PrintedLines = { readonly columns: readonly PrintedColumn[]; readonly rows: readonly PrintedLine[] };

export type Printing = {
  readonly isTaxed: boolean;
  /** Whether the merchant sent the taxes separately from the lines: then a line without a rate shows no tax. */
  readonly hasOwnTaxes: boolean;
};

/**
 * Prints lines in the order of the list. A line without an item shows its description in that place. A line without a quantity,
 * such as one credited by amount, has no unit.
 */
export function printLines(rows: readonly Row[], printing: Printing): PrintedLines {
  const isGiven = (row: Row, member: LineColumn): boolean => {
    const value = valueOf(row, member);
    return value !== undefined && value !== kindOf(member).none;
  };
  const isShown = (member: LineColumn): boolean => {
    const { shown }: Pick<LineMember, "shown"> = member;
    if (shown === "always" || shown === "never") return shown === "always";
    return (shown === "if-given" || printing.isTaxed) && rows.some((row) => isGiven(row, member));
  };
  const columns = LINE_COLUMNS.filter((member) => member.name !== "item" && isShown(member));
  return {
    columns: columns.map((member) => ({
      label: member.label,
      isNumber: kindOf(member).isNumber,
      isBelowOnPhone: member.shown !== "always",
    })),
    rows: rows.map((row) => ({
      item: row.item || row.description,
      description: row.item === "" ? "" : row.description,
      cells: columns.map((member) => printCell(row, member, printing)),
    })),
  };
}

type LineColumn = (typeof LINE_COLUMNS)[number];

function valueOf(row: Row, { name, property }: LineColumn) {
  return name === "unit" && row.quantityThousandths === undefined ? undefined : row[property];
}

/** In the place of a rate. */
const TREATMENTS: Readonly<Record<Exclude<TaxTreatment, "taxable">, string>> = {
  nil: "Nil",
  exempt: "Exempt",
  non_gst: "Non-GST",
};

function printCell(row: Row, member: LineColumn, { hasOwnTaxes }: Printing): string {
  const { none, print } = kindOf(member);
  const { taxTreatment = "taxable" } = row;
  const value = valueOf(row, member);
  if (value === undefined) return "";
  if (member.name === "gst" && taxTreatment !== "taxable") return TREATMENTS[taxTreatment];
  if (hasOwnTaxes && "isTax" in member && value === none) return "";
  const isWithTax = member.name === "unit_price" && row.priceIncludesTax === true;
  return isWithTax ? `${print(value)} incl. tax` : print(value);
}

/** A line's rate in print; "" if it has none. */
export function printRate(row: Pick<Row, "gstThousandths">, { hasOwnTaxes }: Pick<Printing, "hasOwnTaxes">): string {
  return hasOwnTaxes && row.gstThousandths === 0n ? "" : kindOf({ kind: "rate" }).print(row.gstThousandths);
}
