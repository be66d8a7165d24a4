// Supplier, recipient and place of supply: the taxes computed from the rows, and the printed parties.
import { expect, test } from "vitest";
import type { FieldError } from "../../platform/errors.ts";
import type { Customer } from "../../customers/index.ts";
import type { Merchant } from "../../merchants/index.ts";
import { draftInvoice, ownNumberOf, recipientOf, supplierOf, type DraftParts } from "./draft.ts";
import type { PartySnapshot } from "../invoice.ts";

const NOBODY = { name: "", address: "", city: "", state: "", zipcode: "", email: "", mobile: "", gstin: "", pan: "" };
const OF_KARNATAKA = "29AAACI1234K1Z5";
const OF_MAHARASHTRA = "27AAACI1234K1Z5";

/** The names of the taxes, and the state of supply. */
function taxesOf(supplier: Partial<PartySnapshot>, recipient: Partial<PartySnapshot>): string[] {
  const errors: FieldError[] = [];
  const row = { item: "", sacCode: "", description: "", gstThousandths: 18_000n, amountPaise: 100n };
  const day = Temporal.PlainDate.from("2026-06-01");
  const parts = { headerFields: [], rows: [row], taxRows: [], previousDuesPaise: 0n, billDate: day, dueDate: day };
  const parties = { customerCode: "C-1", supplier: { ...NOBODY, ...supplier }, recipient: { ...NOBODY, ...recipient } };
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
  ["odd spelling", { gstin: OF_KARNATAKA }, { state: " KARNATAKA " }, [...WITHIN, "29"]],
  ["a code for a name", { gstin: OF_KARNATAKA }, { state: "27" }, ["IGST", "27"]],
  ["a former code of a state", { gstin: "28AAACI1234K1Z5" }, { gstin: "37AAACI1234K1Z5" }, [...WITHIN, "37"]],
  [
    "a supplier whose GSTIN is of another state than its address",
    { gstin: OF_MAHARASHTRA, state: "Goa" },
    { state: "Goa" },
    ["IGST", "30"],
  ],
  [
    "a supplier whose GSTIN names no state, by its address",
    { gstin: "50AAACI1234K1Z5", state: "Goa" },
    { state: "GA" },
    [...WITHIN, "30"],
  ],
  [
    "a recipient's GSTIN, whatever its address says",
    { gstin: OF_KARNATAKA },
    { gstin: OF_MAHARASHTRA, state: "?" },
    ["IGST", "27"],
  ],
  ["a supplier without GSTIN", { state: "Karnataka" }, { gstin: OF_KARNATAKA }, ["29"]],
  [
    "a supplier without GSTIN, and a state that can't be read",
    { state: "Karnataka" },
    { state: "Atlantis" },
    ["nowhere"],
  ],
  ["an abbreviation", { gstin: OF_KARNATAKA }, { state: "MH" }, ["IGST", "27"]],
  ["a misspelling", { gstin: OF_KARNATAKA }, { state: "Karnatka" }, [...WITHIN, "29"]],
  ["a name in Hindi", { gstin: OF_KARNATAKA }, { state: "महाराष्ट्र" }, ["IGST", "27"]],
  ["another country", { gstin: OF_KARNATAKA }, { state: "Abroad" }, ["IGST", "96"]],
  ["both abroad", { gstin: "99AAACI1234K1Z5" }, {}, ["IGST", "99"]],
  ["a union territory with a legislature", { gstin: "07AAACI1234K1Z5" }, { state: "Delhi" }, [...WITHIN, "07"]],
  ["nobody anywhere", {}, {}, ["nowhere"]],
])("%s", (_what, supplier, recipient, expected) => {
  expect(taxesOf(supplier, recipient)).toEqual(expected);
});

test.each(["04", "26", "31", "35", "38", "97"])(
  "UTGST takes SGST's place in %s, and IGST is charged across its border",
  (code) => {
    const supplier = { gstin: `${code}AAACI1234K1Z5` };
    expect(taxesOf(supplier, {})).toEqual(["CGST", "UTGST", code]);
    expect(taxesOf(supplier, { state: code })).toEqual(["CGST", "UTGST", code]);
    expect(taxesOf(supplier, { state: "Goa" })).toEqual(["IGST", "30"]);
    expect(taxesOf({ gstin: OF_KARNATAKA }, { state: code })).toEqual(["IGST", code]);
  },
);

