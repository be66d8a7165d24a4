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

const tax = object({ name: optionalText(10), percentage: optionalText(8), applicable_on: money() });
const invoice = object({
  particular_rows: optional(
    list(
      object({ item: optionalText(10), sac_code: optionalText(8), gst: optionalText(5), total_amount: money() }),
      10,
    ),
  ),
  tax_rows: optional(list(tax, 10)),
  new_customer: optional(object({ city: optionalText(10), state: optionalText(10) })),
});
const toldOf = (value: unknown): string[] => unknownMembers(invoice, value).map(({ message }) => message);
const NOT_SUPPORTED = "is not supported here and changed nothing.";

test.each([
  ["hsn", "sac_code"],
  ["HSN/SAC", "sac_code"],
  ["amount", "total_amount"],
  ["unitPrice", "total_amount"],
  ["gst_rate", "gst"],
  ["taxableValue", "total_amount"],
  ["sac_cod", "sac_code"],
])("%s of a row is %s here", (name, known) => {
  expect(toldOf({ particular_rows: [{ [name]: "1" }] })).toEqual([
    `${name} ${NOT_SUPPORTED} The nearest known name is ${known}.`,
  ]);
});

const whole = object({
  bill_date: optionalText(10),
  customer_code: optionalText(45),
  custom_header_fields: optional(list(object({ name: optionalText(10) }), 10)),
  new_customer: optional(object({ state: optionalText(10) })),
});

test.each([
  ["invoice_number", "custom_header_fields"],
  ["invoiceNo", "custom_header_fields"],
  ["customer", "customer_code"],
  ["customer_id", "customer_code"],
  ["country", "new_customer.state"],
  ["invoice_date", "bill_date"],
])("%s of an invoice is %s here", (name, known) => {
  expect(unknownMembers(whole, { [name]: "1" }).map(({ message }) => message)).toEqual([
    `${name} ${NOT_SUPPORTED} The nearest known name is ${known}.`,
  ]);
});

test.each(["quantity", "discount", "reverse_charge", "cess", "inclusive", "tax_exclusive"])(
  "%s has no name here, and none is guessed",
  (name) => {
    expect(toldOf({ particular_rows: [{ [name]: "2" }] })).toEqual([`${name} ${NOT_SUPPORTED}`]);
  },
);

test("a state of another name, a list of another name, also an empty one, are told", () => {
  expect(toldOf({ billing_state: "Karnataka" })).toEqual([
    `billing_state ${NOT_SUPPORTED} The nearest known name is new_customer.state.`,
  ]);
  expect(toldOf({ line_items: [{}] })).toEqual([
    `line_items ${NOT_SUPPORTED} The nearest known name is particular_rows.`,
  ]);
  for (const taxRows of [[], [{ name: "IGST" }]]) {
    expect(toldOf({ taxRows })).toEqual([`taxRows ${NOT_SUPPORTED} The nearest known name is tax_rows.`]);
  }
});

test("tax rows as the detail of an invoice has them are known, unless their amount is another", () => {
  const row = { name: "IGST", percentage: "0.125", applicable_on: "1000.00" };
  expect(toldOf({ tax_rows: [{ ...row, amount: "1.25" }] })).toEqual([]);
  expect(toldOf({ tax_rows: [{ ...row, amount: "1.26" }] })).toEqual([
    expect.stringContaining("amount is not supported"),
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
