// Nothing typed is lost, in a browser: on leaving a form, on a reload, when the session ends, when two edit one
// invoice. What the forms do otherwise is in the files of their pages.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let person: Person;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site);
  person = await newPerson(site, invoices.merchant.id);
  owner = await Browser.signIn(site, person);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("a changed form asks before it is left, and an unchanged one does not", async () => {
  const opened = await browser.open("/beneficiaries/new", { as: owner });
  const { page } = opened;
  await page.getByRole("textbox", { name: "Name" }).fill("Ravi");
  await page.getByRole("link", { name: "Customers", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("leave-guard");
  await dialog.getByRole("button", { name: "Stay on page" }).click();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Ravi");
  await page.getByRole("link", { name: "Customers", exact: true }).click();
  await dialog.getByRole("button", { name: "Leave", exact: true }).click();
  await page.waitForURL(/\/customers$/);
  await opened.goTo("/beneficiaries/new");
  await page.getByRole("link", { name: "Customers", exact: true }).click();
  await page.waitForURL(/\/customers$/);
  await page.context().close();
});

test("an invoice that is begun is there after a reload, until it is discarded or saved", async () => {
  const opened = await browser.open("/invoices/new", { as: owner });
  const { page } = opened;
  const item = page.getByRole("combobox", { name: "Item", exact: true });
  const isKept = () =>
    page.evaluate<boolean>("Object.keys(localStorage).some((key) => key.startsWith('nodal-draft:'))");
  await item.fill("Consulting in June");
  await expect.poll(isKept).toBe(true);
  await page.reload();
  await page.getByText("Your draft from").waitFor();
  await expect.poll(() => item.inputValue()).toBe("Consulting in June");
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("draft");
  await page.getByRole("button", { name: "Discard draft" }).click();
  expect(await item.inputValue()).toBe("");
  await page.reload();
  await item.waitFor();
  expect(await page.getByText("Your draft from").count()).toBe(0);
  await page.context().close();
});

test("who signs out leaves no draft behind", async () => {
  const other = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const opened = await browser.open("/invoices/new", { as: other });
  const { page } = opened;
  const drafts = () =>
    page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('nodal-draft:')).length");
  await page.getByRole("combobox", { name: "Item", exact: true }).fill("Consulting");
  await expect.poll(drafts).toBe(1);
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/sign-in/);
  expect(await drafts()).toBe(0);
  await page.context().close();
});

test("a session that ends is opened again in a dialog, and the form is saved", async () => {
  const own = await Browser.signIn(site, person);
  const opened = await browser.open("/customers/new", { as: own });
  const { page } = opened;
  await page.getByRole("textbox", { name: "Code", exact: true }).fill("LATE-1");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Late Nair");
  await own.post("/session/sign-out", {});
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Your session expired" });
  await dialog.waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("session-ended");
  await dialog.getByRole("textbox", { name: "Password" }).fill("not the password");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox", { name: "Password" }).fill(person.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue()).toBe("Late Nair");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Late Nair" }).waitFor();
  await page.context().close();
});

test("of two who edit one invoice, the second sees what the first has saved, and chooses", async () => {
  const { invoice_id: id } = await invoices.add();
  const first = await browser.open(`/invoices/${id}/edit`, { as: owner });
  const second = await browser.open(`/invoices/${id}/edit`, { as: owner });
  await first.page.getByRole("combobox", { name: "Item", exact: true }).fill("Work of the first");
  await first.page.getByRole("button", { name: "Save invoice" }).click();
  await first.page.waitForURL(new RegExp(`/invoices/${id}$`));
  await second.page.getByRole("combobox", { name: "Item", exact: true }).fill("Work of the second");
  await second.page.getByRole("button", { name: "Save invoice" }).click();
  const dialog = second.page.getByRole("dialog", { name: "This invoice changed while you were editing" });
  const line = dialog.getByRole("row", { name: /^Item 1/ });
  await line.getByText("Work of the first").waitFor();
  await line.getByText("Work of the second").waitFor();
  expect(await second.findProblems()).toEqual([]);
  await second.pictures("changed-meanwhile");
  expect(await invoices.read(id)).toMatchObject({ particular_rows: [{ item: "Work of the first" }] });
  await dialog.getByRole("button", { name: "Keep mine" }).click();
  await second.page.getByRole("button", { name: "Save invoice" }).click();
  await second.page.waitForURL(new RegExp(`/invoices/${id}$`));
  expect(await invoices.read(id)).toMatchObject({ particular_rows: [{ item: "Work of the second" }] });
});
