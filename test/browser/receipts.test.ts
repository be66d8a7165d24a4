// Receipts in the dashboard: over three invoices with TDS, an advance and its use, a refund, and a reversal.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf } from "../support/raw-api.ts";

const FRANCHISE = { email: "receipts.pune@example.com", password: "a long enough secret" };

let site: Installation;
let browser: TestBrowser;
let shop: Invoices;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
});
beforeEach(async () => {
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** An invoice of 100.00, due on a day of June. */
function bill(day: number): Promise<Record<string, string>> {
  return shop.add({ due_date: `2026-06-${day}` });
}
const dueOf = async (...invoices: Record<string, string>[]): Promise<unknown[]> =>
  Promise.all(invoices.map(async ({ invoice_id }) => (await shop.read(invoice_id!))["due_amount"]));

async function customerId(): Promise<string> {
  const { body } = await rawOf(site, owner)("GET", "/customers");
  return body.customers[0].customer_id;
}

async function record(members: object): Promise<Answer["body"]> {
  const sent = { customer_id: await customerId(), date: "2026-07-01", mode: "NEFT", bank_ref_no: "UTR1", ...members };
  const { status, body } = await rawOf(site, owner)("POST", "/receipts", sent);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.receipt;
}

test("a receipt pays three invoices with TDS, and its excess pays a later one", async () => {
  const [second, first, third] = [await bill(20), await bill(10), await bill(30)];
  const opened = await browser.open("/receipts", { as: owner });
  const { page } = opened;
  await page.getByText("No receipts yet", { exact: true }).waitFor();
  expect(await browser.lookAt(opened, "receipts-empty")).toEqual([]);
  await page.getByRole("main").getByRole("link", { name: "Record receipt" }).first().click();
  await page.getByRole("combobox", { name: "Customer" }).click();
  await page.getByRole("option", { name: /Asha Rao/ }).click();
  await page.getByLabel("Amount received").fill("290");
  await page.getByLabel("TDS deducted").fill("10");
  await page.getByLabel("TDS payment code").fill("1027");
  const amountOf = (invoice: Record<string, string>) => page.getByLabel(`Amount for ${invoice["invoice_number"]}`);
  const amounts = () => Promise.all([first, second, third].map((each) => amountOf(each).inputValue()));
  expect(await amounts()).toEqual(["96.67", "96.67", "96.66"]);

  // A change by hand stays when the amount changes, and the server's refusal is at its field.
  await amountOf(second).fill("110");
  await page.getByLabel("Amount received").fill("340");
  expect(await amounts()).toEqual(["96.67", "110", "96.66"]);
  await page.getByLabel("Received on").fill("01-07-2026");
  await page.getByRole("button", { name: "Record receipt" }).click();
  await page.getByText("Only ₹100.00 is due on this invoice").waitFor();
  expect(await browser.lookAt(opened, "receipt-new-refused")).toEqual([]);
  expect(await amountOf(second).getAttribute("aria-invalid")).toBe("true");
  await page.getByRole("button", { name: "Fill oldest first" }).click();
  const rest = page.getByRole("table", { name: "How the receipt is used" }).getByRole("row").last();
  expect(await rest.innerText()).toContain("₹50.00");
  expect(await browser.lookAt(opened, "receipt-new")).toEqual([]);
  await page.getByRole("button", { name: "Record receipt" }).click();
  await page.getByRole("heading", { level: 1, name: /^Receipt RCT-.*00001$/ }).waitFor();
  expect(await dueOf(first, second, third)).toEqual(["0.00", "0.00", "0.00"]);
  await page.getByRole("link", { name: third["invoice_number"]! }).waitFor();
  expect(await browser.lookAt(opened, "receipt")).toEqual([]);

  const later = await bill(25);
  await page.getByRole("button", { name: "Use for invoices" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Amount for ${later["invoice_number"]}`).waitFor();
  expect(await browser.lookAt(opened, "receipt-use")).toEqual([]);
  await dialog.getByRole("button", { name: "Use for invoices" }).click();
  await page.getByRole("link", { name: later["invoice_number"]! }).waitFor();
  expect(await dueOf(later)).toEqual(["50.00"]);
  expect(await page.getByRole("button", { name: "Use for invoices" }).count()).toBe(0);
  expect(await opened.findProblems()).toEqual([]);
  expect(await site.findProblems()).toEqual([]);
});

test("an advance is seen at its customer, given back in part, and a receipt is reversed", async () => {
  const invoice = await bill(10);
  const advance = await record({ amount: "70.00", allocations: [] });
  await record({ amount: "40.00" });
  const opened = await browser.open(`/customers/${await customerId()}`, { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "₹70.00" }).click();
  await page.waitForURL("**?tab=receipts&kind=with_advance");
  const rows = page.getByRole("region", { name: "Receipts" }).getByRole("row");
  await page.getByRole("link", { name: advance.receipt_number }).waitFor();
  expect(await rows.count()).toBe(2);
  await page.getByRole("combobox", { name: "Show" }).selectOption({ label: "All receipts" });
  await rows.nth(2).waitFor();
  expect(await browser.lookAt(opened, "receipts")).toEqual([]);

  await page.getByRole("link", { name: advance.receipt_number }).click();
  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog");
  const amount = dialog.getByLabel("Amount refunded");
  expect(await amount.inputValue()).toBe("70.00");
  await amount.fill("70.01");
  await dialog.getByRole("button", { name: "Record refund" }).click();
  await dialog.getByText(/Use at most|at most/).waitFor();
  await amount.fill("20");
  await dialog.getByRole("button", { name: "Record refund" }).click();
  await page.getByRole("heading", { level: 2, name: "Refunds" }).waitFor();
  expect(await page.getByRole("button", { name: "Reverse" }).count()).toBe(0);
  expect(await browser.lookAt(opened, "receipt-refunded")).toEqual([]);

  await opened.goTo("/receipts");
  await rows.nth(1).getByRole("link").click();
  await page.getByRole("link", { name: invoice["invoice_number"]! }).waitFor();
  await page.getByRole("button", { name: "Reverse" }).click();
  await dialog.getByRole("button", { name: "Reverse receipt" }).click();
  expect(await dueOf(invoice)).toEqual(["60.00"]);
  await dialog.getByLabel("Reason").fill("Cheque bounced");
  expect(await browser.lookAt(opened, "receipt-reverse")).toEqual([]);
  await dialog.getByRole("button", { name: "Reverse receipt" }).click();
  await page.getByRole("main").getByText("Cheque bounced").waitFor();
  expect(await dueOf(invoice)).toEqual(["100.00"]);
  expect(await page.getByRole("button", { name: "Use for invoices" }).count()).toBe(0);
  expect(await opened.findProblems()).toEqual([]);
});

test("receivables lead to the form, whose customer stays in the address", async () => {
  await bill(10);
  const opened = await browser.open("/reports/ageing", { as: owner });
  const { page } = opened;
  await page.getByRole("main").getByRole("link", { name: "Record receipt" }).click();
  await page.getByRole("heading", { level: 1, name: "Record receipt" }).waitFor();
  await page.getByRole("combobox", { name: "Customer" }).click();
  await page.getByRole("option", { name: /Asha Rao/ }).click();
  await page.waitForURL(/customer=\d+/);
  await page.getByRole("button", { name: "Record receipt" }).click();
  expect(await page.getByLabel("Amount received").getAttribute("aria-invalid")).toBe("true");
  const { body } = await rawOf(site, owner)("GET", "/receipts");
  expect(body.receipts).toEqual([]);
});

test("a viewer changes nothing, and a franchise sees no receipts", async () => {
  const { receipt_id: id } = await record({ amount: "70.00" });
  const as = await Browser.signIn(site, await newPerson(site, shop.merchant.id, "Viewer"));
  const viewer = await browser.open(`/receipts/${id}`, { as });
  await viewer.page.getByRole("heading", { level: 2, name: "Summary" }).waitFor();
  for (const name of ["Use for invoices", "Refund", "Reverse"]) {
    expect(await viewer.page.getByRole("button", { name }).count()).toBe(0);
  }
  const names = { franchise_code: "PUNE", franchise_name: "Pune Branch" };
  await saveFranchiseWithLogin(site, shop.merchant, FRANCHISE, names);
  const franchise = await Browser.signIn(site, { ...FRANCHISE, merchant: shop.merchant.id });
  const { page } = await browser.open("/", { as: franchise });
  const navigation = page.getByRole("navigation").first();
  await navigation.getByRole("link", { name: "Invoices" }).waitFor();
  expect(await navigation.getByRole("link", { name: "Receipts" }).count()).toBe(0);
  for (const path of ["/receipts", `/session/customers/${await customerId()}/dues`]) {
    expect((await franchise.get(path)).status).toBe(403);
  }
});

test("in Hindi", async () => {
  await bill(10);
  const { receipt_id: id } = await record({ amount: "70.00", mode: "Cash" });
  const opened = await browser.open(`/receipts/${id}`, { as: owner, language: "hi" });
  await opened.page.getByRole("heading", { level: 2, name: "इनवॉइस के भुगतान" }).waitFor();
  await opened.page.getByText("नकद", { exact: true }).waitFor();
  expect(await browser.lookAt(opened, "receipt-hi")).toEqual([]);
  await opened.goTo(`/receipts/new?customer=${await customerId()}`);
  await opened.page.getByRole("heading", { level: 2, name: "बकाया इनवॉइस" }).waitFor();
  expect(await browser.lookAt(opened, "receipt-new-hi")).toEqual([]);
});

test("TDS is listed by quarter: its certificate is entered, and what was not deposited is due again", async () => {
  const invoice = await bill(20);
  const id = invoice["invoice_id"]!;
  const paid = { invoice_id: id, amount: "90.00", tds_amount: "10.00", mode: "NEFT", paid_date: "2026-06-10" };
  expect((await shop.settle(paid)).status).toBe(200);
  const opened = await browser.open("/receipts", { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "TDS deducted" }).click();
  await page.getByLabel("Quarter").selectOption("2026-27-Q1");
  await page.getByText("Certificate missing", { exact: true }).last().waitFor();
  const number = invoice["invoice_number"]!;
  await page.getByRole("button", { name: `Certificate of ${number}` }).click();
  await page.getByLabel("Certificate number").fill("ABCDEFG");
  await page.getByRole("button", { name: "Enter certificate" }).click();
  await page.getByText("Certificate saved.").waitFor();
  await page.getByRole("cell", { name: "ABCDEFG" }).waitFor();
  expect(await browser.lookAt(opened, "tds-claims")).toEqual([]);
  await page.getByRole("button", { name: `Put back TDS of ${number}` }).click();
  await page.getByLabel("Reason").fill("Not in Form 26AS");
  expect(await browser.lookAt(opened, "tds-put-back")).toEqual([]);
  await page.getByRole("button", { name: "Put back to due" }).click();
  await page.getByText("TDS put back to due.").waitFor();
  expect(await dueOf(invoice)).toEqual(["10.00"]);
  expect(await page.getByRole("button", { name: `Put back TDS of ${number}` }).count()).toBe(0);
});

test("an advance for services says the GST that it contains, and has a voucher as PDF", async () => {
  await bill(10);
  const opened = await browser.open("/receipts/new", { as: owner });
  const { page } = opened;
  await page.getByRole("combobox", { name: "Customer" }).click();
  await page.getByRole("option", { name: /Asha Rao/ }).click();
  await page.getByLabel("Amount received").fill("218");
  await page.getByLabel("Advance for services: issue a receipt voucher").check();
  await page.getByLabel("Place of supply").selectOption("Karnataka");
  await page.getByLabel("Services", { exact: true }).fill("Website design");
  await page.getByText("The advance of ₹118.00 contains about ₹18.00 of GST.").waitFor();
  expect(await browser.lookAt(opened, "receipt-advance-gst")).toEqual([]);
  await page.getByRole("button", { name: "Record receipt" }).click();
  const pdf = page.getByRole("link", { name: "PDF of RV-2627-00001" });
  await pdf.waitFor();
  expect(await browser.lookAt(opened, "receipt-voucher")).toEqual([]);
  await page.getByText("GST in the advance").waitFor();
  const file = await page.request.get((await pdf.getAttribute("href"))!);
  expect([file.status(), file.headers()["content-type"]]).toEqual([200, "application/pdf"]);
  await page.context().close();
});

test("a file is checked by line, its good lines are recorded, and the same file has nothing left to record", async () => {
  const bills = [await bill(10), await bill(20)];
  const opened = await browser.open("/receipts", { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "Import receipts" }).click();
  await page.getByText("Download sample file").waitFor();
  const lines = [
    "date,customer_code,amount,mode,utr,invoice_numbers",
    `2026-07-01,C1,100,NEFT,U1,${bills[1]!["invoice_number"]}`,
    "2026-07-02,C1,40,UPI,U2,",
    "2026-07-02,C9,5,Cash,,",
  ];
  const file = { name: "july.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\r\n")) };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByText("2 rows ready to import").waitFor();
  await page.getByText("1 row with errors").waitFor();
  await page.getByText(/no customer has this code/).waitFor();
  expect(await browser.lookAt(opened, "receipts-checked")).toEqual([]);
  await page.getByRole("button", { name: "Import 2 receipts" }).click();
  await page.getByText("2 receipts recorded", { exact: true }).waitFor();
  expect(await dueOf(...bills)).toEqual(["60.00", "0.00"]);
  await page.getByRole("button", { name: "Import another file" }).click();
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByText("2 rows already recorded").waitFor();
  expect(await page.getByRole("button", { name: /^Import \d/ }).count()).toBe(0);
  await page.context().close();
});
