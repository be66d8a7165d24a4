// The columns of tables that show the lines of an invoice.
import { Text } from "@mantine/core";
import { LINE_COLUMNS, type WireLine } from "../../../src/invoices/lines/line.ts";
import type { TaxTreatment } from "../../../src/platform/gst.ts";
import { LINE_KINDS } from "../forms/invoice/line-kinds.ts";
import { lineHeadings, treatments } from "../strings/invoice-lines.ts";
import type { Column } from "./data-table.tsx";
import { ItemCell } from "./values.tsx";

type Line = WireLine & { readonly place: number };

/** A column for each plain member, and for each optional one that a line has. The description is below the item. */
export function lineColumns(lines: readonly WireLine[]): readonly Column<Line>[] {
  const columns = LINE_COLUMNS.filter(({ name, ...member }) => {
    return !("isOptional" in member) || lines.some((line) => line[name] !== undefined);
  });
  return columns.map(({ name, kind }): Column<Line> => {
    const { shown, isMoney, column } = LINE_KINDS[kind];
    const head = { ...column, key: name, title: lineHeadings[name] };
    if (name === "item") return { ...head, render: ItemCell };
    if (name === "total_amount") return { ...head, as: "amount" };
    if (kind === "treatment") {
      return { ...head, render: (line) => treatments[(line[name] ?? "taxable") as TaxTreatment] };
    }
    if (kind === "discount") return { ...head, render: (line) => <Discount of={line[name]} /> };
    const align = isMoney ? { align: "right" as const } : {};
    return { ...head, ...align, render: (line: Line) => (line[name] === undefined ? "" : shown(line[name])) };
  });
}

/** A discount; with its name if it is below an item, where it has no heading. */
function Discount({ of: discount = "" }: { readonly of: string | undefined }) {
  if (discount === "") return null;
  return (
    <>
      <Text span inherit hiddenFrom="sm">
        {lineHeadings.discount}:{" "}
      </Text>
      {discount}
    </>
  );
}

/** Lines with their places as keys. */
export function placedLines(lines: readonly WireLine[]): Line[] {
  return lines.map((line, place) => ({ ...line, place }));
}
