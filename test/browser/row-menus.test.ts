// Lists of transfers, beneficiaries, subscriptions and approvals in a browser: their tabs, rows that open, and a menu in each row
// that offers what the record's page does. What filters find is test/dashboard/payouts.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { makeBusyMerchant, type BusyMerchant } from "../support/busy-merchant.ts";
import { Installation } from "../support/installation.ts";

const PAID = "₹12,345.00 to Asha Rao";
const RETURNED = "₹52,345.40 to Returned Rubber";

let site: Installation;
let browser: TestBrowser;
let busy: BusyMerchant;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.start({ WEBHOOK_ALLOW_PRIVATE: "on", DASHBOARD_RATE_LIMIT_PER_MINUTE: "10000" });
  browser = await TestBrowser.shared(site.server.baseUrl);
  busy = await makeBusyMerchant(site);
  opened = await browser.open("/transfers", { as: busy.owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** The simulated bank answers in its own time. */
async function allAnswered(): Promise<void> {
  const count = async (status: string) => {
    const { transfers } = (await busy.owner.get(`/transfers?status=${status}`)).body as { transfers: unknown[] };
    return transfers.length;
  };
  await expect.poll(() => count("FAILED_OR_REVERSED"), { timeout: 60_000 }).toBe(3);
  await expect.poll(() => count("PENDING"), { timeout: 60_000 }).toBe(1);
}
const tab = (name: string) =>
  opened.page.getByRole("navigation", { name: "Status" }).getByRole("link", { name, exact: true });
const rowCount = () => opened.page.locator("tbody tr").count();

/** Opens a row's menu, once all its entries are there. */
async function entriesOf(name: string, at: TestPage = opened): Promise<string[]> {
  await at.page
    .getByRole("button", { name: `Actions for ${name}` })
    .first()
    .click();
  await at.page.getByRole("menuitem", { name: "Open", exact: true }).waitFor();
  await expect.poll(() => at.page.locator("[role=menu] .mantine-Loader-root").count()).toBe(0);
  return at.page.getByRole("menuitem").allTextContents();
}
const choose = (name: string) => opened.page.getByRole("menuitem", { name, exact: true }).click();

test("the tabs of transfers are in the address, keep the other filters, and back leads back", async () => {
  await allAnswered();
  const { page } = opened;
  const tabs = page.getByRole("navigation", { name: "Status" }).getByRole("link");
  await tab("All").waitFor();
  expect(await tabs.allTextContents()).toEqual([
    "All",
    "Pending",
    "Waiting for approval",
    "Failed or reversed",
    "Paid",
  ]);
  expect(await browser.lookAt(opened, "transfers-tabs")).toEqual([]);
  await tab("Failed or reversed").click();
  await page.waitForURL(/status=FAILED_OR_REVERSED$/);
  await expect.poll(rowCount).toBe(3);
  await tab("Waiting for approval").click();
  await page.getByText("88,000.00").waitFor();
  await expect.poll(rowCount).toBe(3);
  await page.goBack();
  await page.getByText("52,345.40").waitFor();
  expect(await tab("Failed or reversed").getAttribute("aria-current")).toBe("page");
  await opened.goTo("/transfers?kind=transfer&status=REVERSED");
  await expect.poll(rowCount).toBe(1);
  expect(await page.getByRole("navigation", { name: "Status" }).locator("[aria-current]").count()).toBe(0);
  // A status without a tab is in the filters, which are open for it.
  expect(await page.getByRole("combobox", { name: "Status" }).inputValue()).toBe("REVERSED");
  await tab("Pending").click();
  await page.waitForURL(/\?status=PENDING&kind=transfer$/);
  await page.getByText("42,345.30").waitFor();
});

test("a click in a row opens the transfer, and j goes to the next", async () => {
  await allAnswered();
  const { page } = opened;
  await opened.goTo("/transfers?status=FAILED_OR_REVERSED");
  await page.getByRole("cell", { name: "₹52,345.40", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: RETURNED }).waitFor();
  await page.goBack();
  await page.locator("tbody a").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const second = page.locator("tbody tr").nth(1).locator("a").first();
  expect(await second.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true);
});

test("the menu of a transfer offers what its page does", async () => {
  await allAnswered();
  const { page } = opened;
  await opened.goTo("/transfers");
  expect(await entriesOf(PAID)).toEqual(["Open", "Payment advice (PDF)", "Pay again"]);
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("transfers-menu");
  await choose("Open");
  await page.getByRole("link", { name: "Payment advice (PDF)" }).waitFor();
  await page.getByRole("link", { name: "Pay again" }).waitFor();
  await opened.goTo("/transfers");
  expect(await entriesOf("₹42,345.30 to Pending Papers")).toEqual(["Open", "Payment advice (PDF)"]);
  await page.keyboard.press("Escape");
  expect(await entriesOf(RETURNED)).toEqual(["Open", "Pay again"]);
  await choose("Pay again");
  await page.waitForURL(/\/transfers\/new\?/);
  expect(await page.getByRole("textbox", { name: "Amount" }).inputValue()).toBe("52345.40");
  await opened.goTo("/withdrawals");
  expect((await entriesOf("₹2,50,000.00 to ")).at(0)).toBe("Open");
});

test("a transfer that can be cancelled is cancelled from its row after a question; what the server refuses is said", async () => {
  const { page } = opened;
  // In a sandbox none waits for a provider, so the page is made to believe it.
  await page.route(/\/api\/v4\/transfers\/\d+$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), status: "PENDING", may_cancel: true } });
  });
  await opened.goTo("/transfers");
  expect(await entriesOf(PAID)).toEqual(["Open", "Payment advice (PDF)", "Cancel transfer"]);
  await choose("Cancel transfer");
  const dialog = page.getByRole("dialog", { name: /^Cancel transfer \d+\?$/ });
  await dialog.getByRole("button", { name: "Cancel transfer" }).click();
  await dialog.getByRole("alert").waitFor();
  await page.unroute(/\/api\/v4\/transfers\/\d+$/);
  await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/transfers");
});

