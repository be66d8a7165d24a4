// Lists in a browser: dates as people type them, periods by name, amounts, one search box; payments, credit notes,
// refunds. What filters find is test/dashboard/invoices.test.ts and billing-lists.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let owner: Browser;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  const invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const batch = ["2026-03-31", "2026-04-01"].map((day, index) => ({
    customer_code: "C1",
    bill_date: day,
    due_date: day,
    particular_rows: [{ item: "Work", total_amount: `${1000 + index}.50` }],
  }));
  const made = (await invoices.save(batch)).body.srvrsp as { invoice_id: string }[];
  await invoices.settle({ invoice_id: made[1]!.invoice_id, amount: "1001.50", bank_ref_no: "NEFTIN77120" });
  const note = { request_key: "a-note-of-lists", amount: "100.00", reason: "Goods back" };
  await owner.post(`/invoices/${made[1]!.invoice_id}/credit-notes`, note);
  opened = await browser.open("/invoices", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const rows = () => opened.page.locator("tbody tr").count();

test("a day is typed as people write it, shown in full, and what is none is told and not asked for", async () => {
  const { page } = opened;
  await expect.poll(rows).toBe(2);
  await page.getByRole("button", { name: "More filters" }).click();
  const from = page.getByLabel("From", { exact: true });
  await from.fill("1 apr 2026");
  await from.press("Enter");
  await page.waitForURL("**from=2026-04-01**");
  expect(await from.inputValue()).toBe("01/04/2026");
  await expect.poll(rows).toBe(1);
  await from.fill("31/4/2026");
  await from.blur();
  await page.getByText("Enter a date, such as").waitFor();
  expect(page.url()).toContain("from=2026-04-01");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => from.inputValue()).toBe("");
});

test("a period is chosen by its name; amounts are typed with commas", async () => {
  const { page } = opened;
  await page.getByLabel("Period").selectOption({ label: "This month" });
  await page.waitForURL(/from=\d{4}-\d\d-01&to=/);
  await page.getByLabel("Period").selectOption({ label: "Any date" });
  await page.getByLabel("Amount from").fill("1,001");
  await page.waitForURL("**amount_from=1001**");
  await expect.poll(rows).toBe(1);
  expect(await browser.lookAt(opened, "list-filtered")).toEqual([]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("searchbox").fill("1,000.50");
  await expect.poll(rows).toBe(1);
});

test.each([
  ["Payments", "payments", "NEFTIN77120", "Total received"],
  ["Credit notes", "credit-notes", "CN-", "Total credited"],
  ["Debit notes", "debit-notes", "No debit notes yet", null],
  ["Refunds", "refunds", "No refunds yet", null],
])("%s are in the menu, and add up", async (title, path, text, sum) => {
  const { page } = opened;
  await opened.goTo("/");
  const menu = page.getByRole("navigation", { name: "Main navigation" });
  await menu.getByRole("link", { name: "Invoices", exact: true }).click();
  await menu.getByRole("link", { name: title, exact: true }).click();
  await page.waitForURL(`**/${path}`);
  await page.getByText(text).first().waitFor();
  if (sum !== null) await page.getByRole("term").filter({ hasText: sum }).waitFor();
  expect(await browser.lookAt(opened, `list-${path}`)).toEqual([]);
  if (sum === null) return;
  await page.getByRole("searchbox").fill("nobody at all");
  await page.getByText("No results").waitFor();
});

test("filters are kept under a name, and columns are left out, also after the page is loaded anew", async () => {
  const { page } = opened;
  await opened.goTo("/invoices?search=1%2C000.50");
  await expect.poll(rows).toBe(1);
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByLabel("Filter name").fill("Of 1,000.50");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("checkbox", { name: "Due date" }).uncheck();
  await page.getByRole("columnheader", { name: "Due date" }).waitFor({ state: "detached" });
  expect(await opened.findProblems()).toEqual([]);
  await opened.picture("list-view");
  await opened.goTo("/invoices");
  await expect.poll(rows).toBe(2);
  expect(await page.getByRole("columnheader", { name: "Due date" }).count()).toBe(0);
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("button", { name: "Of 1,000.50", exact: true }).click();
  await page.waitForURL("**search=**");
  await expect.poll(rows).toBe(1);
  await page.getByRole("button", { name: "Remove Of 1,000.50" }).click();
  await page.getByRole("checkbox", { name: "Due date" }).check();
  await page.getByRole("columnheader", { name: "Due date" }).waitFor();
  await page.keyboard.press("Escape");
});

test("what may be a slip is asked about, and saved when it is told to once more", async () => {
  const { page } = opened;
  await opened.goTo("/invoices?search=1000.50");
  await page.locator("tbody a").first().click();
  await opened.chooseMore("Edit");
  const first = page.getByRole("group", { name: "Item 1" });
  await first.getByLabel("GST %").fill("81");
  await first.getByLabel("HSN/SAC").fill("99831");
  await page.getByRole("button", { name: "Save invoice" }).click();
  await page.getByText("81% isn’t a known GST rate", { exact: false }).waitFor();
  await page.getByText("99831 doesn’t", { exact: false }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.picture("doubts");
  await first.getByLabel("GST %").fill("18");
  await page.getByText("81% isn’t a known GST rate", { exact: false }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save anyway" }).click();
  await page.getByText("Invoice saved.").waitFor();
});
