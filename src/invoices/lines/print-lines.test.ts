// The columns and cells of a document's lines.
import { expect, test } from "vitest";
import type { Row } from "./line.ts";
import { printLines } from "./print-lines.ts";

const ROW: Row = { item: "Valve", sacCode: "8481", description: "", gstThousandths: 18_000n, amountPaise: 100_000n };
const PRINTING = { isTaxed: true, hasOwnTaxes: false };

test("a unit is printed beside a quantity only", () => {
  const byAmount: Row = { ...ROW, unit: "NOS" };
  const labels = (rows: Row[]): string[] => printLines(rows, PRINTING).columns.map(({ label }) => label);
  expect(labels([byAmount])).toEqual(["HSN/SAC", "GST", "Amount (₹)"]);
  const counted: Row = { ...byAmount, quantityThousandths: 2000n };
  expect(labels([byAmount, counted])).toEqual(["HSN/SAC", "Qty", "Unit", "GST", "Amount (₹)"]);
  expect(printLines([byAmount, counted], PRINTING).rows.map(({ cells }) => cells.slice(1, 3))).toEqual([
    ["", ""],
    ["2", "NOS"],
  ]);
});
