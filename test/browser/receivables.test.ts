// Who owes what, in the dashboard: receivables by age on a past day, a customer's statement, the trial balance.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  const shop = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1Z5", state: "Karnataka" });
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  await shop.addCustomer({ customer_code: "ASHA", customer_name: "Asha Traders", state: "Karnataka" });
  await shop.addCustomer({ customer_code: "BALA", customer_name: "Bala & Sons", state: "Karnataka" });
  const bill = (customer_code: string, bill_date: string, due_date: string, total_amount: string) =>
    shop.add({
      customer_code,
      bill_date,
      due_date,
      particular_rows: [{ item: "Work", sac_code: "998311", total_amount, gst: "18" }],
    });
  const first = await bill("ASHA", "2026-06-01", "2026-06-15", "100000");
  await bill("ASHA", "2026-07-01", "2026-07-31", "500");
  await bill("BALA", "2026-06-10", "2026-06-10", "2000");
  const neft = { mode: "NEFT", bank_ref_no: "UTR77", paid_date: "2026-06-20" };
  await shop.settle({ ...neft, invoice_id: first["invoice_id"], amount: "50000" });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("receivables of a past day, and the statement behind a customer", async () => {
  const opened = await browser.open("/reports/ageing?on=2026-06-30", { as: owner });
  const { page } = opened;
  await page.getByText("2 customers").waitFor();
  const rows = page.getByRole("region", { name: "Receivables" }).getByRole("row");
  expect(await rows.nth(1).innerText()).toMatch(/Asha Traders[\s\S]*68,000\.00/);
  expect(await rows.nth(3).innerText()).toMatch(/2 customers[\s\S]*70,360\.00/);
  expect(await browser.lookAt(opened, "receivables")).toEqual([]);

  // Three months later the same is older.
  await page.goto(new URL("/reports/ageing?on=2026-09-30", page.url()).toString());
  await page.getByText("2 customers").waitFor();
  expect(await rows.nth(1).innerText()).toContain("68,590.00");

  await page.getByRole("link", { name: "Asha Traders" }).click();
  await page.waitForURL("**?tab=statement");
  await page.getByText("Nothing happened in this period").waitFor();
  await page.goto(`${page.url()}&from=2026-06-15&to=2026-07-31`);
  await page.getByRole("heading", { level: 1, name: "Asha Traders" }).waitFor();
  await page.getByText("Payment · NEFT UTR77").waitFor();
  const lines = page.getByRole("region", { name: "Statement of account" }).getByRole("row");
  expect(await lines.count()).toBe(3);
  expect(await lines.nth(2).innerText()).toContain("68,590.00");
  expect(await browser.lookAt(opened, "statement-of-account")).toEqual([]);
  expect(await page.getByRole("link", { name: "PDF" }).getAttribute("href")).toMatch(
    /\/statement\/pdf\?from_date=2026-06-15&to_date=2026-07-31$/,
  );

  await page.getByRole("button", { name: "Send statement" }).click();
  const dialog = page.getByRole("dialog", { name: "Send statement" });
  await dialog.getByLabel("E-mail address").fill("accounts@asha.example");
  expect(await browser.lookAt(opened, "statement-send")).toEqual([]);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("E-mail queued. See Messages for its status.").waitFor();
  const { messages } = (await owner.get("/messages")).body as { messages: object[] };
  expect(messages).toMatchObject([{ kind: "statement", channel: "mail" }]);
});

test("the trial balance adds up", async () => {
  const opened = await browser.open("/reports/trial-balance?on=2026-06-30", { as: owner });
  const { page } = opened;
  await page.getByText("Customer receivables").waitFor();
  const rows = page.getByRole("region", { name: "Trial balance" }).getByRole("row");
  expect((await rows.last().innerText()).match(/1,20,360\.00/g)).toHaveLength(2);
  expect(await browser.lookAt(opened, "trial-balance")).toEqual([]);

  for (const [program, label, name, content] of [
    ["Tally Prime", "Vouchers", "tally-vouchers-2026-06-01-to-2026-06-30.xml", "Bala &amp; Sons (BALA)"],
    ["Zoho Books", "Invoices", "zoho-invoices-2026-06-01-to-2026-06-30.csv", "Bala & Sons (BALA)"],
  ] as const) {
    const downloaded = page.waitForEvent("download");
    await page.getByRole("group", { name: program }).getByRole("button", { name: label }).click();
    const file = await downloaded;
    expect(file.suggestedFilename()).toBe(name);
    expect(await readFile(await file.path(), "utf8")).toContain(content);
  }
});

test("a merchant narrows receivables down to a franchise, and the franchise sees its own", async () => {
  const shop = await Invoices.ofNewMerchant(site, { gstin: "" });
  const login = { email: "receivables.branch@example.com", password: "a long enough secret" };
  const names = { franchise_code: "PUNE", franchise_name: "Pune Branch" };
  const franchise_id = await saveFranchiseWithLogin(site, shop.merchant, login, names);
  const dates = { bill_date: "2026-06-01", due_date: "2026-06-15" };
  await shop.add({ ...dates, particular_rows: [{ item: "Work", total_amount: "300.00" }] });
  await shop.add({ ...dates, franchise_id, particular_rows: [{ item: "Work", total_amount: "101.00" }] });

  const staff = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  const opened = await browser.open("/reports/ageing?on=2026-06-30", { as: staff });
  const rowOf = ({ page }: typeof opened) =>
    page.getByRole("region", { name: "Receivables" }).getByRole("row", { name: "Asha Rao" });
  await rowOf(opened).filter({ hasText: "401.00" }).waitFor();
  await opened.page.getByLabel("Franchise").selectOption("Pune Branch");
  await rowOf(opened).filter({ hasText: "101.00" }).waitFor();
  const { searchParams } = new URL(opened.page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ on: "2026-06-30", franchise: franchise_id });
  expect(await browser.lookAt(opened, "receivables-of-franchise")).toEqual([]);
  const downloaded = opened.page.waitForEvent("download");
  await opened.page.getByRole("button", { name: "Export CSV" }).click();
  expect(await readFile(await (await downloaded).path(), "utf8")).toContain("C1,Asha Rao,0.00,101.00");

  const branch = new Browser(site.server.baseUrl);
  await branch.post("/session/sign-in", { ...login, merchant: shop.merchant.id });
  const own = await browser.open("/reports/ageing?on=2026-06-30", { as: branch });
  await rowOf(own).filter({ hasText: "101.00" }).waitFor();
  expect(await own.page.getByLabel("Franchise").count()).toBe(0);
  expect(await own.page.getByRole("link", { name: "Receivables", exact: true }).count()).toBe(1);
  expect(await browser.lookAt(own, "receivables-own")).toEqual([]);
  await own.page.getByRole("link", { name: "Asha Rao" }).click();
  await own.page.waitForURL("**?tab=statement");
  await own.page.goto(`${own.page.url()}&from=2026-06-01&to=2026-06-30`);
  const lines = own.page.getByRole("region", { name: "Statement of account" }).getByRole("row");
  await lines.nth(1).filter({ hasText: "101.00" }).waitFor();
  expect(await lines.count()).toBe(2);
  expect(await own.page.getByRole("button", { name: "Send statement" }).count()).toBe(0);
  expect(await browser.lookAt(own, "statement-of-account-own")).toEqual([]);
});
