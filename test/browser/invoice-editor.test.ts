// The editor of invoices in a browser: a copy of another invoice, and what the customer's GSTIN says. Walks from making
// to paying are invoices.test.ts.
import type { Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices, numbered } from "../support/invoices.ts";

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

async function openAs(person: Person, path: string): Promise<TestPage> {
  return browser.open(path, { as: await Browser.signIn(site, person) });
}

test("what has no amount yet is not asked about, and an open preview says what it waits for", async () => {
  const opened = await browser.newPage({ as: await Browser.signIn(site, owner) });
  const { page } = opened;
  const asked: string[] = [];
  page.on("request", (request) => request.url().endsWith("/invoices/preview") && asked.push(request.url()));
  await opened.goTo("/invoices/new");
  await page.getByText("The preview appears once the form is complete.").waitFor();
  await page.getByText("Totals appear once amounts and dates are complete.").waitFor();
  // Longer than somebody types without a pause: then it would have been asked.
  await page.waitForTimeout(700);
  expect(asked).toEqual([]);
  await page.getByRole("group", { name: "Item 1" }).getByLabel("Amount").fill("100");
  await expect.poll(() => asked.length, { timeout: 180_000 }).toBe(1);
  await page.context().close();
});

test("the time to pay is one press, and a new customer's code is proposed from the name", async () => {
  const opened = await openAs(owner, "/invoices/new");
  const { page } = opened;
  await page.getByRole("textbox", { name: "Invoice date" }).fill("20 jan 2026");
  const due = page.getByRole("textbox", { name: "Due date" });
  await due.click();
  for (const [press, date] of [
    ["45 days", "06/03/2026"],
    ["On receipt", "20/01/2026"],
    ["15 days", "04/02/2026"],
  ] as const) {
    await page.getByRole("button", { name: press, exact: true }).click();
    await expect.poll(() => due.inputValue()).toBe(date);
  }
  expect(await page.getByRole("button", { name: "15 days" }).getAttribute("aria-pressed")).toBe("true");
  await page.getByRole("button", { name: "New customer" }).click();
  const [code, name] = [page.getByLabel("Customer code"), page.getByRole("textbox", { name: "Name", exact: true })];
  await name.fill("Ravi & Sönhe Hardware Traders");
  await code.focus();
  await expect.poll(() => code.inputValue()).toBe("RAVI-SONHE-HARDWARE");
  await code.fill("R-1");
  await name.fill("Another");
  await code.focus();
  expect(await code.inputValue()).toBe("R-1");
  await opened.pictures("editor-time-to-pay");
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
});