test("a beneficiary is paid, changed and deactivated from its row", async () => {
  const { page } = opened;
  await opened.goTo("/beneficiaries");
  expect(await entriesOf("Asha Rao")).toEqual([
    "Open",
    "Pay",
    "Edit contact",
    "Verify account",
    "History",
    "Deactivate",
  ]);
  await opened.pictures("beneficiaries-menu");
  await choose("Edit contact");
  const mobile = page.getByRole("dialog").getByRole("textbox", { name: "Mobile" });
  expect(await mobile.inputValue()).toBe("9876500000");
  await mobile.fill("9876500001");
  await page.getByRole("button", { name: "Save contact" }).click();
  await page.getByText("Contact saved.").waitFor();
  await page.getByRole("cell", { name: "9876500001" }).waitFor();
  expect(await browser.lookAt(opened, "beneficiaries-list")).toEqual([]);
  await entriesOf("Asha Rao");
  await choose("Pay");
  await page.waitForURL(new RegExp(`/transfers/new\\?beneficiary=${busy.ids["$beneficiaryId"]!}`));
  await opened.goTo("/beneficiaries");
  await entriesOf("Failing Fabrics");
  await choose("Deactivate");
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("Beneficiary deactivated.").waitFor();
  expect(await entriesOf("Failing Fabrics")).toEqual(["Open", "Edit contact", "History"]);
  await page.keyboard.press("Escape");
});

test("a franchise is changed or deleted from its row, and the tabs have the deleted ones", async () => {
  const { page } = opened;
  const name = "Pune and Pimpri-Chinchwad Branch";
  await opened.goTo("/franchises");
  const entries = await entriesOf(name);
  expect([entries[0], ...entries.slice(-3)]).toEqual(["Open", "Edit contact", "History", "Delete"]);
  await page.keyboard.press("Escape");
  expect(await browser.lookAt(opened, "franchises-tabs")).toEqual([]);
  await tab("Deleted").click();
  await page.getByText("No results").waitFor();
  await page.goBack();
  await page.getByRole("link", { name }).waitFor();
  const viewing = await browser.open("/franchises", { as: busy.viewer });
  expect(await entriesOf(name, viewing)).toEqual(["Open"]);
  await viewing.page.context().close();
});

