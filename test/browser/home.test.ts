// The first page in a browser, for each who has another one: a new business, people of several roles, a franchise, and an operator who
// looks in. The tests go in this order: what one makes, the next ones see.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const FIRST_PASSWORD = "correct horse";
const ROLE = "Front desk";
/** Sums are kept for a hundred times as long as they took, which on a busy machine is long. */
const KEPT = { timeout: 180_000 };

/** The only customer. */
const DEBTOR = "Asha Rao";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let merchantId: string;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  merchantId = invoices.merchant.id;
  owner = await Browser.signIn(site, await newPerson(site, merchantId));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function openHome(as: Pick<Browser, "cookies">, options: Parameters<TestBrowser["open"]>[1] = {}) {
  const opened = await browser.open("/", { ...options, as });
  await opened.page.getByRole("heading", { level: 1 }).waitFor();
  return opened;
}

/** Wide in the light, and on a phone in the dark; and the same in Hindi. */
async function look(opened: TestPage, name: string, as: Browser): Promise<void> {
  expect(await browser.lookAt(opened, name), name).toEqual([]);
  const hindi = await openHome(as, { language: "hi", size: "phone" });
  await hindi.picture(`${name}-phone-hindi`);
  expect(await hindi.findProblems(), `${name} in Hindi`).toEqual([]);
  await hindi.page.context().close();
}

const titlesOf = ({ page }: TestPage) => page.getByRole("main").getByRole("heading", { level: 2 }).allTextContents();

async function overdue(): Promise<string> {
  const { body } = await owner.get("/session/home/billing");
  return (body as { overdue: { amount: string } }).overdue.amount;
}

const panel = ({ page }: TestPage, title: string) =>
  page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: title, exact: true }) });

test("a new business has a list of what to do, each done by what is there, until it is dismissed", async () => {
  const opened = await openHome(owner);
  const { page } = opened;
  const list = panel(opened, "Get started");
  await list.getByText("1 of 5 done").waitFor();
  expect(await list.getByRole("listitem").filter({ hasText: "Done" }).allTextContents()).toEqual([
    expect.stringContaining("company details") as string,
  ]);
  // Charts and lists of nothing would only be in the way.
  expect(await titlesOf(opened)).toEqual(["Available balance", "Get started", "Sandbox test accounts"]);
  const accounts = panel(opened, "Sandbox test accounts");
  for (const each of ["026291800001191", "2640101002729", "7766671735000", "failure@upi"]) {
    await accounts.getByRole("cell", { name: each }).waitFor();
  }
  await look(opened, "home-new", owner);

  // Each step leads to where it is done.
  await list.getByRole("link", { name: "New invoice" }).click();
  await page.waitForURL("**/invoices/new");
  await invoices.add({ due_date: "2026-06-15" });
  const template = (await owner.get("/templates")).body["templates"][0] as { template_id: string };
  const changed = await owner.put(`/templates/${template.template_id}`, { terms: "Pay within 15 days." });
  expect(changed.status).toBe(200);
  const profile = { bank_account: "00011020001772", ifsc: "HDFC0000001", bank_holder: "Asha Traders" };
  const saved = await owner.put("/bank-account", profile);
  expect([saved.status, saved.body]).toEqual([200, expect.anything()]);
  await opened.goTo("/");
  await list.getByText("4 of 5 done").waitFor();
  expect(await list.getByRole("link").allTextContents()).toEqual(["Security"]);

  await list.getByRole("button", { name: "Dismiss" }).click();
  await list.waitFor({ state: "detached" });
  await expect.poll(overdue, KEPT).toBe("100.00");
  await opened.goTo("/");
  await page.getByRole("heading", { name: "Needs your attention" }).waitFor();
  expect(await list.count(), "dismissed for good").toBe(0);
  await page.context().close();
});

