// How the dashboard looks and loads: its typeface, how much script Home needs, and that nothing moves while it loads.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MOST_SHIFT, TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { REPOSITORY } from "../support/files.ts";
import { GOOD_ACCOUNT, Installation } from "../support/installation.ts";

/** Of all scripts that Home loads, compressed with gzip. */
const HOME_SCRIPT_BYTES = 267_000;

let site: Installation;
let browser: TestBrowser;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  const merchant = await site.newMerchant({ fund: "10000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("text and the rupee sign are in Inter, and an amount's digits are as wide as each other", async () => {
  const { page } = await browser.open("/", { as: owner });
  const amount = page.getByText("₹10,000.00").first();
  await amount.waitFor();
  await page.evaluate("document.fonts.ready");
  await page.waitForFunction("document.fonts.size === 3");
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("DOM.enable");
  await devTools.send("CSS.enable");
  const { root } = await devTools.send("DOM.getDocument");
  for (const selector of ["h1", "[class*=money]"]) {
    const { nodeId } = await devTools.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    const { fonts } = await devTools.send("CSS.getPlatformFontsForNode", { nodeId });
    expect(fonts.length, selector).toBeGreaterThan(0);
    expect(fonts.filter(({ isCustomFont, familyName }) => !isCustomFont || !familyName.startsWith("Inter"))).toEqual(
      [],
    );
  }
  const widths = await amount.evaluate((span) =>
    ["1111", "8888"].map((digits) => {
      span.textContent = digits;
      return span.getBoundingClientRect().width;
    }),
  );
  expect(widths[0]).toBe(widths[1]);
  await page.context().close();
});

test("Home needs no more script than agreed", async () => {
  const { page } = await browser.open("/", { as: owner });
  const names = await page.evaluate<string[]>(
    `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith(".js"))`,
  );
  expect(names.length).toBeGreaterThan(10);
  const sizes = [...new Set(names)].map((path) => readFileSync(join(REPOSITORY, "web/dist", `${path}.gz`)).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(HOME_SCRIPT_BYTES);
  await page.context().close();
});

test.each([
  ["wide", "en"],
  ["phone", "hi"],
] as const)("nothing moves while Home loads, %s, %s", async (size, language) => {
  const opened = await browser.newPage({ as: owner, size, language });
  const { page } = opened;
  await opened.goTo("/");
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  expect((await opened.findShifts()).filter(({ value }) => value > 0.001)).toEqual([]);
  expect(await opened.shiftSoFar()).toBeLessThan(MOST_SHIFT);
  await page.context().close();
});
