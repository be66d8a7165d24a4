// Kinds of supply over the wire: SEZ, exports, reverse charge and places of supply, in answers, on documents and in the reports.
import { afterAll, beforeAll, expect, test } from "vitest";
import { INVOICE_CHECKS } from "../../src/invoices/index.ts";
import { verify } from "../../src/payouts/verify/verify.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, PLAIN } from "../support/invoices.ts";
import { readPdf } from "../support/pdf.ts";

let installation: Installation;
let shop: Invoices;

const ROW = { item: "Valve", sac_code: "8481", quantity: "2", unit: "NOS", unit_price: "500", gst: "18" };

beforeAll(async () => {
  installation = await Installation.shared();
  shop = await Invoices.ofNewMerchant(installation, {
    lutNumber: "AD290326000001A",
    lutFrom: "2026-04-01",
    lutTo: "2027-03-31",
  });
  const gstin = (value: string) => [{ id: "g", name: "GSTIN", type: "gst", value }];
  for (const customer of [
    { customer_code: "SEZ", gst_category: "sez", state: "Karnataka", custom_fields: gstin("29AABCB5678P1ZV") },
    { customer_code: "ABROAD", gst_category: "overseas", state: "Other country", country: "Germany" },
    { customer_code: "NOWHERE", gst_category: "overseas", state: "Other country" },
    { customer_code: "SHOP", state: "Karnataka" },
    { customer_code: "PUNE", state: "Maharashtra" },
  ]) {
    await shop.addCustomer({ customer_name: customer.customer_code, ...customer });
  }
});
afterAll(() => installation.stop());

async function saved(customer_code: string, more: Members = {}): Promise<Record<string, unknown>> {
  const { invoice_id: id, short_url: url } = await shop.add({ customer_code, particular_rows: [ROW], ...more });
  return { ...(await shop.read(id)), url };
}

async function pdfOf({ url }: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await fetch(`${String(url)}/pdf`);
  return (await readPdf(new Uint8Array(await answer.arrayBuffer()))).pages.join(" ");
}

const taxes = (detail: Readonly<Record<string, unknown>>): string[] =>
  (detail["tax_rows"] as { name: string; amount: string }[]).map(({ name, amount }) => `${name} ${amount}`);

test.each<[string, string, Members, string[], Members]>([
  ["an SEZ unit of the same state, under an LUT", "SEZ", {}, [], { supply_type: "sez_without_tax" }],
  ["an SEZ unit with tax", "SEZ", { supply_type: "sez_with_tax" }, ["IGST 180.00"], { supply_type: "sez_with_tax" }],
  ["an SEZ unit before the LUT", "SEZ", { bill_date: "2026-03-31" }, ["IGST 180.00"], { supply_type: "sez_with_tax" }],
  ["an SEZ unit that is said to be supplied as others", "SEZ", { supply_type: "regular" }, ["IGST 180.00"], {}],
  ["an export under an LUT", "ABROAD", {}, [], { supply_type: "export_without_tax" }],
  ["an export with tax", "ABROAD", { supply_type: "export_with_tax" }, ["IGST 180.00"], {}],
  ["the same state", "SHOP", {}, ["CGST 90.00", "SGST 90.00"], {}],
  ["goods delivered to another state", "SHOP", { place_of_supply: "27" }, ["IGST 180.00"], { place_of_supply: "27" }],
  ["work at home for another state", "PUNE", { place_of_supply: "Karnataka" }, ["CGST 90.00", "SGST 90.00"], {}],
  ["a union territory", "PUNE", { place_of_supply: "4" }, ["IGST 180.00"], { place_of_supply: "04" }],
  ["reverse charge", "SHOP", { reverse_charge: "1" }, [], { reverse_charge: "1", amount: "1000.00" }],
])("%s", async (_what, customer, more, charged, answered) => {
  const detail = await saved(customer, more);
  expect(taxes(detail)).toEqual(charged);
  expect(detail).toMatchObject(answered);
});

test("an ordinary invoice says nothing of its supply", async () => {
  const detail = await saved("SHOP");
  for (const name of ["supply_type", "place_of_supply", "reverse_charge", "delivery_address", "shipping"]) {
    expect(Object.keys(detail)).not.toContain(name);
  }
});

