// What forms ask about before they send.
// What belongs here: which values are doubted. That forms ask, and send when they are told to, is tested in test/browser.
import { expect, test } from "vitest";
import { invoiceDoubts, paymentDoubts } from "../../web/src/forms/doubts.ts";

const TODAY = "2026-11-23";
const KNOWN = [
  "",
  "0",
  "0.1",
  "0.10",
  "0.25",
  "1",
  "1.5",
  "3",
  "5",
  "6",
  "7.5",
  "12",
  "18",
  "18.00",
  "28",
  "40",
  "18%",
];

const doubtsOf = (row: { gst?: string; sac_code?: string }, billDate = TODAY): string[] =>
  invoiceDoubts({ bill_date: billDate, particular_rows: [{ gst: "", sac_code: "", ...row }] }, TODAY);

test("a payment of tomorrow is doubted, one of today or before is not", () => {
  expect(paymentDoubts("2026-11-24", TODAY)).toHaveLength(1);
  expect([TODAY, "2025-01-01", "", "x"].map((date) => paymentDoubts(date, TODAY))).toEqual([[], [], [], []]);
});

test("rates that there are none of are doubted", () => {
  expect(KNOWN.flatMap((gst) => doubtsOf({ gst }))).toEqual([]);
  for (const gst of ["17", "1.8", "81", "0.5", "12.5"])
    expect(doubtsOf({ gst })).toEqual([expect.stringContaining(gst)]);
});

test("an HSN or SAC code of another length is doubted", () => {
  expect(["", "9983", "998314", "99831400"].flatMap((code) => doubtsOf({ sac_code: code }))).toEqual([]);
  for (const code of ["99", "99831", "9983140", "998314001", "99831A"]) {
    expect(doubtsOf({ sac_code: code })).toEqual([expect.stringContaining(code)]);
  }
});

test("an invoice date more than a year away is doubted", () => {
  expect(["2027-11-23", "2025-11-23", ""].flatMap((date) => doubtsOf({}, date))).toEqual([]);
  for (const date of ["2028-11-23", "2206-11-23", "2024-11-01"]) expect(doubtsOf({}, date)).toHaveLength(1);
});
