// A month of a shop's documents, entered over the wire, from a file and by hand: the reports agree with sums worked out on paper,
// and with SQL over the documents. All amounts below were added up without a program.
import { afterAll, beforeAll, expect, test } from "vitest";
import { INVOICE_CHECKS } from "../../src/invoices/index.ts";
import { verify } from "../../src/payouts/verify/verify.ts";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const JUNE = "from_date=2026-06-01&to_date=2026-06-30";

let site: Installation;
let browser: TestBrowser;
let shop: Invoices;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  const lut = { lutNumber: "AD290326000001A", lutFrom: "2026-04-01", lutTo: "2027-03-31" };
  shop = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1ZN", state: "Karnataka", ...lut });
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  const gstin = (value: string) => [{ id: "g", name: "GSTIN", type: "gst", value }];
  for (const customer of [
    { customer_code: "MILL", state: "Karnataka", custom_fields: gstin("29AABCB5678P1ZV") },
    { customer_code: "PUNE", state: "Maharashtra", custom_fields: gstin("27AABCB5678P1ZZ") },
    { customer_code: "ASHA", state: "Karnataka" },
    { customer_code: "RAVI", state: "Tamil Nadu" },
    { customer_code: "SEZ", state: "Karnataka", gst_category: "sez", custom_fields: gstin("29AAECS9012Q1ZP") },
    { customer_code: "BONN", state: "Other country", gst_category: "overseas", country: "Germany" },
  ]) {
    await shop.addCustomer({ customer_name: `${customer.customer_code} Traders`, ...customer });
  }
  const valve = { item_code: "VALVE", name: "Valve", sac_code: "8481", unit: "NOS", unit_price: "300.00", gst: "18" };
  const rice = {
    item_code: "RICE",
    name: "Rice",
    sac_code: "1006",
    unit: "KGS",
    unit_price: "60.00",
    tax_treatment: "exempt",
  };
  await owner.post("/items/batch", { item: [valve, rice] });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const valves = (quantity: string, price: string, more: Members = {}) => ({
  item: "Valves",
  sac_code: "8481",
  quantity,
  unit: "NOS",
  unit_price: price,
  gst: "18",
  ...more,
});
const software = (amount: string) => ({ item: "Software", sac_code: "998314", gst: "18", total_amount: amount });

/** Day, customer, rows, and what else is said. */
const BY_WIRE: readonly (readonly [string, string, readonly Members[], Members?])[] = [
  // 1: 2,500.50; CGST and SGST 225.05 each (225.045).
  ["01", "MILL", [valves("10", "250.05")]],
  // 2: 900.00 after the discount and 100.00; IGST 180.00.
  [
    "02",
    "PUNE",
    [valves("4", "250", { discount: "10%" }), { item: "Freight", sac_code: "996511", gst: "18", total_amount: "100" }],
  ],
  // 3: 1,000.00 of 1,180.00; 90.00 each.
  [
    "03",
    "ASHA",
    [
      {
        item: "Kettle",
        sac_code: "8516",
        quantity: "1",
        unit: "NOS",
        unit_price: "1180",
        price_includes_tax: "1",
        gst: "18",
      },
    ],
  ],
  // 4: 600.00 exempt: a bill of supply.
  ["04", "ASHA", [{ item_code: "RICE", quantity: "10" }]],
  // 5: 300.00 exempt and 200.00; 18.00 each.
  ["05", "MILL", [{ item_code: "RICE", quantity: "5" }, valves("1", "200")]],
  // 6 and 7: 50,000.00 and 1,00,000.00 without tax, under the LUT.
  ["06", "SEZ", [software("50000")]],
  ["07", "BONN", [software("100000")]],
  // 8: 10,000.00; the buyer owes 250.00 each, which the register reports.
  ["08", "MILL", [{ item: "Carriage", sac_code: "996791", gst: "5", total_amount: "10000" }], { reverse_charge: "1" }],
  // 9: 1,000.00; IGST 180.00 within the state.
  ["09", "SEZ", [valves("1", "1000")], { supply_type: "sez_with_tax" }],
  // 10: 1,000.00; 200.00 each, and cess 120.00.
  [
    "10",
    "ASHA",
    [
      {
        item: "Cola",
        sac_code: "2202",
        quantity: "50",
        unit: "BTL",
        unit_price: "20",
        gst: "40",
        cess_percentage: "12",
      },
    ],
  ],
  // 11: cancelled below.
  ["11", "ASHA", [software("5000")]],
];

