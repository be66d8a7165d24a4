// Rows with quantity, price, discount, treatment, cess and prices with tax, and rounded totals: over the wire, on documents, in
// credit notes and in the reports of the tax register.
import { afterAll, beforeAll, expect, test } from "vitest";
import { INVOICE_CHECKS } from "../../src/invoices/index.ts";
import { verify } from "../../src/payouts/verify/verify.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, PLAIN } from "../support/invoices.ts";
import { nodalJson } from "../support/nodal.ts";
import { readPdf } from "../support/pdf.ts";

let installation: Installation;
let shop: Invoices;
let owner: Browser;

beforeAll(async () => {
  installation = await Installation.shared();
  shop = await Invoices.ofNewMerchant(installation);
  owner = await Browser.signIn(installation, await newPerson(installation, shop.merchant.id));
});
afterAll(() => installation.stop());

const TILES = {
  item: "Tiles",
  sac_code: "6907",
  quantity: "2.5",
  unit: "sqm",
  unit_price: "400",
  discount: "10%",
  gst: "18",
};

async function totalOf(rows: readonly Members[], more: Members = {}): Promise<Record<string, string>> {
  return shop.add({ particular_rows: rows, ...more });
}

async function pdfOf(invoice: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(`${invoice["short_url"]!}/pdf`);
  return (await readPdf(new Uint8Array(await answer.arrayBuffer()))).pages.join(" ");
}

test("the amount of a row follows from quantity, price and discount, and answers repeat what was sent", async () => {
  const saved = await totalOf([TILES]);
  expect(saved["amount"]).toBe("1062.00");
  const detail = await shop.read(saved["invoice_id"]);
  expect(detail["particular_rows"]).toEqual([
    {
      item: "Tiles",
      sac_code: "6907",
      description: "",
      quantity: "2.5",
      unit: "SQM",
      unit_price: "400.00",
      discount: "10%",
      gst: "18",
      total_amount: "900.00",
    },
  ]);
  const text = await pdfOf(saved);
  for (const printed of ["Qty", "2.5", "Unit", "SQM", "Rate (₹)", "400.00", "Discount", "10%", "900.00"]) {
    expect(text).toContain(printed);
  }
});

test("each copy says whose it is, and later pages to what and to whom they belong", async () => {
  const pagesOf = async (url: string): Promise<string[]> => [
    ...(await readPdf(new Uint8Array(await (await fetch(url)).arrayBuffer()))).pages,
  ];
  const goods = await totalOf(Array.from({ length: 60 }, (_, index) => ({ ...TILES, item: `Tiles ${index}` })));
  const services = await totalOf([{ item: "Work", sac_code: "998311", gst: "18", total_amount: "100" }]);
  const heads = async (invoice: Readonly<Record<string, string>>, copy: string): Promise<string> => {
    const [first] = await pagesOf(`${invoice["short_url"]!}/pdf?copy=${copy}`);
    return /(Original|Duplicate|Triplicate) for [a-z]+/i.exec(first!)![0].toLowerCase();
  };
  expect(await heads(goods, "")).toBe("original for recipient");
  expect(await heads(goods, "duplicate")).toBe("duplicate for transporter");
  expect(await heads(goods, "triplicate")).toBe("triplicate for supplier");
  expect(await heads(services, "duplicate")).toBe("duplicate for supplier");
  const [, second] = await pagesOf(`${goods["short_url"]!}/pdf`);
  expect(second).toMatch(new RegExp(`^Asha Rao\\s+Tax invoice ${goods["invoice_number"]!}`));
});

test("a row without new members is answered as before", async () => {
  const detail = await shop.read((await shop.add())["invoice_id"]);
  expect(detail["particular_rows"]).toEqual([
    { item: "Work", sac_code: "", description: "", gst: "0", total_amount: "100.00" },
  ]);
  expect(Object.keys(detail)).not.toContain("round_off");
  expect(Object.keys(detail)).not.toContain("round_off_amount");
});

test.each<[string, Members, string]>([
  ["another total_amount", { ...TILES, total_amount: "1000.00" }, "particular_rows[0].total_amount"],
  ["an unknown unit", { ...TILES, unit: "TILE" }, "particular_rows[0].unit"],
  ["a discount above the price", { ...TILES, discount: "1000.01" }, "particular_rows[0].discount"],
  ["a rate on exempt goods", { ...TILES, tax_treatment: "exempt" }, "particular_rows[0].gst"],
  ["a rate that there is no more", { ...TILES, gst: "28" }, "particular_rows[0].gst"],
  ["a rate that there never was", { ...TILES, gst: "17" }, "particular_rows[0].gst"],
])("%s is refused, and nothing is saved", async (_what, row, field) => {
  const ask = (): ReturnType<Invoices["ask"]> =>
    shop.ask(INVOICE_SAVE, { template_id: "", invoice: [{ ...PLAIN, particular_rows: [row] }] });
  const { status, body } = await shop.unmoved(ask);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`invoice[0].${field}`)]);
});

test("a rate that ended applies to invoices of its time", async () => {
  const dates = { bill_date: "2026-01-31", due_date: "2026-02-28" };
  expect((await totalOf([{ ...TILES, gst: "28" }], dates))["amount"]).toBe("1152.00");
});

