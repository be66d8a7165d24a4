// Who supplies whom, from where to where: which taxes follow from the rows, and what is printed of both.
import { expect, test } from "vitest";
import type { FieldError } from "../platform/errors.ts";
import { draftInvoice, ownNumberOf } from "./draft.ts";
import type { PartySnapshot } from "./invoice.ts";

const NOBODY = { name: "", address: "", city: "", state: "", zipcode: "", email: "", mobile: "", gstin: "", pan: "" };
const OF_KARNATAKA = "29AAACI1234K1Z5";
const OF_MAHARASHTRA = "27AAACI1234K1Z5";

/** The names of the taxes, and the state of supply. */
function taxesOf(supplier: Partial<PartySnapshot>, recipient: Partial<PartySnapshot>): string[] {
  const errors: FieldError[] = [];
  const row = { item: "", sacCode: "", description: "", gstThousandths: 18_000n, amountPaise: 100n };
  const day = Temporal.PlainDate.from("2026-06-01");
  const parts = { headerFields: [], rows: [row], taxRows: [], previousDuesPaise: 0n, billDate: day, dueDate: day };
  const parties = { supplier: { ...NOBODY, ...supplier }, recipient: { ...NOBODY, ...recipient } };
  const { content } = draftInvoice({ ...parties, ...parts }, "invoice", errors);
  expect(errors).toEqual([]);
  return [...content.taxes.map(({ name }) => name), content.placeOfSupply?.code ?? "nowhere"];
}

const WITHIN = ["CGST", "SGST"];

test.each<[string, Partial<PartySnapshot>, Partial<PartySnapshot>, string[]]>([
  ["the same state by address", { gstin: OF_KARNATAKA }, { state: "Karnataka" }, [...WITHIN, "29"]],
  ["another state by address", { gstin: OF_KARNATAKA }, { state: "Maharashtra" }, ["IGST", "27"]],
  [
    "the same state by GSTIN, against the address",
    { gstin: OF_KARNATAKA },
    { gstin: OF_KARNATAKA, state: "Goa" },
    [...WITHIN, "29"],
  ],
  [
    "another state by GSTIN, against the address",
    { gstin: OF_KARNATAKA },
    { gstin: OF_MAHARASHTRA, state: "Karnataka" },
    ["IGST", "27"],
  ],
  ["no state at all", { gstin: OF_KARNATAKA }, {}, [...WITHIN, "29"]],
  ["a state that is none", { gstin: OF_KARNATAKA }, { state: "Atlantis" }, [...WITHIN, "29"]],
  ["odd spelling", { gstin: OF_KARNATAKA }, { state: " KARNATAKA " }, [...WITHIN, "29"]],
  ["a code for a name", { gstin: OF_KARNATAKA }, { state: "27" }, ["IGST", "27"]],
  ["a former code of a state", { gstin: "28AAACI1234K1Z5" }, { gstin: "37AAACI1234K1Z5" }, [...WITHIN, "37"]],
  [
    "a supplier whose GSTIN is of another state than its address",
    { gstin: OF_MAHARASHTRA, state: "Goa" },
    { state: "Goa" },
    ["IGST", "30"],
  ],
  ["a supplier without GSTIN", { state: "Karnataka" }, { gstin: OF_KARNATAKA }, ["29"]],
  ["nobody anywhere", {}, {}, ["nowhere"]],
])("%s", (_what, supplier, recipient, expected) => {
  expect(taxesOf(supplier, recipient)).toEqual(expected);
});

const LARGEST_PAISE = 999_999_999_999_999n;

test.each<[string, { row: bigint; gst?: bigint; tax?: bigint; dues?: bigint }, string[]]>([
  ["the largest total", { row: LARGEST_PAISE - 2n, tax: 1n, dues: 1n }, []],
  ["rows", { row: LARGEST_PAISE + 1n }, ["invoice[0].particular_rows"]],
  ["rows with the taxes that follow from them", { row: LARGEST_PAISE, gst: 18_000n }, ["invoice[0].particular_rows"]],
  ["rows, whatever taxes were sent", { row: LARGEST_PAISE + 1n, tax: 1n }, ["invoice[0].particular_rows"]],
  ["taxes that were sent", { row: LARGEST_PAISE, tax: 1n }, ["invoice[0].tax_rows"]],
  ["previous dues", { row: LARGEST_PAISE - 1n, tax: 1n, dues: 1n }, ["invoice[0].previous_dues"]],
])("a total is too large by its %s", (_what, { row, gst = 0n, tax = 0n, dues = 0n }, expected) => {
  const errors: FieldError[] = [];
  const day = Temporal.PlainDate.from("2026-06-01");
  const supplier = { ...NOBODY, gstin: OF_KARNATAKA };
  const taxRows = tax === 0n ? [] : [{ name: "Cess", percentThousandths: 100_000n, applicableOnPaise: tax }];
  const rows = [{ item: "", sacCode: "", description: "", gstThousandths: gst, amountPaise: row }];
  const parts = { headerFields: [], rows, taxRows, previousDuesPaise: dues, billDate: day, dueDate: day };
  draftInvoice({ supplier, recipient: NOBODY, ...parts }, "invoice[0]", errors);
  expect(errors.map(({ field }) => field)).toEqual(expected);
  for (const { message } of errors) expect(message).toContain("9999999999999.99");
});

test("the number is the first header field that is named like one and has a value", () => {
  const errors: FieldError[] = [];
  const fields = [
    { name: "Invoice no", value: "" },
    { name: "PO number", value: "PO-1" },
    { name: "Invoice number", value: "A-1" },
    { name: "Invoice no", value: "A-2" },
  ];
  expect(ownNumberOf(fields, "invoice[3]", errors)).toEqual({
    number: "A-1",
    field: "invoice[3].custom_header_fields[2].value",
  });
  expect(ownNumberOf([], "invoice", errors)).toBeNull();
  expect(errors).toEqual([]);
});