const FILE = [
  "customer_code,bill_date,due_date,place_of_supply,round_off,item_code,quantity",
  // 12: 900.00; 81.00 each. 13: 600.00; IGST 108.00. 14: 300.00 delivered to Kerala; IGST 54.00.
  "MILL,2026-06-12,2026-06-30,,,VALVE,3",
  "RAVI,13/06/2026,30/06/2026,,,VALVE,2",
  "ASHA,14/06/2026,30/06/2026,Kerala,,VALVE,1",
  // 15: 399.90; 35.99 each (35.991); 471.88 is rounded to 472. 16: 300.00 exempt.
  "MILL,2026-06-15,2026-06-30,,yes,VALVE,1.333",
  "ASHA,2026-06-16,2026-06-30,,,RICE,5",
].join("\n");

test("a month of twenty documents is in the reports as on paper", async () => {
  const ids: string[] = [];
  for (const [day, customer_code, particular_rows, more = {}] of BY_WIRE) {
    const dates = { bill_date: `2026-06-${day}`, due_date: "2026-06-30" };
    ids.push((await shop.add({ customer_code, ...dates, particular_rows, ...more }))["invoice_id"]!);
  }
  expect((await shop.cancel(ids[10])).status).toBe(200);
  await fromFile();
  await byHand();
  // 19: two of the valves come back: 500.10; 45.01 each. 20: 100.00 more for the freight; IGST 18.00.
  const back = { invoice_id: ids[0], date: "2026-06-20", reason: "Returned", rows: [{ row: 1, quantity: "2" }] };
  expect((await owner.post("/credit-notes", back)).status).toBe(200);
  const dearer = { invoice_id: ids[1], date: "2026-06-21", reason: "Fuel", rows: [{ row: 2, amount: "100" }] };
  const debited = await owner.post("/debit-notes", dearer);
  expect(debited.status, JSON.stringify(debited.body)).toBe(200);
  const opening = { customer_code: "RAVI", date: "2026-06-01", amount: "5000.00" };
  expect((await owner.post("/opening-balances", opening)).status).toBe(200);

  await expectReports();
  expect(await sumsOfDocuments()).toEqual({ taxable: 17_130_030n, charged: 215_806n });
  expect((await verify(site.pool, null, INVOICE_CHECKS)).violations).toEqual([]);
});

