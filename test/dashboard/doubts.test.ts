// What forms ask about before they send. That forms ask, and send when they are told to, is tested in test/browser.
import { expect, test } from "vitest";
import { gstinDoubts, invoiceDoubts, paymentDoubts, stillDoubted } from "../../web/src/forms/doubts.ts";

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

const RIGHT_GSTIN = "29AAACI1234K1ZN";
const WRONG_GSTIN = "29AAACI1234K1Z5";
const KNOWN_CUSTOMER = { is_new_customer: false, new_customer: { gstin: "" } };

const doubtsOf = (row: { gst?: string; sac_code?: string }, billDate = TODAY, customer = KNOWN_CUSTOMER): string[] =>
  invoiceDoubts(
    { bill_date: billDate, due_date: billDate, particular_rows: [{ gst: "", sac_code: "", ...row }], ...customer },
    TODAY,
  );

test("a payment of tomorrow or before its invoice is doubted, one between is not", () => {
  const doubts = (date: string) => paymentDoubts(date, "2025-01-01", TODAY);
  expect(doubts("2026-11-24")).toEqual([expect.stringContaining("in the future")]);
  expect(doubts("2024-12-31")).toEqual([expect.stringContaining("before the invoice date")]);
  expect([TODAY, "2025-01-01", "", "x"].map(doubts)).toEqual([[], [], [], []]);
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

test("a due date more than a year after the invoice date is doubted", () => {
  const due = (due_date: string) =>
    invoiceDoubts({ bill_date: TODAY, due_date, particular_rows: [], ...KNOWN_CUSTOMER }, TODAY);
  expect([TODAY, "2027-11-23", "2024-01-01", ""].flatMap(due)).toEqual([]);
  expect(due("2036-12-05")).toEqual([expect.stringMatching(/^The due date 5\sDec\s2036 is more than a year after/)]);
});

test("a GSTIN with a wrong check digit is doubted, unless it is the one on record", () => {
  expect(gstinDoubts(WRONG_GSTIN.toLowerCase(), "")).toEqual([expect.stringContaining(WRONG_GSTIN)]);
  expect([gstinDoubts(RIGHT_GSTIN, ""), gstinDoubts("", ""), gstinDoubts(WRONG_GSTIN, WRONG_GSTIN)]).toEqual([
    [],
    [],
    [],
  ]);
});

test("the GSTIN of a customer that is made with an invoice is doubted as in the customer's own form", () => {
  const ofNew = (gstin: string, isNew = true) =>
    doubtsOf({}, TODAY, { is_new_customer: isNew, new_customer: { gstin } });
  expect(ofNew(WRONG_GSTIN)).toEqual(gstinDoubts(WRONG_GSTIN, ""));
  // What was typed before a known customer was chosen is not sent.
  expect([ofNew(RIGHT_GSTIN), ofNew(""), ofNew(WRONG_GSTIN, false)]).toEqual([[], [], []]);
});

test("what the server doubted of other values is asked about no more", () => {
  const [asked, values] = [{ number: "0/1" }, { number: "1/1" }];
  const find = ({ number }: { number: string }): string[] => (number.startsWith("0") ? ["A zero."] : []);
  const doubts = { own: ["A zero."], ofServer: ["The portal refuses 0/1."], of: asked };
  expect(stillDoubted(doubts, asked, find)).toEqual(["A zero.", "The portal refuses 0/1."]);
  expect(stillDoubted(doubts, values, find)).toEqual([]);
});
