// Drafts of invoices in the dashboard: saved from the form, found and changed by a colleague, deleted, and made into invoices.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function openAs(path: string, role?: string) {
  const person = await newPerson(site, invoices.merchant.id, role);
  const api = await Browser.signIn(site, person);
  const opened = await browser.open(path, { as: api });
  return { api, person, opened, page: opened.page };
}

test("an unfinished invoice is saved as a draft, which a colleague finishes", async () => {
  const mine = await openAs("/invoices/drafts");
  await mine.page.getByText("No drafts yet", { exact: true }).waitFor();
  expect(await browser.lookAt(mine.opened, "drafts-empty")).toEqual([]);
  await mine.opened.goTo("/invoices/new");
  const row = mine.page.getByRole("group", { name: "Item 1" });
  await row.getByLabel("Item", { exact: true }).fill("Consulting");
  await mine.page.getByRole("button", { name: "Save as draft" }).click();
  await mine.page.getByRole("heading", { level: 1, name: "Draft invoice" }).waitFor();
  await mine.page.getByText(`Last saved by ${mine.person.email}`, { exact: false }).waitFor();
  expect(await browser.lookAt(mine.opened, "draft")).toEqual([]);
  expect((await invoices.list()).body.total_records).toBe(0);

  const theirs = await openAs("/invoices");
  await theirs.page.getByRole("link", { name: "Drafts" }).first().click();
  await theirs.page.getByRole("link", { name: "No customer yet" }).click();
  const found = theirs.page.getByRole("group", { name: "Item 1" });
  expect(await found.getByLabel("Item", { exact: true }).inputValue()).toBe("Consulting");
  await found.getByLabel("Amount").fill("1000");
  await theirs.page.getByRole("button", { name: "Save draft" }).click();
  await theirs.page.getByText("Draft saved").first().waitFor();

  // What the first one still has open is older.
  await row.getByLabel("Amount").fill("5");
  await mine.page.getByRole("button", { name: "Save draft" }).click();
  await mine.page.getByText(`This draft was saved by ${theirs.person.email}`, { exact: false }).waitFor();
  expect(await browser.lookAt(mine.opened, "draft-changed")).toEqual([]);

  await theirs.page.getByRole("combobox", { name: "Customer" }).click();
  await theirs.page.getByRole("option", { name: /Asha Rao/ }).click();
  const saved = theirs.page.waitForResponse((answer) => answer.request().method() === "PUT");
  await theirs.page.getByRole("button", { name: "Save draft" }).click();
  await saved;
  await theirs.opened.goTo("/invoices/drafts");
  await theirs.page.getByRole("link", { name: "Asha Rao" }).waitFor();
  expect(await browser.lookAt(theirs.opened, "drafts")).toEqual([]);
  await theirs.page.getByRole("link", { name: "Asha Rao" }).click();
  await theirs.page.getByRole("button", { name: "Save invoice" }).click();
  await theirs.page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
  expect((await invoices.list()).body.total_records).toBe(1);
  await mine.opened.goTo(new URL(mine.page.url()).pathname);
  await mine.page.getByText("This draft is an invoice already.").waitFor();
});

test("a draft is deleted, and a viewer makes none", async () => {
  const { opened, page } = await openAs("/invoices/new");
  await page.getByRole("button", { name: "Save as draft" }).click();
  await page.getByRole("button", { name: "Delete draft" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete draft" }).click();
  await page.getByText("No drafts yet", { exact: true }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  const viewer = await openAs("/invoices/drafts", "Viewer");
  await viewer.page.getByText("No drafts yet", { exact: true }).waitFor();
  expect(await viewer.page.getByRole("link", { name: "New invoice" }).count()).toBe(0);
});
