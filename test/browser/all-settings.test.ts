// The page of all settings, which words find, the same settings in the global search, and one's own profile.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

const FRANCHISE = { email: "pune.settings@example.com", password: "a long enough secret" };

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant();
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** Whether a panel's title has the focus, and is in sight below the header. */
async function expectFocused(page: Page, name: string): Promise<void> {
  const heading = page.getByRole("heading", { level: 2, name, exact: true });
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await heading.and(page.locator(":focus")).waitFor();
  const header = (await page.getByRole("banner").boundingBox())!;
  const place = (await heading.boundingBox())!;
  expect(place.y).toBeGreaterThanOrEqual(header.y + header.height);
  expect(place.y + place.height).toBeLessThan(page.viewportSize()!.height);
}

test("the navigation leads to all settings, a word finds one, and Enter opens it", async () => {
  const opened = await browser.open("/", { as: owner });
  const { page } = opened;
  await page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Settings" }).click();
  await page.waitForURL(/\/settings$/);
  const main = page.getByRole("main");
  for (const name of ["Business", "Invoices and books", "Payouts", "Developers"]) {
    await main.getByRole("heading", { level: 2, name, exact: true }).waitFor();
  }
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("settings");
  const every = await main.getByRole("listitem").count();
  expect(every).toBeGreaterThan(15);
  const search = page.getByRole("searchbox", { name: "Search settings" });
  await page.keyboard.press("/");
  await search.fill("lock period");
  await expect.poll(() => main.getByRole("listitem").count()).toBe(1);
  await main.getByRole("link", { name: /^Book settings/ }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("settings-found");
  await search.press("Enter");
  await page.waitForURL(/\/settings\/company#books$/);
  await page.getByRole("heading", { level: 1, name: "Company" }).waitFor();
  await expectFocused(page, "Books");

  await page.goBack();
  // Other settings have these words too, but not in their names.
  await search.fill("payout acc");
  await expect.poll(() => main.getByRole("listitem").first().textContent()).toContain("Payout accounts");
  expect(await main.getByRole("listitem").count()).toBeGreaterThan(1);
  await search.fill("zzzz");
  await page.getByText("No setting matches “zzzz”").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await search.press("Enter");
  await search.fill("");
  await expect.poll(() => main.getByRole("listitem").count()).toBe(every);
  expect(new URL(page.url()).pathname).toBe("/settings");
  await page.context().close();
});

test("the global search finds the same settings by the same words", async () => {
  const opened = await browser.open("/", { as: owner });
  const { page } = opened;
  await page.keyboard.press("Control+K");
  await page.getByRole("textbox", { name: "Search everything" }).fill("2fa");
  await page.getByRole("button", { name: /^Security/ }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: /^Security/ }).click();
  await page.waitForURL(/\/security$/);
  await page.keyboard.press("Control+K");
  await page.getByRole("textbox", { name: "Search everything" }).fill("sign-in devices");
  await page.getByRole("button", { name: /^Password and sessions/ }).click();
  await page.waitForURL(/\/security#password$/);
  await expectFocused(page, "Password");
  await page.context().close();
});

test("in Hindi, a setting is found by its Hindi and its English words", async () => {
  const opened = await browser.open("/settings", { as: owner, language: "hi" });
  const { page } = opened;
  const main = page.getByRole("main");
  const search = page.getByRole("searchbox", { name: "सेटिंग खोजें" });
  for (const text of ["टोकन", "token"]) {
    await search.fill(text);
    await expect.poll(() => main.getByRole("listitem").count()).toBe(1);
    expect(await main.getByRole("listitem").getByRole("link").getAttribute("href")).toBe("/settings/keys");
  }
  await search.fill("");
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("settings-hindi");
  await page.context().close();
});

test("a role sees its own settings only, and a franchise none but its profile", async () => {
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const opened = await browser.open("/settings", { as: viewer });
  const main = opened.page.getByRole("main");
  await main.getByRole("link", { name: /^Your profile/ }).waitFor();
  expect(await main.getByRole("link", { name: /^(Access keys|Users|Webhooks)/ }).count()).toBe(0);
  await opened.page.context().close();

  const names = { franchise_code: "PUNE", franchise_name: "Pune Branch" };
  await saveFranchiseWithLogin(site, merchant, FRANCHISE, names);
  const franchise = await Browser.signIn(site, { ...FRANCHISE, merchant: merchant.id });
  const theirs = await browser.open("/settings/profile", { as: franchise });
  await theirs.page.getByText(FRANCHISE.email).first().waitFor();
  expect(await theirs.page.getByRole("link", { name: "Settings" }).count()).toBe(0);
  expect(await theirs.findProblems()).toEqual([]);
  await theirs.goTo("/settings");
  await theirs.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await theirs.page.context().close();
});

test("the profile has one's name and role, and keeps colours and language", async () => {
  const person = await newPerson(site, merchant.id);
  const opened = await browser.open("/", { as: await Browser.signIn(site, person) });
  const { page } = opened;
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitem", { name: "Your profile" }).click();
  await page.waitForURL(/\/settings\/profile$/);
  const main = page.getByRole("main");
  await main.getByText(person.email).waitFor();
  await main.getByText("1", { exact: true }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("profile");
  await main.getByRole("radio", { name: "Dark" }).check();
  await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await main.getByRole("radio", { name: "हिन्दी" }).click();
  await page.getByRole("heading", { level: 1, name: "आपकी प्रोफ़ाइल" }).waitFor();
  expect(await page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("profile-hindi");
  await page.context().close();
});