test("what is owed is shown by age, and what was collected by month; each amount leads to its list", async () => {
  const today = Temporal.Now.plainDateISO("Asia/Kolkata");
  const day = (days: number): string => today.add({ days }).toString();
  const paid = await invoices.add({ bill_date: day(-45), due_date: day(-40), particular_rows: row("250.00") });
  await invoices.settle({ invoice_id: paid["invoice_id"], amount: "250.00", paid_date: day(-40) });
  await invoices.add({ bill_date: day(-2), due_date: day(5), particular_rows: row("400.00") });
  const collected = async () => {
    const { months } = (await owner.get("/session/home/billing")).body as { months: { collected: string }[] };
    return months.some((each) => each.collected === "250.00");
  };
  await expect.poll(collected, KEPT).toBe(true);
  const opened = await openHome(owner);
  const { page } = opened;
  // "Get started" was dismissed in another browser. What is late goes below the receivables.
  const attention = ["Needs your attention", "Get started"];
  const below = ["Money in and out", "Billed and collected", "Recent activity", "Sandbox test accounts"];
  expect([
    ["Available balance", ...attention, "Receivables", ...below],
    ["Available balance", "Receivables", ...attention, ...below],
  ]).toContainEqual(await titlesOf(opened));
  const receivables = panel(opened, "Receivables");
  const ages = ["₹400.00", "₹0.00", "₹0.00", "₹0.00", "₹100.00"];
  expect(await receivables.getByRole("link").allTextContents()).toEqual(["₹500.00", ...ages, DEBTOR]);
  expect(await receivables.getByText(`${DEBTOR}₹500.00`).count()).toBe(1);

  const chart = panel(opened, "Billed and collected");
  const drawing = chart.getByRole("img", { name: "Billed and collected, Last 6 months" });
  const box = (await drawing.boundingBox())!;
  const months = today
    .with({ day: 1 })
    .since(today.add({ days: -40 }).with({ day: 1 }), { largestUnit: "months" }).months;
  await drawing.hover({ position: { x: (box.width * (6 - months - 0.5)) / 6, y: box.height / 2 } });
  await chart.getByText("Collected ₹250.00", { exact: true }).waitFor();
  await opened.picture("home-chart-pointed");
  await look(opened, "home", owner);

  const leads: readonly (readonly [string, string, RegExp])[] = [
    ["Receivables", "₹500.00", /\/reports\/ageing$/],
    ["Receivables", DEBTOR, /\/customers\/\w+\?tab=statement$/],
    ["Billed and collected", "₹250.00", /\/payments\?from=\d{4}-\d\d-01&to=[\d-]{10}$/],
    ["Money in and out", "₹0.00", /\/statement\?from=[\d-]{10}&to=[\d-]{10}$/],
    ["Available balance", "₹0.00", /\/statement$/],
    ["Needs your attention", "1 invoice is overdue: ₹100.00", /\/invoices\?status=Overdue$/],
  ];
  for (const [title, name, address] of leads) {
    await panel(opened, title).getByRole("link", { name }).first().click();
    await page.waitForURL(address);
    await page.goBack();
  }
  await page.context().close();
});

test("a slow sum, and one that fails, hide none of the others", async () => {
  const opened = await browser.newPage({ as: owner });
  const { page } = opened;
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/home\/(waiting|balance-days)$/, async (route) => {
    await answered;
    await route.continue();
  });
  const failed = { code: "internal_error", message: "Something went wrong on the server." };
  await page.route(/reports\/ageing/, (route) => route.fulfill({ status: 500, json: { error: failed } }));
  await page.goto("/");
  await panel(opened, "Available balance").getByRole("link", { name: "₹0.00" }).first().waitFor();
  await panel(opened, "Billed and collected").getByRole("link", { name: "₹250.00" }).waitFor();
  await panel(opened, "Recent activity").getByText("No money has moved yet.").waitFor();
  const receivables = panel(opened, "Receivables");
  await receivables.getByRole("alert").getByText("Something went wrong on the server.").waitFor();
  await opened.picture("home-slow");
  answer();
  await panel(opened, "Money in and out").getByRole("img").waitFor();
  await page.unroute(/reports\/ageing/);
  await receivables.getByRole("button", { name: "Try again" }).click();
  await receivables.getByRole("link", { name: "₹500.00" }).waitFor();
  expect(await receivables.getByRole("alert").count()).toBe(0);
  await page.context().close();
});

test("what needs attention goes once nothing does", async () => {
  const { body } = await owner.get("/invoices?status=Overdue");
  const [late] = (body as { invoices: { invoice_id: string }[] }).invoices;
  await invoices.settle({ invoice_id: late!.invoice_id, amount: "100.00" });
  await expect.poll(overdue, KEPT).toBe("0.00");
  const opened = await openHome(owner);
  const { page } = opened;
  await panel(opened, "Receivables").getByRole("link", { name: "₹400.00" }).first().waitFor();
  const attention = panel(opened, "Needs your attention");
  // Its invoices lack an HSN code.
  expect(await attention.getByRole("link").allTextContents()).toEqual([expect.stringContaining("GST") as string]);
  await page.route(/home\/waiting$/, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { gst_problems: object };
    await route.fulfill({ response, json: { ...answer, gst_problems: { ...answer.gst_problems, count: 0 } } });
  });
  await opened.goTo("/");
  await panel(opened, "Receivables").getByRole("link", { name: "₹400.00" }).first().waitFor();
  expect(await attention.count()).toBe(0);
  await page.context().close();
});

function row(total_amount: string) {
  return [{ item: "Work", total_amount }];
}

test("while sums are on their way, nothing says zero in their place", async () => {
  for (const path of ["/", "/invoices", "/payments", "/credit-notes", "/transfers", "/statement", "/subscriptions"]) {
    const opened = await browser.newPage({ as: owner });
    const { page } = opened;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/\/api\/(v4|session)\/(?!session$)/, async (route) => {
      await answered;
      await route.continue();
    });
    await page.goto(path);
    const main = page.getByRole("main");
    await main.getByRole("heading", { level: 1 }).waitFor();
    await main.locator(".mantine-Skeleton-root, [aria-busy=true]").first().waitFor();
    expect(await main.textContent(), path).not.toMatch(/₹\s?0|(^|[^\d.,])0([^\d.,]|$)/);
    await opened.picture(`loading${path.replaceAll("/", "-")}`);
    answer();
    await opened.settle();
    expect(await opened.findProblems(), path).toEqual([]);
    await page.context().close();
  }
});