test.each<[string, Members, string]>([
  ["a place that is no state", { place_of_supply: "95" }, "place_of_supply"],
  ["a state that is misspelt beyond reading", { place_of_supply: "Karmatika Pradesh East" }, "place_of_supply"],
  ["an export without a country", { customer_code: "NOWHERE" }, "supply_type"],
  ["an export to a customer in India", { supply_type: "export_with_tax" }, "supply_type"],
  ["an export that takes place in India", { customer_code: "ABROAD", place_of_supply: "27" }, "place_of_supply"],
  ["a place abroad for a customer in India", { place_of_supply: "96" }, "place_of_supply"],
  ["an SEZ without a GSTIN", { supply_type: "sez_with_tax" }, "supply_type"],
  ["a deemed export without a GSTIN", { supply_type: "deemed_export" }, "supply_type"],
  [
    "no tax without an LUT",
    { customer_code: "SEZ", supply_type: "sez_without_tax", bill_date: "2026-03-31" },
    "supply_type",
  ],
  [
    "reverse charge on a bill of supply",
    { reverse_charge: "1", particular_rows: [{ ...ROW, gst: "0", tax_treatment: "nil" }] },
    "reverse_charge",
  ],
  [
    "reverse charge with tax rows",
    { reverse_charge: "1", tax_rows: [{ name: "IGST", percentage: "18", applicable_on: "1000.00" }] },
    "reverse_charge",
  ],
  [
    "tax rows of an export without tax",
    { customer_code: "ABROAD", tax_rows: [{ name: "IGST", percentage: "18", applicable_on: "1000.00" }] },
    "tax_rows",
  ],
  [
    "a supply to another country that is said to be regular",
    { customer_code: "ABROAD", supply_type: "regular" },
    "supply_type",
  ],
  ["a shipping bill within India", { shipping: { bill_no: "12345" } }, "shipping"],
  ["a shipping bill with letters", { customer_code: "ABROAD", shipping: { bill_no: "ABC" } }, "shipping.bill_no"],
  [
    "reverse charge without a rate",
    {
      reverse_charge: "1",
      particular_rows: [
        { ...ROW, gst: "0" },
        { ...ROW, gst: "" },
      ],
    },
    "reverse_charge",
  ],
  ["the supplier's own GSTIN as the operator's", { ecommerce_gstin: "29AAACI1234K1Z5" }, "ecommerce_gstin"],
  ["the GSTIN of a deductor as the operator's", { ecommerce_gstin: "29AAACI1234K1D5" }, "ecommerce_gstin"],
  ["an operator's GSTIN that is none", { ecommerce_gstin: "29AAA" }, "ecommerce_gstin"],
])("%s is refused, and nothing is saved", async (_what, more, field) => {
  const invoice = [{ ...PLAIN, customer_code: "SHOP", particular_rows: [ROW], ...more }];
  const { status, body } = await shop.unmoved(() => shop.ask(INVOICE_SAVE, { template_id: "", invoice }));
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`invoice[0].${field}`)]);
});

test.each<[string, Members, RegExp]>([
  ["export_with_tax", {}, /new_customer has no country abroad: send new_customer\.country/],
  [
    "auto",
    { place_of_supply: "96" },
    /new_customer has no country abroad: leave it out, or send new_customer\.country/,
  ],
  ["sez_with_tax", {}, /new_customer has no GSTIN: send .* in new_customer\.custom_fields/],
])("%s for a customer that the request makes names what to send of it", async (supply_type, more, remedy) => {
  const new_customer = { customer_code: "NEW", customer_name: "New", state: "Karnataka", custom_fields: [] };
  const made = { ...PLAIN, customer_code: "", new_customer, particular_rows: [ROW], supply_type, ...more };
  const { status, body } = await shop.unmoved(() => shop.ask(INVOICE_SAVE, { template_id: "", invoice: [made] }));
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(remedy)]);
});