test("a duplicate has what the invoice says, of today, and is saved only when the person says so", async () => {
  const { invoice_id: id } = await invoices.add({
    ...numbered("OWN-7"),
    bill_cycle_name: "May 2026",
    bill_date: "2026-05-01",
    due_date: "2026-05-08",
    previous_dues: "50.00",
    particular_rows: [
      { item: "Consulting", sac_code: "998311", gst: "18", total_amount: "1000.00" },
      { item: "Travel", total_amount: "250.50" },
    ],
  });
  const opened = await openAs(owner, "/invoices");
  const { page } = opened;
  await page.getByRole("button", { name: "Actions for OWN-7" }).click();
  await page.getByRole("menuitem", { name: "Duplicate", exact: true }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.picture("list-row-menu");
  await page.getByRole("menuitem", { name: "Duplicate", exact: true }).click();
  await page.getByText(/^Copied from OWN-7/).waitFor();

  const second = page.getByRole("group", { name: "Item 2" });
  expect(await second.getByLabel("Amount").inputValue()).toBe("250.50");
  expect(await page.getByLabel("Billing period").inputValue()).toBe("");
  expect(await page.getByLabel("Previous dues").inputValue()).toBe("");
  expect(await page.getByLabel("Invoice no").inputValue()).toBe("");
  await opened.pictures("duplicate");
  expect(await opened.findProblems()).toEqual([]);
  expect((await invoices.list()).body.total_records).toBe(1);

  await second.getByLabel("Amount").fill("300");
  await page.getByRole("button", { name: "Save invoice" }).dblclick();
  await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
  const copyId = new URL(page.url()).pathname.split("/")[2]!;
  const copy = await invoices.read(copyId);
  expect(copyId).not.toBe(id);
  expect(copy).toMatchObject({ customer: { customer_code: "C1" }, previous_dues: "0.00", bill_cycle_name: "" });
  expect(copy["sub_total"]).toBe("1300.00");
  const days = Temporal.PlainDate.from(copy["bill_date"] as string).until(copy["due_date"] as string).days;
  expect(days).toBe(7);
  expect(copy["bill_date"]).not.toBe("2026-05-01");
  expect((await invoices.list()).body.total_records).toBe(2);
  expect(await invoices.read(id)).toMatchObject({ invoice_number: "OWN-7", amount: "1480.50" });
  // A copy of the copy, from its own page.
  await opened.chooseMore("Duplicate");
  await page.getByText(/^Copied from INV-/).waitFor();
  await page.context().close();
});

test("one button saves, and one saves and sends, also after a refusal of the other", async () => {
  const { invoice_id: id } = await invoices.add();
  const opened = await openAs(owner, `/invoices/${id}`);
  const { page } = opened;
  const copyAnd = async (press: () => Promise<void>): Promise<unknown> => {
    await opened.chooseMore("Duplicate");
    await page.getByText(/^Copied from /).waitFor();
    const posted: Request[] = [];
    const keep = (asked: Request): unknown =>
      asked.method() === "POST" && asked.url().endsWith("/api/v4/invoices") && posted.push(asked);
    page.on("request", keep);
    await press();
    await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
    page.off("request", keep);
    const { invoice } = posted.at(-1)!.postDataJSON() as { invoice: { invoice_properties: unknown }[] };
    return invoice[0]!.invoice_properties;
  };
  const amount = page.getByRole("group", { name: "Item 1" }).getByLabel("Amount");
  const send = page.getByRole("button", { name: "Save and send" });
  expect(await copyAnd(() => send.click())).toMatchObject({ notify_patron: "1" });
  const savedAfterAll = copyAnd(async () => {
    await amount.fill("");
    await send.click();
    await expect.poll(() => amount.getAttribute("aria-invalid")).toBe("true");
    await amount.fill("120");
    await page.getByRole("button", { name: "Save invoice" }).click();
  });
  expect(await savedAfterAll).toMatchObject({ notify_patron: "0" });
  await page.context().close();
});

test("a customer's GSTIN, state and kind of tax are shown at once, and a GSTIN fills the state of a new one", async () => {
  const other = await Invoices.ofNewMerchant(site, { name: "Bharat Stores", gstin: "29AAACI1234K1Z5" });
  const gst = [{ id: "gstin", name: "GSTIN", type: "gst", value: "27AAACI1234K1Z9" }];
  await other.addCustomer({ customer_code: "M1", customer_name: "Mumbai Mills", state: "Delhi", custom_fields: gst });
  const opened = await openAs(await newPerson(site, other.merchant.id), "/invoices/new");
  const { page } = opened;
  await page.getByRole("combobox", { name: "Customer" }).fill("Mumbai");
  await page.getByRole("option", { name: /Mumbai Mills/ }).click();
  // Nothing is billed yet, and it is known how.
  await page.getByText("GSTIN 27AAACI1234K1Z9 · Maharashtra · IGST").waitFor();
  await page
    .getByText("The GSTIN is from Maharashtra, but the address is in Delhi. We use the GSTIN for tax.")
    .waitFor();
  await opened.pictures("supply-known");
  expect(await opened.findProblems()).toEqual([]);

  await page.getByRole("button", { name: "New customer" }).click();
  const state = page.getByLabel("State", { exact: true });
  await page.getByLabel("GSTIN", { exact: true }).fill("29aaaci1234k1z5");
  await expect.poll(() => state.inputValue()).toBe("Karnataka");
  await page.getByText("GSTIN 29AAACI1234K1Z5 · Karnataka · CGST + SGST").waitFor();
  await state.selectOption("Kerala");
  await page
    .getByText("The GSTIN is from Karnataka, but the address is in Kerala. We use the GSTIN for tax.")
    .waitFor();
  await opened.pictures("supply-new");
  expect(await opened.findProblems()).toEqual([]);
  // A wrong check digit is asked about, as in the customer's own form.
  await page.getByLabel(/^Customer code/).fill("N1");
  await page.getByLabel(/^Name/).fill("Kochi Mills");
  await page.getByLabel("Item", { exact: true }).fill("Work");
  await page.getByLabel("Amount", { exact: true }).fill("100");
  // Errors come before any question.
  const row = page.getByRole("group", { name: "Item 1" });
  await row.getByLabel("HSN/SAC").fill("9.98314E+05");
  await row.getByLabel("GST %").fill("118 %");
  await page.getByLabel("Mobile").fill("12345");
  await page.getByRole("button", { name: "Save invoice" }).click();
  await row.getByText("Enter the digits of the HSN or SAC code: 4, 6 or 8.").waitFor();
  await row.getByText("Enter a rate from 0 to 100, without the % sign.").waitFor();
  await page.getByText("Enter a mobile number of 10 digits.").waitFor();
  expect(await page.getByRole("button", { name: "Save anyway" }).count()).toBe(0);
  await row.getByLabel("HSN/SAC").fill("");
  await row.getByLabel("GST %").fill("");
  await page.getByLabel("Mobile").fill("");
  await page.getByRole("button", { name: "Save invoice" }).click();
  await page.getByText("The check digit of GSTIN 29AAACI1234K1Z5 is wrong").waitFor();
  await page.getByRole("button", { name: "Save anyway" }).waitFor();
  // So are taxes that the place of supply doesn't have, which only the server can tell.
  await page.getByRole("switch", { name: "Enter tax lines instead of a rate per item" }).click();
  const tax = page.getByRole("group", { name: "Tax line 1" });
  await tax.getByLabel("Name").fill("IGST");
  await tax.getByLabel("%").fill("18");
  await tax.getByLabel("Taxable amount").fill("100");
  await page.getByRole("button", { name: "Save anyway" }).click();
  await page.getByText("The place of supply is Karnataka: charge CGST and SGST instead of IGST.").waitFor();
  await opened.pictures("doubted-by-server");
  expect((await other.list()).body.total_records).toBe(0);
  await page.getByRole("button", { name: "Save anyway" }).click();
  await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
  expect((await other.list()).body.total_records).toBe(1);
  await page.context().close();
});

/** Where something is on the page as it is scrolled now. */
async function boxOf(place: ReturnType<TestPage["page"]["locator"]>) {
  return (await place.boundingBox())!;
}

test("rows are those of a table, of two lines of 40 px; totals stay beside the form, and are below it on a phone", async () => {
  const as = await Browser.signIn(site, owner);
  const opened = await browser.open("/invoices/new", { as });
  const { page } = opened;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/invoices/preview")) asked.push(request.postData() ?? "");
  });
  const first = page.getByRole("group", { name: "Item 1" });
  await first.getByLabel("Item", { exact: true }).fill("Consulting");
  const amount = first.getByLabel("Amount");
  await amount.pressSequentially("1234567");
  await expect.poll(() => page.getByTestId("total").textContent()).toBe("₹12,34,567.00");
  // Seven keys are not seven questions, and the newest one is answered.
  expect(asked.length).toBeLessThan(4);
  expect(asked.at(-1)).toContain('"total_amount":"1234567"');
  for (let count = 2; count <= 8; count += 1) await page.getByRole("button", { name: "Add item" }).click();
  expect(await page.getByRole("group", { name: /^Item \d$/ }).count()).toBe(8);
  expect((await boxOf(page.getByRole("group", { name: "Item 2" }))).height).toBeLessThanOrEqual(80);
  expect(await opened.findProblems()).toEqual([]);

  const total = page.getByTestId("total");
  const before = await boxOf(total);
  await page.getByRole("button", { name: "Save invoice" }).scrollIntoViewIfNeeded();
  expect(await page.evaluate<number>("window.scrollY")).toBeGreaterThan(100);
  const after = await boxOf(total);
  expect(after.y).toBeGreaterThan(0);
  expect(after.y).toBeLessThanOrEqual(before.y);
  expect(after.x).toBeGreaterThan((await boxOf(first)).x + (await boxOf(first)).width);
  await opened.pictures("editor");
  await page.context().close();

  const phone = await browser.open("/invoices/new", { as, size: "phone", mode: "dark", language: "hi" });
  const totals = phone.page.getByRole("heading", { name: "कुल योग", exact: true });
  const rows = phone.page.getByRole("group").first();
  expect((await boxOf(totals)).y).toBeGreaterThan((await boxOf(rows)).y);
  const row = phone.page.locator('[data-list-item="particular_rows.0"]');
  await row.locator("input").first().fill("परामर्श");
  await row.getByLabel("राशि", { exact: true }).fill("1200");
  await expect.poll(() => phone.page.getByTestId("total").textContent()).toBe("₹1,200.00");
  await phone.pictures("editor-hindi");
  expect(await phone.findProblems()).toEqual([]);
  await phone.page.context().close();
});

