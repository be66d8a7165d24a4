// Franchises in the dashboard: made, changed, settled and deleted; and what a franchise that signs in sees of it all.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fundMerchant } from "../../src/ledger/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, keepFirstPassword, newPerson, type Person } from "../support/dashboard.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const PASSWORD = "a long enough secret";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  await fund(invoices, 5_000_00n);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function fund({ merchant: { id } }: Invoices, amountPaise: bigint): Promise<void> {
  const find = "select bucket from merchant where merchant_id = $1";
  const { rows } = await site.pool.query<{ bucket: number }>(find, [id]);
  const merchant = { bucket: rows[0]!.bucket, merchantId: BigInt(id) };
  await fundMerchant(site.pool, new IdSource(site.pool), { ...merchant, amountPaise, reference: "opening" });
}

async function openAs(person: Person, path: string, options: Parameters<TestBrowser["open"]>[1] = {}) {
  const api = await Browser.signIn(site, person);
  const opened = await browser.open(path, { ...options, as: api });
  return { api, opened, page: opened.page };
}

async function look(opened: TestPage, name: string): Promise<void> {
  await opened.picture(name);
  expect(await opened.findProblems(), name).toEqual([]);
}

/** An invoice of 1000.00 of a franchise, fully paid. */
async function earn(invoices: Invoices, franchiseId: string, customerCode: string): Promise<void> {
  const invoice = {
    franchise_id: franchiseId,
    particular_rows: [{ item: "Work", total_amount: "1000.00" }],
    new_customer: { customer_code: customerCode, customer_name: `Customer ${customerCode}` },
  };
  const saved = await invoices.add(invoice);
  await invoices.pay(saved["invoice_id"], "1000.00");
}

