// The calendar of banks, and the windows and limits of rails.
import { expect, describe, test } from "vitest";
import { isWorkingDay, readHolidays, staleBefore } from "./bank-days.ts";
import { limitsOn, takenOnAt } from "../transfer.ts";

const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);
const india = (text: string): Temporal.Instant =>
  Temporal.PlainDateTime.from(text).toZonedDateTime("Asia/Kolkata").toInstant();

describe("stale transfers", () => {
  test.each([
    ["a Friday, for Tuesday's", "2026-11-20T12:00:00+05:30", "2026-11-17"],
    ["a Monday after a second Saturday: Sunday and Saturday do not count", "2026-11-16T12:00:00+05:30", "2026-11-11"],
    ["a Monday after a third Saturday, which counts", "2026-11-23T00:00:00+05:30", "2026-11-19"],
    ["India's date, not Greenwich's", "2026-11-19T20:00:00Z", "2026-11-17"],
  ])("on %s", (_, now, since) => {
    expect(staleBefore(Temporal.Instant.from(now))).toEqual(Temporal.Instant.from(`${since}T00:00:00+05:30`));
  });

  test("after holidays, which do not count", () => {
    // Thursday to Saturday, without the holiday on Friday, Christmas.
    expect(staleBefore(india("2026-12-30T12:00"))).toEqual(india("2026-12-24T00:00"));
    const more = readHolidays("2026-11-24 Guru Nanak Jayanti");
    expect(staleBefore(india("2026-11-27T12:00"), more)).toEqual(india("2026-11-23T00:00"));
    expect(staleBefore(india("2026-11-27T12:00"), new Set())).toEqual(india("2026-11-24T00:00"));
  });
});

describe("holidays", () => {
  test("are those of every year, and single dates", () => {
    const holidays = readHolidays("# of a place\n\nevery 02-29 Leap day\n2026-11-24 Guru Nanak Jayanti\n");
    expect([...holidays]).toEqual(["02-29", "2026-11-24"]);
    const closed = ["2026-11-24", "2028-02-29", "2026-11-22", "2026-11-28"].map((text) =>
      isWorkingDay(day(text), holidays),
    );
    expect(closed).toEqual([false, false, false, false]);
    expect(["2027-11-24", "2026-11-21", "2026-11-30"].map((text) => isWorkingDay(day(text), holidays))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("of the installation have those that hold all over India", () => {
    expect(
      ["2027-01-26", "2027-04-01", "2028-08-15", "2026-10-02", "2026-12-25"].filter((text) => isWorkingDay(day(text))),
    ).toEqual([]);
  });

  test.each(["2026-13-01 X", "2026-02-29 X", "every 2-1 X", "every 02-30 X", "2026-11-24", "Diwali"])(
    "that can't be read are named: %s",
    (line) => {
      expect(() => readHolidays(`# first\n${line}\n`)).toThrow("line 2 of the bank holidays");
    },
  );
});

describe("a provider's window", () => {
  test.each([
    ["in the middle of a working day", "2026-11-23T12:00", null],
    ["when it opens", "2026-11-23T02:00", null],
    ["before it opens", "2026-11-23T01:59", "2026-11-23T02:00"],
    ["when it closes", "2026-11-23T18:00", "2026-11-24T02:00"],
    ["on a Friday evening before a fourth Saturday", "2026-11-27T18:30", "2026-11-30T02:00"],
    ["on a holiday", "2027-01-26T12:00", "2027-01-27T02:00"],
  ])("%s", (_, at, opens) => {
    const taken = takenOnAt("razorpayx:1", "NEFT", india(at));
    expect(taken?.toInstant() ?? null).toEqual(opens === null ? null : india(opens));
  });

  test("is always open where nothing narrower is known", () => {
    const night = india("2026-11-22T03:00");
    expect(takenOnAt("razorpayx:1", "IMPS", night)).toBeNull();
    expect(takenOnAt("cashfree:1", "NEFT", night)).toBeNull();
    expect(takenOnAt("simulator", "NEFT", night)).toBeNull();
  });
});

test("limits hold from their day on", () => {
  expect(limitsOn("IMPS", day("2026-11-22"))).toMatchObject({ mostPaise: 50_000_000n });
  expect(limitsOn("RTGS", day("2026-11-22"))).toMatchObject({ leastPaise: 20_000_000n, mostPaise: null });
  expect(() => limitsOn("IMPS", day("2010-01-01"))).toThrow("nothing is known of IMPS");
});
