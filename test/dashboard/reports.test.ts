// The reports of the tax register through the API, as JSON, CSV and XLSX.
import { readXlsx } from "hucre/xlsx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const PERIOD = "from_date=2026-06-01&to_date=2026-06-30";

let site: Installation;
let shop: Invoices;
let owner: Browser;
let stranger: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  const invoices = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1Z5", state: "Karnataka" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const others = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1Z5", state: "Karnataka" });
  stranger = await Browser.signIn(site, await newPerson(site, others.merchant.id));
  shop = invoices;
  await invoices.addCustomer({ customer_code: "FORMULA", customer_name: "=1+1", state: "Karnataka" });
  const invoice = (bill_date: string, rows: object[]) => ({
    customer_code: "FORMULA",
    bill_date,
    due_date: bill_date,
    particular_rows: rows,
  });
  const saved = await invoices.save([
    invoice("2026-05-31", [{ item: "Before", total_amount: "1000", gst: "18" }]),
    invoice("2026-06-01", [
      { item: "Design", sac_code: "998311", total_amount: "1000", gst: "18" },
      { item: "Paper", sac_code: "4802", total_amount: "500.05", gst: "5" },
    ]),
    invoice("2026-06-30", [{ item: "Design", sac_code: "998311", total_amount: "2000", gst: "18" }]),
    invoice("2026-06-15", [{ item: "Given up", total_amount: "300", gst: "18" }]),
  ]);
  const ids = (saved.body.srvrsp as { invoice_id: string }[]).map(({ invoice_id: id }) => id);
  await owner.post(`/invoices/${ids[3]}/cancel`, {});
  const note = { date: "2026-06-20", reason: "Returned", rows: [{ row: 1, amount: "118.00" }], refund_to: null };
  await owner.post(`/invoices/${ids[1]}/credit-notes`, { request_key: "note-of-reports", ...note });
});
afterAll(() => site?.stop());

const amounts = (taxable: string, half: string) => ({
  taxable_value: taxable,
  igst: "0.00",
  cgst: half,
  sgst: half,
  cess: "0.00",
  other_taxes: "0.00",
});

test("a note names its invoice, and what rounds a total has a column; reverse charge without a GSTIN is a problem", async () => {
  const row = { item: "Design", sac_code: "998311", total_amount: "100.33", gst: "18" };
  const made = { customer_code: "FORMULA", bill_date: "2026-02-01", due_date: "2026-02-28", particular_rows: [row] };
  const rounded = await shop.add({ ...made, round_off: "1" });
  const reversed = await shop.add({ ...made, bill_date: "2026-02-02", reverse_charge: "1" });
  const note = { date: "2026-02-03", reason: "Returned", refund_to: null };
  const { status } = await owner.post(`/invoices/${rounded["invoice_id"]!}/credit-notes`, {
    request_key: "note-of-rounded",
    ...note,
    rows: [{ row: 1, amount: "10.00" }],
  });
  expect(status).toBe(200);
  const period = "from_date=2026-02-01&to_date=2026-02-28";
  const { body } = await owner.get(`/reports/sales-register?${period}`);
  const documents = body["documents"] as Record<string, string>[];
  // 100.33 + 9.03 + 9.03 = 118.39; the recipient pays the tax of the second.
  expect(documents.map((each) => [each["kind"], each["taxable_value"], each["round_off"], each["total"]])).toEqual([
    ["tax_invoice", "100.33", "-0.39", "118.00"],
    ["tax_invoice", "100.33", "0.00", "100.33"],
    ["credit_note", "-8.48", "0.00", "-10.00"],
  ]);
  const originals = documents.map((each) => [each["original_number"], each["original_date"]]);
  expect(originals).toEqual([
    ["", ""],
    ["", ""],
    [documents[0]!["number"], "2026-02-01"],
  ]);
  expect(body["totals"]).toMatchObject({ taxable_value: "192.18", round_off: "-0.39", total: "208.33" });
  const { body: found } = await owner.get(`/reports/gst-problems?${period}`);
  expect(found["problems"]).toMatchObject([
    { invoice_id: reversed["invoice_id"], code: "reverse_charge", field: "reverse_charge" },
  ]);
});

test("the sales register has each document with its taxes, and credit notes below 0", async () => {
  const { status, body } = await owner.get(`/reports/sales-register?${PERIOD}&limit=2`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    documents: [
      { date: "2026-06-01", kind: "tax_invoice", ...amounts("1500.05", "102.50"), total: "1705.05" },
      { date: "2026-06-20", kind: "credit_note", ...amounts("-100.00", "-9.00"), total: "-118.00" },
    ],
    totals: { documents: 3, ...amounts("3400.05", "273.50"), total: "3947.05" },
  });
  const next = await owner.get(`/reports/sales-register?${PERIOD}&limit=2&after=${String(body["next"])}`);
  expect(next.body).toMatchObject({
    documents: [{ date: "2026-06-30", customer_name: "=1+1", place_of_supply: "29", state_name: "Karnataka" }],
    next: null,
    totals: null,
  });
});