test("each role has the buttons that it may use, and no way that ends at a wall", async () => {
  await owner.post("/roles", { name: ROLE, permissions: ["customers.view"] });
  const expected: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["Manager", ["New invoice", "New transfer"], ["Get started", "Money in and out"]],
    ["Accountant", ["New invoice"], ["Get started", "Billed and collected"]],
    ["Viewer", [], ["Money in and out", "Billed and collected"]],
    [ROLE, [], []],
  ];
  for (const [role, buttons, shown] of expected) {
    const person = await Browser.signIn(site, await newPerson(site, merchantId, role));
    const opened = await openHome(person);
    const links = opened.page.getByRole("main").getByRole("link");
    const actions = (await links.allTextContents()).filter((text) => /^New (invoice|transfer)$/.test(text));
    expect(new Set(actions), role).toEqual(new Set(buttons));
    const titles = await opened.page.getByRole("heading", { level: 2 }).allTextContents();
    expect(titles, role).toEqual(expect.arrayContaining([...shown]));
    expect(titles.includes("Get started"), role).toBe(shown.includes("Get started"));
    const addresses = await links.evaluateAll((all) => all.map((each) => each.getAttribute("href")!));
    for (const address of new Set(addresses)) {
      await opened.goTo(address);
      expect(await opened.page.getByText("You don't have access").count(), `${role} at ${address}`).toBe(0);
    }
    expect(await opened.findProblems(), role).toEqual([]);
    await opened.page.context().close();
  }
});

test("a franchise chooses a password of its own, and sees what it earned, was paid, is due, and who owes", async () => {
  const email = "south@example.com";
  const made = await invoices.merchant.post("/api/v1/franchise/save", {
    ...FRANCHISE_LEAST,
    franchise_name: "South Branch",
    commission_type: "Percentage",
    commission: "10",
    enable_franchise_login: "1",
    login_email: email,
    password: FIRST_PASSWORD,
    role_name: "Franchise",
  });
  const franchise_id = made.body["franchise_id"] as string;
  const paid = await invoices.add({ franchise_id, particular_rows: row("1000.00") });
  await invoices.settle({ invoice_id: paid["invoice_id"], amount: "1000.00" });
  const late = await invoices.add({ franchise_id, particular_rows: row("700.00") });
  const record = { request_key: crypto.randomUUID(), amount: "30.00", paid_date: "2026-06-20", mode: "Cash" };
  const recorded = await owner.post(`/franchises/${franchise_id}/payments`, record);
  expect([recorded.status, recorded.body]).toEqual([200, expect.anything()]);

  const opened = await browser.open(`/sign-in?merchant=${merchantId}`);
  const { page } = opened;
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: false }).first().fill(FIRST_PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Choose your own password" }).waitFor();
  await page.getByLabel("Current password", { exact: false }).fill(FIRST_PASSWORD);
  await page.getByLabel("New password", { exact: false }).first().fill("three calm otters");
  await page.getByLabel("Confirm new password", { exact: false }).fill("three calm otters");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByRole("heading", { level: 1, name: "South Branch" }).waitFor();

  for (const figure of ["₹70.00", "₹100.00", "₹30.00"]) await page.getByText(figure, { exact: true }).first().waitFor();
  const unpaid = panel(opened, "Unpaid invoices");
  await unpaid.getByRole("cell", { name: "700.00" }).first().waitFor();
  expect(await unpaid.getByRole("row").count(), "one and the headings").toBe(2);
  const person = { email, password: "three calm otters", merchant: merchantId };
  await look(opened, "home-franchise", await Browser.signIn(site, person));
  await unpaid.getByRole("link", { name: late["invoice_number"] as string }).click();
  await page.waitForURL("**/invoices/*");

  // What a franchise may not have is neither asked for nor offered.
  const refused: string[] = [];
  page.on("response", (response) => response.status() >= 400 && refused.push(response.url()));
  await opened.goTo("/subscriptions");
  expect(refused).toEqual([]);
  expect(await page.getByRole("link", { name: /^(API reference|Settings)$/ }).count()).toBe(0);
  await page.context().close();
});

test("an operator who looks in is told so on every page, with the way back", async () => {
  const operator = await Browser.signIn(site, await newPerson(site, null, "Operator"));
  const opened = await browser.open(`/m/${merchantId}`, { as: operator });
  const { page } = opened;
  const banner = page.getByRole("status").filter({ hasText: "You're viewing Asha Traders as an operator." });
  await banner.waitFor();
  expect(await page.getByText("Get started").count(), "the steps are the merchant's own").toBe(0);
  expect(await browser.lookAt(opened, "home-operator")).toEqual([]);
  await opened.goTo(`/m/${merchantId}/customers`);
  await banner.getByRole("link", { name: "All merchants" }).click();
  await page.getByRole("heading", { level: 1, name: "Merchants" }).waitFor();
  expect(await banner.count(), "not on an operator's own pages").toBe(0);
  await page.context().close();
});
