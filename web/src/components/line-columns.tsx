// The columns of tables that show the lines of an invoice.
import { LINE_COLUMNS, type WireLine } from "../../../src/invoices/lines/line.ts";
import { LINE_KINDS } from "../forms/invoice/line-kinds.ts";
import { lineHeadings } from "../strings/invoice-lines.ts";
import type { Column } from "./data-table.tsx";
import { ItemCell } from "./values.tsx";

type Line = WireLine & { readonly place: number };

/** A column for each member of a line. The description is below the item. */
export function lineColumns(): readonly Column<Line>[] {
  return LINE_COLUMNS.map(({ name, kind }): Column<Line> => {
    const { shown, isMoney, column } = LINE_KINDS[kind];
    const head = { ...column, key: name, title: lineHeadings[name] };
    if (name === "item") return { ...head, render: ItemCell };
    return isMoney ? { ...head, as: "amount" } : { ...head, render: (line: Line) => shown(line[name]) };
  });
}

/** Lines with their places, which tell them apart. */
export function placedLines(lines: readonly WireLine[]): Line[] {
  return lines.map((line, place) => ({ ...line, place }));
}
