// The choice of a template to print the merchant's bank account, in the dashboard. Who may, and where it then stands:
// test/dashboard/printed.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const BANK = { bankAccount: "50100012345678", ifsc: "HDFC0000789", bankHolder: "Asha Traders LLP" };

let site: Installation;
let browser: TestBrowser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("the bank account stands in the preview when it is ticked, and on the customer's page once that is saved", async () => {
  const invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders", ...BANK });
  const { short_url: url } = await invoices.add({ particular_rows: [{ item: "Tea", total_amount: "10.00" }] });
  const as = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const opened = await browser.open(`/templates/${invoices.templateId}`, { as });
  const { page } = opened;
  const sample = page.frameLocator("iframe");
  await sample.getByText("Asha Traders").first().waitFor();
  expect(await sample.getByText("50100012345678").count()).toBe(0);
  await page.getByRole("checkbox", { name: "Print bank account" }).check();
  await sample.getByText("50100012345678").waitFor();
  await opened.pictures("bank-account-template");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Template saved").waitFor();
  await page.context().close();

  const path = new URL(url!).pathname;
  for (const size of ["wide", "phone"] as const) {
    const mode = size === "wide" ? "light" : "dark";
    const customers = await browser.newPage({ size, mode });
    await customers.page.goto(path);
    await customers.page.getByText("50100012345678").waitFor();
    await customers.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    for (const [label, value] of [
      ["Account number", "50100012345678"],
      ["IFSC", "HDFC0000789"],
      ["Amount", "10.00"],
    ] as const) {
      const button = customers.page.getByRole("button", { name: `Copy ${label}` });
      expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
      await button.click();
      await customers.page.getByRole("status").getByText(`${label} copied`).waitFor();
      expect(await customers.page.evaluate("navigator.clipboard.readText()")).toBe(value);
    }
    expect(await customers.findProblems()).toEqual([]);
    await customers.picture(`bank-account-page-${size}`);

    const choice = customers.page.getByRole("link", { name: "हिन्दी" });
    expect((await choice.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    await choice.click();
    await customers.page.locator("html[lang=hi]").waitFor();
    await customers.page.getByRole("button", { name: "कॉपी करें खाता नंबर" }).click();
    await customers.page.getByRole("status").getByText("खाता नंबर कॉपी हो गया").waitFor();
    expect(await customers.page.evaluate("navigator.clipboard.readText()")).toBe("50100012345678");
    expect(await customers.findProblems()).toEqual([]);
    await customers.picture(`bank-account-page-hindi-${size}`);
    await customers.page.getByRole("link", { name: "English" }).click();
    await customers.page.locator("html[lang=en-IN]").waitFor();
    await customers.page.context().close();
  }

  const hindi = await browser.open(`/templates/${invoices.templateId}`, { as, language: "hi", size: "phone" });
  await hindi.page.getByRole("checkbox", { name: "बैंक खाता छापें" }).waitFor();
  await hindi.picture("bank-account-template-hindi");
  expect(await hindi.page.getByRole("checkbox", { name: "बैंक खाता छापें" }).isChecked()).toBe(true);
  await hindi.page.context().close();
});

test("who may not see account numbers can't tick it, and is told why; without an account the form says where it is entered", async () => {
  const invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  const owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  await owner.post("/roles", { name: "Designer", permissions: ["templates.view", "templates.manage"] });
  const as = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Designer"));
  const theirs = await browser.open("/templates/new", { as });
  await theirs.page.getByText("Your role can't see full account numbers.").waitFor();
  expect(await theirs.page.getByRole("checkbox", { name: "Print bank account" }).isDisabled()).toBe(true);
  await theirs.page.context().close();
  const own = await browser.open("/templates/new", { as: owner });
  await own.page.getByText("No bank account yet. Add it under Company.").waitFor();
  await own.page.context().close();
});
