// Signing in with a browser: password, second factor set up and asked for, the way back to a page, and out.
// What belongs here: the walk through the pages. The rules behind them are tested in test/dashboard.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { AuthenticatorApp, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let merchantId: string;
beforeAll(async () => {
  site = await Installation.start();
  browser = await TestBrowser.start(site.server.baseUrl);
  ({ id: merchantId } = await site.newMerchant({ name: "Asha Traders" }));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function givePassword({ page }: TestPage, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: false }).first().fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("an owner sets up a second factor, and signs in with it to the page that was asked for", async () => {
  const owner = await newPerson(site, merchantId);
  const opened = await browser.open("/security?from=link");
  const { page } = opened;
  await givePassword(opened, { ...owner, password: "not the password" });
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("E-mail").inputValue(), "what was typed is kept").toBe(owner.email);
  await givePassword(opened, owner);

  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Your password/).fill(owner.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const secret = (await dialog.locator("code").textContent())!.replaceAll(" ", "");
  const app = new AuthenticatorApp(secret);
  await dialog.getByAltText("QR code of the key").waitFor();
  await dialog.getByLabel(/^Then type the code/).fill(await app.nextCode());
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await expect.poll(() => dialog.getByRole("listitem").count()).toBe(10);
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "I have kept them" }).click();

  await page.getByRole("button", { name: /Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await opened.goTo("/security?from=link");
  await givePassword(opened, owner);
  await page.getByLabel("Six-digit code").fill(app.wrongCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Six-digit code").fill(await app.nextCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**/security?from=link");
  await page.getByText("10 recovery codes left.").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.context().close();
});

test("a session that ends elsewhere leads to sign-in at the next request", async () => {
  const viewer = await newPerson(site, merchantId, "Viewer");
  const opened = await browser.open("/");
  await givePassword(opened, viewer);
  await opened.page.getByRole("heading", { level: 1, name: "Asha Traders" }).waitFor();
  await opened.page.getByText("Sandbox").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await site.pool.query("delete from login_session where login_id = $1", [viewer.id]);
  await opened.page.getByRole("button", { name: /Account of/ }).click();
  await opened.page.getByRole("menuitem", { name: "Security and sessions" }).click();
  await opened.page.waitForURL("**/sign-in?next=%2Fsecurity");
  await opened.page.context().close();
});

test("an operator finds a merchant and sees its dashboard", async () => {
  const opened = await browser.open("/", { size: "phone", mode: "dark" });
  await givePassword(opened, await newPerson(site, null, "Operator"));
  await opened.page.getByRole("link", { name: "Asha Traders", exact: true }).click();
  await opened.page.waitForURL(`**/m/${merchantId}`);
  await opened.page.getByRole("heading", { level: 1, name: "Asha Traders" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.context().close();
});
