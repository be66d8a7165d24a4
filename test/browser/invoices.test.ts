// Invoices in a browser: made with live totals, changed, sent, paid, reversed, credited, cancelled, found again,
// uploaded. The rules behind them are tested in src/invoices and test/wire.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fundMerchant } from "../../src/ledger/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

/** The walk is long, and a busy machine slow. */

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

async function fund({ pool }: Installation, merchantId: string, amountPaise: bigint): Promise<void> {
  const { bucket } = await requireMerchant(pool, BigInt(merchantId));
  const funding = { bucket, merchantId: BigInt(merchantId), amountPaise, reference: "opening" };
  await fundMerchant(pool, new IdSource(pool), funding);
}

/** Opens a page of the dashboard as somebody who is signed in. */
async function openAs(
  person: Person,
  path: string,
  options: Parameters<TestBrowser["open"]>[1] = {},
): Promise<TestPage> {
  return browser.open(path, { ...options, as: await Browser.signIn(site, person) });
}

test("an invoice is made, changed, sent, paid, reversed and credited", async () => {
  const opened = await openAs(owner, "/invoices");
  const { page } = opened;
  await page.getByRole("heading", { name: "No invoices yet" }).waitFor();
  await opened.pictures("list-empty");
  expect(await opened.findProblems()).toEqual([]);

  await page.getByRole("link", { name: "New invoice" }).first().click();
  await page.getByRole("heading", { name: "New invoice", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Save invoice" }).click();
  await page
    .getByText(/Choose a customer/)
    .first()
    .waitFor();
  await opened.pictures("form-errors");

  await page.getByRole("button", { name: "New customer" }).click();
  await page.getByLabel(/^Customer code/).fill("C7");
  await page.getByLabel(/^Name/).fill("Meera Iyer");
  await page.getByLabel("E-mail").fill("meera@example.com");
  await page.getByLabel("State").selectOption("Tamil Nadu");
  await page.getByLabel("Item", { exact: true }).fill("Consulting");
  await page.getByLabel("GST %").fill("18");
  await page.getByLabel("Amount", { exact: true }).fill("1,00,000.50");
  await page.getByLabel("Amount", { exact: true }).press("Enter");
  const second = page.getByRole("group", { name: "Item 2" });
  await second.getByLabel("Item", { exact: true }).fill("Travel");
  await second.getByLabel("Amount").fill("200");
  await second.getByLabel("Amount").press("Alt+ArrowUp");
  expect(await page.getByRole("group", { name: "Item 1" }).getByLabel("Item", { exact: true }).inputValue()).toBe(
    "Travel",
  );
  // Another state's customer: IGST, rounded for the row.
  await page.getByText("IGST 18% on ₹1,00,000.50").waitFor();
  await expect.poll(() => page.getByTestId("total").textContent()).toBe("₹1,18,200.59");
  await page.getByText("Rupees One Lakh Eighteen Thousand Two Hundred and Fifty-Nine Paise Only").waitFor();
  // Beside the form where there is room, without being asked for.
  await page.getByRole("img", { name: "Preview of the PDF" }).waitFor();
  await opened.pictures("form-full");
  expect(await opened.findProblems()).toEqual([]);

  // Two presses of one form make one invoice.
  await page.getByRole("button", { name: "Save invoice" }).dblclick();
  await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
  const id = new URL(page.url()).pathname.split("/")[2]!;
  expect((await invoices.list()).body.total_records).toBe(1);
  const before = await invoices.read(id);
  expect(before).toMatchObject({ amount: "118200.59", customer: { customer_code: "C7" } });

  await opened.chooseMore("Edit");
  const first = page.getByRole("group", { name: "Item 1" });
  await first.getByLabel("Amount").fill("300");
  await page.getByRole("button", { name: "Save invoice" }).click();
  await page.getByRole("heading", { name: "Earlier versions" }).waitFor();
  expect((await invoices.read(id))["amount"]).toBe("118300.59");

  await page.getByRole("button", { name: "Send", exact: true }).click();
  const sending = page.getByRole("dialog");
  await sending.getByLabel(/E-mail address/).fill("not an address");
  await sending.getByRole("button", { name: "Send" }).click();
  await sending.getByText("Enter an e-mail address, such as name@example.com.").waitFor();
  await sending.getByLabel(/E-mail address/).fill("accounts@example.com");
  await sending.getByRole("button", { name: "Send" }).click();
  // There is no mail server here: the message is written, and held.
  await page.getByRole("cell", { name: "accounts@example.com", exact: true }).waitFor();
  await page.getByText("On hold", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Record payment" }).click();
  const paying = page.getByRole("dialog");
  await paying.getByLabel(/^Amount/).fill("1000,00");
  await paying.getByRole("button", { name: "Record payment" }).click();
  await paying.getByText("Enter an amount above 0, such as 1,234.50.").waitFor();
  await paying.getByLabel(/^Amount/).fill("118300.60");
  await paying.getByRole("button", { name: "Record payment" }).click();
  await paying
    .getByText(/Only ₹1,18,300.59 is due/)
    .first()
    .waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("payment-refused");
  await paying.getByLabel(/^Amount/).fill("18300.59");
  await paying.getByLabel("Mode").selectOption("Cheque");
  await paying.getByLabel("Cheque number").fill("000123");
  await paying
    .getByText(/Rupees Eighteen Thousand Three Hundred and Fifty-Nine Paise Only/)
    .first()
    .waitFor();
  await paying.getByRole("button", { name: "Record payment" }).dblclick();
  await page.getByRole("cell", { name: "000123" }).waitFor();
  expect(await invoices.read(id)).toMatchObject({ paid_amount: "18300.59", due_amount: "100000.00" });

  const shown = await browser.newPage();
  await shown.goTo((before["short_url"] as string).replace(/^https?:\/\/[^/]+/, ""));
  await shown.page.getByText("Partially paid").waitFor();
  await shown.page.close();

  await page.getByRole("button", { name: /^Reverse the payment/ }).click();
  const reversing = page.getByRole("dialog");
  await reversing.getByLabel(/Reason/).fill("Cheque bounced");
  await reversing.getByRole("button", { name: "Reverse payment" }).click();
  await page.getByRole("cell", { name: "Reversed Cheque bounced" }).waitFor();
  expect((await invoices.read(id))["due_amount"]).toBe("118300.59");

  await opened.chooseMore("Issue credit note");
  const crediting = page.getByRole("dialog");
  await crediting.getByLabel(/^Amount/).fill("1000");
  await crediting.getByLabel(/Reason/).fill("Short delivery");
  await crediting.getByRole("button", { name: "Continue" }).click();
  await crediting.getByText(/^Issue a credit note of ₹1,000.00 \(.*, GST included\) for invoice/).waitFor();
  await crediting.getByRole("button", { name: "Issue credit note" }).dblclick();
  await page.getByRole("cell", { name: "Short delivery", exact: true }).waitFor();
  // What is due is the total without what was paid and credited.
  const figure = (label: string) => page.locator("dl > div", { has: page.getByText(label, { exact: true }) });
  await figure("Credited").getByText("₹1,000.00").waitFor();
  const credited = (await invoices.read(id))["credit_notes"] as unknown[];
  expect(credited).toHaveLength(1);
  // The document is in sight, and has the credit note.
  await page.getByRole("img", { name: /^Invoice .* as its PDF shows it$/ }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("detail-full");
  await page.context().close();
});

test("what a credit note owes back is paid out, asked once more with the amount in words", async () => {
  await fund(site, invoices.merchant.id, 500_00n);
  const { invoice_id: id } = await invoices.add({ new_customer: { customer_code: "C9", customer_name: "Ravi Rao" } });
  await invoices.pay(id, "100.00");
  const opened = await openAs(owner, `/invoices/${id}`);
  const { page } = opened;
  await opened.chooseMore("Issue credit note");
  const crediting = page.getByRole("dialog");
  await crediting.getByLabel(/^Amount/).fill("40");
  await crediting.getByLabel(/Reason/).fill("Returned");
  await crediting.getByRole("button", { name: "Continue" }).click();
  await crediting.getByRole("button", { name: "Issue credit note" }).click();
  await page.getByText("₹40.00 left to refund.").waitFor();
  await page.getByRole("button", { name: /^Refund credit note/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Account number").fill("026291800001191");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("4 letters, a 0, and 6 letters or digits.").waitFor();
  await opened.pictures("refund-form");
  await dialog.getByLabel("IFSC").fill("yesb0000262");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Rupees Forty Only").waitFor();
  await opened.pictures("refund-confirm");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Refund" }).dblclick();
  await page.getByText("Refund of ₹40.00 started.").waitFor();
  const noteOf = async () => ((await invoices.read(id))["credit_notes"] as Record<string, string>[])[0];
  await expect.poll(noteOf).toMatchObject({ refund: "40.00", refunded: "40.00" });
  await page.getByRole("listitem").filter({ hasText: "Credit note issued, ₹40.00Returned" }).waitFor();
  const pdf = await page.getByRole("link", { name: /^PDF of credit note/ }).getAttribute("href");
  expect((await page.request.get(pdf!)).headers()["content-type"]).toBe("application/pdf");
  await opened.pictures("detail-refunded");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("link", { name: "Transfer", exact: true }).click();
  await page.getByRole("heading", { name: /^₹40.00 to / }).waitFor();
  await page.context().close();
});

test("one row of an invoice is credited, another charged more for, and an amount given back without GST", async () => {
  const row = { sac_code: "9403", gst: "18", quantity: "4", unit: "NOS", unit_price: "250.00" };
  const { invoice_id: id } = await invoices.add({
    new_customer: { customer_code: "C10", customer_name: "Uma Rao" },
    particular_rows: [
      { ...row, item: "Desk" },
      { ...row, item: "Chair" },
    ],
  });
  const opened = await openAs(owner, `/invoices/${id}`);
  const { page } = opened;
  const dialog = page.getByRole("dialog");
  await opened.chooseMore("Issue credit note");
  await dialog.getByLabel("Chosen rows").check();
  await dialog.getByLabel(/Reason/).fill("Chair returned");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Enter a quantity or an amount for at least one row.").waitFor();
  await dialog.getByLabel("Amount without GST of 1. Desk").fill("105,00");
  await dialog.getByLabel("Quantity of 2. Chair").fill("5");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Enter an amount above 0, such as 1,234.50.").waitFor();
  await dialog.getByLabel("Amount without GST of 1. Desk").fill("1,000");
  await opened.pictures("credit-rows");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText(/: 1. Desk, ₹1,000.00 without GST; 2. Chair × 5\? GST at the/).waitFor();
  await dialog.getByRole("button", { name: "Issue credit note" }).click();
  await dialog.getByText(/Row 2 \(Chair\) has 4 left to credit/).waitFor();
  await dialog.getByLabel("Quantity of 2. Chair").fill("2");
  await dialog.getByLabel("Amount without GST of 1. Desk").fill("");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Issue credit note" }).click();
  await page.getByRole("cell", { name: "Chair returned", exact: true }).waitFor();
  expect((await invoices.read(id))["credit_notes"]).toMatchObject([{ amount: "590.00" }]);
  await opened.chooseMore("Issue debit note");
  await dialog.getByLabel("Amount without GST of 1. Desk").fill("100");
  await dialog.getByLabel(/Reason/).fill("Price agreed later");
  await opened.pictures("debit-note");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Issue debit note" }).click();
  await page.getByRole("link", { name: /^DN-/ }).waitFor();
  await opened.chooseMore("Issue credit note");
  await dialog.getByLabel(/^An amount without GST/).check();
  await dialog.getByLabel(/^Amount/).fill("40");
  await dialog.getByLabel(/Reason/).fill("Rebate");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText(/^Issue a financial credit note of ₹40.00/).waitFor();
  await dialog.getByRole("button", { name: "Issue credit note" }).click();
  await page.getByRole("cell", { name: "Rebate", exact: true }).waitFor();
  await opened.pictures("credit-and-debit-notes");
  const hindi = await openAs(owner, `/invoices/${id}`, { language: "hi" });
  await hindi.chooseMore("क्रेडिट नोट जारी करें");
  await hindi.page.getByRole("dialog").getByLabel("चुनी हुई पंक्तियाँ").check();
  await hindi.pictures("credit-rows-hindi");
  expect(await hindi.findProblems()).toEqual([]);
  await hindi.page.context().close();
  await page.getByRole("button", { name: /^Cancel credit note FN-/ }).click();
  await dialog.getByRole("button", { name: "Cancel credit note" }).click();
  await page.getByText("Credit note cancelled.").waitFor();
  await page.getByRole("link", { name: /^DN-/ }).click();
  await page.getByRole("heading", { name: /^Debit note DN-/ }).waitFor();
  await page.context().close();
});

test("a file is checked line by line, and its good lines are saved with progress", async () => {
  const opened = await openAs(owner, "/invoices/upload");
  const { page } = opened;
  const head = "customer_code,bill_date,due_date,item,gst,total_amount";
  const good = Array.from({ length: 501 }, (_, index) => `C1,2026-11-01,2026-11-16,Line ${index},18,10.00`);
  const csv = [head, "C1,2026-11-31,2026-11-16,Work,18,10.00", ...good, "NOBODY,2026-11-01,2026-11-16,Work,18,1"].join(
    "\n",
  );
  await page.locator('input[type="file"]').setInputFiles({
    name: "november.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(csv),
  });
  await page.getByText("503 rows: 501 ready to import").waitFor();
  await page.getByText("₹5,911.80").waitFor();
  await page.getByRole("cell", { name: /date that exists/ }).waitFor();
  await page.getByRole("cell", { name: /is not the code of a customer/ }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("upload-checked");
  await page.getByRole("button", { name: "Import only the 501 valid rows" }).click();
  await page.getByText("501 invoices saved.").waitFor();
  // The same file once more saves nothing more.
  await opened.goTo("/invoices/upload");
  await page.locator('input[type="file"]').setInputFiles({
    name: "november.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(csv),
  });
  await page.getByText("503 rows: 501 already saved, 0 ready to import").waitFor();
  await page.getByText("501 invoices in this file are already saved. We won't save them again.").waitFor();
  await page.getByRole("link", { name: /^INV-/ }).first().waitFor();
  await page.getByText("Nothing new to import.").waitFor();
  expect(await page.getByRole("button", { name: /^Import/ }).count()).toBe(0);
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("upload-saved-before");
  expect((await invoices.list({ customer_code: "C1" })).body.total_records).toBe(501);

  await page.getByRole("link", { name: "View invoices" }).click();
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL("**after=**");
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByLabel("Status").selectOption("Overdue");
  await page.waitForURL("**status=Overdue**");
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByLabel("From", { exact: true }).fill("1/11/2026");
  await page.waitForURL("**from=2026-11-01**");
  // Rows that are about to be replaced are dimmed.
  await opened.settle();
  expect(await opened.findProblems()).toEqual([]);
  await opened.pictures("list-full");
  await page.context().close();
});

test("several lines of a file become one invoice, and a head that contradicts is named", async () => {
  const opened = await openAs(owner, "/invoices/upload");
  const { page } = opened;
  const head = "invoice_reference,customer_code,bill_date,due_date,item,total_amount";
  const lines = ["L1,C1,2026-11-01,2026-11-16,Rent,100", "L1,,,,Power,20", ",C1,2026-11-01,2026-11-16,Single,7"];
  const choose = (csv: readonly string[]) =>
    page.locator('input[type="file"]').setInputFiles({
      name: "lines.csv",
      mimeType: "text/csv",
      buffer: Buffer.from([head, ...csv].join("\n")),
    });
  await choose([...lines, "L1,C1,2026-11-02,,Late,1"]);
  await page.getByText("4 rows: 1 ready to import").waitFor();
  await page.getByRole("cell", { name: "is 2026-11-01 on line 2, the first line of invoice L1" }).waitFor();
  await opened.pictures("upload-contradiction");
  expect(await opened.findProblems()).toEqual([]);
  await choose(lines);
  await page.getByText("3 rows (2 invoices), ready to import").waitFor();
  await page.getByRole("button", { name: "Import 2 invoices" }).click();
  await page.getByText("2 invoices saved.").waitFor();
  // A corrected file has what the first one brought: it stays out unless somebody says otherwise.
  await choose([...lines.slice(0, 2), ",C1,2026-11-01,2026-11-16,Single,8"]);
  await page.getByText("1 possible duplicate", { exact: false }).waitFor();
  await opened.pictures("upload-alike");
  expect(await opened.findProblems()).toEqual([]);
  const leaveOut = page.getByRole("checkbox", { name: "Skip this invoice" });
  await leaveOut.uncheck();
  await page.getByRole("button", { name: "Import 2 invoices" }).waitFor();
  await leaveOut.check();
  await page.getByRole("button", { name: "Import 1 invoice" }).click();
  await page.getByText("1 invoice saved.").waitFor();
  expect(await leaveOut.isDisabled()).toBe(true);
  await page.context().close();
  const hindi = await openAs(owner, "/invoices/upload", { language: "hi", size: "phone" });
  await hindi.page.getByText(/invoice_reference/).waitFor();
  await hindi.picture("upload-hindi");
  await hindi.page.context().close();
});

test("a viewer sees invoices and no way to change them, and can't by asking for it", async () => {
  const viewer = await newPerson(site, invoices.merchant.id, "Viewer");
  const { invoice_id: id } = await invoices.add();
  const opened = await openAs(viewer, `/invoices/${id}`, { size: "phone" });
  const { page } = opened;
  await page.getByRole("heading", { name: /^Invoice INV-/ }).waitFor();
  await page.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: /triplicate/ }).waitFor();
  for (const name of ["Record payment", "Send", "Edit", "Issue credit note", "Cancel invoice"]) {
    expect([name, await page.getByText(name, { exact: true }).count()]).toEqual([name, 0]);
  }
  expect(await opened.findProblems()).toEqual([]);
  await page.keyboard.press("Escape");
  await opened.goTo("/invoices/new");
  await page.getByRole("heading", { name: "You don't have access" }).waitFor();
  const asked = await Browser.signIn(site, viewer);
  const answers = await Promise.all([
    asked.post("/invoices", { request_key: "viewer-key-1", invoice: [] }),
    asked.post("/invoices/preview", { invoice: {} }),
    asked.put(`/invoices/${id}`, { request_key: "viewer-key-2", invoice: {} }),
    asked.post(`/invoices/${id}/cancel`),
    asked.post(`/invoices/${id}/send`, { request_key: "viewer-key-3", email: "x@example.com" }),
    asked.post(`/invoices/${id}/payments`, { request_key: "viewer-key-4" }),
    asked.post(`/invoices/${id}/credit-notes`, { request_key: "viewer-key-5", reason: "x" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
  expect((await asked.get(`/invoices/${id}`)).status).toBe(200);
  await page.context().close();
});
