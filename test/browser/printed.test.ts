// What the dashboard says about documents before they are printed. Their content is tested in src/documents/render-pdf.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let owner: Person;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  owner = await newPerson(site, invoices.merchant.id);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function openAs(
  person: Person,
  path: string,
  options: Parameters<TestBrowser["open"]>[1] = {},
): Promise<TestPage> {
  return browser.open(path, { ...options, as: await Browser.signIn(site, person) });
}

test("letters that the PDF has not are named in the editor, on the invoice and in the template's preview", async () => {
  const { invoice_id: id } = await invoices.add({ particular_rows: [{ item: "喜 Tea", total_amount: "10.00" }] });
  const opened = await openAs(owner, `/invoices/${id}`);
  const { page } = opened;
  const notice = page.getByRole("status").filter({ hasText: "won't appear in the PDF" });
  await notice.getByText(/empty boxes: 喜\./).waitFor();
  await opened.pictures("letters-missing-invoice");
  expect(await opened.findProblems()).toEqual([]);
  await opened.chooseMore("Edit");
  await notice.getByText(/empty boxes: 喜\./).waitFor();
  await page.getByLabel("Item").first().fill("శ్రీ Tea → ✓");
  await notice.waitFor({ state: "detached" });
  await page.context().close();

  const hindi = await openAs(owner, `/invoices/${id}`, { language: "hi", size: "phone" });
  await hindi.page.getByText("PDF में कुछ अक्षर नहीं दिखेंगे").waitFor();
  await hindi.picture("letters-missing-invoice-hindi");
  await hindi.page.context().close();

  const template = await openAs(owner, "/templates/new");
  const said = template.page.getByText(/empty boxes: 謝/);
  await template.page.getByRole("textbox", { name: "Terms" }).fill("Thank you 謝");
  await said.waitFor();
  await template.pictures("letters-missing-template");
  expect(await template.findProblems()).toEqual([]);
  await template.page.context().close();
});
