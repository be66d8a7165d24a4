// The search over everything in a browser: opened by its keys, found things are gone to by keyboard alone. What is
// found for which text, and by whom, is test/dashboard/search.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let owner: Browser;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ fund: "10000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  const payee = await merchant.addBeneficiary({ ...GOOD_ACCOUNT, name: "Asha Rao" });
  await owner.post("/transfers", { beneficiary_id: payee, amount: "590.25", reference_id: "ORDER-7788" });
  opened = await browser.open("/", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("Ctrl-K finds a payout by its amount, and Enter goes there", async () => {
  const { page } = opened;
  await page.keyboard.press("Control+K");
  const search = page.getByRole("textbox", { name: "Search everything" });
  await search.fill("590.25");
  await page
    .getByRole("button", { name: /Asha Rao/ })
    .first()
    .waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("palette-found");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/transfers\/\d+$/);
  await search.waitFor({ state: "hidden" });
});

test("a page and something to begin are found by name, also from inside a field", async () => {
  const { page } = opened;
  await opened.goTo("/transfers");
  await page.getByRole("searchbox").focus();
  await page.keyboard.press("Control+K");
  const search = page.getByRole("textbox", { name: "Search everything" });
  await search.fill("new inv");
  await page.getByRole("button", { name: "New invoice" }).click();
  await page.waitForURL(/\/invoices\/new$/);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("New invoice");
});

test("what nothing is found for says so, and leads to the lists with the same text", async () => {
  const { page } = opened;
  await opened.goTo("/");
  await page.getByRole("button", { name: "Search everything" }).click();
  await page.getByRole("textbox", { name: "Search everything" }).fill("zzzz-nobody");
  await page.getByText("Nothing found for “zzzz-nobody”").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "All payouts with “zzzz-nobody”" }).click();
  await page.waitForURL(/\/transfers\?search=zzzz-nobody$/);
});

test("a search that fails says so", async () => {
  const { page } = opened;
  await opened.goTo("/");
  await page.route("**/api/v4/search?*", (route) =>
    route.fulfill({ status: 500, json: { error: { code: "internal", message: "x" } } }),
  );
  await page.keyboard.press("Control+K");
  await page.getByRole("textbox", { name: "Search everything" }).fill("Asha");
  await page.getByText("Search failed", { exact: false }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.unroute("**/api/v4/search?*");
});

test("it fits a phone in the dark", async () => {
  const phone = await browser.open("/", { as: owner, size: "phone", mode: "dark" });
  await phone.page.getByRole("button", { name: "Search everything" }).click();
  await phone.page.getByRole("textbox", { name: "Search everything" }).fill("ORDER-77");
  await phone.page
    .getByRole("button", { name: /Asha Rao/ })
    .first()
    .waitFor();
  await phone.picture("palette-phone-dark");
  expect(await phone.findProblems()).toEqual([]);
  expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBe(360);
});
