// Subscriptions, messages, the audit log and the API reference, in a browser.
// What belongs here: walks through those pages, and what a role may not do there.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, TestMerchant } from "../support/installation.ts";

const CUSTOMER = { customer_code: "C1", customer_name: "Meera Stores", email: "meera@example.com" };

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let owner: Browser;
let subscriptionId: string;

beforeAll(async () => {
  site = await Installation.start();
  browser = await TestBrowser.start(site.server.baseUrl);
  const operator = await Browser.signIn(site, await newPerson(site, null, "Operator"));
  const draft = { name: "Asha Traders", email: "asha@example.com", state: "Karnataka" };
  const { body: created } = await operator.post("/merchants", draft);
  merchant = await TestMerchant.signIn(site, created.merchant.merchant_id, created);
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  const { today } = (await owner.get("/session")).body.merchant;
  const rows = [{ item: "Rent", description: "Shop", total_amount: "1000.00" }];
  const saved = await merchant.post("/api/v1/merchant/subscription/save", {
    access_key_id: merchant.keys.access_key_id,
    secret_access_key: merchant.keys.secret_access_key,
    mode: "Monthly",
    repeat_every: 1,
    start_date: today,
    due_date: today,
    end_mode: "Never",
    invoice: { new_customer: CUSTOMER, customer_code: CUSTOMER.customer_code, particular_rows: rows },
  });
  subscriptionId = saved.body.srvrsp?.subscription_id;
  if (!subscriptionId) throw new Error(`not saved: ${JSON.stringify(saved.body)}`);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** The page as it is now, on a phone in the dark as well: nothing complains, nothing scrolls sideways. */
async function look(opened: TestPage, name: string): Promise<void> {
  expect(await browser.lookAt(opened, name, owner), name).toEqual([]);
}

test("a subscription is found, paused and resumed, with what it made", async () => {
  const opened = await browser.open("/subscriptions?status=Active", { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "Meera Stores" }).waitFor();
  await look(opened, "subscriptions");
  await page.getByRole("link", { name: "Meera Stores" }).click();
  await page.getByText("Billed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("The subscription is paused.").waitFor();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await look(opened, "subscription");
  expect((await owner.get(`/subscriptions/${subscriptionId}`)).body.subscription.status).toBe("Paused");

  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const theirs = await browser.open(`/subscriptions/${subscriptionId}`, { as: viewer });
  await theirs.page.getByText("Billed", { exact: true }).waitFor();
  expect(await theirs.page.getByRole("button", { name: "Resume" }).count()).toBe(0);
  const refused = await viewer.post(`/subscriptions/${subscriptionId}/resume`, {});
  expect([refused.status, refused.body.code]).toEqual([403, "access_denied"]);
  await theirs.page.context().close();

  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await page.getByText("The subscription is active.").waitFor();
  await page.context().close();
});

test("reminders are set, and a wrong day stays to be put right", async () => {
  const opened = await browser.open("/settings/messages", { as: owner });
  const { page } = opened;
  await page.getByLabel("Reminder days").fill("3, x");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/Type whole numbers/).waitFor();
  await page.getByLabel("Reminder days").fill("7, -3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The settings are saved.").waitFor();
  await look(opened, "messages");
  expect((await owner.get("/notification-settings")).body.reminder_days).toEqual([-3, 7]);
  await page.context().close();
});

test("the audit log says who changed the reminders, and what was before", async () => {
  const opened = await browser.open("/settings/audit?type=notification_setting.changed", { as: owner });
  const { page } = opened;
  await page
    .getByRole("button", { name: /^Show entry/ })
    .first()
    .click();
  await page.getByRole("dialog").getByText("[-3,7]").waitFor();
  await opened.picture("audit-entry");
  expect(await opened.findProblems()).toEqual([]);
  await page.keyboard.press("Escape");
  await look(opened, "audit");
  await page.context().close();
});

test("the API reference shows fields and a curl line", async () => {
  const opened = await browser.open("/reference?search=subscription", { as: owner });
  const { page } = opened;
  await page.getByRole("button", { name: /subscription\/save/ }).click();
  await page.getByText("invoice.particular_rows[]", { exact: true }).waitFor();
  const curl = await page.getByText(/curl -X POST/).textContent();
  expect(curl).toContain("/api/v1/merchant/subscription/save");
  await look(opened, "reference");
  await page.context().close();
});