test("a supply that differs is told in a folded section, kept by an edit, and cleared by an empty field", async () => {
  const shop = await Invoices.ofNewMerchant(site, { name: "Dock Traders", gstin: "29AAACI1234K1Z5" });
  await shop.addCustomer({ customer_code: "K1", customer_name: "Kaveri Stores", state: "Karnataka" });
  const opened = await openAs(await newPerson(site, shop.merchant.id), "/invoices/new");
  const { page } = opened;
  await page.getByRole("combobox", { name: "Customer" }).fill("Kaveri");
  await page.getByRole("option", { name: /Kaveri Stores/ }).click();
  const item = page.getByRole("group", { name: "Item 1" });
  await item.getByLabel("Item", { exact: true }).fill("Valve");
  await item.getByLabel("Amount").fill("1000");
  await item.getByLabel("GST %", { exact: true }).fill("18");
  const supply = page.locator("section", { has: page.getByRole("heading", { name: "Supply", exact: true }) });
  expect(await page.getByLabel("Place of supply").count()).toBe(0);
  await supply.getByRole("button", { name: "Show" }).click();

  await page.getByLabel("Supply type").selectOption("export_with_tax");
  await page.getByLabel("Shipping bill no.").fill("1234567");
  await page.getByRole("button", { name: "Save invoice" }).click();
  // At its field, and soon beside the form too, where the pages would be.
  await page
    .getByText(/has no country abroad/)
    .first()
    .waitFor();
  await opened.pictures("supply-refused");
  expect(await opened.findProblems()).toEqual([]);

  await page.getByLabel("Shipping bill no.").fill("");
  await page.getByLabel("Supply type").selectOption("");
  await page.getByLabel("Place of supply").selectOption("27");
  await page.getByLabel("Delivery address").fill("Gate 4, Pune");
  await page.getByLabel("Reverse charge").check();
  await opened.pictures("supply");
  await page.getByRole("button", { name: "Save invoice" }).click();
  // A customer without a GSTIN pays no tax of its own: that is asked about.
  await page
    .getByText(/The recipient pays the tax, and has no GSTIN/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Save anyway" }).click();
  await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
  const id = new URL(page.url()).pathname.split("/")[2]!;
  const said = { place_of_supply: "27", reverse_charge: "1", delivery_address: "Gate 4, Pune", amount: "1000.00" };
  expect(await shop.read(id)).toMatchObject(said);

  await opened.goTo(`/invoices/${id}/edit`);
  expect(await page.getByLabel("Place of supply").inputValue()).toBe("27");
  expect(await page.getByLabel("Reverse charge").isChecked()).toBe(true);
  await page.getByLabel("Delivery address").fill("");
  await page.getByRole("button", { name: "Save invoice" }).click();
  await page.getByRole("button", { name: "Save anyway" }).click();
  await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
  const changed = await shop.read(id);
  expect(changed).toMatchObject({ place_of_supply: "27", reverse_charge: "1" });
  expect(Object.keys(changed)).not.toContain("delivery_address");
  await page.context().close();
});
