// The list of debit notes in a browser: from the menu, with its filters, the PDF and the invoice of each, and cancelling.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

test("debit notes are listed, filtered, opened and cancelled", async () => {
  const { invoice_id: id, invoice_number: number } = await invoices.add({
    bill_date: "2026-06-01",
    due_date: "2026-06-15",
    particular_rows: [{ item: "Valves", sac_code: "8481", gst: "18", quantity: "5", unit_price: "100.00" }],
  });
  const issue = async (quantity: string): Promise<Record<string, string>> => {
    const rows = [{ row: "1", quantity }];
    const { status, body } = await owner.post("/debit-notes", { invoice_id: id, rows, reason: "Two more" });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.debit_note as Record<string, string>;
  };
  const [first, second] = [await issue("1"), await issue("2")];
  const opened = await browser.open("/", { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "Invoices", exact: true }).click();
  await page.getByRole("link", { name: "Debit notes", exact: true }).click();
  await page.waitForURL("**/debit-notes");
  const rowOf = (note: Record<string, string>) => page.getByRole("row").filter({ hasText: note["debit_note_number"]! });
  await rowOf(second).waitFor();
  expect(await browser.lookAt(opened, "debit-notes")).toEqual([]);

  expect(
    await rowOf(first)
      .getByRole("link", { name: String(number) })
      .getAttribute("href"),
  ).toMatch(`/invoices/${id}`);
  const menuOf = (note: Record<string, string>) =>
    rowOf(note).getByRole("button", { name: `Actions for ${note["debit_note_number"]}` });
  await menuOf(first).click();
  const pdf = page.getByRole("menuitem", { name: "PDF", exact: true });
  const file = await fetch((await pdf.getAttribute("href"))!);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "application/pdf"]);

  await page.getByRole("menuitem", { name: "Record payment" }).waitFor();
  expect(await browser.lookAt(opened, "debit-note-menu")).toEqual([]);
  await page.getByRole("menuitem", { name: "Cancel debit note" }).click();
  await opened.picture("debit-note-cancel");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel debit note" }).click();
  await rowOf(first).getByText("Cancelled").filter({ visible: true }).waitFor();
  await menuOf(first).click();
  await page.getByRole("menuitem", { name: "PDF", exact: true }).waitFor();
  expect(await page.getByRole("menuitem", { name: /^Cancel/ }).count()).toBe(0);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Date", exact: true }).click();
  await page.waitForURL(/sort=date/);
  await rowOf(second).waitFor();
  const tabs = page.getByRole("navigation", { name: "Status" });
  await tabs.getByRole("link", { name: "Cancelled" }).click();
  await rowOf(second).waitFor({ state: "detached" });
  await tabs.getByRole("link", { name: "Unpaid" }).click();
  await rowOf(first).waitFor({ state: "detached" });
  await page.goBack();
  await rowOf(first).waitFor();
  await tabs.getByRole("link", { name: "All" }).click();
  await page.getByRole("searchbox").fill(second["debit_note_number"]!);
  await rowOf(first).waitFor({ state: "detached" });
  await rowOf(second).getByRole("link", { name: second["debit_note_number"]!, exact: true }).click();
  await page.getByRole("heading", { name: `Debit note ${second["debit_note_number"]}` }).waitFor();
  await page.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: "Cancel debit note" }).waitFor();
  await page.context().close();
});

test("a viewer sees no way to cancel, in Hindi", async () => {
  const viewer = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Viewer"));
  const opened = await browser.open("/debit-notes", { as: viewer, size: "phone", mode: "dark", language: "hi" });
  await opened.page.getByRole("heading", { name: "डेबिट नोट", level: 1 }).waitFor();
  const menus = opened.page.getByRole("button", { name: /की कार्रवाइयाँ$/ });
  expect(await menus.count()).toBe(2);
  await menus.first().click();
  await opened.page.getByRole("menuitem", { name: "PDF", exact: true }).waitFor();
  expect(await opened.page.getByRole("menuitem", { name: /रद्द/ }).count()).toBe(0);
  await opened.picture("debit-notes-hindi");
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.context().close();
});
