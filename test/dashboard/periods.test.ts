// The periods that lists offer. That the pages offer them is tested in test/browser.
import { expect, test } from "vitest";
import { periodsAround } from "../../web/src/format/periods.ts";

const rangesAround = (today: string) =>
  Object.fromEntries(periodsAround(today).map(({ name, from, to }) => [name, `${from} ${to}`]));

test("periods are whole ones, and the financial year begins in April", () => {
  expect(rangesAround("2026-11-23")).toEqual({
    today: "2026-11-23 2026-11-23",
    thisMonth: "2026-11-01 2026-11-30",
    lastMonth: "2026-10-01 2026-10-31",
    thisQuarter: "2026-10-01 2026-12-31",
    lastQuarter: "2026-07-01 2026-09-30",
    thisYear: "2026-04-01 2027-03-31",
    lastYear: "2025-04-01 2026-03-31",
  });
});

test("in January the last month is of the year before, and until March the financial year too", () => {
  expect(rangesAround("2028-01-31")).toMatchObject({
    thisMonth: "2028-01-01 2028-01-31",
    lastMonth: "2027-12-01 2027-12-31",
    thisQuarter: "2028-01-01 2028-03-31",
    lastQuarter: "2027-10-01 2027-12-31",
    thisYear: "2027-04-01 2028-03-31",
  });
  expect(rangesAround("2028-03-01")).toMatchObject({ lastMonth: "2028-02-01 2028-02-29" });
  expect(rangesAround("2028-04-01")).toMatchObject({ thisYear: "2028-04-01 2029-03-31" });
});
