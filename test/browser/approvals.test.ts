// Approvals in a browser: what waits is counted in the menu, several are decided at once, and who has asked withdraws.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let beneficiary_id: string;
let maker: Browser;
let checker: Browser;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ fund: "500000.00", bank: GOOD_ACCOUNT });
  beneficiary_id = await merchant.addBeneficiary();
  maker = await Browser.signIn(site, await newPerson(site, merchant.id));
  checker = await Browser.signIn(site, await newPerson(site, merchant.id));
  await maker.put("/payout-policy", { approve_over: "0.00" });
  opened = await browser.open("/approvals", { as: checker });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function waiting(amount: string, by = maker): Promise<string> {
  const { body } = await by.post("/transfers", { beneficiary_id, amount, reference_id: `r-${amount}` });
  return String(body["transfer_id"]);
}

/** What is wrong on the page. Both sizes are looked at. */
const look = (name: string): Promise<string[]> => browser.lookAt(opened, name);
const menu = () => opened.page.getByRole("navigation", { name: "Main navigation" });

test("nothing waits: no count in the menu, and nothing to select", async () => {
  await opened.page.getByText("No pending approvals").waitFor();
  expect(await menu().getByText("waiting for you").count()).toBe(0);
  expect(await opened.page.getByRole("checkbox").count()).toBe(0);
});

test("the menu counts what waits for me, and not what I have asked for", async () => {
  for (const amount of ["1200.00", "3400.00", "5600.00"]) await waiting(amount);
  await waiting("99.00", checker);
  await opened.goTo("/approvals");
  await menu().getByRole("link", { name: "Approvals 3 waiting for you" }).waitFor();
  expect(await look("approvals-open")).toEqual([]);
});

test("several are approved at once, after their sum was shown", async () => {
  const { page } = opened;
  // The own one has no box.
  expect(await page.getByRole("checkbox").count()).toBe(4);
  const [first, , third] = await page.getByRole("checkbox", { name: "Select: Transfer, Asha Rao" }).all();
  await first!.check();
  await third!.check();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("₹6,800.00").waitFor();
  await dialog.getByText("Six Thousand Eight Hundred", { exact: false }).waitFor();
  await opened.pictures("approvals-many");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Approve" }).click();
  await page.getByText("2 approved.").waitFor();
  await menu().getByRole("link", { name: "Approvals 1 waiting for you" }).waitFor();
});

test("one that was decided meanwhile is named, and the others are decided", async () => {
  const { page } = opened;
  const late = await waiting("7800.00");
  await opened.goTo("/approvals");
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByText("2 selected").waitFor();
  await maker.post(`/approvals/${late}/withdraw`, { note: "Typed wrongly" });
  await page.getByRole("button", { name: "Reject" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await dialog.getByText("Enter a reason.").waitFor();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("No bill was attached");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await page.getByText("1 request not decided").waitFor();
  await page.getByText("was already withdrawn", { exact: false }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.goTo("/approvals?status=decided");
  await page.getByText("No bill was attached").waitFor();
  await page.getByText("Typed wrongly").waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
  expect(await look("approvals-decided")).toEqual([]);
});

test("who has asked is offered to withdraw and no more; what is decided has no buttons", async () => {
  const { page } = opened;
  await opened.goTo("/approvals");
  await page.getByRole("link", { name: "Transfer", exact: true }).first().click();
  await page.getByText("You requested this").waitFor();
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Reject" }).count()).toBe(0);
  expect(await look("approval-own")).toEqual([]);
  await page.getByRole("button", { name: "Withdraw" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Reason (optional)" }).fill("Twice");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("Withdrawn", { exact: true }).waitFor();
  expect(await page.getByRole("heading", { name: "Decision" }).count()).toBe(0);
  expect(await merchant.available()).toBe("493200.00");
});

test("one is rejected with a reason, and not without", async () => {
  const { page } = opened;
  await opened.goTo(`/approvals/${await waiting("15.00")}`);
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByText("Enter a reason.").waitFor();
  await page.getByRole("textbox", { name: "Note" }).fill("Not ours");
  expect(await look("approval-to-decide")).toEqual([]);
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByText("Rejected", { exact: true }).waitFor();
  await page.getByText("Not ours").waitFor();
  await page.getByRole("link", { name: "Asha Rao" }).click();
  await page.getByText(/@.* rejected this: “Not ours”\. Nothing was paid/).waitFor();
  expect(await page.getByText("The bank refused", { exact: false }).count()).toBe(0);
  expect(
    await page
      .getByRole("listitem")
      .filter({ hasText: /^Rejected/ })
      .count(),
  ).toBe(1);
  expect(await look("payout-not-approved")).toEqual([]);
});

test("on a phone the amount is in sight where an access key has asked", async () => {
  await merchant.transfer({ beneficiary_id, amount: "123456.78", reference_id: "by-key", narrative: "By key" });
  const phone = await browser.open("/approvals", { as: checker, size: "phone" });
  const amount = phone.page.getByRole("cell", { name: "₹1,23,456.78" });
  await amount.waitFor();
  await phone.page
    .getByText(/nk_sandbox_/)
    .first()
    .waitFor();
  const box = (await amount.boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(360);
  expect(await phone.findProblems()).toEqual([]);
});

test("mail about approvals is switched off and on by oneself, and stays so; who decides none is not asked", async () => {
  const { page } = opened;
  await opened.goTo("/security");
  const box = page.getByRole("switch", { name: "E-mail me about approvals" });
  expect(await box.isChecked()).toBe(true);
  await box.click();
  await page.getByText("Approval e-mails turned off.").waitFor();
  expect(await box.isChecked()).toBe(false);
  expect((await checker.get("/session")).body["approval_mail"]).toBe(false);
  await opened.goTo("/security");
  await box.waitFor();
  expect(await box.isChecked()).toBe(false);
  expect(await look("security-approval-mail")).toEqual([]);
  await box.click();
  await page.getByText("Approval e-mails turned on.").waitFor();
  expect((await checker.get("/session")).body["approval_mail"]).toBe(true);
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const other = await browser.open("/security", { as: viewer });
  await other.page.getByRole("heading", { name: "Sessions" }).waitFor();
  expect(await other.page.getByRole("switch").count()).toBe(0);
});
