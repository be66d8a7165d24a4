// Lists on a phone: what is pressed is as large as a finger, nothing scrolls sideways, and a row has its menu.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { makeBusyMerchant, type BusyMerchant } from "../support/busy-merchant.ts";
import { Installation } from "../support/installation.ts";

const LISTS = [
  "/invoices",
  "/estimates",
  "/customers",
  "/receipts",
  "/items",
  "/subscriptions",
  "/credit-notes",
  "/debit-notes",
  "/payments",
  "/transfers",
  "/withdrawals",
  "/beneficiaries",
  "/approvals",
];
const SIZES = [
  { width: 390, height: 844 },
  { width: 360, height: 740 },
] as const;

/**
 * What is narrower or lower than 44 pixels. The first link of a row is pressed anywhere in the row, and a box anywhere in its
 * cell. An "i" in a text is as high as the text.
 */
const SMALL = `[...document.querySelectorAll("main :is(a[href], button, select, input:not([type=hidden])), main tbody tr")]
  .filter((each) => each.checkVisibility() && !each.matches("[aria-description], [tabindex='-1']"))
  .flatMap((each) => {
    const row = each.closest("tbody tr");
    const target = each.matches("[type=checkbox]") ? each.closest("td, th") ?? each
      : row && each === row.querySelector("a") ? row : each;
    const { width, height } = target.getBoundingClientRect();
    return Math.min(width, height) < 43.99 ? [target.outerHTML.slice(0, 120) + ": " + width + " × " + height] : [];
  })`;
const BEYOND = `[document.documentElement, ...document.querySelectorAll("main [role=region]")]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => (each.getAttribute("aria-label") ?? "the page") + ": " + each.scrollWidth + " of " + each.clientWidth)`;

let site: Installation;
let browser: TestBrowser;
let busy: BusyMerchant;

beforeAll(async () => {
  site = await Installation.start({ WEBHOOK_ALLOW_PRIVATE: "on", DASHBOARD_RATE_LIMIT_PER_MINUTE: "10000" });
  browser = await TestBrowser.shared(site.server.baseUrl);
  busy = await makeBusyMerchant(site);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test.each([
  ["en", "light"],
  ["hi", "dark"],
] as const)("no list scrolls sideways, and nothing in it is smaller than a finger, %s", async (language, mode) => {
  const opened = await browser.newPage({ as: busy.owner, size: "phone", language, mode });
  const found: string[] = [];
  for (const path of LISTS) {
    await opened.goTo(path);
    for (const size of SIZES) {
      await opened.page.setViewportSize(size);
      await opened.picture(`list${path.replace("/", "-")}-${size.width}-${mode}`);
      const wrong = [
        ...(await opened.page.evaluate<string[]>(SMALL)),
        ...(await opened.page.evaluate<string[]>(BEYOND)),
      ];
      found.push(...wrong.map((each) => `${path} at ${size.width}: ${each}`));
    }
    found.push(...(await opened.findProblems()).map((each) => `${path}: ${each}`));
  }
  expect([...new Set(found)]).toEqual([]);
  await opened.page.context().close();
});

test.each([
  ["/invoices", "PDF"],
  ["/transfers?status=SUCCESS", "Payment advice (PDF)"],
  ["/withdrawals", "Open"],
  ["/beneficiaries", "Edit contact"],
  ["/subscriptions", "Pause"],
  ["/approvals", "Open"],
] as const)("the menu of a row opens on a phone, with entries as high as a finger: %s", async (path, entry) => {
  const opened = await browser.open(path, { as: busy.owner, size: "phone" });
  await opened.page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click();
  await opened.page.getByRole("menuitem", { name: entry, exact: true }).waitFor();
  for (const each of await opened.page.getByRole("menuitem").all()) {
    expect((await each.boundingBox())!.height).toBeGreaterThanOrEqual(44);
  }
  // It is placed anew once its entries are there.
  await expect.poll(() => opened.page.evaluate(BEYOND), { timeout: 30_000 }).toEqual([]);
  await opened.picture(`list-menu-phone${path.replaceAll(/\W/g, "-")}`);
  await opened.page.context().close();
});
