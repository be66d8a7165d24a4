// Reconciliation in a browser: a statement is looked at, imported, and its lines are resolved.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

const STATEMENT = `Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance
20/11/26,NEFT CR-ICIC0000001-WIRE TRADERS PRIVATE LIMITED-FUNDS-ICICN52026112000000001,ICICN52026112000000001,20/11/26,,"1,00,000.00","1,00,000.00"
20/11/26,IMPS-632500000042-RAVI KUMAR-SBIN-XXXX1234-PAYOUT,0000632500000042,20/11/26,"12,500.00",,"87,500.00"
20/11/26,SMS CHARGES,,20/11/26,17.70,,"87,482.30"
`;

let site: Installation;
let browser: TestBrowser;
let opened: TestPage;
let page: Page;
let merchant: TestMerchant;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ fund: "50000.00" });
  const { email, password } = await newPerson(site, merchant.id);
  opened = await browser.open("/sign-in");
  ({ page } = opened);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Wire Traders" }).waitFor();
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** What is wrong on the page. Where pictures are wanted, it is kept in both modes and sizes. */
async function look(name: string): Promise<string[]> {
  const problems = await opened.findProblems();
  await opened.pictures(name);
  return problems;
}

async function choose(text: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose file" }).click();
  await (await chooser).setFiles({ name: "day.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
}

test("before there is a statement, the page says what to do", async () => {
  await opened.goTo("/reconciliation");
  await page.getByText("No statements yet").waitFor();
  expect(await look("reconciliation-empty")).toEqual([]);
});

test("a bad file says what is wrong with which line", async () => {
  await page.getByRole("link", { name: "Import statement" }).first().click();
  await choose(STATEMENT);
  await page.getByText("Enter the account first.").waitFor();
  expect(await page.getByRole("textbox", { name: "Account" }).getAttribute("aria-invalid")).toBe("true");
  await page.getByRole("textbox", { name: "Account" }).fill("HDFC");
  await choose(STATEMENT.replace("0000632500000042", "6.325E+11"));
  await page.getByText("a spreadsheet turned the reference into a number").waitFor();
  // The refusal is an answer that the browser's console tells of as well.
  await opened.pictures("reconciliation-refused");
  expect(await page.getByRole("button", { name: "Import" }).count()).toBe(0);
});

test("a good one is shown, and imported", async () => {
  await opened.goTo("/reconciliation/import");
  await page.getByRole("textbox", { name: "Account" }).fill("HDFC");
  await choose(STATEMENT);
  await page.getByText("3 lines found").waitFor();
  await page.getByText("HDFC", { exact: true }).waitFor();
  await page.getByText("CSV", { exact: true }).waitFor();
  expect(await page.getByRole("columnheader").allTextContents()).toEqual([
    "Line no.",
    "Date",
    "Description",
    "Reference",
    "Amount",
  ]);
  expect(await look("reconciliation-preview")).toEqual([]);
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByText("3 of 3 lines are new").waitFor();
  expect(await look("reconciliation-imported")).toEqual([]);
});

test("the day is shown, and a line is set aside", async () => {
  await page.getByRole("link", { name: "View lines" }).click();
  await page.getByText("₹87,482.30").first().waitFor();
  expect(await look("reconciliation-day")).toEqual([]);
  await page
    .getByRole("row", { name: /SMS CHARGES/ })
    .getByRole("button", { name: "Resolve" })
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Action" }).selectOption({ label: "Set aside" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Bank charges");
  expect(await look("reconciliation-resolve")).toEqual([]);
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await page.getByText("Bank charges").last().waitFor();
  expect(await look("reconciliation-resolved")).toEqual([]);
});

test("a line is matched with a payout that is found by its payee's name, and nobody types an id", async () => {
  const payee = await merchant.addBeneficiary();
  const pay = async (amount: string, reference: string): Promise<void> => {
    const answer = await merchant.transfer({
      beneficiary_id: payee,
      amount,
      reference_id: reference,
      narrative: "Pay",
    });
    const id = (answer.body as { transfer_id: string }).transfer_id;
    expect(await merchant.recordWith("SUCCESS", id)).toMatchObject({ status: "SUCCESS" });
  };
  await pay("12000.00", "part-one");
  await pay("500.00", "part-two");
  await opened.goTo("/reconciliation");
  const row = page.getByRole("row", { name: /RAVI KUMAR/ });
  await row.getByRole("button", { name: "Resolve" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await dialog.getByText("Select at least one item.").waitFor();
  await dialog.getByText("Required.").waitFor();
  await dialog.getByRole("checkbox", { name: /Asha Rao.*12,000\.00.*part-one/ }).check();
  await dialog.getByText("₹12,000.00 of ₹12,500.00 selected").waitFor();
  await dialog.getByRole("textbox", { name: "Search" }).fill("500");
  const second = dialog.getByRole("checkbox", { name: /500\.00.*part-two/ });
  await second.check();
  // What was ticked before stays in sight.
  expect(await dialog.getByRole("checkbox", { name: /part-one/ }).isChecked()).toBe(true);
  await dialog.getByText("₹12,500.00 of ₹12,500.00 selected").waitFor();
  expect(await look("reconciliation-candidates")).toEqual([]);
  await dialog.getByRole("textbox", { name: "Search" }).fill("nobody of this name");
  await dialog.getByRole("checkbox", { name: /part-two/ }).waitFor();
  await second.click();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Paid in two parts");
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await dialog.getByText("The selected items are ₹500.00 less than the line. Select more.").waitFor();
  await dialog.getByRole("textbox", { name: "Search" }).fill("Asha");
  await second.check();
  // The refusal is an answer that the browser's console tells of as well.
  await opened.pictures("reconciliation-candidates-refused");
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByText("Matched").last().waitFor();
});
