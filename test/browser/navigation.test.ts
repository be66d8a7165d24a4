// The navigation in a browser: few first entries, groups that open and fold, and the bar at the bottom of a phone.
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let owner: Browser;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant();
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  opened = await browser.open("/", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const menu = () => opened.page.getByRole("navigation", { name: "Main navigation" });
/** What is in sight, without the mark, which has no text. */
const entries = async () => (await menu().getByRole("link").allTextContents()).filter((text) => text !== "");
const FIRST = ["Home", "Payouts", "Invoices", "Customers", "Franchises", "Reports", "Settings"];

test("Home shows the first entries only, below the business and its mode", async () => {
  await menu().getByText("Sandbox").waitFor();
  expect(await entries()).toEqual(FIRST);
  expect(await browser.lookAt(opened, "navigation")).toEqual([]);
});

test("a group leads to its first page and opens there; elsewhere it folds", async () => {
  const { page } = opened;
  await menu().getByRole("link", { name: "Payouts" }).click();
  await page.waitForURL(/\/transfers$/);
  const list = menu().getByRole("list", { name: "Payouts" });
  await list.getByRole("link", { name: "Approvals" }).click();
  await page.waitForURL(/\/approvals$/);
  expect(await list.getByRole("link", { name: "Approvals" }).getAttribute("aria-current")).toBe("page");
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("navigation-open");
  await menu().getByRole("link", { name: "Customers" }).click();
  await page.waitForURL(/\/customers$/);
  await list.waitFor({ state: "detached" });
});

test("what somebody opens or folds stays so after a reload", async () => {
  const { page } = opened;
  await opened.goTo("/invoices");
  await menu().getByRole("button", { name: "Pages: Reports" }).click();
  await menu().getByRole("button", { name: "Pages: Invoices" }).click();
  const now = await entries();
  expect(now).toContain("Sales register");
  expect(now).not.toContain("Payments");
  await opened.goTo("/");
  await menu().getByRole("link", { name: "Sales register" }).waitFor();
  expect(await entries()).toEqual(now);
  // Its own link opens what was folded.
  await menu().getByRole("link", { name: "Invoices" }).click();
  await page.waitForURL(/\/invoices$/);
  await menu().getByRole("link", { name: "Payments" }).waitFor();
});

test("a phone has the commonest actions and the menu at the bottom, large enough for a thumb", async () => {
  const phone = await browser.open("/", { as: owner, size: "phone", mode: "dark" });
  const { page } = phone;
  const bar = page.getByRole("navigation", { name: "Quick actions" });
  const menuOf = page.getByRole("navigation", { name: "Main navigation" });
  expect(await bar.getByRole("link").allTextContents()).toEqual(["Home", "Invoice", "Pay"]);
  const button = bar.getByRole("button", { name: "Menu" });
  expect(await tooSmall([...(await bar.getByRole("link").all()), button])).toEqual([]);
  expect(await menuOf.count(), "closed, and out of reach of the Tab key").toBe(0);

  await button.click();
  await menuOf.getByRole("link", { name: "Settings" }).waitFor();
  await page.getByRole("main").waitFor({ state: "hidden" });
  const folded = menuOf.getByRole("button", { expanded: false });
  while ((await folded.count()) > 0) await folded.first().click();
  await phone.settle();
  expect(await phone.findProblems()).toEqual([]);
  await phone.picture("navigation-phone-open");
  const top = (await bar.boundingBox())!.y;
  const links = await menuOf.getByRole("link").all();
  expect(links.length).toBeGreaterThan(20);
  expect(await tooSmall([...links.slice(1), ...(await menuOf.getByRole("button").all())])).toEqual([]);
  for (const link of links) {
    await link.scrollIntoViewIfNeeded();
    const { y, height } = (await link.boundingBox())!;
    expect(y + height, `${await link.textContent()} is above the bar`).toBeLessThanOrEqual(top);
  }
  await links.at(-1)!.click();
  await menuOf.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).not.toBe("/");
  await page.waitForFunction(`document.activeElement?.id === "content"`);
  await page.context().close();
});

/** Of what is pressed, that which is below 44 pixels. */
async function tooSmall(targets: readonly Locator[]): Promise<string[]> {
  const small: string[] = [];
  for (const target of targets) {
    const { width, height } = (await target.boundingBox())!;
    if (Math.min(width, height) < 44) small.push(`${await target.textContent()}: ${width} × ${height}`);
  }
  return small;
}

test("the menu of a phone takes the focus, and Escape, the button and each link close it", async () => {
  const { page } = await browser.open("/", { as: owner, size: "phone" });
  const bar = page.getByRole("navigation", { name: "Quick actions" });
  const menuOf = page.getByRole("navigation", { name: "Main navigation" });
  const button = bar.getByRole("button", { name: "Menu" });
  const open = async () => {
    await button.click();
    await menuOf.locator("a:focus").waitFor();
  };
  await open();
  await page.keyboard.press("Tab");
  await menuOf.locator(":focus").waitFor();
  await page.keyboard.press("Escape");
  await menuOf.waitFor({ state: "detached" });
  await bar.locator("button:focus").waitFor();
  await page.getByRole("main").waitFor();

  await open();
  await bar.getByRole("button", { name: "Menu", expanded: true }).click();
  await menuOf.waitFor({ state: "detached" });
  // To the page that is shown already.
  await open();
  await menuOf.getByRole("link", { name: "Home" }).last().click();
  await menuOf.waitFor({ state: "detached" });
  await open();
  await bar.getByRole("link", { name: "Home" }).click();
  await menuOf.waitFor({ state: "detached" });
  await open();
  await bar.getByRole("link", { name: "Pay" }).click();
  await page.waitForURL(/\/transfers\/new$/);
  await menuOf.waitFor({ state: "detached" });
  expect(await button.getAttribute("aria-expanded")).toBe("false");
  await page.context().close();
});

test("the bar hides nothing of the page, also on a phone with a home indicator", async () => {
  const phone = await browser.open("/settings/company", { as: owner, size: "phone" });
  const { page } = phone;
  await phone.settle();
  const devTools = await page.context().newCDPSession(page);
  for (const bottom of [0, 34]) {
    await devTools.send("Emulation.setSafeAreaInsetsOverride", { insets: { bottom } });
    // The padding of the page grows gradually.
    await page.evaluate(`(async () => {
      document.body.getBoundingClientRect();
      await Promise.all(document.getAnimations().map(({ finished }) => finished));
      window.scrollTo(0, document.body.scrollHeight);
    })()`);
    const last = (await page.getByRole("main").locator("section").last().boundingBox())!;
    const bar = (await page.getByRole("navigation", { name: "Quick actions" }).boundingBox())!;
    expect(last.y + last.height).toBeLessThanOrEqual(bar.y);
    expect(bar.y + bar.height, "above the indicator").toBe(740 - bottom);
    expect(bar.height).toBeGreaterThanOrEqual(44);
  }
  await page.context().close();
});

test("who may only look has the lists in the bar", async () => {
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const phone = await browser.open("/", { as: viewer, size: "phone" });
  const bar = phone.page.getByRole("navigation", { name: "Quick actions" });
  expect(await bar.getByRole("link").allTextContents()).toEqual(["Home", "Invoices", "Payouts"]);
  await bar.getByRole("link", { name: "Payouts" }).click();
  await phone.page.waitForURL(/\/transfers$/);
  await phone.page.context().close();
});
