// Tags of payouts in a browser: in the form of a new transfer, on its page, in the list, and before an approval.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let owner: Browser;
let opened: TestPage;
let page: Page;
let payee: string;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ fund: "500000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  payee = await merchant.addBeneficiary();
  await owner.post("/transfers", { beneficiary_id: payee, amount: "7.00", reference_id: "OLD-1", tags: ["Rent 2026"] });
  opened = await browser.open(`/transfers/new?beneficiary=${payee}`, { as: owner });
  ({ page } = opened);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name });

test("are typed, or chosen among those of other payouts, in the form of a new transfer", async () => {
  await page.getByRole("button", { name: "Change" }).waitFor();
  await page.getByRole("textbox", { name: "Amount" }).fill("250");
  const field = page.getByRole("combobox", { name: "Tags" });
  await field.fill("ren");
  await page.getByRole("option", { name: "Rent 2026" }).click();
  await field.fill("#1");
  await field.press("Enter");
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByText("“#1” can't be a tag", { exact: false }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await field.press("Backspace");
  await field.fill("मरम्मत");
  await field.press("Enter");
  await page.getByRole("button", { name: "Review" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("मरम्मत").waitFor();
  await dialog.getByRole("button", { name: "Transfer now" }).click();
  await heading(/^₹250/).waitFor();
  const facts = page.locator("section", { has: page.getByRole("heading", { name: "Payment details" }) });
  await facts.getByText("Rent 2026").waitFor();
  await facts.getByText("मरम्मत").waitFor();
});

test("are changed on the payout's page, and narrow the list down", async () => {
  await page.getByRole("button", { name: "Change tags" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Tags" }).fill("Urgent");
  await dialog.getByRole("combobox", { name: "Tags" }).press("Enter");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Save tags" }).click();
  await page.getByText("Tags saved.").waitFor();
  await opened.goTo("/transfers");
  await page.getByText("Rent 2026, मरम्मत, Urgent").waitFor();
  await page.getByRole("combobox", { name: "Tag" }).fill("urg");
  await page.getByRole("option", { name: "Urgent" }).click();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  expect(new URL(page.url()).searchParams.get("tag")).toBe("Urgent");
  expect(await opened.findProblems()).toEqual([]);
});

test("are seen by the person who approves, and by people who may not change them", async () => {
  await owner.put("/payout-policy", { approve_over: "1000" });
  const asked = { beneficiary_id: payee, amount: "2000.00", reference_id: "WAITS-1", tags: ["Bonus"] };
  const { body } = await owner.post("/transfers", asked);
  const approver = await Browser.signIn(site, await newPerson(site, merchant.id));
  const approval = await browser.open(`/approvals/${String(body["transfer_id"])}`, { as: approver });
  await approval.page.getByText("Bonus").waitFor();
  await approval.page.getByRole("button", { name: "Approve" }).waitFor();
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const seen = await browser.open(`/transfers/${String(body["transfer_id"])}`, { as: viewer });
  await seen.page.getByText("Bonus").waitFor();
  expect(await seen.page.getByRole("button", { name: "Change tags" }).count()).toBe(0);
});
