// Beneficiaries of a file in a browser: a file with mistakes, a good one, its result, and the same one again.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changePayoutPolicy, requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

const HEAD = "name,account_number,ifsc,upi,email_id";
const THERE = "Asha Rao,00011020001772,HDFC0000001,,asha@example.com";
const FRESH = ["Meera Shah,50100012345678,HDFC0000009,,meera@example.com", "Uma Iyer,,,uma.iyer@upi,"];
const MANY = Array.from({ length: 620 }, (_, index) => `Payee ${index},${5_000_000_000 + index},HDFC0000001,,`);

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let opened: TestPage;
let page: Page;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ fund: "10.00" });
  const owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  opened = await browser.open("/beneficiaries", { as: owner });
  ({ page } = opened);
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
  const buffer = Buffer.from(`${[HEAD, ...lines].join("\n")}\n`);
  await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/csv", buffer });
  await page.getByText("2. Review").waitFor();
}

test("a file with mistakes is shown with what to do, and not taken", async () => {
  await page.getByText("No beneficiaries yet").waitFor();
  await look("import-beneficiaries-none");
  await page.getByRole("link", { name: "Import file" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Import beneficiaries" }).waitFor();
  await look("import-beneficiaries-empty");
  await choose("bad.csv", [...FRESH, "Ravi Kumar,026291800001191,,,", ",,,ravi@upi,nobody"]);
  await page.getByText("2 rows with errors").waitFor();
  await page.getByRole("cell", { name: /ifsc is required/ }).waitFor();
  expect(await page.getByRole("button", { name: /^Save/ }).count()).toBe(0);
  await look("import-beneficiaries-mistakes");
});

test("a good one saves who is new, and its result has everybody's number", async () => {
  const there = await merchant.addBeneficiary({
    name: "Asha Rao",
    account_number: "00011020001772",
    ifsc: "HDFC0000001",
  });
  await page.getByRole("button", { name: "Choose another file" }).click();
  await choose("staff.csv", [THERE, ...FRESH, FRESH[1]!]);
  await page.getByText(`Already saved: ${there}`).waitFor();
  await page.getByText("Same as row 4").first().waitFor();
  await look("import-beneficiaries-preview");
  await page.getByRole("button", { name: "Save 2 beneficiaries" }).click();
  await page.getByText("2 saved, 2 already saved").waitFor();
  await look("import-beneficiaries-done");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Result file" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("result-staff.csv");
  const rows = readFileSync(await file.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(rows[1]).toBe(`2,Asha Rao,XXXX1772,HDFC0000001,,${there},THERE_ALREADY`);
  expect(rows).toHaveLength(5);
  await page.getByRole("link", { name: "View beneficiaries" }).click();
  await page.getByRole("link", { name: "Meera Shah" }).waitFor();
  await look("import-beneficiaries-list");
});

test("a long one goes on after the connection broke, and its beneficiaries wait for a second person", async () => {
  const { pool } = site;
  const context = { pool, ids: new IdSource(pool), merchant: await requireMerchant(pool, BigInt(merchant.id)) };
  await changePayoutPolicy(context, { approvePayees: true });
  await opened.goTo("/beneficiaries/import");
  await choose("many.csv", MANY);
  await page.getByText("each new beneficiary needs approval").waitFor();
  const rest = "**/beneficiary-files?after=501";
  await page.route(rest, (route) => route.abort());
  await page.getByRole("button", { name: "Save 620 beneficiaries" }).click();
  await page.getByText("500 of 620 rows done").waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await opened.pictures("import-beneficiaries-broken");
  await page.unroute(rest);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("620 saved, 0 already saved").waitFor();
  await page.getByRole("link", { name: "View approvals" }).waitFor();
  await look("import-beneficiaries-waiting");
  expect(await site.findProblems()).toEqual([]);
});