test("a state that can't be read is an error that names the customer, the nearest states and the remedy", () => {
  const supplier = { ...NOBODY, gstin: OF_KARNATAKA };
  const refusedFor = (recipient: Partial<PartySnapshot>) =>
    draft({ supplier, recipient: { ...NOBODY, ...recipient } }).errors;
  expect(refusedFor({ state: "Karnadu" })).toEqual([
    {
      field: "invoice[1].customer_code",
      code: "invalid",
      problem: expect.stringMatching(
        /“Karnadu” of the customer C-1 is not recognised\. Update .*Karnataka.*"Other country"/,
      ),
    },
  ]);
  const [ofGstin] = refusedFor({ gstin: "50AAACI1234K1Z5" });
  expect(ofGstin?.problem).toContain("its GSTIN 50AAACI1234K1Z5 has none");
  const nowhere = draft({ supplier: { ...NOBODY, gstin: "50AAACI1234K1Z5", state: "Karnadu" } }).errors;
  expect(nowhere.map(({ field }) => field)).toEqual(["invoice[1].particular_rows"]);
  expect(nowhere[0]?.problem).toContain("the supplier's state, “Karnadu”, is not recognised");
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
  draftInvoice({ supplier, recipient: NOBODY, customerCode: "C-1", ...parts }, "invoice[0]", errors);
  expect(errors.map(({ field }) => field)).toEqual(expected);
  for (const { code, problem } of errors) {
    expect(code).toBe("invalid");
    expect(problem).toMatch(
      /(come|come, with their taxes,|bring the total) to more than 9999999999999\.99: (split|send)/,
    );
    expect(problem.includes("with their taxes")).toBe(tax === 0n);
  }
});

const DAY = Temporal.PlainDate.from("2026-06-01");
const ROW = { item: "Work", sacCode: "", description: "", gstThousandths: 18_000n, amountPaise: 100n };

/** What a draft refuses, and the draft. */
function draft(changes: Partial<DraftParts>) {
  const errors: FieldError[] = [];
  const parts = { headerFields: [], rows: [ROW], taxRows: [], previousDuesPaise: 0n, billDate: DAY, dueDate: DAY };
  const made = draftInvoice(
    { supplier: NOBODY, recipient: NOBODY, customerCode: "C-1", ...parts, ...changes },
    "invoice[1]",
    errors,
  );
  return { errors, made };
}

test("an invoice may be due on its bill date, and not before", () => {
  expect(draft({}).errors).toEqual([]);
  expect(draft({ dueDate: DAY.add({ days: 1 }) }).errors).toEqual([]);
  expect(draft({ dueDate: DAY.subtract({ days: 1 }) }).errors).toEqual([
    { field: "invoice[1].due_date", code: "invalid", problem: expect.stringContaining("must not be before bill_date") },
  ]);
});

test("an invoice needs a row, or previous dues", () => {
  expect(draft({ rows: [], previousDuesPaise: 1n }).errors).toEqual([]);
  expect(draft({ rows: [], previousDuesPaise: 0n }).errors).toEqual([
    { field: "invoice[1].particular_rows", code: "required", problem: expect.stringContaining("at least one row") },
  ]);
});

test("the texts of all rows have room in one document, or are refused by their field", () => {
  const rowsOf = (count: number, item: string, description: string) =>
    Array.from({ length: count }, () => ({ ...ROW, item, description }));
  expect(draft({ rows: rowsOf(500, "i".repeat(50), "d".repeat(150)) }).errors).toEqual([]);
  const problem = expect.stringMatching(/100001 characters .* at most 100000\. .*split the invoice/) as string;
  expect(draft({ rows: [...rowsOf(50, "", "d".repeat(2000)), { ...ROW, item: "i" }] }).errors).toEqual([
    { field: "invoice[1].particular_rows", code: "too_long", problem: problem },
  ]);
});

