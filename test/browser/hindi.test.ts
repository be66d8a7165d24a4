// The dashboard in Hindi: chosen in the browser, or by the browser's own language, and kept.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";

const DEVANAGARI = /[\u0900-\u097f]/;

let site: Installation;
let browser: TestBrowser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function newOwner(): Promise<Browser> {
  return Browser.signIn(site, await newPerson(site, (await site.newMerchant()).id));
}

test("a browser that reads Hindi is greeted in it, and may choose English, which is kept", async () => {
  const opened = await browser.open("/sign-in", { language: "hi" });
  const heading = opened.page.getByRole("heading", { level: 1 });
  await heading.waitFor();
  expect(await heading.textContent()).toMatch(DEVANAGARI);
  expect(await opened.page.evaluate("document.documentElement.lang")).toBe("hi");
  await opened.picture("sign-in-hindi");
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.getByRole("button", { name: "English" }).click();
  await opened.page.getByRole("button", { name: "हिन्दी" }).waitFor();
  expect(await heading.textContent()).not.toMatch(DEVANAGARI);
  await opened.page.reload();
  await opened.page.getByRole("button", { name: "हिन्दी" }).waitFor();
  expect(await opened.page.evaluate("document.documentElement.lang")).toBe("en");
});

test("whoever is signed in chooses Hindi in the account menu, and every page is in it", async () => {
  const owner = await newOwner();
  const opened = await browser.open("/", { as: owner });
  await opened.page.getByRole("button", { name: /^Account:/ }).click();
  await opened.page.getByRole("menuitemradio", { name: "हिन्दी" }).click();
  await expect.poll(() => opened.page.evaluate("document.documentElement.lang")).toBe("hi");
  for (const path of [
    "/transfers",
    "/transfers/new",
    "/statement",
    "/invoices",
    "/customers",
    "/settings/roles",
    "/security",
  ]) {
    await opened.goTo(path);
    const heading = opened.page.getByRole("heading", { level: 1 });
    await heading.waitFor();
    expect(await heading.textContent(), path).toMatch(DEVANAGARI);
    expect(await opened.findProblems(), path).toEqual([]);
  }
  const navigation = opened.page.getByRole("navigation").first();
  await navigation.waitFor();
  const folded = navigation.getByRole("button", { expanded: false });
  while ((await folded.count()) > 0) await folded.first().click();
  // The mark, which leads home, has no text.
  const entries = (await navigation.getByRole("link").allTextContents()).filter((entry) => entry !== "");
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.filter((entry) => !DEVANAGARI.test(entry) && !/^(GST|API)$/.test(entry))).toEqual([]);

  // Who types in English finds the same pages.
  await opened.page.keyboard.press("Control+K");
  await opened.page.getByRole("dialog").getByRole("textbox").fill("payout acc");
  const pages = opened.page.getByRole("button").and(opened.page.locator("[data-action]"));
  // Enter opens the first: what was typed has been searched for once it is this one.
  await expect.poll(() => pages.first().textContent()).toContain("पेआउट खाते");
  await opened.page.keyboard.press("Enter");
  await opened.page.waitForURL(/payout-accounts$/);
});

test("on a phone, in the dark, no page is wider than it", async () => {
  const owner = await newOwner();
  const opened = await browser.newPage({ as: owner, language: "hi", size: "phone", mode: "dark" });
  for (const path of ["/", "/transfers/new", "/invoices", "/settings/webhooks", "/reconciliation"]) {
    await opened.goTo(path);
    await opened.page.getByRole("heading", { level: 1 }).waitFor();
    await opened.picture(`hindi${path.replaceAll("/", "-")}-phone-dark`);
    expect(await opened.page.evaluate("document.documentElement.scrollWidth"), path).toBe(360);
    expect(await opened.findProblems(), path).toEqual([]);
  }
});
