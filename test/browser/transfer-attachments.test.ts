// Files of payouts in a browser: chosen in the form of a new transfer, added and removed on its page, and read before an
// approval.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

const PDF = { name: "bill-42.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\nBill 42\n%%EOF") };
/** Not what its name says. */
const FALSE = { name: "photo.png", mimeType: "image/png", buffer: Buffer.from("<script>alert(1)</script>") };
const LARGE = { name: "scan.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(5 * 1024 * 1024 + 1, "%PDF-") };

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
  opened = await browser.open(`/transfers/new?beneficiary=${payee}`, { as: owner });
  ({ page } = opened);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const choose = (...files: (typeof PDF)[]) => page.locator("input[type=file]").setInputFiles(files);

test("are attached once the transfer exists; one that can't be attached leaves the transfer as it is", async () => {
  await page.getByRole("button", { name: "Change" }).waitFor();
  await page.getByRole("textbox", { name: "Amount" }).fill("250");
  await choose(LARGE);
  await page.getByText("scan.pdf is larger than 5 MB").waitFor();
  await choose(PDF, FALSE);
  await page.getByRole("button", { name: "Remove photo.png" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Review" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("bill-42.pdf, photo.png").waitFor();
  await dialog.getByRole("button", { name: "Transfer now" }).click();
  await page.getByRole("heading", { level: 1, name: /^₹250/ }).waitFor();
  await page.getByText("photo.png couldn't be attached", { exact: false }).waitFor();
  await page.getByRole("link", { name: "bill-42.pdf" }).waitFor();
});

test("are downloaded, added and removed on the payout's page", async () => {
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "bill-42.pdf" }).click();
  expect((await download).suggestedFilename()).toBe("bill-42.pdf");
  await choose({ ...PDF, name: "more.pdf" });
  await page.getByRole("link", { name: "more.pdf" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Remove bill-42.pdf" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("Attachment removed.").waitFor();
  await page.getByRole("link", { name: "bill-42.pdf" }).waitFor({ state: "detached" });
  expect(await page.getByRole("link", { name: "more.pdf" }).count()).toBe(1);
});

test("are read by the person who approves, who changes none", async () => {
  await owner.put("/payout-policy", { approve_over: "1000" });
  const asked = { beneficiary_id: payee, amount: "2000.00", reference_id: "WITH-BILL" };
  const { body } = await owner.post("/transfers", asked);
  const id = String(body["transfer_id"]);
  const type = { "content-type": PDF.mimeType };
  await owner.post(`/transfers/${id}/attachments?file_name=${PDF.name}`, PDF.buffer, type);
  const approver = await Browser.signIn(site, await newPerson(site, merchant.id));
  const approval = await browser.open(`/approvals/${id}`, { as: approver });
  await approval.page.getByRole("link", { name: PDF.name }).waitFor();
  await approval.page.getByRole("button", { name: "Approve" }).waitFor();
  expect(await approval.page.getByRole("button", { name: "Attach a bill" }).count()).toBe(0);
  expect(await approval.findProblems()).toEqual([]);
});
