// Accounts at payout providers in a browser: one is connected, tried, changed and disconnected. What the server does is
// in test/dashboard/payout-accounts.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { replaceSecondFactor } from "../support/live.ts";
import { reachingInsteadOf } from "../support/provider-address.ts";
import { openBank, type Bank } from "../support/providers.ts";

let site: Installation;
let bank: Bank;
let browser: TestBrowser;
let merchantId: string;
let person: Person;
let owner: Browser;

beforeAll(async () => {
  bank = await openBank("cashfree");
  site = await Installation.startProcess(reachingInsteadOf("https://api.cashfree.com", bank.standIn.url));
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchantId = (await site.newMerchant({ name: "Asha Traders", live: true })).id;
  person = await newPerson(site, merchantId);
  const first = await code();
  owner = await Browser.signIn(site, person);
  await owner.post("/session/sign-in/second-factor", { code: first });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
  await bank?.standIn.stop();
});

async function code(): Promise<string> {
  const key = await requireMerchant(site.pool, BigInt(merchantId));
  const login = { bucket: key.bucket, merchantId: key.merchantId, loginId: BigInt(person.id) };
  return (await replaceSecondFactor(site.pool, login)).nextCode();
}

async function look(opened: TestPage, name: string): Promise<void> {
  expect(await browser.lookAt(opened, name), name).toEqual([]);
}

test("an account is connected, tried, placed, and disconnected", async () => {
  const opened = await browser.open("/settings/payout-accounts", { as: owner });
  const { page } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByText("No payout accounts yet").waitFor();
  await look(opened, "payout-accounts-empty");

  await page.getByRole("button", { name: "Connect account" }).click();
  await dialog.getByLabel("Provider").selectOption("razorpayx");
  await dialog.getByLabel("Source account").waitFor();
  await opened.pictures("payout-accounts-razorpayx");
  await dialog.getByLabel("Provider").selectOption("cashfree");
  await dialog.getByLabel("Key ID").fill(bank.credentials.id);
  await dialog.getByRole("textbox", { name: "Secret", exact: true }).fill("wrong");
  await dialog.getByLabel("6-digit code").fill(await code());
  await dialog.getByRole("button", { name: "Connect account" }).click();
  await dialog.getByText("Check key_id and secret").waitFor();
  await opened.pictures("payout-accounts-refused");
  await dialog.getByRole("textbox", { name: "Secret", exact: true }).fill(bank.credentials.secret);
  // A code counts once, and none was taken: nothing was changed.
  await dialog.getByRole("button", { name: "Connect account" }).click();
  await page.getByText("Working", { exact: true }).waitFor();
  await look(opened, "payout-accounts-connected");

  await page.getByRole("button", { name: "Test", exact: true }).click();
  await dialog.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("The account works.").waitFor();

  await page.getByRole("button", { name: "Change priority" }).click();
  await dialog.getByLabel("RTGS").fill("");
  await dialog.getByLabel("6-digit code").fill(await code());
  await opened.pictures("payout-accounts-places");
  await dialog.getByRole("button", { name: "Change priority" }).click();
  await page.getByText("IMPS 1, NEFT 1, UPI 1").waitFor();

  await page.getByRole("button", { name: "Change", exact: true }).click();
  await dialog.getByLabel("Unsent payouts").selectOption("next");
  await dialog.getByLabel("Fail after (minutes)").fill("240");
  await dialog.getByLabel("6-digit code").fill(await code());
  await opened.pictures("payout-accounts-when-down");
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await page.getByText("240 minutes").waitFor();

  await page.getByRole("button", { name: "Disconnect", exact: true }).click();
  await dialog.getByLabel("6-digit code").fill(await code());
  await dialog.getByRole("button", { name: "Disconnect", exact: true }).click();
  await page.getByText("Disconnected on", { exact: true }).first().waitFor();
  await look(opened, "payout-accounts-disconnected");
  expect(await page.getByRole("button", { name: "Test", exact: true }).count()).toBe(0);
  await page.context().close();
});

test("the sandbox says where accounts are connected", async () => {
  const sandbox = await site.newMerchant();
  const its = await Browser.signIn(site, await newPerson(site, sandbox.id));
  const opened = await browser.open("/settings/payout-accounts", { as: its });
  await opened.page.getByText("Connect payout accounts in the live merchant").waitFor();
  expect(await browser.lookAt(opened, "payout-accounts-sandbox")).toEqual([]);
  await opened.page.context().close();
});