test("the tax summary adds up by rate, and the HSN summary by code", async () => {
  expect((await owner.get(`/reports/tax-summary?${PERIOD}`)).body).toEqual({
    rates: [
      { treatment: "taxable", rate: "5", ...amounts("500.05", "12.50") },
      { treatment: "taxable", rate: "18", ...amounts("2900.00", "261.00") },
    ],
    totals: amounts("3400.05", "273.50"),
    advances: { received: [], adjusted: [] },
  });
  const { body } = await owner.get(`/reports/hsn-summary?${PERIOD}`);
  expect(body).toMatchObject({
    b2b: [],
    b2c: [
      { hsn: "4802", uqc: "OTH", rate: "5", quantity: "1", ...amounts("500.05", "12.50") },
      { hsn: "998311", uqc: "NA", rate: "18", quantity: "0", ...amounts("2900.00", "261.00") },
    ],
  });
});

test("the series of documents count cancelled numbers, and problems name the field", async () => {
  const { series } = (await owner.get(`/reports/document-series?${PERIOD}`)).body as { series: object[] };
  expect(series).toMatchObject([
    { kind: "invoice", total: 3, cancelled: 1, net: 2, missing: 0, gaps: [] },
    { kind: "credit_note", total: 1, cancelled: 0, net: 1 },
  ]);
  const may = "from_date=2026-05-01&to_date=2026-05-31";
  const { problems } = (await owner.get(`/reports/gst-problems?${may}`)).body as { problems: object[] };
  expect(problems).toMatchObject([{ code: "hsn_missing", field: "particular_rows[0].sac_code", date: "2026-05-31" }]);
});

async function download(path: string): Promise<Buffer> {
  const { status, bytes } = await owner.getFile(path);
  expect([path, status]).toEqual([path, 200]);
  return Buffer.from(bytes);
}

test("the files have the same figures, and run no formula", async () => {
  const csv = await download(`/reports/sales-register.csv?${PERIOD}`);
  const lines = csv.toString("utf8").trim().split("\r\n");
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain("'=1+1");
  expect(lines[1]).toContain(",1500.05,0.00,102.50,102.50,0.00,0.00,0.00,1705.05,,");
  const book = await readXlsx(await download(`/reports/sales-register.xlsx?${PERIOD}`));
  const [headings, first, second] = book.sheets[0]!.rows as unknown[][];
  expect(headings).toContain("taxable_value");
  expect(first!.slice(3, 4)).toEqual(["=1+1"]);
  const from = headings!.indexOf("taxable_value");
  expect(first!.slice(from, from + 8)).toEqual([1500.05, 0, 102.5, 102.5, 0, 0, 0, 1705.05]);
  // A date is a date, which a spreadsheet sorts by, and no text.
  const total = headings!.indexOf("total");
  const original = ["INV-2627-00002", new Date("2026-06-01T00:00:00Z")];
  expect(second!.slice(total, total + 3)).toEqual([-118, ...original]);
  expect(first![headings!.indexOf("date")]).toBeInstanceOf(Date);
  for (const report of ["tax-summary", "hsn-summary", "document-series", "gst-problems"]) {
    const rows = (await readXlsx(await download(`/reports/${report}.xlsx?${PERIOD}`))).sheets[0]!.rows;
    const text = (await download(`/reports/${report}.csv?${PERIOD}`)).toString("utf8").trim();
    expect([report, rows.length]).toEqual([report, text.split("\r\n").length]);
  }
});

test("another merchant's reports have nothing of it", async () => {
  const { body } = await stranger.get(`/reports/sales-register?${PERIOD}`);
  expect(body).toMatchObject({ documents: [], totals: { documents: 0, total: "0.00" } });
  expect((await stranger.get(`/reports/hsn-summary?${PERIOD}`)).body).toMatchObject({ b2b: [], b2c: [] });
  expect((await stranger.get(`/reports/document-series?${PERIOD}`)).body).toEqual({ series: [] });
});

test.each([
  ["from_date=2026-06-30&to_date=2026-06-01", "to_date"],
  ["from_date=2026-06-01", "to_date"],
  ["from_date=June&to_date=2026-06-01", "from_date"],
])("a period that is none names its field: %s", async (query, path) => {
  for (const report of ["sales-register", "tax-summary.csv", "hsn-summary", "document-series.xlsx", "gst-problems"]) {
    const { status, body } = await owner.get(`/reports/${report}?${query}`);
    expect([report, status, body["errors"]]).toMatchObject([report, 400, [{ field: path }]]);
  }
});
