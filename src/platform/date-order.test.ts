// Dates of files: which of the first two numbers is the day.
import { expect, test } from "vitest";
import { settleDates } from "./date-order.ts";
import type { DateOrder } from "./as-typed.ts";

function settle(dates: readonly string[], given: DateOrder | null = null): string[] {
  const rows = dates.map((date, index) => ({ line: index + 2, cells: ["3/4/2026", date] }));
  return settleDates(rows, [1], given).map(({ cells }) => cells[1]!);
}

test.each([
  [
    ["2026-12-03", "3 Dec 2026", "02-Dec-2026", "2026/12/03", ""],
    ["2026-12-03", "2026-12-03", "2026-12-02", "2026-12-03", ""],
  ],
  [
    ["03/12/2026", "13/12/2026"],
    ["2026-12-03", "2026-12-13"],
  ],
  [
    ["03/12/2026", "12/13/2026"],
    ["2026-03-12", "2026-12-13"],
  ],
  [["05-05-26"], ["2026-05-05"]],
  // If both orders occur, the day is first, and the other date is invalid.
  [
    ["13/12/2026", "12/13/2026"],
    ["2026-12-13", "12/13/2026"],
  ],
  [["31/02/2026"], ["31/02/2026"]],
])("%j is %j", (written, read) => expect(settle(written)).toEqual(read));

test("where nothing tells, the sender is asked, and what he says counts", () => {
  for (const unclear of ["03/12/2026", "3-12-26", "03.12.2026"]) {
    expect(() => settle(["2026-12-25", unclear])).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`${unclear} on line 3`),
        errors: [expect.objectContaining({ field: "date_order", code: "required" })],
      }) as Error,
    );
  }
  expect(settle(["03/12/2026"], "day-first")).toEqual(["2026-12-03"]);
  expect(settle(["03/12/2026"], "month-first")).toEqual(["2026-03-12"]);
});
