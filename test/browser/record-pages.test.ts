// The pages of one record: the bar that stays, the document in sight, what moves while they load.
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MOST_SHIFT, TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** A customer with an invoice, a receipt that is partly an advance, and a message. */
let prepared: Promise<string> | undefined;
function customerAddress(): Promise<string> {
  prepared ??= prepareCustomer();
  return prepared;
}
async function prepareCustomer(): Promise<string> {
  const [{ customer_id: id }] = (await owner.get("/customers?search=C1")).body["customers"] as [
    { customer_id: string },
  ];
  const { invoice_id } = await invoices.add({ particular_rows: [{ item: "Tea", total_amount: "1000.00" }] });
  const { merchant } = (await owner.get("/session")).body as { merchant: { today: string } };
  const receipt = {
    request_key: "receipt-tabs-1",
    customer_id: id,
    amount: "130.00",
    date: merchant.today,
    mode: "NEFT",
    bank_ref_no: "UTR1",
    allocations: [{ invoice_id, amount: "100.00" }],
  };
  expect((await owner.post("/receipts", receipt)).status).toBe(200);
  const period = { from_date: merchant.today, to_date: merchant.today, email: "accounts@asha.example" };
  const sent = await owner.post(`/customers/${id}/send-statement`, { request_key: "statement-tabs-1", ...period });
  expect(sent.status).toBe(200);
  return `/customers/${id}`;
}

test.each(["wide", "phone"] as const)(
  "an invoice shows its document, and its actions stay in sight: %s",
  async (size) => {
    const { invoice_id: id } = await invoices.add({ particular_rows: [{ item: "Tea", total_amount: "1000.00" }] });
    const opened = await browser.open(`/invoices/${id}`, { as: owner, size });
    const { page } = opened;
    const picture = page.getByRole("img", { name: /as its PDF shows it$/ });
    await picture.waitFor();
    const { width, height } = (await picture.boundingBox())!;
    expect(height / width).toBeCloseTo(297 / 210, 1);
    expect(await opened.shiftSoFar()).toBeLessThanOrEqual(MOST_SHIFT);
    const pay = page.getByRole("button", { name: "Record payment" });
    await page.getByRole("heading", { name: "Messages" }).scrollIntoViewIfNeeded();
    expect(await page.evaluate<number>("window.scrollY")).toBeGreaterThan(100);
    const box = (await pay.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThan(page.viewportSize()!.height / 3);
    if (size === "phone") expect(box.height).toBeGreaterThanOrEqual(44);
    await pay.click();
    await page.getByRole("dialog", { name: "Record payment" }).waitFor();
    expect(await opened.findProblems()).toEqual([]);
    await page.context().close();
  },
);

test("a document of too many pages leads to its PDF", async () => {
  const rows = Array.from({ length: 500 }, () => ({
    item: "Tea",
    description: "Long. ".repeat(20),
    total_amount: "1.00",
  }));
  const { invoice_id: id } = await invoices.add({ particular_rows: rows });
  const opened = await browser.open(`/invoices/${id}`, { as: owner, mode: "dark" });
  await opened.page.getByText("This document has too many pages to show here.").waitFor();
  const link = opened.page.getByRole("link", { name: "Open PDF" });
  expect(await link.getAttribute("href")).toMatch(/\/i\/.*\/pdf$/);
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.context().close();
});

test.each([
  ["wide", "light"],
  ["phone", "dark"],
] as const)("a customer's tabs are in the address, and back returns to the one before: %s", async (size, mode) => {
  const opened = await browser.open(await customerAddress(), { as: owner, size, mode });
  const { page } = opened;
  const tabs = page.getByRole("navigation", { name: "Sections" });
  const current = () => tabs.locator("[aria-current=page]").innerText();
  const go = async (name: string, shown: Locator): Promise<void> => {
    await tabs.getByRole("link", { name, exact: true }).click();
    await shown.first().waitFor();
    expect(await current()).toBe(name);
    const box = (await tabs.locator("[aria-current=page]").boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(page.viewportSize()!.width);
    expect(box.height).toBeGreaterThanOrEqual(44);
    expect(await browser.lookAt(opened, `customer-${name.toLowerCase()}-${size}`)).toEqual([]);
  };
  await page.getByRole("list", { name: "Recent activity" }).getByText("Payment received").first().waitFor();
  await page.getByRole("link", { name: "₹30.00" }).waitFor();
  expect(await opened.shiftSoFar()).toBeLessThanOrEqual(MOST_SHIFT);
  expect(await browser.lookAt(opened, `customer-overview-${size}`)).toEqual([]);
  await go("Invoices", page.getByRole("region", { name: "Invoices" }).getByRole("link"));
  await go("Receipts", page.getByRole("region", { name: "Receipts" }).getByRole("link"));
  await go("Statement", page.getByText("Closing balance", { exact: false }));
  await go("Messages", page.getByText("Statement of account"));
  await page.goBack();
  await expect.poll(current).toBe("Statement");
  await page.getByLabel("Period").selectOption("This financial year");
  await page.waitForURL("**?tab=statement&from=*&to=*");
  expect(await current()).toBe("Statement");
  await page.goBack();
  await page.goBack();
  await expect.poll(current).toBe("Invoices");
  await page.goBack();
  await page.getByRole("list", { name: "Recent activity" }).waitFor();
  await page.context().close();
});

test.each(["invoices", "receipts", "statement", "messages"])(
  "a link leads to the tab %s, and nothing moves",
  async (tab) => {
    const opened = await browser.open(`${await customerAddress()}?tab=${tab}`, { as: owner });
    const name = opened.page.getByRole("navigation", { name: "Sections" }).locator("[aria-current=page]");
    expect((await name.innerText()).toLowerCase()).toBe(tab);
    expect(await opened.shiftSoFar()).toBeLessThanOrEqual(MOST_SHIFT);
    await opened.page.context().close();
  },
);
