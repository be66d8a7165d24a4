// What forms find wrong with a field before they ask or send anything.
import { expect, test } from "vitest";
import { fieldError } from "../../web/src/forms/field-errors.ts";
import { fieldErrors as words } from "../../web/src/strings/refusals.ts";

const WRONG = {
  amount: ["1000,00", "105,00", "1,23,4", "-5", "0", "0.00", "1.234"],
  "particular_rows.0.total_amount": ["1000,00", "five"],
  "particular_rows.1.gst": ["118 %", "118", "18,5", "-1", "18 %"],
  "tax_rows.0.percentage": ["100.001", "9,5"],
  "particular_rows.0.sac_code": ["9.98314E+05", "99831A", "9", "998314001"],
  "new_customer.mobile": ["12345", "98765432100", "98765O3210"],
  email_id: ["asha", "asha@", "asha@example", "a b@example.com"],
  "company.gstin": ["29AAACI1234K1", "00AAACI1234K1Z5"],
  pincode: ["5600", "ABCDEF"],
};
const RIGHT = {
  amount: ["1000", "1,23,456.50", "₹ 590", "0.01"],
  "particular_rows.0.total_amount": ["0", "1,000.00"],
  "particular_rows.1.gst": ["0", "18", "0.25", "100"],
  "particular_rows.0.sac_code": ["99", "9983", "998314", "99831400"],
  "new_customer.mobile": ["9876543210", "+91 98765 43210", "09876543210"],
  email_id: ["asha@example.com"],
  "company.gstin": ["29AAACI1234K1Z5", "29aaaci1234k1z5"],
  pincode: ["560001", "560 001"],
  name: ["anything, 1000,00"],
  constructor: ["1"],
};

const each = (texts: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(texts).flatMap(([path, values]) => values.map((text) => [path, text] as const));

test.each(each(WRONG))("%s: %s is wrong", (path, text) => {
  expect(fieldError(path, text, false)).toMatch(/^Enter /);
});

test.each(each(RIGHT))("%s: %s is right", (path, text) => {
  expect(fieldError(path, text, true)).toBeNull();
});

test("an empty field is wrong only where it is required", () => {
  expect(["", "  "].map((text) => fieldError("email_id", text, true))).toEqual([words.required, words.required]);
  expect(fieldError("email_id", "", false)).toBeNull();
});
