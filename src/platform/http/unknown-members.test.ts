import { expect, test } from "vitest";
import { list, money, object, optional, optionalText } from "./fields.ts";
import { unknownMembers } from "./unknown-members.ts";

const row = object({ item: optionalText(10), sac_code: optionalText(8), total_amount: money() });
const body = object({ due_date: optionalText(10), rows: optional(list(row, 10)), notes: optionalText(10) });
const fieldsOf = (value: unknown): string[] => unknownMembers(body, value).map(({ field }) => field);

test("members that would change money or tax are told, with the nearest known name, once each", () => {
  const rows = [1, 2].map(() => ({ item: "Tea", total_amount: "1.00", quantity: "2", unitPrice: 5 }));
  expect(unknownMembers(body, { reverse_charge: "Y", rows })).toEqual([
    { code: "unknown_member", field: "reverse_charge", message: expect.stringContaining("not supported") as unknown },
    { code: "unknown_member", field: "rows[0].quantity", message: expect.stringContaining("quantity") as unknown },
    {
      code: "unknown_member",
      field: "rows[0].unitPrice",
      message: expect.stringMatching(/nearest known name is/) as unknown,
    },
  ]);
});

test("a misspelt name is told, whatever it is about", () => {
  expect(unknownMembers(body, { duedate: "2026-01-01" })[0]!.message).toContain("The nearest known name is due_date.");
  expect(fieldsOf({ rows: [{ Total_Amount: "1.00" }, { totalamount: "2" }] })).toEqual([
    "rows[0].Total_Amount",
    "rows[1].totalamount",
  ]);
});

test("other members are ignored as before, and so are empty ones and what is no object", () => {
  for (const value of [
    { foo: 1, po_reference: "x", meta: { tax: 1 } },
    { discount: "" },
    { discount: null, igst: [] },
    null,
    [],
    "x",
    7,
  ]) {
    expect(fieldsOf(value), JSON.stringify(value)).toEqual([]);
  }
});

test("names of the prototype are unknown as others are, and many don't fill the answer", () => {
  expect(fieldsOf(JSON.parse('{"__proto__":{"tax":1},"constructor":1}'))).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`tax_${index}`, "1"]));
  expect(fieldsOf(many)).toHaveLength(20);
});
