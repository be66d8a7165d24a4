// The lists around invoices: tabs, whole rows that open, and menus of rows that do what the record's page does.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { rawOf } from "../support/raw-api.ts";

let site: Installation;
let browser: TestBrowser;
let shop: Invoices;
let owner: Browser;
let customerId: string;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  const { body } = await call("GET", "/customers");
  customerId = body.customers[0].customer_id;
  opened = await browser.open("/customers", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const call = (method: string, path: string, sent?: object) => rawOf(site, owner)(method, path, sent);
const menuOf = (name: string) => opened.page.getByRole("button", { name: `Actions for ${name}` });
const entry = (name: string) => opened.page.getByRole("menuitem", { name, exact: true });

/** What the menu offers, once the last entry is there. */
async function offered(name: string, last: string): Promise<string[]> {
  await menuOf(name).click();
  await entry(last).waitFor();
  return opened.page.getByRole("menuitem").allTextContents();
}

async function closeMenu(): Promise<void> {
  await opened.page.keyboard.press("Escape");
  await opened.page.getByRole("menu").waitFor({ state: "detached" });
}

async function receive(amount: string): Promise<Record<string, string>> {
  const sent = { customer_id: customerId, date: "2026-07-01", mode: "NEFT", amount, allocations: [] };
  const { status, body } = await call("POST", "/receipts", sent);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.receipt;
}

test("a customer's row has what the customer's page offers, and adds an opening balance", async () => {
  const { page } = opened;
  expect(await offered("Asha Rao", "History")).toEqual([
    "Open",
    "New invoice",
    "Record receipt",
    "Edit",
    "New subscription",
    "Subscriptions",
    "Add opening balance",
    "History",
  ]);
  expect(await browser.lookAt(opened, "customers-menu")).toEqual([]);
  await entry("Add opening balance").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount owed").fill("500");
  await dialog.getByLabel("As of").fill("01/04/2026");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Opening balance saved").waitFor();
  await page.getByRole("row").filter({ hasText: "Asha Rao" }).getByText("500.00").first().waitFor();
  // What was fetched for the menu before is not shown again.
  expect(await offered("Asha Rao", "History")).not.toContain("Add opening balance");
  await closeMenu();
  const tabs = page.getByRole("navigation", { name: "Balance" });
  await tabs.getByRole("link", { name: "With an advance" }).click();
  await page.getByText("No results").waitFor();
  await tabs.getByRole("link", { name: "Overdue" }).click();
  await page.waitForURL("**/customers?dues=overdue");
  await page.getByRole("link", { name: "Asha Rao" }).waitFor();
  expect(await browser.lookAt(opened, "customers-overdue")).toEqual([]);
  await page.goBack();
  await page.getByText("No results").waitFor();
  await page.goBack();
  await menuOf("Asha Rao").click();
  await entry("New invoice").click();
  await page.waitForURL(`**/invoices/new?customer=${customerId}`);
});

test("receipts have tabs with the back button, and menus that refund and reverse", async () => {
  const { page } = opened;
  const [first, second] = [await receive("70.00"), await receive("40.00")];
  await opened.goTo("/receipts");
  const number = first["receipt_number"]!;
  const link = (receipt: Record<string, string>) => page.getByRole("link", { name: receipt["receipt_number"]! });
  await link(second).waitFor();
  expect(await offered(number, "History")).toEqual(["Open", "Use for invoices", "Refund", "Reverse", "History"]);
  expect(await browser.lookAt(opened, "receipts-menu")).toEqual([]);
  await entry("Reverse").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("Cheque bounced");
  await dialog.getByRole("button", { name: "Reverse receipt" }).click();
  await page.getByText("Receipt reversed.").waitFor();
  const tabs = page.getByRole("navigation", { name: "Show" });
  await tabs.getByRole("link", { name: "Reversed" }).click();
  await link(second).waitFor({ state: "detached" });
  await link(first).waitFor();
  expect(await browser.lookAt(opened, "receipts-reversed")).toEqual([]);
  await tabs.getByRole("link", { name: "With an advance" }).click();
  await link(first).waitFor({ state: "detached" });
  await link(second).waitFor();
  await page.goBack();
  await page.waitForURL("**/receipts?kind=reversed");
  await link(first).waitFor();
  expect(await offered(number, "History")).toEqual(["Open", "History"]);
  await closeMenu();
  await tabs.getByRole("link", { name: "All" }).click();
  await menuOf(second["receipt_number"]!).click();
  await entry("Refund").click();
  await dialog.getByRole("button", { name: "Record refund" }).click();
  await page.getByText("Refund recorded.").waitFor();
  // "j" focuses the first row; a click anywhere in a row opens it.
  await page.keyboard.press("j");
  expect(await link(second).evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true);
  await page
    .getByRole("row")
    .filter({ has: link(first) })
    .getByRole("cell")
    .nth(2)
    .click();
  await page.waitForURL(`**/receipts/${first["receipt_id"]}`);
  expect(await opened.findProblems()).toEqual([]);
});

test("credit notes have tabs, and a menu that cancels the last note", async () => {
  const { page } = opened;
  const bill = await shop.add();
  const path = `/invoices/${bill["invoice_id"]}/credit-notes`;
  const numbers: string[] = [];
  for (const [key, reason] of [
    ["note-of-rows-1", "Goods back"],
    ["note-of-rows-2", "More goods back"],
  ]) {
    const { status, body } = await owner.post(path, { request_key: key, amount: "10.00", reason });
    expect(status, JSON.stringify(body)).toBe(200);
  }
  const { body } = await owner.get("/credit-notes");
  numbers.push(...(body["credit_notes"] as Record<string, string>[]).map((note) => note["credit_note_number"]!));
  const [last, first] = numbers as [string, string];
  await opened.goTo("/credit-notes");
  expect(await offered(first, "PDF")).toEqual(["Open invoice", "PDF"]);
  await closeMenu();
  expect(await offered(last, "Cancel credit note")).toEqual(["Open invoice", "PDF", "Cancel credit note"]);
  expect(await browser.lookAt(opened, "credit-notes-menu")).toEqual([]);
  await entry("Cancel credit note").click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel credit note" }).click();
  await page.getByText("Credit note cancelled.").waitFor();
  const tabs = page.getByRole("navigation", { name: "Use" });
  await tabs.getByRole("link", { name: "Cancelled" }).click();
  await page.getByRole("link", { name: first }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: last }).waitFor();
  expect(await browser.lookAt(opened, "credit-notes-cancelled")).toEqual([]);
  await page.goBack();
  await page.getByRole("link", { name: first }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
});

test("a template is made the default from its row", async () => {
  const { page } = opened;
  const { status } = await owner.post("/templates", {
    request_key: "template-of-rows",
    name: "Retail",
    prefix: "R-",
    yearly: 1,
  });
  expect(status).toBe(200);
  await opened.goTo("/templates");
  expect(await offered("Retail", "History")).toEqual(["Open", "Make default", "History"]);
  await entry("Make default").click();
  await page.getByText("Retail is the default now.").waitFor();
  expect(await offered("Retail", "History")).toEqual(["Open", "History"]);
  await closeMenu();
  expect(await browser.lookAt(opened, "templates-menu")).toEqual([]);
});