test("the document prints what the law asks for, and no more", async () => {
  const address = "Gate 4, Dock Road\nHamburg";
  const exported = await saved("ABROAD", {
    delivery_address: address,
    shipping: { bill_no: "1234567", bill_date: "2026-06-02", port_code: "inmaa1" },
  });
  expect(exported).toMatchObject({ delivery_address: address, shipping: { port_code: "INMAA1" } });
  const text = await pdfOf(exported);
  for (const printed of [
    "Supply meant for export under bond or letter of undertaking without payment of integrated tax (LUT AD290326000001A)",
    "ABROAD Germany",
    "Other country (96)",
    "Country of destination Germany",
    "Ship to",
    "Gate 4, Dock Road, Hamburg",
    "1234567 of 2 Jun 2026",
    "INMAA1",
  ]) {
    expect(text).toContain(printed);
  }
  expect(text).not.toMatch(/IGST|CGST|18%|State code 96/);
  expect(await pdfOf(await saved("SHOP", { reverse_charge: "1" }))).toMatch(/Reverse charge Yes/);
  const delivered = await pdfOf(await saved("SHOP", { place_of_supply: "27" }));
  expect(delivered).toMatch(/Karnataka State code 29.*Place of supply Maharashtra \(27\)/);
  expect(await pdfOf(await saved("SHOP"))).not.toMatch(/Supply meant|Ship to|Country of destination|Shipping bill/);
});

test("an update keeps what it does not send, clears what it sends empty, and follows another customer", async () => {
  const { invoice_id: id } = await shop.add({
    customer_code: "SHOP",
    particular_rows: [ROW],
    place_of_supply: "27",
    reverse_charge: "1",
    delivery_address: "Yard 5",
  });
  await shop.update(id, { bill_cycle_name: "June" });
  expect(await shop.read(id)).toMatchObject({ place_of_supply: "27", reverse_charge: "1", delivery_address: "Yard 5" });
  await shop.update(id, { reverse_charge: "", delivery_address: "" });
  const cleared = await shop.read(id);
  expect(taxes(cleared)).toEqual(["IGST 180.00"]);
  expect(Object.keys(cleared)).not.toContain("delivery_address");
  await shop.update(id, { place_of_supply: "" });
  expect(taxes(await shop.read(id))).toEqual(["CGST 90.00", "SGST 90.00"]);
  await shop.update(id, { customer_code: "SEZ" });
  expect(await shop.read(id)).toMatchObject({ supply_type: "sez_without_tax", tax_rows: [] });
  await shop.update(id, { bill_date: "2026-03-31", due_date: "2026-04-30" });
});

test("the reports have reverse charge with the tax that the recipient pays, and supplies without tax at 0 %", async () => {
  const trader = await Invoices.ofNewMerchant(installation, { lutNumber: "L1" });
  const browser = await Browser.signIn(installation, await newPerson(installation, trader.merchant.id));
  await trader.addCustomer({ customer_code: "KA", customer_name: "Ka", state: "Karnataka" });
  const abroad = { customer_code: "US", customer_name: "Us", state: "96", country: "USA", gst_category: "overseas" };
  await trader.addCustomer(abroad);
  await trader.add({ customer_code: "KA", particular_rows: [ROW], reverse_charge: "1" });
  await trader.add({ customer_code: "US", particular_rows: [ROW] });
  const period = "from_date=2026-06-01&to_date=2026-06-30";
  const { body } = await browser.get(`/reports/tax-summary?${period}`);
  expect(body["rates"]).toMatchObject([
    { treatment: "reverse_charge", rate: "18", taxable_value: "1000.00", cgst: "90.00", sgst: "90.00" },
    { treatment: "zero_rated", rate: "0", taxable_value: "1000.00", igst: "0.00" },
  ]);
  const { body: register } = await browser.get(`/reports/sales-register?${period}`);
  expect(register["documents"]).toMatchObject([
    { reverse_charge: true, total: "1000.00", cgst: "90.00" },
    { supply_type: "export_without_tax", place_of_supply: "96", total: "1000.00" },
  ]);
});

test("nothing of it is a violation, and a reverse charge that SQL sets is one", async () => {
  expect((await verify(installation.pool, null, INVOICE_CHECKS)).violations).toEqual([]);
  const { invoice_id: id } = await shop.add({ customer_code: "SHOP", particular_rows: [ROW] });
  const key = [BigInt(String(id).slice(1)), shop.merchant.id];
  const set = (value: string): Promise<unknown> =>
    installation.pool.query(
      `update invoice set content = jsonb_set(content, '{reverseCharge}', '${value}') where invoice_id = $1 and merchant_id = $2`,
      key,
    );
  await set("true");
  const { violations } = await verify(installation.pool, null, INVOICE_CHECKS);
  await set("false");
  expect(violations.map(({ check }) => check)).toContain("gst_document");
});
