// Going live, in a browser: what is missing, the step itself, and the way to the live merchant's sign-in. What the
// server does is in test/wire/live.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type AuthenticatorApp, type Person } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import { giveSecondFactor } from "../support/live.ts";

let site: Installation;
let browser: TestBrowser;
let sandbox: TestMerchant;
let person: Person;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  sandbox = await site.newMerchant({ name: "Asha Traders" });
  person = { ...(await newPerson(site, sandbox.id)), merchant: sandbox.id };
  await newPerson(site, sandbox.id);
  owner = await Browser.signIn(site, person);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function look(opened: TestPage, name: string): Promise<void> {
  expect(await browser.lookAt(opened, name), name).toEqual([]);
}

/** Adds what is missing, and signs the owner in again with it. */
async function prepare(): Promise<AuthenticatorApp> {
  const bank = { bank_account: GOOD_ACCOUNT.account_number, ifsc: GOOD_ACCOUNT.ifsc, bank_holder: "Asha Traders" };
  expect((await owner.put("/bank-account", bank)).status).toBe(200);
  const { bucket, merchantId } = await requireMerchant(site.pool, BigInt(sandbox.id));
  return giveSecondFactor(site.pool, { bucket, merchantId, loginId: BigInt(person.id) });
}

test("a sandbox goes live by its page, and its owner signs in to the live merchant", async () => {
  const bare = await browser.open("/settings/go-live", { as: owner });
  await bare.page.getByText("Missing").first().waitFor();
  expect(await bare.page.getByRole("button", { name: "Go live" }).isDisabled()).toBe(true);
  await look(bare, "go-live-missing");
  await bare.page.context().close();

  const app = await prepare();
  const opened = await browser.open("/settings/go-live", { as: owner });
  const { page } = opened;
  await page.getByText("Done").nth(1).waitFor();
  await look(opened, "go-live-ready");
  await page.getByRole("button", { name: "Go live" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Balance, transfers").waitFor();
  await dialog.getByLabel(/no two-factor authentication yet/).check();
  await dialog.getByLabel("6-digit code").fill(app.wrongCode());
  await dialog.getByRole("button", { name: "Go live" }).click();
  await dialog.getByText("This code is wrong").waitFor();
  await opened.pictures("go-live-dialog");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByLabel("6-digit code").fill(await app.nextCode());
  await dialog.getByRole("button", { name: "Go live" }).click();
  await page.getByText("The live merchant is open.").waitFor();
  const link = page.getByRole("link", { name: "Sign in to the live merchant" });
  await link.waitFor();
  await look(opened, "go-live-done");

  await link.click();
  await page.getByText(/Signing in to merchant/).waitFor();
  expect(await page.getByLabel("E-mail").inputValue()).toBe(person.email);
  await opened.pictures("go-live-sign-in");
  await page.getByRole("textbox", { name: "Password" }).fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("6-digit code").fill(await app.nextCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("navigation", { name: "Main navigation" }).getByText("Live", { exact: true }).waitFor();
  await page.goto(`${site.server.baseUrl}/settings/go-live`);
  await page.getByText("Payout account", { exact: true }).waitFor();
  await opened.pictures("go-live-live");
  await page.goto(`${site.server.baseUrl}/settings/keys`);
  await page.getByRole("heading", { name: "Access keys", exact: true }).waitFor();
  await opened.picture("go-live-keys");
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Switch to sandbox" }).waitFor();
  await opened.picture("go-live-menu");
  await page.getByRole("menuitem", { name: "Switch to sandbox" }).click();
  await page.getByText(`Signing in to merchant ${sandbox.id}`).waitFor();
  await page.context().close();
});
