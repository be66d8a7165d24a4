// The lines of a document as a table: which columns it has, and what is printed in each.
import { LINE_COLUMNS, type Row } from "./line.ts";
import { kindOf } from "./line-kinds.ts";

export type PrintedColumn = {
  readonly label: string;
  /** Aligned right. */
  readonly isNumber: boolean;
  /** A phone has no column for it: it is below the item there. */
  readonly isBelowOnPhone: boolean;
};

export type PrintedLine = {
  readonly item: string;
  readonly description: string;
  /** One for each column. */
  readonly cells: readonly string[];
};

/** The columns behind the item's, with their cells. */
export type PrintedLines = { readonly columns: readonly PrintedColumn[]; readonly rows: readonly PrintedLine[] };

export type Printing = {
  readonly isTaxed: boolean;
  /** Whether the merchant sent the taxes apart from the lines: then a line without a rate says nothing of its tax. */
  readonly hasOwnTaxes: boolean;
};

/** Prints lines in the order of the list. A line without an item has its description in the item's place. */
export function printLines(rows: readonly Row[], { isTaxed, hasOwnTaxes }: Printing): PrintedLines {
  const isShown = ({ shown, property, ...member }: (typeof LINE_COLUMNS)[number]): boolean => {
    if (shown === "always") return true;
    return (shown === "if-given" || isTaxed) && rows.some((row) => row[property] !== kindOf(member).none);
  };
  const columns = LINE_COLUMNS.filter((member) => member.name !== "item" && isShown(member));
  const print = (row: Row, member: (typeof columns)[number]): string => {
    const { none, print: printValue } = kindOf(member);
    const value = row[member.property];
    return hasOwnTaxes && "isTax" in member && value === none ? "" : printValue(value);
  };
  return {
    columns: columns.map((member) => ({
      label: member.label,
      isNumber: kindOf(member).isNumber,
      isBelowOnPhone: member.shown !== "always",
    })),
    rows: rows.map((row) => ({
      item: row.item || row.description,
      description: row.item === "" ? "" : row.description,
      cells: columns.map((member) => print(row, member)),
    })),
  };
}

/** A line's rate as documents print it; "" where it says nothing. */
export function printRate(row: Pick<Row, "gstThousandths">, { hasOwnTaxes }: Pick<Printing, "hasOwnTaxes">): string {
  return hasOwnTaxes && row.gstThousandths === 0n ? "" : kindOf({ kind: "rate" }).print(row.gstThousandths);
}