test("a subscription is paused and resumed from its row; another tab has no order that only active ones have", async () => {
  const { page } = opened;
  const path = `/subscriptions/${busy.ids["$subscriptionId"]!}`;
  const status = async () => ((await busy.owner.get(path)).body["subscription"] as { status: string }).status;
  const name = /^Actions for Subscription of/;
  await opened.goTo("/subscriptions");
  expect(await browser.lookAt(opened, "subscriptions-tabs")).toEqual([]);
  await tab("Active").click();
  await page.getByRole("button", { name: "Next invoice" }).click();
  await page.waitForURL(/sort=next_invoice_date/);
  await page.getByRole("button", { name }).click();
  await page.getByRole("menuitem", { name: "Pause" }).waitFor();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Open", "Pause", "Cancel subscription"]);
  await opened.pictures("subscriptions-menu");
  await choose("Pause");
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("Subscription paused.").waitFor();
  expect(await status()).toBe("Paused");
  await page.getByText("No results").waitFor();
  await tab("Paused").click();
  await page.waitForURL(/\?status=Paused$/);
  await page.getByRole("button", { name }).click();
  await choose("Resume");
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await page.getByText("Subscription active.").waitFor();
  expect(await status()).toBe("Active");
  await tab("All").click();
  await page.getByRole("cell", { name: "Every month" }).click();
  await page.waitForURL(new RegExp(`${path}$`));
});

test("a request is approved or withdrawn from its row; the tabs have the decided ones", async () => {
  const { page } = opened;
  await opened.goTo("/approvals");
  await page.getByRole("cell", { name: "1,23,456.78" }).waitFor();
  expect(await rowCount()).toBe(3);
  const menuOf = async (amount: string): Promise<string[]> => {
    await page
      .getByRole("row")
      .filter({ hasText: amount })
      .getByRole("button", { name: "Actions for Transfer, Asha Rao" })
      .click();
    await page.getByRole("menuitem", { name: "Open", exact: true }).waitFor();
    return page.getByRole("menuitem").allTextContents();
  };
  expect(await menuOf("75,000.00")).toEqual(["Open", "Approve", "Reject"]);
  await choose("Approve");
  const dialog = page.getByRole("dialog", { name: "Approve 1 request?" });
  await dialog.getByText("Seventy-Five Thousand", { exact: false }).waitFor();
  await dialog.getByText("Transfer, Asha Rao").waitFor();
  await opened.pictures("approvals-row-approve");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Approve" }).click();
  await page.getByText("1 approved.").waitFor();
  await expect.poll(rowCount).toBe(2);
  expect(await menuOf("88,000.00")).toEqual(["Open", "Withdraw"]);
  await choose("Withdraw");
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("Request withdrawn.").waitFor();
  await expect.poll(rowCount).toBe(1);
  await tab("Decided").click();
  await page.waitForURL(/status=decided$/);
  await expect.poll(rowCount).toBe(2);
  expect(await menuOf("75,000.00")).toEqual(["Open"]);
  await page.keyboard.press("Escape");
  expect(await browser.lookAt(opened, "approvals-tabs")).toEqual([]);
  await page.goBack();
  await page.getByRole("cell", { name: "1,23,456.78" }).click();
  await page.getByRole("heading", { level: 1, name: "Approval: Transfer" }).waitFor();
});

test("a viewer's menus have what he may do", async () => {
  const viewing = await browser.open("/transfers", { as: busy.viewer });
  expect(await entriesOf(PAID, viewing)).toEqual(["Open", "Payment advice (PDF)"]);
  for (const [path, name] of [
    ["/beneficiaries", "Asha Rao"],
    ["/subscriptions", "Subscription of"],
    ["/approvals", "Transfer, Asha Rao"],
  ] as const) {
    await viewing.goTo(path);
    expect(await entriesOf(name, viewing), path).toEqual(["Open"]);
  }
  expect(await viewing.findProblems()).toEqual([]);
  await viewing.page.context().close();
});