async function fromFile(): Promise<void> {
  const opened = await browser.open("/invoices/upload", { as: owner });
  const { page } = opened;
  const buffer = Buffer.from(FILE);
  await page.locator('input[type="file"]').setInputFiles({ name: "june.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: /^Import/ }).click();
  await page.getByText("5 invoices saved").first().waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
}

/** 17: 600.00 by the item picker; 54.00 each. 18: 1,000.00 as typed; IGST 180.00. */
async function byHand(): Promise<void> {
  const opened = await browser.open("/invoices/new", { as: owner });
  const { page } = opened;
  const begin = async (customer: string, day: string): Promise<void> => {
    await opened.goTo("/invoices/new");
    await page.getByRole("combobox", { name: "Customer" }).fill(customer);
    await page.getByRole("option", { name: new RegExp(`${customer} Traders`) }).click();
    await page.getByRole("textbox", { name: "Invoice date" }).fill(day);
    await page.getByRole("textbox", { name: "Due date" }).fill("30 jun 2026");
  };
  const save = async (): Promise<void> => {
    await page.getByRole("button", { name: "Save invoice", exact: true }).click();
    await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
    expect(await opened.findProblems()).toEqual([]);
  };
  const row = page.getByRole("group", { name: "Item 1" });
  await begin("MILL", "17 jun 2026");
  await row.getByLabel("Item", { exact: true }).pressSequentially("val");
  await page.getByRole("option", { name: /VALVE/ }).click();
  await row.getByLabel("Qty").fill("2");
  await expect.poll(() => row.getByLabel("Amount", { exact: true }).inputValue()).toBe("600.00");
  await save();
  await begin("RAVI", "18 jun 2026");
  await row.getByLabel("Item", { exact: true }).fill("Consulting");
  await row.getByLabel("HSN/SAC", { exact: true }).fill("998311");
  await row.getByLabel("GST %", { exact: true }).fill("18");
  await row.getByLabel("Amount", { exact: true }).fill("1000");
  await save();
  await page.context().close();
}

async function report(name: string): Promise<Record<string, Members[]>> {
  return (await owner.get(`/reports/${name}?${JUNE}`)).body as never;
}

const sums = (taxable: string, igst: string, half: string, cess = "0.00") => ({
  taxable_value: taxable,
  igst,
  cgst: half,
  sgst: half,
  cess,
});

/** On paper, in the order of the documents above. */
async function expectReports(): Promise<void> {
  // IGST: 180 + 180 + 108 + 54 + 180 + 18. CGST: 225.05 + 90 + 18 + 250 + 200 + 81 + 35.99 + 54 − 45.01.
  const all = sums("171300.30", "720.00", "909.03", "120.00");
  const register = await report("sales-register");
  expect(register["totals"]).toMatchObject({ documents: 19, ...all });
  expect((await report("tax-summary"))["rates"]).toMatchObject([
    { treatment: "taxable", rate: "18", ...sums("8100.30", "540.00", "459.03") },
    { treatment: "taxable", rate: "40", ...sums("1000.00", "0.00", "200.00", "120.00") },
    // Rice: 600.00 + 300.00 + 300.00.
    { treatment: "exempt", rate: "0", ...sums("1200.00", "0.00", "0.00") },
    // The carriage: its buyer owes the tax.
    { treatment: "reverse_charge", rate: "5", ...sums("10000.00", "0.00", "250.00") },
    // Under the LUT: 1,50,000.00. With tax: the valve for the SEZ.
    { treatment: "zero_rated", rate: "0", ...sums("150000.00", "0.00", "0.00") },
    { treatment: "zero_rated", rate: "18", ...sums("1000.00", "180.00", "0.00") },
  ]);
  const { b2b, b2c } = await report("hsn-summary");
  expect(b2b).toMatchObject([
    { hsn: "1006", uqc: "KGS", quantity: "5", ...sums("300.00", "0.00", "0.00") },
    { hsn: "8481", uqc: "NOS", quantity: "20.333", ...sums("6000.30", "342.00", "369.03") },
    { hsn: "996511", uqc: "NA", rate: "18", ...sums("200.00", "36.00", "0.00") },
    { hsn: "996791", uqc: "NA", rate: "5", ...sums("10000.00", "0.00", "250.00") },
    { hsn: "998314", uqc: "NA", ...sums("50000.00", "0.00", "0.00") },
  ]);
  expect(b2c).toMatchObject([
    { hsn: "1006", uqc: "KGS", quantity: "15", ...sums("900.00", "0.00", "0.00") },
    { hsn: "2202", uqc: "BTL", quantity: "50", ...sums("1000.00", "0.00", "200.00", "120.00") },
    { hsn: "8481", uqc: "NOS", quantity: "3", ...sums("900.00", "162.00", "0.00") },
    { hsn: "8516", uqc: "NOS", quantity: "1", ...sums("1000.00", "0.00", "90.00") },
    { hsn: "998311", uqc: "NA", rate: "18", ...sums("1000.00", "180.00", "0.00") },
    { hsn: "998314", uqc: "NA", ...sums("100000.00", "0.00", "0.00") },
  ]);
  expect((await report("document-series"))["series"]).toMatchObject([
    { kind: "invoice", total: 18, cancelled: 1, net: 17, missing: 0 },
    { kind: "credit_note", total: 1, net: 1 },
    { kind: "debit_note", total: 1, net: 1 },
  ]);
}

/** Of the documents alone: what their rows and the taxes on them come to, in paise, notes with their sign. */
async function sumsOfDocuments(): Promise<{ taxable: bigint; charged: bigint }> {
  const { rows } = await site.pool.query<{ taxable: string; charged: string }>(
    `with document as (
       select 1 as sign, content from invoice where merchant_id = $1 and status <> 'Cancelled'
       union all select -1, content from credit_note where merchant_id = $1
     )
     select sum(sign * (select coalesce(sum((row ->> 'amountPaise')::bigint), 0) from jsonb_array_elements(content -> 'rows') as row))::text as taxable,
       sum(sign * (select coalesce(sum((tax ->> 'amountPaise')::bigint), 0) from jsonb_array_elements(content -> 'taxes') as tax))::text as charged
     from document`,
    [shop.merchant.id],
  );
  const [found] = rows;
  return { taxable: BigInt(found!.taxable), charged: BigInt(found!.charged) };
}
