// From a line of a bank statement to a receipt and back, in a browser. Whose money a line is, is
// src/reconciliation/suggest-receipts.test.ts.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { plantFiles } from "../support/files.ts";
import { nodalJson } from "../support/nodal.ts";

let site: Installation;
let browser: TestBrowser;
let shop: Invoices;
let owner: Browser;
let opened: TestPage;
let ids: string[];
let numbers: string[];

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  shop = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  const bill = { customer_code: "C1", bill_date: "2026-06-01", due_date: "2026-06-10" };
  const batch = ["100.00", "50.00", "70.00", "900.00"].map((total_amount) => {
    return { ...bill, particular_rows: [{ item: "Work", total_amount }] };
  });
  const { body } = await shop.save(batch);
  const made = body.srvrsp as { invoice_number: string; invoice_id: string }[];
  numbers = made.map(({ invoice_number }) => invoice_number);
  ids = made.map(({ invoice_id }) => invoice_id);
  const [first, second, third] = numbers as [string, string, string];
  const statement = `Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance
20/11/26,NEFT CR-HDFC0000002-A RAO-${first} ${second} ${third},HDFCN52026112000000002,20/11/26,,"230.00","230.00"
20/11/26,UPI-SOMEBODY ELSE-xyz@upi-PAYMENT,632500000043,20/11/26,,"15.00","245.00"
20/11/26,SMS CHARGES,,20/11/26,17.70,,"227.30"
`;
  const file = join(plantFiles({ "day.csv": statement }), "day.csv");
  const { environment } = site;
  await nodalJson(
    environment,
    "reconcile",
    "import",
    "--merchant",
    shop.merchant.id,
    "--account",
    "HDFC",
    "--file",
    file,
  );
  opened = await browser.open("/reconciliation", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const row = (name: RegExp) => opened.page.getByRole("row", { name });
const due = (id: string) => shop.read(id).then((invoice) => invoice["due_amount"]);

test("a line over three invoices is recorded as the narration says it, and the rest is kept", async () => {
  const { page } = opened;
  await row(/SMS CHARGES/).waitFor();
  expect(
    await row(/SMS CHARGES/)
      .getByRole("link", { name: "Record receipt" })
      .count(),
  ).toBe(0);
  expect(await browser.lookAt(opened, "bank-lines")).toEqual([]);
  await row(/A RAO/).getByRole("link", { name: "Record receipt" }).click();
  await page.getByText("The narration names the invoices.").waitFor();
  await page.getByRole("textbox", { name: `Amount for ${numbers[2]!}` }).waitFor();
  const amounts = numbers.map((number) => page.getByRole("textbox", { name: `Amount for ${number}` }).inputValue());
  expect(await Promise.all(amounts)).toEqual(["100.00", "50.00", "70.00", ""]);
  expect(await page.getByRole("textbox", { name: "Amount received" }).inputValue()).toBe("230.00");
  expect(await page.getByRole("combobox", { name: "Mode" }).inputValue()).toBe("NEFT");
  expect(await browser.lookAt(opened, "bank-line-receipt")).toEqual([]);
  await page.getByRole("button", { name: "Record receipt" }).click();
  await page.getByRole("heading", { level: 1, name: /^Receipt RCT/ }).waitFor();
  expect(await Promise.all(ids.map(due))).toEqual(["0.00", "0.00", "0.00", "900.00"]);
  await page.getByText("₹10.00").first().waitFor();
  expect(await opened.findProblems()).toEqual([]);
});

test("the line leads to its receipt and back, and reversing the receipt opens it again", async () => {
  const { page } = opened;
  await page.getByRole("link", { name: "Show the statement of that day" }).click();
  await row(/A RAO/).waitFor();
  expect(await row(/A RAO/).getByRole("link", { name: "Record receipt" }).count()).toBe(0);
  expect(
    await row(/A RAO/)
      .getByRole("button", { name: /Resolve|Undo/ })
      .count(),
  ).toBe(0);
  expect(await browser.lookAt(opened, "bank-line-recorded")).toEqual([]);
  await row(/A RAO/)
    .getByRole("link", { name: /^Receipt RCT/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Reverse" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Sent back by the bank");
  await dialog.getByRole("button", { name: "Reverse" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await Promise.all(ids.map(due))).toEqual(["100.00", "50.00", "70.00", "900.00"]);
  await opened.goTo("/reconciliation");
  await row(/A RAO/).getByRole("link", { name: "Record receipt" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
});

test("a line that nothing is known of asks for the customer; one that is recorded is refused", async () => {
  const { page } = opened;
  await row(/SOMEBODY ELSE/)
    .getByRole("link", { name: "Record receipt" })
    .click();
  await page.getByText("No customer or invoice was recognised.").waitFor();
  const address = page.url();
  expect(await browser.lookAt(opened, "bank-line-unknown")).toEqual([]);
  await page.getByRole("combobox", { name: "Customer" }).fill("C1");
  await page.getByRole("option", { name: /C1/ }).click();
  const first = page.getByRole("textbox", { name: `Amount for ${numbers[0]!}` });
  await first.waitFor();
  expect(await first.inputValue()).toBe("15.00");
  await page.getByRole("button", { name: "Record receipt" }).click();
  await page.getByRole("heading", { level: 1, name: /^Receipt RCT/ }).waitFor();
  expect(await due(ids[0]!)).toBe("85.00");
  // The page of the form is still open elsewhere.
  await opened.goTo(new URL(address).pathname + new URL(address).search);
  await page
    .getByText(/is the receipt RCT/)
    .first()
    .waitFor();
});
