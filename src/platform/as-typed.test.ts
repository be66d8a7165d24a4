import { describe, expect, test } from "vitest";
import { typedDate, typedField, typedMobile, typedPin } from "./as-typed.ts";

const TODAY = "2026-11-23";

describe("a date", () => {
  test.each([
    ["2026-04-01", "2026-04-01"],
    ["1/4/2026", "2026-04-01"],
    ["01-04-2026", "2026-04-01"],
    ["1.4.26", "2026-04-01"],
    ["1 4 2026", "2026-04-01"],
    ["1/4", "2026-04-01"],
    ["1 apr", "2026-04-01"],
    ["1st April, 2025", "2025-04-01"],
    ["Apr 1", "2026-04-01"],
    ["1-Apr-26", "2026-04-01"],
    ["1apr", "2026-04-01"],
    ["3 sept 2026", "2026-09-03"],
    [" Today ", "2026-11-23"],
    ["yesterday", "2026-11-22"],
    ["tomorrow", "2026-11-24"],
    ["29/2/2028", "2028-02-29"],
    ["29/2/2026", null],
    ["31/4", null],
    ["4/13/2026", null],
    ["0/4", null],
    ["1 abc", null],
    ["1 aprx", null],
    ["2026", null],
    ["1/4/026", null],
    ["", null],
  ])("%s", (text, wanted) => {
    expect(typedDate(text, TODAY)).toBe(wanted);
  });

  test("without a day to count from, only what names its year", () => {
    expect(["1/4", "1 apr", "today", "tomorrow"].map((text) => typedDate(text))).toEqual([null, null, null, null]);
    expect(["1/4/2026", "1-Apr-26", "2026-04-01"].map((text) => typedDate(text))).toEqual(
      Array.from({ length: 3 }, () => "2026-04-01"),
    );
  });
});

test("a mobile number keeps the spelling that fields take; spaces, hyphens and the country are taken out of others", () => {
  const spelled = [
    "98765 43210",
    "+91 98765-43210",
    "91 98765 43210",
    "(098765) 43210",
    "+919876543210",
    "09876543210",
  ];
  expect(spelled.map(typedMobile)).toEqual([
    "9876543210",
    "9876543210",
    "9876543210",
    "9876543210",
    "+919876543210",
    "09876543210",
  ]);
  expect(["12345", "+1 202 555 0100", "phone"].map(typedMobile)).toEqual(["12345", "+1 202 555 0100", "phone"]);
});

test("a PIN code is its six digits", () => {
  expect(["560 001", "560-001", "560001", "5600", "PIN"].map(typedPin)).toEqual([
    "560001",
    "560001",
    "560001",
    "5600",
    "PIN",
  ]);
});

test("a field is cleaned by its name, and a name that says nothing leaves it alone", () => {
  expect(typedField("mobile", "98765 43210")).toBe("9876543210");
  expect(typedField("zipcode", "560 001")).toBe("560001");
  expect(typedField("bill_date", "01-04-2026")).toBe("2026-04-01");
  expect(typedField("bill_date", "1/4")).toBe("1/4");
  expect(typedField("narrative", "1/4/2026")).toBe("1/4/2026");
  expect(typedField("constructor", "560 001")).toBe("560 001");
});
