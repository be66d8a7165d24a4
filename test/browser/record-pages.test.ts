// The pages of one record: the bar that stays, the document in sight, what moves while they load.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

/** As for Home: test/browser/look.test.ts. */
const MOST_SHIFT = 0.05;
const SHIFT = `new Promise((resolve) => {
  let sum = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
  });
  observer.observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

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
    expect(await page.evaluate<number>(SHIFT)).toBeLessThanOrEqual(MOST_SHIFT);
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