test("an owner makes a franchise with a login, sees its commission, settles it with words, and deletes it", async () => {
  const owner = await newPerson(site, invoices.merchant.id);
  const { api, opened, page } = await openAs(owner, "/franchises");
  await page.getByText("No franchises yet").waitFor();
  await look(opened, "franchises-empty");
  await opened.goTo("/franchises/new");
  const fill = (name: string, value: string) => page.getByRole("textbox", { name, exact: true }).fill(value);
  await fill("Code", "PUNE");
  await fill("Name", "Pune Branch");
  await fill("Contact person", "Meera Shah");
  await fill("E-mail", "pune@example.com");
  await fill("Mobile", "9730946150");
  await fill("PAN", "AAACI1234K");
  await fill("Aadhaar number", "234123412347");
  await page.getByText("This number's check digit is wrong").waitFor();
  await fill("Aadhaar number", "");
  await fill("Percentage or amount", "12.5");
  await page.getByLabel("Pay commission to a bank account").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is required for online settlement").first().waitFor();
  expect(await page.getByRole("textbox", { name: "Code", exact: true }).inputValue()).toBe("PUNE");
  await look(opened, "franchise-refused");
  await fill("Account holder", "Meera Shah");
  await fill("Account number", GOOD_ACCOUNT.account_number);
  await fill("IFSC", GOOD_ACCOUNT.ifsc);
  await fill("Bank", "Yes Bank");
  await page.getByLabel("Let the franchise sign in", { exact: false }).check();
  await fill("Sign-in e-mail", "pune.login@example.com");
  await page.getByRole("textbox", { name: "Temporary password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Pune Branch" }).waitFor();
  const franchiseId = page.url().split("/").at(-1)!;

  await earn(invoices, franchiseId, "OWN-1");
  await opened.goTo(`/franchises/${franchiseId}`);
  await page.getByRole("cell", { name: "125.00" }).waitFor();
  await look(opened, "franchise");
  await page.getByRole("button", { name: "Pay commission" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^Rupees One Hundred/).waitFor();
  await look(opened, "franchise-settle");
  await dialog.getByRole("button", { name: "Pay commission" }).dblclick();
  await dialog.waitFor({ state: "hidden" });
  // The page follows the payout by itself, until the bank has paid.
  const payouts = page.getByRole("region", { name: /^Payouts/ });
  await payouts.getByRole("row").nth(1).getByText("Paid", { exact: true }).waitFor();
  expect(await payouts.getByRole("row").count()).toBe(2);
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Statement" }).click();
  const statement = page.getByRole("table", { name: "Commission statement" });
  await statement.getByRole("row", { name: /Payout .*125\.00/ }).waitFor();
  await statement.getByRole("row", { name: /Commission .*125\.00/ }).waitFor();
  await opened.pictures("franchise-statement");
  expect(await opened.findProblems()).toEqual([]);
  const csv = await page.getByRole("link", { name: "CSV" }).getAttribute("href");
  const { status, bytes } = await api.getFile(csv!.slice("/api/v4".length));
  expect([status, Buffer.from(bytes).toString("utf8").trim().split("\r\n").length]).toEqual([200, 3]);
  await page.getByRole("link", { name: "Overview" }).click();
  // Nothing more is due.
  await page.getByRole("button", { name: "Pay commission" }).waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Edit contact" }).click();
  await fill("City", "Pune");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Pune", { exact: true }).waitFor();
  const { rows } = await site.pool.query("select from franchise where pan_number = '' and merchant_id = $1", [
    invoices.merchant.id,
  ]);
  expect(rows, "what was not typed again stays").toEqual([]);
  await opened.goTo("/franchises?status=active");
  await page.getByRole("link", { name: "Pune Branch" }).waitFor();
  await look(opened, "franchises");
  await page.context().close();
});

test("all that is due is settled with one question, and a franchise without an account is named", async () => {
  const shop = await Invoices.ofNewMerchant(site, { name: "Branch Traders" });
  await fund(shop, 400_00n);
  const withAccount = { ...FRANCHISE_LEAST, bank_holder_name: "Meera Shah", ...GOOD_ACCOUNT, bank_name: "Yes Bank" };
  const made = async (members: object, code: string, name: string): Promise<string> => {
    const franchise = { ...members, franchise_code: code, franchise_name: name };
    const { body } = await shop.merchant.post("/api/v1/franchise/save", franchise);
    const id = String(body["franchise_id"]);
    await earn(shop, id, code);
    return id;
  };
  const first = await made(withAccount, "ONE", "First Branch");
  await made(withAccount, "TWO", "Second Branch");
  await made(FRANCHISE_LEAST, "BARE", "Bare Branch");
  const { opened, page, api } = await openAs(await newPerson(site, shop.merchant.id), "/franchises");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Settle all due" }).click();
  await dialog.getByText("Pay 2 franchises").waitFor();
  await dialog.getByText("Not included: no bank account").waitFor();
  await opened.pictures("franchises-settle-all");
  expect(await opened.findProblems()).toEqual([]);
  // Another tab pays the first one meanwhile: it isn't paid twice.
  const { franchise } = (await api.get(`/franchises/${first}`)).body as { franchise: { payable: string } };
  expect(
    (await api.post(`/franchises/${first}/settle`, { amount: franchise.payable })).body["transfer_id"],
  ).toBeTruthy();
  await dialog.getByRole("button", { name: "Settle all due" }).dblclick();
  await page.getByText("1 transfer started.").waitFor();
  await page.getByText("1 franchise was not paid").waitFor();
  await page.getByRole("listitem").getByRole("link", { name: "First Branch" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  const { transfers } = (await api.get("/transfers")).body as { transfers: { amount: string }[] };
  expect(transfers.map(({ amount }) => amount)).toEqual([franchise.payable, franchise.payable]);

  await page.getByRole("button", { name: "Settle all due" }).click();
  await dialog.getByText(/^Nothing is ready to pay out/).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
});

test("commission that was paid in cash is recorded, and taken back on a phone without scrolling sideways", async () => {
  const owner = await newPerson(site, invoices.merchant.id);
  const made = await invoices.merchant.post("/api/v1/franchise/save", { ...FRANCHISE_LEAST, franchise_code: "CASH" });
  const franchiseId = String(made.body["franchise_id"]);
  await earn(invoices, franchiseId, "CASH-1");
  const { opened, page } = await openAs(owner, `/franchises/${franchiseId}`);
  await page.getByRole("button", { name: "Record payment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount").fill("99999");
  expect(await dialog.getByText(/^Rupees Ninety-Nine Thousand/).count(), "said once").toBe(1);
  await dialog.getByRole("button", { name: "Record payment" }).click();
  await dialog.getByText(/record at most that much/).waitFor();
  await look(opened, "franchise-payment-refused");
  await dialog.getByLabel("Amount").fill("5");
  await dialog.getByRole("button", { name: "Record payment" }).click();
  await dialog.waitFor({ state: "hidden" });

  const phone = await openAs(owner, `/franchises/${franchiseId}`, { size: "phone" });
  const reverse = phone.page.getByRole("button", { name: /^Reverse/ });
  await reverse.scrollIntoViewIfNeeded();
  const box = (await reverse.boundingBox())!;
  expect(box.x + box.width, "its right edge").toBeLessThanOrEqual(360);
  await look(phone.opened, "franchise-payment-phone");
});

test("an owner changes commission, bank account and sign-in, and a second person approves the account", async () => {
  const owner = await newPerson(site, invoices.merchant.id);
  const { api, opened, page } = await openAs(owner, "/franchises?search=PUNE");
  await api.put("/payout-policy", { approve_payees: "1" });
  await page.getByRole("link", { name: "Pune Branch" }).click();
  await page.getByRole("heading", { level: 1, name: "Pune Branch" }).waitFor();
  const franchisePath = new URL(page.url()).pathname;
  const dialog = page.getByRole("dialog");
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const confirm = (name: string) => dialog.getByRole("button", { name, exact: true }).click();
  await press("Change commission");
  await dialog.getByRole("textbox", { name: "Percentage or amount" }).fill("101");
  await confirm("Change commission");
  await dialog.getByText("Must be a percentage from 0 to 100.").waitFor();
  await look(opened, "franchise-terms-refused");
  await dialog.getByRole("textbox", { name: "Percentage or amount" }).fill("20");
  await dialog.getByLabel("Payout").selectOption("Auto");
  await confirm("Change commission");
  await page.getByText("20.00% · Percentage of payments received").waitFor();
  await page.getByRole("cell", { name: "12.50%" }).waitFor();

  await press("Change bank account");
  await dialog.getByRole("textbox", { name: "Account number", exact: true }).fill("00011020001772");
  await dialog.getByRole("textbox", { name: "IFSC" }).fill("HDFC0000001");
  await confirm("Change bank account");
  await dialog.getByText("The account numbers don't match.").waitFor();
  await dialog.getByRole("textbox", { name: "Confirm account number" }).fill("00011020001772");
  await opened.picture("franchise-account");
  await confirm("Change bank account");
  const link = page.getByRole("link", { name: "View approval" });
  await link.waitFor();
  await page.getByText(GOOD_ACCOUNT.account_number).waitFor();
  await opened.pictures("franchise-account-waits");
  expect(await opened.findProblems()).toEqual([]);
  await link.click();
  await page.getByText(/00011020001772/).waitFor();
  await opened.picture("approval-franchise-account");
  const second = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const approved = await second.post(`/approvals/${page.url().split("/").at(-1)}/approve`, { note: "" });
  expect([approved.status, approved.body.status]).toEqual([200, "approved"]);
  await opened.goTo(franchisePath);
  await page.getByText("00011020001772").waitFor();

  await press("Disable sign-in");
  await confirm("Disable sign-in");
  await page.getByText("Sign-in disabled.").waitFor();
  const person = { email: "pune.login@example.com", password: PASSWORD, merchant: invoices.merchant.id };
  expect((await new Browser(site.server.baseUrl).post("/session/sign-in", person)).status).toBe(403);
  await press("Allow sign-in");
  await opened.picture("franchise-login");
  await confirm("Allow sign-in");
  await page.getByText("Sign-in saved.").waitFor();
  expect((await new Browser(site.server.baseUrl).post("/session/sign-in", person)).body.state).toBe("change_password");
  await page.context().close();
});

test("a franchise that signs in sees its own customers and commission, and nothing of others", async () => {
  const other = await invoices.merchant.post("/api/v1/franchise/save", { ...FRANCHISE_LEAST, commission: "10" });
  const otherId = other.body.franchise_id as string;
  await earn(invoices, otherId, "OTHER-1");
  const login: Person = {
    id: "",
    email: "pune.login@example.com",
    password: PASSWORD,
    merchant: invoices.merchant.id,
  };
  const { rows } = await site.pool.query<{ login_id: bigint }>("select login_id from login where email = $1", [
    login.email,
  ]);
  await keepFirstPassword(site.pool, rows[0]!.login_id);
  const { api, opened, page } = await openAs(login, "/franchises", { size: "phone", mode: "dark" });
  await page.getByRole("heading", { level: 1, name: "Your franchise" }).waitFor();
  expect(await page.getByRole("link", { name: "Least" }).count()).toBe(0);
  await look(opened, "franchise-own-phone-dark");
  await page.getByRole("link", { name: "Pune Branch" }).click();
  await page.getByRole("cell", { name: "125.00" }).first().waitFor();
  expect(await page.getByRole("button", { name: /Pay commission|Delete/ }).count()).toBe(0);
  await look(opened, "franchise-own-detail-phone-dark");
  await opened.goTo("/customers");
  await page.getByRole("link", { name: "Customer OWN-1" }).click();
  await page.getByRole("heading", { level: 1, name: "Customer OWN-1" }).waitFor();
  await look(opened, "franchise-customer-phone-dark");
  await page.context().close();

  const list = (await api.get("/franchises")).body as { franchises: { franchise_id: string }[] };
  expect(list.franchises).toHaveLength(1);
  const ownId = list.franchises[0]!.franchise_id;
  const customers = (await api.get("/customers")).body as { customers: { customer_code: string }[] };
  expect(customers.customers.map(({ customer_code }) => customer_code)).toEqual(["OWN-1"]);
  const foreign = await site.pool.query<{ customer_id: bigint }>(
    "select customer_id from customer where customer_code = 'OTHER-1'",
  );
  const answers = await Promise.all([
    api.get(`/franchises/${otherId}`),
    api.get(`/franchises/${otherId}/commission`),
    api.get(`/customers/${foreign.rows[0]!.customer_id}`),
    api.get("/franchises.csv"),
    api.get("/customer-groups"),
    api.post(`/franchises/${ownId}/settle`, { amount: "1.00" }),
    api.put(`/franchises/${ownId}`, { franchise_name: "Mine" }),
    api.delete(`/franchises/${ownId}`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 403, 403, 403, 403, 403]);
});

test("settling pays what was agreed to or nothing, and account numbers are shown to those who may see them", async () => {
  const merchantId = invoices.merchant.id;
  const owner = await Browser.signIn(site, await newPerson(site, merchantId));
  const viewer = await Browser.signIn(site, await newPerson(site, merchantId, "Viewer"));
  const list = (await owner.get("/franchises?search=pUnE")).body as { franchises: { franchise_id: string }[] };
  const path = `/franchises/${list.franchises[0]!.franchise_id}`;
  await earn(invoices, list.franchises[0]!.franchise_id, "OWN-2");
  const wrong = await owner.post(`${path}/settle`, { amount: "199.99" });
  expect([wrong.status, wrong.body.code]).toEqual([409, "commission_changed"]);
  expect((await owner.post(`${path}/settle`, { amount: "200.00" })).body).toMatchObject({ amount: "200.00" });
  expect((await owner.post(`${path}/settle`, { amount: "200.00" })).body).toEqual({
    transfer_id: null,
    amount: "0.00",
  });
  expect((await owner.get(path)).body.franchise.account_number).toBe("00011020001772");
  expect((await viewer.get(path)).body.franchise.account_number).toMatch(/^X+1772$/);
  expect((await viewer.post(`${path}/settle`, { amount: "200.00" })).status).toBe(403);
});
