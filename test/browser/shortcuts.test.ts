// Keyboard shortcuts of the dashboard in a browser: "g" and a letter go to a page, "?" lists what works.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  const merchant = await site.newMerchant();
  opened = await browser.open("/", { as: await Browser.signIn(site, await newPerson(site, merchant.id)) });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("g and a letter go to a page, and not from inside a field", async () => {
  const { page } = opened;
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/\/transfers$/);
  const search = page.getByRole("searchbox");
  await search.fill("");
  await search.pressSequentially("gi?");
  expect(await search.inputValue()).toBe("gi?");
  expect(new URL(page.url()).pathname).toMatch(/\/transfers$/);
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("? lists the shortcuts, and none works behind the list", async () => {
  await opened.goTo("/");
  const { page } = opened;
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByRole("row", { name: "Invoices g i" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("shortcuts");
  const before = page.url();
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  expect(page.url()).toBe(before);
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.waitForURL(/\/invoices$/);
});

test("shortcuts of a single key can be turned off, and on again from the account menu", async () => {
  await opened.goTo("/transfers");
  const { page } = opened;
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  const choice = list.getByRole("switch", { name: "Shortcuts without Ctrl or ⌘" });
  await choice.uncheck();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  // What the keys did would be there before the dialog of Ctrl-K, which is loaded first.
  for (const key of ["g", "i", "/", "?", "Control+K"]) await page.keyboard.press(key);
  await page.getByRole("textbox", { name: "Search everything" }).waitFor();
  expect(await list.count()).toBe(0);
  expect(new URL(page.url()).pathname).toMatch(/\/transfers$/);
  expect(await page.getByRole("searchbox").evaluate((field) => field.ownerDocument.activeElement === field)).toBe(
    false,
  );
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await choice.check();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.waitForURL(/\/invoices$/);
});
