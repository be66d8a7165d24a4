// Subscriptions, messages, the audit log and the API reference, in a browser.
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
let today: string;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  const operator = await Browser.signIn(site, await newPerson(site, null, "Operator"));
  const draft = { name: "Asha Traders", email: "asha@example.com", state: "Karnataka" };
  const { body: created } = await operator.post("/merchants", draft);
  merchant = await TestMerchant.signIn(site, created.merchant.merchant_id, created);
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  today = (await owner.get("/session")).body.merchant.today as string;
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
  expect(await browser.lookAt(opened, name), name).toEqual([]);
}

test("a subscription is made from a customer's page: its dates and amount are seen before, and it is made once", async () => {
  const { customers } = (await owner.get("/customers")).body as { customers: { customer_id: string }[] };
  const opened = await browser.open(`/customers/${customers[0]!.customer_id}`, { as: owner });
  const { page } = opened;
  await opened.chooseMore("New subscription");
  await page.getByRole("heading", { name: "New subscription", level: 1 }).waitFor();
  const customer = page.getByRole("combobox", { name: "Customer" });
  await expect.poll(() => customer.inputValue()).toBe("Meera Stores (C1)");
  await page.getByLabel("First invoice").fill("2027-01-31");
  await page.getByLabel("First due date").fill("2027-02-07");
  // The due date goes along.
  await page.getByLabel("First invoice").fill("2027-03-31");
  expect(await page.getByLabel("First due date").inputValue()).toBe("07/04/2027");
  await page.getByLabel("Ends").selectOption("Occurences");
  await page.getByLabel("Number of invoices").fill("3");
  await page.getByRole("cell", { name: "30 Apr 2027" }).waitFor();
  await page.getByText("3 invoices in total.").waitFor();
  await page.getByRole("button", { name: "Save subscription" }).click();
  await page
    .getByText(/Must have at least one row/)
    .first()
    .waitFor();
  await opened.picture("subscription-new-refused");
  await page.getByLabel("Item", { exact: true }).fill("Maintenance");
  await page.getByLabel("GST %").fill("18");
  await page.getByLabel("Amount", { exact: true }).fill("2,500.50");
  await expect.poll(() => page.getByTestId("total").textContent()).toBe("₹2,500.50");
  // A date in the past bills at once, and the page says so before.
  await page.locator("select").and(page.getByLabel("Unit")).selectOption("Daily");
  await page.getByLabel("First invoice").fill(Temporal.PlainDate.from(today).subtract({ days: 1 }).toString());
  await page.getByText("Saving creates 2 invoices now: their dates are today or earlier.").waitFor();
  await opened.pictures("subscription-new");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Save subscription" }).dblclick();
  await page.getByRole("heading", { name: "Subscription of Meera Stores" }).waitFor();
  await page.getByText("After 3 invoices").waitFor();
  await page.getByRole("cell", { name: "Maintenance" }).waitFor();
  expect((await owner.get("/subscriptions?search=C1")).body.subscriptions).toHaveLength(2);

  await page.getByRole("link", { name: "All subscriptions" }).click();
  await page.getByRole("cell", { name: "2,500.50" }).waitFor();
  await page.getByRole("navigation", { name: "Status" }).getByRole("link", { name: "Active", exact: true }).click();
  await page.waitForURL("**status=Active**");
  await page.getByRole("button", { name: "Next invoice" }).click();
  await page.waitForURL("**sort=next_invoice_date**");
  await page.getByRole("combobox", { name: "Customer" }).fill("meera");
  await page.getByRole("option", { name: "Meera Stores (C1)" }).click();
  await page.waitForURL("**customer=C1**");
  await look(opened, "subscriptions-filtered");
  await page.context().close();
});

test("a subscription is found, paused and resumed, with what it made", async () => {
  const opened = await browser.open("/subscriptions?search=Meera&sort=created", { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "Meera Stores" }).first().click();
  await page.getByText("Billed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText(/^No invoices are created until you resume; the next was due on/).waitFor();
  await opened.pictures("subscription-pause");
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("Subscription paused.").waitFor();
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
  await page.getByText("Subscription active.").waitFor();
  await page.context().close();
});

test("reminders are set, and a wrong day stays to be put right", async () => {
  const opened = await browser.open("/settings/messages", { as: owner });
  const { page } = opened;
  const states = page.getByRole("navigation", { name: "Status" });
  await states.getByRole("link", { name: "Failed" }).click();
  await page.waitForURL(/\/settings\/messages\?state=Failed$/);
  await page.getByText("No results").waitFor();
  expect(await states.locator("[aria-current]").textContent()).toBe("Failed");
  await page.goBack();
  await page.getByLabel("Reminder days").fill("3, x");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/Enter whole numbers/).waitFor();
  await page.getByLabel("Reminder days").fill("7, -3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Settings saved.").waitFor();
  const panelOf = (name: string) => page.locator("section").filter({ has: page.getByRole("heading", { name }) });
  const above = (await panelOf("Reminders and channels").boundingBox())!;
  const below = (await panelOf("Unblock address").boundingBox())!;
  expect(below.y - above.y - above.height, "room between panels").toBeGreaterThan(8);
  await look(opened, "messages");
  expect((await owner.get("/notification-settings")).body.reminder_days).toEqual([-3, 7]);
  // The usual days are chips, which change what is typed.
  await page.getByText("On the due date", { exact: true }).click();
  await page.getByText("7 days after", { exact: true }).click();
  expect(await page.getByLabel("Reminder days").inputValue()).toBe("-3, 0");
  expect(await page.getByRole("checkbox", { name: "3 days before" }).isChecked()).toBe(true);
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await owner.get("/notification-settings")).body.reminder_days).toEqual([-3, 0]);
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
  const { email } = (await owner.get("/session")).body;
  await page
    .getByRole("button", { name: `Changes by: ${email}` })
    .first()
    .click();
  await page.waitForURL(/actor=user%3A/);
  await page.getByLabel("Action", { exact: true }).selectOption("Sign-in");
  await page.getByText("Sign-in: signed in").first().waitFor();
  await page.getByLabel("From", { exact: true }).fill("2020-01-01");
  await page.getByLabel("To", { exact: true }).fill("2020-01-31");
  await page.getByText("No results").waitFor();
  await look(opened, "audit-none");
  await page.getByRole("button", { name: "Clear filters" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  expect((await download).suggestedFilename()).toBe("audit.csv");
  await opened.goTo("/customers?search=Meera");
  await page.getByRole("link", { name: "Meera Stores" }).click();
  await opened.chooseMore("History");
  await page.getByText("Customer: created").waitFor();
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
