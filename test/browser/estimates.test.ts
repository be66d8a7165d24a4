// Estimates in the dashboard: made, changed, declined, made into invoices, and what a viewer and a franchise see.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const FRANCHISE = { email: "estimates.pune@example.com", password: "a long enough secret" };
const today = Temporal.Now.plainDateISO("Asia/Kolkata");
const day = (days: number): string => today.add({ days }).toString();

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function openAs(path: string, role?: string, options = {}) {
  const api = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, role));
  const opened = await browser.open(path, { ...options, as: api });
  return { api, opened, page: opened.page };
}

async function makeEstimate(api: Browser, members: object = {}): Promise<Record<string, string>> {
  const invoice = { customer_code: "C1", particular_rows: [{ item: "Work", gst: "18", total_amount: "1000.00" }] };
  const sent = { estimate_date: day(0), valid_until: day(30), due_days: "14", invoice, ...members };
  const { status, body } = await api.post("/estimates", sent);
  expect(status, JSON.stringify(body)).toBe(200);
  return body["estimate"] as Record<string, string>;
}

test("an estimate is made, changed, and becomes an invoice in one press", async () => {
  const { api, opened, page } = await openAs("/estimates");
  await page.getByText("No estimates yet", { exact: true }).waitFor();
  expect(await browser.lookAt(opened, "estimates-empty")).toEqual([]);
  await page.getByRole("main").getByRole("link", { name: "New estimate" }).first().click();
  await page.getByRole("heading", { level: 1, name: "New estimate" }).waitFor();

  await page.getByRole("button", { name: "Save estimate" }).click();
  await page.getByText("Choose a customer, or add a new one.").waitFor();
  await page.getByRole("combobox", { name: "Customer" }).click();
  await page.getByRole("option", { name: /Asha Rao/ }).click();
  const row = page.getByRole("group", { name: "Item 1" });
  await row.getByLabel("Item", { exact: true }).fill("Consulting");
  await row.getByLabel("Amount").fill("1000");
  await page.getByLabel("Valid until").fill(day(-1));
  await page.getByLabel("Days to pay").fill("7");
  await page.getByTestId("total").getByText("₹1,000.00").waitFor();
  expect(await page.getByText("Previous dues").count()).toBe(0);
  await page.getByRole("button", { name: "Save estimate" }).click();
  // The form shows what the server says of the field.
  await page.getByText("Must not be before estimate date.").first().waitFor();
  expect(await browser.lookAt(opened, "estimate-new")).toEqual([]);
  await page.getByLabel("Valid until").fill(day(20));
  await page.getByRole("button", { name: "Save estimate" }).click();
  await page.getByRole("heading", { level: 1, name: /^Estimate EST-.*00001$/ }).waitFor();
  await page.getByText("7 days", { exact: true }).waitFor();

  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await row.getByLabel("Amount").fill("2000");
  expect(await page.getByLabel("Days to pay").inputValue()).toBe("7");
  await page.getByRole("button", { name: "Save estimate" }).click();
  await page.getByRole("heading", { level: 1, name: /^Estimate EST-.*00001$/ }).waitFor();
  await page.getByRole("cell", { name: "₹2,000.00" }).first().waitFor();
  await page.getByRole("button", { name: "Show estimate" }).click();
  await page.frameLocator("iframe").getByText("Estimate no.").waitFor();
  expect(await browser.lookAt(opened, "estimate")).toEqual([]);
  expect((await invoices.list()).body.total_records).toBe(0);
  const pdf = page.getByRole("link", { name: "PDF", exact: true });
  expect(
    (await api.get(new URL((await pdf.getAttribute("href"))!, "http://x").pathname.slice("/api/v4".length))).status,
  ).toBe(200);

  await page.getByRole("button", { name: "Make invoice" }).click();
  await page.getByRole("heading", { level: 1, name: /^Invoice INV-/ }).waitFor();
  expect((await invoices.list()).body.total_records).toBe(1);
  await page.getByRole("link", { name: /^EST-.*00001$/ }).click();
  await page.getByRole("heading", { level: 1, name: /^Estimate EST-.*00001$/ }).waitFor();
  await page.getByText("Accepted", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Make invoice" }).count()).toBe(0);
  expect(await opened.findProblems()).toEqual([]);
});

test("a customer's answer is no, and an estimate runs out", async () => {
  const { api, opened, page } = await openAs("/estimates");
  const declined = await makeEstimate(api);
  const expired = await makeEstimate(api, { estimate_date: day(-9), valid_until: day(-1) });
  await opened.goTo(`/estimates/${declined["estimate_id"]}`);
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Too expensive");
  expect(await browser.lookAt(opened, "estimate-decline")).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Decline" }).click();
  await page.getByText("Estimate declined.").waitFor();
  await page.getByRole("definition").getByText("Too expensive", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Make invoice" }).count()).toBe(0);
  await opened.goTo(`/estimates/${declined["estimate_id"]}/edit`);
  await page.getByText("This estimate can't be edited", { exact: false }).waitFor();

  await opened.goTo(`/estimates/${expired["estimate_id"]}`);
  await page.getByText("This estimate was valid until", { exact: false }).waitFor();
  expect(await page.getByRole("button", { name: "Make invoice" }).count()).toBe(0);
  expect(await browser.lookAt(opened, "estimate-expired")).toEqual([]);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByLabel("Valid until").fill(day(5));
  await page.getByRole("button", { name: "Save estimate" }).click();
  await page.getByRole("button", { name: "Make invoice" }).waitFor();

  await opened.goTo("/estimates?status=Declined");
  await page.getByRole("link", { name: declined["estimate_number"]! }).waitFor();
  expect(await page.getByRole("link", { name: expired["estimate_number"]! }).count()).toBe(0);
  await page.getByRole("button", { name: `Actions for ${declined["estimate_number"]}` }).click();
  await page.getByRole("menuitem", { name: "PDF" }).waitFor();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Open", "PDF", "History"]);
  await page.keyboard.press("Escape");
  expect(await browser.lookAt(opened, "estimates")).toEqual([]);
  const tabs = page.getByRole("navigation", { name: "Status" });
  expect(await tabs.getByRole("link", { name: "Declined" }).getAttribute("aria-current")).toBe("page");
  await tabs.getByRole("link", { name: "All" }).click();
  await page.getByRole("button", { name: `Actions for ${expired["estimate_number"]}` }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("heading", { level: 1, name: `Edit estimate ${expired["estimate_number"]}` }).waitFor();
});

test("the menu of a row declines an estimate, makes its invoice, and says why it can't", async () => {
  const { api, opened, page } = await openAs("/estimates");
  const [declined, made, late] = [await makeEstimate(api), await makeEstimate(api), await makeEstimate(api)];
  await opened.goTo("/estimates");
  const choose = async ({ estimate_number: number }: Record<string, string>, name: string): Promise<void> => {
    await page.getByRole("button", { name: `Actions for ${number}` }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  await page.getByRole("button", { name: `Actions for ${declined["estimate_number"]}` }).click();
  await page.getByRole("menuitem", { name: "Decline" }).waitFor();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual([
    "Open",
    "PDF",
    "Make invoice",
    "Edit",
    "Decline",
    "History",
  ]);
  await page.getByRole("menuitem", { name: "Decline" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Decline" }).click();
  await page.getByText("Estimate declined.").waitFor();
  await page
    .getByRole("row")
    .filter({ hasText: declined["estimate_number"]! })
    .getByText("Declined")
    .filter({ visible: true })
    .waitFor();
  expect((await api.post(`/estimates/${late["estimate_id"]}/decline`, {})).status).toBe(200);
  await choose(late, "Make invoice");
  await page.getByRole("alert").filter({ hasText: "Couldn't make the invoice" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await choose(made, "Make invoice");
  await page.getByRole("heading", { level: 1, name: /^Invoice INV-/ }).waitFor();
});

test("of two people who make the invoice, the second is told why not", async () => {
  const mine = await openAs("/estimates");
  const estimate = await makeEstimate(mine.api);
  await mine.opened.goTo(`/estimates/${estimate["estimate_id"]}`);
  await mine.page.getByRole("button", { name: "Make invoice" }).waitFor();
  expect((await mine.api.post(`/estimates/${estimate["estimate_id"]}/invoice`, {})).status).toBe(200);
  await mine.page.getByRole("button", { name: "Make invoice" }).click();
  await mine.page.getByText("Couldn't make the invoice").waitFor();
  expect(await browser.lookAt(mine.opened, "estimate-made-before")).toEqual([]);
});

test("a viewer changes nothing, and a franchise sees no estimates", async () => {
  const { api } = await openAs("/estimates");
  const { estimate_id: id } = await makeEstimate(api);
  const viewer = await openAs(`/estimates/${id}`, "Viewer");
  await viewer.page.getByRole("link", { name: "PDF", exact: true }).waitFor();
  for (const name of ["Make invoice", "Decline"]) {
    expect(await viewer.page.getByRole("button", { name }).count()).toBe(0);
  }
  expect(await viewer.page.getByRole("link", { name: "Edit", exact: true }).count()).toBe(0);
  const names = { franchise_code: "PUNE", franchise_name: "Pune Branch" };
  await saveFranchiseWithLogin(site, invoices.merchant, FRANCHISE, names);
  const signedIn = await Browser.signIn(site, { ...FRANCHISE, merchant: invoices.merchant.id });
  const { page } = await browser.open("/", { as: signedIn });
  const navigation = page.getByRole("navigation").first();
  await navigation.getByRole("link", { name: "Invoices" }).click();
  await navigation.getByRole("link", { name: "Payments" }).waitFor();
  expect(await navigation.getByRole("link", { name: "Estimates" }).count()).toBe(0);
  expect((await signedIn.get("/estimates")).status).toBe(403);
});

test("in Hindi", async () => {
  const { api } = await openAs("/estimates");
  const { estimate_id: id } = await makeEstimate(api);
  const { opened, page } = await openAs(`/estimates/${id}`, undefined, { language: "hi" });
  await page.getByRole("button", { name: "इनवॉइस बनाएँ" }).waitFor();
  expect(await browser.lookAt(opened, "estimate-hi")).toEqual([]);
  await opened.goTo("/estimates/new");
  await page.getByRole("heading", { level: 1, name: "नया एस्टिमेट" }).waitFor();
  expect(await browser.lookAt(opened, "estimate-new-hi")).toEqual([]);
  await opened.goTo("/invoices/drafts");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await browser.lookAt(opened, "drafts-hi")).toEqual([]);
});