test("a price with tax is what the customer pays, with tax lines of one's own it is refused", async () => {
  const row = { item: "Kettle", sac_code: "8516", unit_price: "500.00", price_includes_tax: "1", gst: "18" };
  const saved = await totalOf([row]);
  expect(saved["amount"]).toBe("500.00");
  const detail = await shop.read(saved["invoice_id"]);
  expect(detail).toMatchObject({
    sub_total: "423.73",
    tax_total: "76.28",
    round_off_amount: "-0.01",
    particular_rows: [{ unit_price: "500.00", total_amount: "500.00", taxable_amount: "423.73" }],
  });
  expect(await pdfOf(saved)).toMatch(/500\.00 incl\. tax.*Round off .0\.01/s);
  // To a customer of another state it is another value; the price stays.
  const moved = { customer_code: "", new_customer: { customer_code: "MH", customer_name: "Ravi", state: "27" } };
  await shop.update(saved["invoice_id"], moved);
  expect(await shop.read(saved["invoice_id"])).toMatchObject({
    amount: "500.00",
    sub_total: "423.73",
    tax_total: "76.27",
    tax_rows: [{ name: "IGST" }],
  });
  const own = { particular_rows: [row], tax_rows: [{ name: "IGST", percentage: "18", applicable_on: "423.73" }] };
  const refused = await shop.unmoved(() => shop.save([{ ...PLAIN, ...own }]));
  expect(JSON.stringify(refused.body)).toContain("particular_rows[0].price_includes_tax");
});

test("goods that are exempt alone are sold by a bill of supply, and one taxable row makes it a tax invoice", async () => {
  const rice = {
    item: "Rice",
    sac_code: "1006",
    quantity: "10",
    unit: "KGS",
    unit_price: "60",
    tax_treatment: "exempt",
  };
  const saved = await totalOf([rice]);
  const text = await pdfOf(saved);
  expect(text).toContain("Bill of supply");
  expect(text).not.toMatch(/Tax invoice|CGST|Reverse charge/);
  await shop.update(saved["invoice_id"], { particular_rows: [rice, TILES] });
  const both = await pdfOf(saved);
  expect(both).toMatch(/Tax invoice.*Exempt/s);
  expect(both).toContain("CGST");
});

test("a rounded total is credited in full with its round-off", async () => {
  const saved = await totalOf([{ item: "Cloth", sac_code: "5208", total_amount: "1000.35", gst: "5" }], {
    round_off: "1",
  });
  expect(saved["amount"]).toBe("1050.00");
  const id = saved["invoice_id"]!;
  expect(await shop.read(id)).toMatchObject({ round_off: "1", round_off_amount: "-0.37" });
  const credit = (...args: string[]): Promise<Record<string, string>> =>
    nodalJson(
      installation.environment,
      "credit-note",
      "create",
      "--merchant",
      shop.merchant.id,
      "--invoice",
      id,
      "--reason",
      "Returned",
      ...args,
    );
  expect(await credit("--amount", "500.00")).toMatchObject({ amount: "500.00", due_amount: "550.00" });
  const last = await credit("--full");
  expect(last).toMatchObject({ amount: "550.00", due_amount: "0.00" });
  const cents = (text: string): number => Math.round(Number(text) * 100);
  expect(cents(last["taxable"]!) + cents(last["tax"]!)).toBe(550_37);
});

test("the reports have units, quantities, treatments and cess", async () => {
  const trader = await Invoices.ofNewMerchant(installation);
  const browser = await Browser.signIn(installation, await newPerson(installation, trader.merchant.id));
  await trader.add({
    particular_rows: [
      TILES,
      { ...TILES, quantity: "0.250", discount: "" },
      { item: "Rice", sac_code: "1006", quantity: "3", unit: "KGS", unit_price: "60", tax_treatment: "nil" },
      {
        item: "Cigars",
        sac_code: "2402",
        quantity: "2",
        unit: "BOX",
        unit_price: "500",
        gst: "40",
        cess_percentage: "5",
      },
    ],
  });
  const period = "from_date=2026-06-01&to_date=2026-06-30";
  const { body: hsn } = await browser.get(`/reports/hsn-summary?${period}`);
  expect(hsn["b2c"]).toMatchObject([
    { hsn: "1006", uqc: "KGS", rate: "0", quantity: "3", taxable_value: "180.00" },
    { hsn: "2402", uqc: "BOX", rate: "40", quantity: "2", taxable_value: "1000.00", cess: "50.00" },
    { hsn: "6907", uqc: "SQM", rate: "18", quantity: "2.75", taxable_value: "1000.00", cgst: "90.00" },
  ]);
  const { body: tax } = await browser.get(`/reports/tax-summary?${period}`);
  expect(tax["rates"]).toMatchObject([
    { treatment: "taxable", rate: "18", taxable_value: "1000.00", cgst: "90.00", sgst: "90.00" },
    { treatment: "taxable", rate: "40", cgst: "200.00", sgst: "200.00", cess: "50.00" },
    { treatment: "nil", rate: "0", taxable_value: "180.00" },
  ]);
});

test("a file of invoices has the same columns, and its errors name them", async () => {
  const head = "customer_code,bill_date,due_date,item,sac_code,quantity,unit,unit_price,discount,gst";
  const preview = async (cells: string): Promise<Members> => {
    const file = Buffer.from(`${head}\n${cells}\n`);
    return (await owner.post("/invoice-files/preview", file, { "content-type": "text/csv" })).body;
  };
  // 12 × 1,200.50 is 14,406.00; less 5 % 13,685.70; with 18 % 16,149.12 (each half of the tax is 1,231.713).
  const good = await preview('C1,2026-06-01,2026-06-15,Tiles,6907,12,SQM,"1,200.50",5 %,18');
  expect(good).toMatchObject({ problems: [], total: "16149.12" });
  const bad = await preview("C1,2026-06-01,2026-06-15,Tiles,6907,12,FEET,100,5,18");
  expect(bad["problems"]).toMatchObject([{ line: 2, column: "unit" }]);
});

test("nothing of it is a violation", async () => {
  const { violations } = await verify(installation.pool, null, INVOICE_CHECKS);
  expect(violations).toEqual([]);
});
