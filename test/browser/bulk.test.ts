// Many payouts in a browser: a file with mistakes, a good one, its progress and result; a payout of a later day.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changePayoutPolicy, requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

const HEAD = "name,account_number,ifsc,amount,reference_id,narrative";
const GOOD = [
  HEAD,
  "Asha Rao,00011020001772,HDFC0000001,590.00,salary-1,Salary November",
  "Ravi Kumar,026291800001191,YESB0000262,1200.50,salary-2,Salary November",
  "Ravi Kumar,026291800001191,YESB0000262,1200.50,salary-3,Salary again",
];
const BAD = [...GOOD, "Uma Iyer,00224412311300,,three,salary-1,Advance"];

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let opened: TestPage;
let page: Page;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ fund: "5000.00" });
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

async function look(name: string): Promise<void> {
  await opened.pictures(name);
  expect(await opened.findProblems(), name).toEqual([]);
}

async function choose(name: string, lines: readonly string[]): Promise<void> {
  await opened.goTo("/bulk-payouts/new");
  const buffer = Buffer.from(`${lines.join("\n")}\n`);
  await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/csv", buffer });
  await page.getByText("2. Review").waitFor();
}

test("a file with mistakes is shown with what to do, and not taken", async () => {
  await opened.goTo("/bulk-payouts");
  await page.getByText("No bulk payouts yet").waitFor();
  await look("bulk-empty");
  await choose("bad.csv", BAD);
  await page.getByText("1 row with errors").waitFor();
  await page.getByRole("cell", { name: /ifsc is required/ }).waitFor();
  expect(await page.getByRole("button", { name: "Pay all" }).count()).toBe(0);
  await look("bulk-mistakes");
});

test("another file than CSV is refused with what to do, and dates in numbers are asked about", async () => {
  await opened.goTo("/bulk-payouts/new");
  const input = page.locator("input[type=file]");
  const mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  const workbook = { name: "november.xlsx", mimeType, buffer: Buffer.from("PK\x03\x04\0\0", "latin1") };
  await input.setInputFiles(workbook);
  await page.getByText("The file is an Excel workbook").waitFor();
  await look("bulk-workbook");
  const year = Temporal.Now.plainDateISO("Asia/Kolkata").year + 1;
  const lines = ["name,upi,amount,scheduled_for", `Uma Iyer,uma@upi,1.00,02/01/${year}`];
  const buffer = Buffer.from(`${lines.join("\r\n")}\r\n`);
  await input.setInputFiles({ name: "later.csv", mimeType: "text/csv", buffer });
  await page.getByText(`The date 02/01/${year} on line 2 is ambiguous`).waitFor();
  await look("bulk-date-order");
  await page.getByRole("button", { name: "Day first (31/08/2026)" }).click();
  await page.getByText("2. Review").waitFor();
  expect(await page.getByRole("button", { name: "Day first (31/08/2026)" }).count()).toBe(0);
});

test("a good file is confirmed with its total, followed, and its result downloaded", async () => {
  await choose("november.csv", GOOD);
  await page.getByText("Line 3 also pays this payee").waitFor();
  await look("bulk-preview");
  await page.getByRole("button", { name: "Pay all" }).click();
  await page.getByRole("dialog").getByText("2,991.00").first().waitFor();
  await look("bulk-confirm");
  await page.getByRole("dialog").getByRole("button", { name: "Pay all" }).click();
  await page.getByRole("heading", { level: 1, name: "Bulk payout november.csv" }).waitFor();
  await page.getByText("Finished", { exact: true }).first().waitFor();
  await page.getByText("3 of 3 started").waitFor();
  await page.getByRole("cell", { name: "Paid" }).nth(2).waitFor();
  await look("bulk-batch");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Result file" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^batch-\d+\.csv$/);
  expect(await merchant.available()).toBe("2009.00");
  await opened.goTo("/bulk-payouts");
  await page.getByRole("link", { name: "november.csv" }).waitFor();
  await look("bulk-list");
});

test("a file over the limit waits for a second person", async () => {
  const { pool } = site;
  const context = { pool, ids: new IdSource(pool), merchant: await requireMerchant(pool, BigInt(merchant.id)) };
  await changePayoutPolicy(context, { approveOverPaise: 100_000n });
  await choose(
    "december.csv",
    GOOD.map((line) => line.replace("salary", "december")),
  );
  await page.getByRole("button", { name: "Pay all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pay all" }).click();
  await page.getByText("Someone else needs to approve this").waitFor();
  await look("bulk-waits");
  await page.getByRole("link", { name: "View approval" }).click();
  await page.getByRole("heading", { level: 1, name: "Approval: Bulk payout" }).waitFor();
  await page.getByText("You requested this").waitFor();
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  await look("bulk-approval");
});

test("a payout of a later day is listed and cancelled", async () => {
  await opened.goTo("/bulk-payouts/scheduled");
  await page.getByText("No scheduled payouts").waitFor();
  await look("scheduled-empty");
  const beneficiary = await merchant.addBeneficiary({ upi: "uma@upi" });
  await opened.goTo(`/transfers/new?beneficiary=${beneficiary}&amount=500.00`);
  const later = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 5 }).toString();
  await page.getByRole("button", { name: "Payment date and reference" }).click();
  await page.getByLabel("Payment date").fill(later);
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Transfer" }).click();
  await page.getByRole("heading", { level: 1, name: "Scheduled payouts" }).waitFor();
  await page.getByText("500.00").first().waitFor();
  await look("scheduled");
  await page.getByRole("button", { name: "Cancel" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).last().click();
  await page.getByText("No scheduled payouts").waitFor();
  expect(await merchant.available()).toBe("2009.00");
});