test("a draft keeps what it was made from, and says whose the taxes are", () => {
  const own = { name: "Cess", percentThousandths: 1000n, applicableOnPaise: 500n };
  const ofRows = draft({ supplier: { ...NOBODY, gstin: OF_KARNATAKA }, previousDuesPaise: 7n }).made;
  expect(ofRows).toMatchObject({ amountPaise: 125n, previousDuesPaise: 7n, subTotalPaise: 100n, taxTotalPaise: 18n });
  expect(ofRows.content).toMatchObject({ rows: [ROW], ownTaxes: false, supply: "intra_state", recipient: NOBODY });
  const elsewhere = { supplier: { ...NOBODY, gstin: OF_KARNATAKA }, recipient: { ...NOBODY, state: "Goa" } };
  expect(draft(elsewhere).made.content.supply).toBe("inter_state");
  const sent = draft({ taxRows: [own] }).made;
  expect(sent.content).toMatchObject({ taxes: [{ ...own, amountPaise: 5n }], ownTaxes: true, supply: "untaxed" });
  expect(sent.amountPaise).toBe(105n);
});

test("the supplier is the merchant's profile, but for the company details of the template", () => {
  const profile = { ...NOBODY, name: "Asha Traders", state: "Goa", gstin: OF_KARNATAKA, pan: "AAACI1234K" };
  const merchant = { ...profile, merchantId: 1n, timeZone: "Asia/Kolkata" } as unknown as Merchant;
  expect(supplierOf(merchant, {})).toEqual(profile);
  expect(supplierOf(merchant, { name: "Asha Exports" })).toEqual({ ...profile, name: "Asha Exports" });
});

test("the recipient's GSTIN is its first custom field of that type with a value", () => {
  const field = (type: string, value: string) => ({ columnId: 1n, name: "GSTIN", type, value });
  const customerOf = (...customFields: object[]) =>
    ({ ...NOBODY, customerName: "Ravi", state: "Goa", customFields, gstin: undefined }) as unknown as Customer;
  const fields = [field("text", "T"), field("gst", ""), field("gst", OF_KARNATAKA), field("gst", OF_MAHARASHTRA)];
  const recipient = { ...NOBODY, name: "Ravi", state: "Goa" };
  expect(recipientOf(customerOf(...fields))).toEqual({ ...recipient, gstin: OF_KARNATAKA });
  expect(recipientOf(customerOf(field("text", "T")))).toEqual(recipient);
});

test("the number is the first header field that is named like one and has a value", () => {
  const errors: FieldError[] = [];
  const fields = [
    { name: "Invoice no", value: "" },
    { name: "PO number", value: "PO-1" },
    { name: "Invoice number", value: "A-1" },
    { name: "Bill no", value: "A-1" },
  ];
  expect(ownNumberOf(fields, "invoice[3]", errors)).toEqual({
    number: "A-1",
    field: "invoice[3].custom_header_fields[2].value",
  });
  expect(ownNumberOf([], "invoice", errors)).toBeNull();
  const first = { number: "A-1", field: "invoice.custom_header_fields[0].value" };
  expect(ownNumberOf([{ name: "Bill no", value: "A-1" }], "invoice", errors)).toEqual(first);
  expect(errors).toEqual([]);
  ownNumberOf([{ name: "Bill no", value: "A 1" }], "invoice", errors);
  expect(errors).toEqual([
    { field: first.field, code: "invalid", problem: expect.stringContaining("1 to 16 letters") },
  ]);
});

test("a second field with another number is refused: it would be printed, and nobody has asked whether it is taken", () => {
  const errors: FieldError[] = [];
  const fields = [
    { name: "Invoice no", value: "A-1" },
    { name: "Invoice number", value: "" },
    { name: "Bill no", value: "A-2" },
  ];
  ownNumberOf(fields, "invoice", errors);
  const problem = expect.stringContaining("must equal invoice.custom_header_fields[0].value, or be empty");
  expect(errors).toEqual([{ field: "invoice.custom_header_fields[2].value", code: "invalid", problem }]);
});
