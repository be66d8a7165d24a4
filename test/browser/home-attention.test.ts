// The first page of a merchant that has something of everything: what needs attention, and the lists of it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { makeBusyMerchant, type BusyMerchant } from "../support/busy-merchant.ts";
import { Installation } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let busy: BusyMerchant;

beforeAll(async () => {
  site = await Installation.start({ WEBHOOK_ALLOW_PRIVATE: "on" });
  browser = await TestBrowser.shared(site.server.baseUrl);
  busy = await makeBusyMerchant(site);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("everything that needs attention has its count, and leads to as many rows", async () => {
  const opened = await browser.newPage({ as: busy.owner });
  const { page } = opened;
  await opened.goTo("/");
  await opened.pictures("home-busy");
  expect(await opened.findProblems()).toEqual([]);
  const hindi = await browser.newPage({ as: busy.owner, language: "hi" });
  await hindi.goTo("/");
  await hindi.pictures("home-busy-hindi");
  expect(await hindi.findProblems()).toEqual([]);
  await hindi.page.context().close();

  const list = page
    .locator("section")
    .filter({ has: page.getByRole("heading", { level: 2, name: "Needs your attention" }) });
  const links = await list
    .getByRole("link")
    .evaluateAll((all) => all.map((link) => ({ text: link.textContent ?? "", href: link.getAttribute("href")! })));
  const expected: readonly (readonly [RegExp, RegExp])[] = [
    [/^\d+ pending approvals?$/, /^\/approvals$/],
    [/^\d+ payouts failed or were reversed in the last 7 days$/, /^\/transfers\?status=FAILED_OR_REVERSED$/],
    [/^\d+ invoices are overdue: ₹[\d,.]+$/, /^\/invoices\?status=Overdue$/],
    [/^\d+ bank lines to match$/, /^\/reconciliation\?state=missing_here$/],
    [/^\d+ GST problems to correct$/, /^\/reports\/gst-problems\?from=[\d-]{10}&to=[\d-]{10}$/],
  ];
  expect(links).toEqual(
    expected.map(([text, href]) => ({
      text: expect.stringMatching(text) as string,
      href: expect.stringMatching(href) as string,
    })),
  );
  const { approvals } = (await busy.owner.get("/approvals")).body as { approvals: { own: boolean }[] };
  const own = approvals.filter((approval) => approval.own).length;
  for (const { text, href } of links) {
    await opened.goTo(href);
    const rows = page.getByRole("main").getByRole("table").first().locator("tbody").getByRole("row");
    // The person's own requests, which others decide, are in the list too.
    expect((await rows.count()) - (href === "/approvals" ? own : 0), text).toBe(Number(text.split(" ")[0]));
  }
  await page.context().close();
});
