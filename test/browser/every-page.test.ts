// Every page of the router, of a merchant that has something of everything and of one that is new: nothing complains,
// nothing is wider than the screen, nothing moves while it loads, and axe-core finds nothing serious, in the light and in the
// dark, in English and in Hindi, loaded by its address and reached as by a link. What each of them does is in the other files of this folder.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MOST_SHIFT, TestBrowser, type TestPage } from "../support/browser.ts";
import { makeBusyMerchant, type BusyMerchant } from "../support/busy-merchant.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";

type RoutedPage = { readonly audience: string; readonly path: string };
type Looks = NonNullable<Parameters<TestBrowser["newPage"]>[0]>;

/** A walk through all pages takes long on a busy machine. */
const WALK_MS = 1_800_000;
/** As the dashboard has it: its types are those of a browser. */
const AREAS = "../../web/src/app/areas.ts";
/** Tables that are wider than their place, by what they are of: their last column would be out of sight. */
const WIDER = `[...document.querySelectorAll("main [role=region]")]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.getAttribute("aria-label") + ": " + each.scrollWidth + " of " + each.clientWidth)`;
const PAGE_WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

let site: Installation;
let browser: TestBrowser;
let busy: BusyMerchant;
let newcomer: Browser;
let pages: readonly RoutedPage[];

beforeAll(async () => {
  site = await Installation.start({ WEBHOOK_ALLOW_PRIVATE: "on", DASHBOARD_RATE_LIMIT_PER_MINUTE: "10000" });
  browser = await TestBrowser.shared(site.server.baseUrl);
  busy = await makeBusyMerchant(site);
  newcomer = await Browser.signIn(site, await newPerson(site, (await site.newMerchant()).id));
  ({ PAGES: pages } = (await import(AREAS)) as { readonly PAGES: readonly RoutedPage[] });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** The addresses of the pages of some audiences, with what they are about. */
function addressesFor(...audiences: readonly string[]): string[] {
  return pages
    .filter(({ audience }) => audiences.includes(audience))
    .map(({ path }) => path.replaceAll(/\$\w+/g, (name) => busy.ids[name] ?? name));
}

/** What is wrong with the page as it is. */
async function problemsOf(opened: TestPage): Promise<string[]> {
  const beyond = await opened.page.evaluate<number>(PAGE_WIDTH);
  const moved = await opened.shiftSoFar();
  const wider = await opened.page.evaluate<string[]>(WIDER);
  return [
    ...(await opened.findProblems()),
    ...(beyond > 0 ? [`the page scrolls sideways by ${beyond} pixels`] : []),
    ...(moved > MOST_SHIFT ? [`${moved} of the window moves: ${JSON.stringify(await opened.findShifts())}`] : []),
    ...wider.map((each) => `a table scrolls sideways: ${each}`),
  ];
}

/**
 * Walks through pages, each by its address or from the one before as a link does, and says of each what is wrong. The
 * first one is loaded in any case.
 */
async function walk(addresses: readonly string[], looks: Looks, by: "address" | "link" = "link"): Promise<string[]> {
  const opened = await browser.newPage(looks);
  await opened.paintBeforeAnswers();
  const found = new Map<string, string>();
  for (const [place, address] of addresses.entries()) {
    await (by === "address" || place === 0 ? opened.goTo(address) : opened.follow(address));
    await opened.page.getByRole("heading", { level: 1 }).waitFor();
    await opened.picture(`every${address.replaceAll(/\W+/g, "-")}-${looks.size}-${looks.mode}-${looks.language}`);
    // What a page complained of is listed with those after it too.
    for (const problem of await problemsOf(opened)) found.set(problem, found.get(problem) ?? address);
  }
  await opened.page.context().close();
  return [...found].map(([problem, address]) => `${address}: ${problem}`);
}

test("every address of a page is filled with something that there is", () => {
  expect(
    addressesFor("merchant", "merchant-staff", "operator", "staff", "everyone").filter((each) => each.includes("$")),
  ).toEqual([]);
  expect(pages.length).toBeGreaterThan(60);
});

describe.each([
  { size: "phone", mode: "dark", language: "hi", by: "link" },
  { size: "wide", mode: "light", language: "en", by: "address" },
  { size: "phone", mode: "light", language: "en", by: "link" },
] as const)("$size, $mode, $language, by $by", ({ by, ...looks }) => {
  test("a merchant's pages with something on them", { timeout: WALK_MS }, async () => {
    const addresses = addressesFor("merchant", "merchant-staff", "staff", "everyone");
    expect(await walk(addresses, { ...looks, as: busy.owner }, by)).toEqual([]);
  });

  test("an operator's pages", { timeout: WALK_MS }, async () => {
    expect(await walk(addressesFor("operator"), { ...looks, as: busy.operator }, by)).toEqual([]);
  });

  test("a franchise's pages", { timeout: WALK_MS }, async () => {
    const lists = ["/invoices", "/payments", "/credit-notes", "/customers", "/franchises", "/reports/ageing"];
    const addresses = ["/", ...lists, "/security"];
    expect(await walk(addresses, { ...looks, as: busy.franchise }, by)).toEqual([]);
  });
});

test("a new merchant's pages, which have nothing on them", { timeout: WALK_MS }, async () => {
  const ofNothing = pages.filter(({ audience, path }) => audience.startsWith("merchant") && !path.includes("$"));
  const looks = { size: "phone", mode: "dark", language: "en" } as const;
  expect(
    await walk(
      ofNothing.map(({ path }) => path),
      { ...looks, as: newcomer },
    ),
  ).toEqual([]);
});

test.each(["merchant", "operator"] as const)(
  "a record of a %s that doesn't exist, or whose id can't be one, is not found",
  { timeout: WALK_MS },
  async (audience) => {
    const opened = await browser.newPage({ as: audience === "operator" ? busy.operator : busy.owner });
    const ofRecords = pages.filter((page) => page.audience.startsWith(audience) && page.path.includes("$"));
    const addresses = ofRecords.flatMap(({ path }) => [path.replace(/\$\w+/, "999"), path.replace(/\$\w+/, "no-id")]);
    for (const address of [...addresses, "/invoices/R9999999", "/transfers/none/at-all"]) {
      await opened.goTo(address);
      await opened.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    }
    expect(await opened.findProblems()).toEqual([]);
    await opened.page.context().close();
  },
);
