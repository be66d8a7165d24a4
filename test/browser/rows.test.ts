// Rows of lists in a browser: a click anywhere in one opens it, "j", "k" and "x" go through and tick them, Shift ticks a range;
// tabs with counts above invoices, and a row's menu.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let owner: Browser;
let opened: TestPage;
/** In the order of the list: the newest first. */
let numbers: string[];
let ids: string[];

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const batch = [1, 2, 3, 4, 5].map((day) => ({
    customer_code: "C1",
    bill_date: `2026-05-0${day}`,
    due_date: day < 3 ? "2026-05-20" : "2099-05-20",
    particular_rows: [{ item: "Work", total_amount: "100.00" }],
  }));
  const { body } = await invoices.save(batch);
  const made = (body.srvrsp as { invoice_number: string; invoice_id: string }[]).toReversed();
  numbers = made.map(({ invoice_number }) => invoice_number);
  ids = made.map(({ invoice_id }) => invoice_id);
  await invoices.pay(ids[0]!, "100.00");
  await owner.send("POST", "/invoice-drafts", { title: "June", invoice: {} });
  opened = await browser.open("/invoices", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const link = (place: number) => opened.page.getByRole("link", { name: numbers[place]!, exact: true });
const row = (place: number) => opened.page.getByRole("row").filter({ has: link(place) });
const box = (place: number) => opened.page.getByRole("checkbox", { name: `Select: ${numbers[place]!}` });
const hasFocus = (place: number) => link(place).evaluate((each) => each === each.ownerDocument.activeElement);

test("a click anywhere in a row opens it, and with the middle button in a tab of its own", async () => {
  const { page } = opened;
  await row(2).getByRole("cell", { name: "Asha Rao" }).click();
  await page.waitForURL(new RegExp(`/invoices/${ids[2]!}$`));
  await page.goBack();
  await link(1).waitFor();
  const [tab] = await Promise.all([
    page.context().waitForEvent("page"),
    row(1).getByRole("cell", { name: "Asha Rao" }).click({ button: "middle" }),
  ]);
  await tab.waitForURL(new RegExp(`/invoices/${ids[1]!}$`));
  await tab.close();
  expect(new URL(page.url()).pathname).toBe("/invoices");
  // What is pressed in a row does what it says, and no more.
  await box(1).check();
  await row(1)
    .getByRole("button", { name: `Actions for ${numbers[1]!}` })
    .click();
  await page.getByRole("menuitem", { name: "Duplicate", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await box(1).uncheck();
  expect(new URL(page.url()).pathname).toBe("/invoices");
  expect(await opened.findProblems()).toEqual([]);
});

test("Shift ticks all rows up to the one before, and takes them back alike; the bar goes when none is left", async () => {
  const { page } = opened;
  const bar = page.getByRole("region", { name: "Selection" });
  await box(1).check();
  await box(4).click({ modifiers: ["Shift"] });
  await bar.getByText("4 selected").waitFor();
  expect(await box(0).isChecked()).toBe(false);
  expect(await browser.lookAt(opened, "rows-ticked")).toEqual([]);
  await box(2).click({ modifiers: ["Shift"] });
  await bar.getByText("1 selected").waitFor();
  expect(await box(1).isChecked()).toBe(true);
  await bar.getByRole("button", { name: "Clear selection" }).click();
  await bar.waitFor({ state: "detached" });
});

test("j and k go from row to row, x ticks, Enter opens; none of them from a field or when they are turned off", async () => {
  const { page } = opened;
  await opened.goTo("/invoices");
  await link(0).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  expect(await hasFocus(1)).toBe(true);
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  expect(await box(1).isChecked()).toBe(true);
  await page.keyboard.press("k");
  expect(await hasFocus(0)).toBe(true);
  // Above the first row there is none.
  await page.keyboard.press("k");
  expect(await hasFocus(0)).toBe(true);
  await link(2).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/invoices/${ids[2]!}$`));
  await page.goBack();
  await link(0).waitFor();
  const search = page.getByRole("searchbox");
  await search.pressSequentially("jx");
  expect(await search.inputValue()).toBe("jx");
  await page.evaluate("localStorage.setItem('nodal-single-keys', 'false')");
  await opened.goTo("/invoices");
  await link(0).waitFor();
  await page.keyboard.press("j");
  expect(await hasFocus(0)).toBe(false);
  await page.evaluate("localStorage.removeItem('nodal-single-keys')");
  expect(await opened.findProblems()).toEqual([]);
});

test("tabs say how many there are, and lead to them; back leads back", async () => {
  const { page } = opened;
  await opened.goTo("/invoices");
  const tabs = page.getByRole("navigation", { name: "Lists of invoices" });
  for (const [name, count] of Object.entries({ All: 5, Drafts: 1, Unpaid: 4, Overdue: 2, Paid: 1 })) {
    await tabs.getByRole("link", { name: `${name} ${count}`, exact: true }).waitFor();
  }
  expect(await browser.lookAt(opened, "rows-tabs")).toEqual([]);
  await tabs.getByRole("link", { name: /^Overdue/ }).click();
  await page.waitForURL(/status=Overdue/);
  await link(0).waitFor({ state: "detached" });
  expect(await page.getByRole("link", { name: /^INV/ }).count()).toBe(2);
  await tabs.getByRole("link", { name: /^Paid/ }).click();
  await link(0).waitFor();
  expect(await page.getByRole("link", { name: /^INV/ }).count()).toBe(1);
  await tabs.getByRole("link", { name: /^Drafts/ }).click();
  await page.getByRole("heading", { level: 1, name: "Drafts" }).waitFor();
  expect(await tabs.getByRole("link", { name: /^Drafts/ }).getAttribute("aria-current")).toBe("page");
  await page.goBack();
  await page.waitForURL(/status=Paid/);
  await link(0).waitFor();
  expect(await opened.findProblems()).toEqual([]);
});

test("a page has as many rows as were chosen, in every list of this browser", async () => {
  const many = await Invoices.ofNewMerchant(site, { gstin: "" });
  const bill = { customer_code: "C1", bill_date: "2026-05-01", due_date: "2026-05-20" };
  await many.save(Array.from({ length: 60 }, () => ({ ...bill, particular_rows: [{ item: "A", total_amount: "1" }] })));
  const person = await Browser.signIn(site, await newPerson(site, many.merchant.id));
  const list = await browser.open("/invoices", { as: person });
  const { page } = list;
  const rows = () => page.locator("tbody tr").count();
  const pages = page.getByRole("navigation", { name: "Pages of the list" });
  const size = pages.getByLabel("Rows per page");
  await expect.poll(rows).toBe(50);
  await pages.getByRole("button", { name: "Next" }).click();
  await expect.poll(rows).toBe(10);
  // Pages of another length begin anew.
  await size.selectOption("25 per page");
  await expect.poll(rows).toBe(25);
  expect(new URL(page.url()).search).toBe("");
  expect(await browser.lookAt(list, "rows-pages")).toEqual([]);
  await list.goTo("/invoices");
  await expect.poll(rows).toBe(25);
  await size.selectOption("100 per page");
  await expect.poll(rows).toBe(60);
  expect(await pages.getByRole("button", { name: "Next" }).count()).toBe(0);
  // What nobody can have chosen counts as the default.
  await page.evaluate("localStorage.setItem('nodal-page-size', '7')");
  await list.goTo("/invoices");
  await expect.poll(rows).toBe(50);
  expect(await list.findProblems()).toEqual([]);
  await page.context().close();
});

test("a long name keeps to one line, and is shown in full under the pointer; a short one has no tooltip", async () => {
  const name = "Shri Venkateshwara Agro Industries and Cold Storage Private Limited, Pimpri-Chinchwad and Hinjawadi";
  await invoices.addCustomer({ customer_code: "LONG", customer_name: name });
  await opened.goTo("/customers");
  const { page } = opened;
  const line = (text: string) => page.locator("tbody span").filter({ hasText: text }).first();
  const heightOf = async (text: string) =>
    (await page.getByRole("row").filter({ hasText: text }).boundingBox())!.height;
  await line(name).waitFor();
  // A line of a table's edge may be half a pixel.
  expect(Math.abs((await heightOf(name)) - (await heightOf("Asha Rao")))).toBeLessThan(2);
  await line(name).hover();
  await expect.poll(() => line(name).getAttribute("title")).toBe(name);
  await line("Asha Rao").hover();
  expect(await line("Asha Rao").getAttribute("title")).toBeFalsy();
  expect(await browser.lookAt(opened, "rows-lines")).toEqual([]);
});

test("the menu of a row offers what the invoice's page does; Escape gives the focus back to its button", async () => {
  const { page } = opened;
  await opened.goTo("/invoices");
  const button = page.getByRole("button", { name: `Actions for ${numbers[2]!}` });
  const entries = page.getByRole("menuitem");
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Cancel invoice" }).waitFor();
  const offered = await entries.allTextContents();
  expect(offered.slice(0, 6)).toEqual(["Open", "Record payment", "Send", "PDF", "Remind", "Copy customer link"]);
  expect(offered).toEqual(expect.arrayContaining(["Edit", "Duplicate", "Issue credit note"]));
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("rows-menu");
  await page.keyboard.press("Escape");
  await entries.first().waitFor({ state: "detached" });
  await expect.poll(() => button.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true);
  await button.click();
  await page.getByRole("menuitem", { name: "Record payment" }).click();
  const dialog = page.getByRole("dialog", { name: "Record payment" });
  await dialog.getByLabel("Amount").click();
  // A press in the dialog is none in the row.
  expect(new URL(page.url()).pathname).toBe("/invoices");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("a viewer's menu has what he may do", async () => {
  const viewer = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Viewer"));
  const { page } = await browser.open("/invoices", { as: viewer });
  await page.getByRole("button", { name: `Actions for ${numbers[2]!}` }).click();
  await page.getByRole("menuitem", { name: "PDF", exact: true }).waitFor();
  const offered = await page.getByRole("menuitem").allTextContents();
  expect(offered.slice(0, 3)).toEqual(["Open", "PDF", "Copy customer link"]);
  expect(offered).not.toContain("Send");
  await page.context().close();
});

test("on a phone, the bar of the selection fits, and all of a cell with a box ticks it", async () => {
  const phone = await browser.open("/invoices", { as: owner, size: "phone" });
  const { page } = phone;
  await page.getByRole("checkbox", { name: `Select: ${numbers[0]!}` }).check();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByText("1 selected").waitFor();
  expect(await phone.findProblems()).toEqual([]);
  await phone.picture("rows-bar-phone");
  expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
  // All of a cell with a box is the box.
  const cell = page.getByRole("cell").filter({ has: page.getByRole("checkbox", { name: `Select: ${numbers[1]!}` }) });
  const { width, height } = (await cell.boundingBox())!;
  expect(width).toBeGreaterThanOrEqual(44);
  expect(height).toBeGreaterThanOrEqual(44);
  await cell.click({ position: { x: 3, y: 3 } });
  await bar.getByText("2 selected").waitFor();
  await bar.getByRole("button", { name: "Clear selection" }).click();
  await bar.waitFor({ state: "detached" });
  await page.context().close();
});
