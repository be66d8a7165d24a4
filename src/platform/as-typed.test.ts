import { describe, expect, test } from "vitest";
import { typedAmount, typedDate, typedField, typedMobile, typedPaise, typedPin } from "./as-typed.ts";

describe("an amount", () => {
  test.each([
    ["590", "590"],
    [" 590.50 ", "590.50"],
    ["1,000.50", "1000.50"],
    ["12,345", "12345"],
    ["1,23,456.00", "123456.00"],
    ["12,34,56,789.5", "123456789.5"],
    ["1,234,567.89", "1234567.89"],
    ["123,456", "123456"],
    ["₹ 1,23,456.50", "123456.50"],
    ["Rs. 1,000", "1000"],
    ["INR 1,000", "1000"],
  ])("%s is read", (text, wire) => {
    expect(typedAmount(text)).toBe(wire);
    expect(typedPaise(text)).not.toBeNull();
  });

  test.each([
    "1500,50",
    "500,00",
    "123,00",
    "0,50",
    "0,500",
    "1,2345",
    "1,23,45",
    "12,34",
    "1,234,56,789",
    "123,45,678",
    ",500",
    "1,,000",
    "1,000,",
    "1.000,50",
    "1 000",
    "1'000",
    "1,000.5,0",
    "-5",
    "1e3",
    "",
    "five",
  ])("%s is left for the field to refuse", (text) => {
    expect(typedAmount(text)).toBe(text);
    expect(typedPaise(text)).toBeNull();
  });
});

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
  expect(typedField("amount", "1,000.50")).toBe("1000.50");
  expect(typedField("amount", "1500,50")).toBe("1500,50");
  expect(["Yes", " y ", "TRUE", "no", "1", "maybe"].map((text) => typedField("round_off", text))).toEqual([
    "1",
    "1",
    "1",
    "0",
    "1",
    "maybe",
  ]);
  expect(
    ["Exempt", " NIL ", "Nil-rated", "Non GST", "taxed?"].map((text) => typedField("tax_treatment", text)),
  ).toEqual(["exempt", "nil", "nil", "non_gst", "taxed?"]);
  expect(typedField("supply_type", "SEZ with tax")).toBe("sez_with_tax");
  expect(typedField("gst_category", "Overseas")).toBe("overseas");
  expect(typedField("narrative", "1/4/2026")).toBe("1/4/2026");
  expect(typedField("constructor", "560 001")).toBe("560 001");
});
