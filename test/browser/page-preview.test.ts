// The pages beside a form that nobody has saved yet: as the PDF will have them, under the dashboard's own policy.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let owner: Person;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  owner = await newPerson(site, invoices.merchant.id);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** More than any form waits after the last key. */
const PAUSE_MS = 5000;
const PAGES = /\/preview\/pages$/;
type Page = TestPage["page"];
const paperOf = (page: Page) => page.getByRole("img", { name: "Preview of the PDF" });
const first = (page: Page) => page.locator('[data-list-item="particular_rows.0"]');

/** Waits until the picture is drawn: a refused one has no size. */
async function sizeOf(picture: ReturnType<Page["locator"]>): Promise<number> {
  await picture.waitFor();
  await expect
    .poll(() => picture.evaluate<number, { naturalWidth: number }>((img) => img.naturalWidth))
    .toBeGreaterThan(0);
  return picture.evaluate<number, { naturalWidth: number; naturalHeight: number }>(
    (img) => img.naturalHeight / img.naturalWidth,
  );
}

async function chooseCustomer(page: Page, label = "Customer"): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option").first().click();
}

test("pages appear once the form is complete, one at a time, and refusals as text", async () => {
  const opened = await browser.newPage({ as: await Browser.signIn(site, owner) });
  const { page } = opened;
  const asked: string[] = [];
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(PAGES, async (route) => {
    asked.push(route.request().postData()!);
    if (asked.length === 1) await held;
    await route.continue();
  });
  // The form waits for a pause in typing: the test says when there was one.
  await page.clock.install();
  await opened.goTo("/invoices/new");
  await page.getByText("The preview appears once the form is complete.").waitFor();
  const totals = page.waitForResponse((answer) => answer.url().endsWith("/invoices/preview"));
  await first(page).getByLabel("Item", { exact: true }).fill("Consulting");
  await first(page).getByLabel("Amount").fill("100");
  // The totals are there, and without a customer nothing is drawn.
  await totals;
  await chooseCustomer(page);
  await page.getByText("Drawing the preview…").waitFor();
  await expect.poll(() => asked.length).toBe(1);

  // What is typed while one is drawn is asked for when that one is there: the newest alone.
  for (const amount of ["200", "300"]) {
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/invoices/preview"));
    await first(page).getByLabel("Amount").fill(amount);
    await answered;
  }
  await page.clock.runFor(PAUSE_MS);
  expect(asked.length).toBe(1);
  release();
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]).toContain('"total_amount":"300"');
  expect(await sizeOf(paperOf(page))).toBeCloseTo(1.414, 2);
  await opened.pictures("page-preview");
  expect(await opened.findProblems()).toEqual([]);

  await page.getByRole("textbox", { name: "Due date" }).fill("1 jan 2020");
  await page.getByRole("textbox", { name: "Due date" }).press("Tab");
  await page.getByText("The form can't be saved like this").waitFor();
  await page.getByText("Due date: Must not be before invoice date.").waitFor();
  expect(await paperOf(page).count()).toBe(0);
  await opened.picture("page-preview-refused");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "15 days", exact: true }).click();
  await sizeOf(paperOf(page));

  await page.getByRole("button", { name: "Enlarge" }).click();
  await sizeOf(page.getByRole("dialog").getByRole("img", { name: "Preview of the PDF" }));
  await opened.picture("page-preview-large");
  expect(await opened.findProblems()).toEqual([]);
  await page.keyboard.press("Escape");
  expect((await invoices.list()).body.total_records).toBe(0);
  await page.context().close();
});

test("a hidden preview stays hidden and asks nothing", async () => {
  const opened = await browser.newPage({ as: await Browser.signIn(site, owner) });
  const { page } = opened;
  await opened.goTo("/invoices/new");
  await page.getByRole("button", { name: "Hide preview" }).click();
  await opened.goTo("/estimates/new");
  await page.getByRole("button", { name: "Show preview" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => PAGES.test(request.url()) && asked.push(request.url()));
  await first(page).getByLabel("Item", { exact: true }).fill("Consulting");
  await first(page).getByLabel("Amount").fill("100");
  await chooseCustomer(page);
  await page.getByTestId("total").waitFor();
  await page.getByRole("button", { name: "Show preview" }).click();
  await sizeOf(paperOf(page));
  expect(asked.map((url) => new URL(url).pathname)).toEqual(["/api/session/estimates/preview/pages"]);
  await opened.pictures("page-preview-estimate");
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
});

test("on a phone a button opens the pages over the form", async () => {
  const as = await Browser.signIn(site, owner);
  const opened = await browser.open("/invoices/new", { as, size: "phone", mode: "dark", language: "hi" });
  const { page } = opened;
  await first(page).locator("input").first().fill("परामर्श");
  await first(page).getByLabel("राशि", { exact: true }).fill("1200");
  await chooseCustomer(page, "ग्राहक");
  expect(await page.getByRole("img", { name: "PDF का प्रीव्यू" }).count()).toBe(0);
  await page.getByRole("button", { name: "प्रीव्यू", exact: true }).click();
  await sizeOf(page.getByRole("dialog").getByRole("img", { name: "PDF का प्रीव्यू" }));
  await opened.picture("page-preview-phone-hindi");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "बंद करें" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.context().close();
});
