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
