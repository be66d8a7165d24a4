// Reports in the dashboard: each with a month that has invoices and a credit note, compared with sums worked out here.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const MONTH = Temporal.Now.plainDateISO("Asia/Kolkata").toPlainYearMonth().subtract({ months: 1 });
const dayOf = (day: number): string => MONTH.toPlainDate({ day }).toString();
const PERIOD = `from=${dayOf(1)}&to=${dayOf(MONTH.daysInMonth)}`;
const PROFILE = { gstin: "29AAACI1234K1Z5", state: "Karnataka" };

type Sale = { readonly hsn: string; readonly paise: bigint; readonly rate: bigint };

/** What is sold: taxable values in paise, and rates in percent. Of the third one a part comes back. */
const SALES: readonly Sale[] = [
  { hsn: "998311", paise: 1_23_456_78n, rate: 18n },
  { hsn: "4802", paise: 500_05n, rate: 5n },
  { hsn: "998311", paise: 2000_00n, rate: 18n },
  { hsn: "", paise: 50_00n, rate: 18n },
];
const RETURNED: Sale = { hsn: "998311", paise: 100_00n, rate: 18n };

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let owner: Browser;
let ids: string[];
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders", ...PROFILE });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  await invoices.addCustomer({ customer_code: "RAVI", customer_name: "Ravi & Söhne", state: "Karnataka" });
  const rows = SALES.map(({ hsn, paise, rate }) => {
    return { item: `Sold ${hsn || "alone"}`, sac_code: hsn, total_amount: decimal(paise), gst: String(rate) };
  });
  const saved = await invoices.save([
    invoice(2, rows.slice(0, 2)),
    invoice(20, [rows[2]!]),
    invoice(22, [{ item: "Given up", total_amount: "300", gst: "18", sac_code: "998311" }]),
    invoice(25, [rows[3]!]),
  ]);
  ids = (saved.body.srvrsp as { invoice_id: string }[]).map(({ invoice_id: id }) => id);
  await owner.post(`/invoices/${ids[2]}/cancel`, {});
  const note = { date: dayOf(21), reason: "Returned", rows: [{ row: 1, amount: "118.00" }], refund_to: null };
  await owner.post(`/invoices/${ids[1]}/credit-notes`, { request_key: "a-note-of-reports", ...note });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

function invoice(day: number, particular_rows: object[]) {
  return { customer_code: "RAVI", bill_date: dayOf(day), due_date: dayOf(day), particular_rows };
}

function decimal(paise: bigint): string {
  return `${paise / 100n}.${String(paise % 100n).padStart(2, "0")}`;
}

/** Half of the tax: CGST, or SGST. */
const half = ({ paise, rate }: Sale): bigint => (paise * rate + 100n) / 200n;

/** As a page shows it: `−1,23,456.78`. */
function shown(paise: bigint): string {
  const [whole = "", decimals = ""] = decimal(paise < 0n ? -paise : paise).split(".");
  const head = whole.slice(0, -3).replaceAll(/\B(?=(\d\d)+$)/g, ",");
  return `${paise < 0n ? "\u2212" : ""}${head === "" ? "" : `${head},`}${whole.slice(-3)}.${decimals}`;
}

/** The cells of a report's rows as they are seen. */
async function rowsOf(opened: TestPage, name: string): Promise<string[][]> {
  const cells = await opened.page.evaluate<string[][]>(
    `[...document.querySelectorAll("[role=region][aria-label^='${name}'] tr")].map((row) =>
      [...row.cells].filter((cell) => cell.offsetParent !== null).map((cell) => cell.innerText.trim()))`,
  );
  return cells.slice(1).map((row) => row.map((text) => text.replaceAll(/\s+/g, " ")));
}

async function csvOf({ page }: TestPage): Promise<string[][]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const text = readFileSync(await download.path(), "utf8")
    .replace("\uFEFF", "")
    .trim();
  return text.split("\r\n").map((line) => line.split(","));
}

const sumOf = (paise: readonly bigint[]): bigint => paise.reduce((sum, each) => sum + each, 0n);
/** Taxable value, and half of the tax, of what was sold without what came back. */
const soldOf = (isMeant: (sale: Sale) => boolean) => {
  const [sold, back] = [SALES.filter(isMeant), [RETURNED].filter(isMeant)];
  const without = (amount: (sale: Sale) => bigint): bigint => sumOf(sold.map(amount)) - sumOf(back.map(amount));
  return [without(({ paise }) => paise), without(half)] as const;
};
const [SOLD, HALVES] = soldOf(() => true);
/** Taxable value, IGST, CGST and SGST. */
const sums = (taxable: bigint, halves: bigint): string[] => [shown(taxable), "0.00", shown(halves), shown(halves)];

test("the sales register adds up the month, with the credit note below 0, and its files have the same", async () => {
  const opened = await browser.open("/", { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "Reports" }).click();
  await page.getByRole("link", { name: "Sales register" }).click();
  await page.getByText("No documents in this period").waitFor();
  expect(await browser.lookAt(opened, "report-empty")).toEqual([]);
  await page.getByLabel("Period").selectOption("Last month");
  await page.waitForURL(`**/reports/sales-register?${PERIOD}`);
  await page.getByText("Total of 4 documents").waitFor();
  await opened.settle();
  const rows = await rowsOf(opened, "Sales register");
  const documents = [SALES.slice(0, 2), SALES.slice(2, 3), [RETURNED], SALES.slice(3)];
  const expected = documents.map((lines) => {
    const sign = lines[0] === RETURNED ? -1n : 1n;
    return [sign * sumOf(lines.map(({ paise }) => paise)), sign * sumOf(lines.map(half))] as const;
  });
  expect(rows.map((row) => row.slice(3))).toEqual(
    [...expected, [SOLD, HALVES] as const].map(([taxable, halves]) => [
      ...sums(taxable, halves),
      shown(taxable + 2n * halves),
    ]),
  );
  expect(rows[2]![0]).toMatch(/Credit note/);
  expect(rows[0]![2]).toBe("Ravi & Söhne Karnataka");
  expect(await browser.lookAt(opened, "report-sales-register")).toEqual([]);

  const [headings, ...lines] = await csvOf(opened);
  const total = headings!.indexOf("total");
  const inPaise = (text: string): bigint => BigInt(text.replace(".", ""));
  expect(lines).toHaveLength(4);
  expect(sumOf(lines.map((line) => inPaise(line[total]!)))).toBe(SOLD + 2n * HALVES);
  const [book] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export XLSX" }).click(),
  ]);
  expect(
    readFileSync(await book.path())
      .subarray(0, 2)
      .toString("latin1"),
  ).toBe("PK");

  // The credit note leads to the invoice, whose page has it.
  const note = rows[2]![0]!.split(" ")[0]!;
  await page.getByRole("link", { name: note }).click();
  await page.waitForURL(`**/invoices/${ids[1]}`);
  await page.getByText(note).first().waitFor();
  await page.context().close();
});

test("the summaries keep the period, and add up by rate and by HSN", async () => {
  const opened = await browser.open(`/reports/sales-register?${PERIOD}`, { as: owner });
  const { page } = opened;
  await page.getByRole("link", { name: "Tax summary" }).click();
  await page.waitForURL(`**/reports/tax-summary?${PERIOD}`);
  await page.getByRole("heading", { level: 1, name: "Tax summary" }).waitFor();
  await opened.settle();
  expect(await rowsOf(opened, "Tax summary")).toEqual([
    ["5%", ...sums(...soldOf(({ rate }) => rate === 5n))],
    ["18%", ...sums(...soldOf(({ rate }) => rate === 18n))],
    ["Total", ...sums(SOLD, HALVES)],
  ]);
  expect((await csvOf(opened)).length).toBe(3);
  expect(await browser.lookAt(opened, "report-tax-summary")).toEqual([]);

  await page.getByRole("link", { name: "HSN summary" }).click();
  await page.waitForURL(`**/reports/hsn-summary?${PERIOD}`);
  await page.getByRole("heading", { level: 1, name: "HSN summary" }).waitFor();
  await opened.settle();
  const ofHsn = (code: string): string[] => sums(...soldOf(({ hsn }) => hsn === code));
  expect(await rowsOf(opened, "HSN summary")).toEqual([
    ["No HSN/SAC Sold alone", "B2C", "18%", "1", "OTH", ...ofHsn("")],
    ["4802 Sold 4802", "B2C", "5%", "1", "OTH", ...ofHsn("4802")],
    ["998311 Sold 998311", "B2C", "18%", "–", "–", ...ofHsn("998311")],
    ["Total", "", "", "", "", ...sums(SOLD, HALVES)],
  ]);
  expect((await csvOf(opened)).length).toBe(4);
  expect(await browser.lookAt(opened, "report-hsn-summary")).toEqual([]);
  await page.context().close();
});

test("the tax summary has advances received (11A), and later those that an invoice used (11B)", async () => {
  const shop = await Invoices.ofNewMerchant(site, PROFILE);
  const person = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  await shop.addCustomer({ customer_code: "RAVI", customer_name: "Ravi", state: "Karnataka" });
  const { customers } = (await person.get("/customers?search=Ravi")).body as { customers: { customer_id: string }[] };
  const recorded = await person.post("/receipts", {
    customer_id: customers[0]!.customer_id,
    amount: "118.00",
    date: dayOf(3),
    mode: "NEFT",
    bank_ref_no: "UTR3",
    advance_gst: { rate: "18", description: "Website design" },
  });
  const { receipt_id } = recorded.body["receipt"] as { receipt_id: string };
  const row = { item: "Design", sac_code: "998311", total_amount: "50.00", gst: "18" };
  const saved = await shop.save([invoice(12, [row])]);
  const [{ invoice_id }] = saved.body.srvrsp as [{ invoice_id: string }];
  const allocations = [{ invoice_id, amount: "59.00" }];
  await person.post(`/receipts/${receipt_id}/allocate`, { date: dayOf(12), allocations });

  const opened = await browser.open(`/reports/tax-summary?from=${dayOf(1)}&to=${dayOf(10)}`, { as: person });
  const { page } = opened;
  await page.getByRole("heading", { name: "Advances received (11A)" }).waitFor();
  expect(await rowsOf(opened, "Advances received (11A)")).toEqual([
    ["18% · Karnataka", "100.00", "0.00", "9.00", "9.00"],
  ]);
  expect(await page.getByText("Advances adjusted (11B)").count()).toBe(0);

  await opened.goTo(`/reports/tax-summary?from=${dayOf(11)}&to=${dayOf(20)}`);
  await page.getByRole("heading", { name: "Advances adjusted (11B)" }).waitFor();
  expect(await rowsOf(opened, "Advances adjusted (11B)")).toEqual([
    ["18% · Karnataka", "50.00", "0.00", "4.50", "4.50"],
  ]);
  expect(await page.getByText("Advances received (11A)").count()).toBe(0);
  expect(await csvOf(opened)).toHaveLength(3);
  expect(await browser.lookAt(opened, "report-tax-summary-advances")).toEqual([]);
  await page.context().close();
});

test("the series count cancelled numbers, and each problem leads to its document", async () => {
  const opened = await browser.open(`/reports/document-series?${PERIOD}`, { as: owner });
  const { page } = opened;
  const rows = await rowsOf(opened, "Document series");
  expect(rows.map(([kind, , , ...counts]) => [kind, ...counts])).toEqual([
    ["Invoices", "4", "1", "3", "0"],
    ["Credit notes", "1", "0", "1", "0"],
    ["Total", "5", "1", "4", "0"],
  ]);
  expect((await csvOf(opened)).length).toBe(3);
  expect(await browser.lookAt(opened, "report-document-series")).toEqual([]);

  await page.getByRole("link", { name: "GST problems" }).click();
  await page.getByText("Row 1 has no HSN/SAC code. Add one to the invoice.").waitFor();
  await opened.settle();
  const problems = await rowsOf(opened, "GST problems");
  expect(problems).toHaveLength(1);
  expect((await csvOf(opened)).length).toBe(2);
  expect(await browser.lookAt(opened, "report-problems")).toEqual([]);
  await page.getByRole("link", { name: problems[0]![0]! }).click();
  await page.waitForURL(`**/invoices/${ids[3]}`);
  await page.context().close();
});

test("dates of one's own are kept in the address, and an end before the beginning is said", async () => {
  const opened = await browser.open(`/reports/gst-problems?${PERIOD}`, { as: owner });
  const { page } = opened;
  await page.getByText("Row 1 has no HSN/SAC code. Add one to the invoice.").waitFor();
  await page.getByLabel("To", { exact: true }).fill(dayOf(20));
  await page.keyboard.press("Tab");
  await page.waitForURL(`**/reports/gst-problems?from=${dayOf(1)}&to=${dayOf(20)}`);
  await page.getByText("No problems in this period").waitFor();
  expect(await page.getByLabel("Period").locator("option:checked").textContent()).toBe("Other dates");
  await opened.goTo(`/reports/tax-summary?from=${dayOf(20)}&to=${dayOf(1)}`);
  await page.getByRole("alert").waitFor();
  await page.getByText("The end date can't be before the start date.").waitFor();
  await opened.picture("report-failed");
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
});

test("a register of more than a page says so, and has the total of all on each page", async () => {
  const many = await Invoices.ofNewMerchant(site, PROFILE);
  const person = await Browser.signIn(site, await newPerson(site, many.merchant.id, "Viewer"));
  await many.addCustomer({ customer_code: "RAVI", customer_name: "Ravi", state: "Karnataka" });
  const row = { item: "Paper", sac_code: "4802", total_amount: "100.00", gst: "5" };
  await many.save(Array.from({ length: 60 }, () => invoice(3, [row])));
  const opened = await browser.open(`/reports/sales-register?${PERIOD}`, { as: person });
  const { page } = opened;
  await page.getByText("Total of 60 documents").waitFor();
  expect(await rowsOf(opened, "Sales register")).toHaveLength(51);
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL("**after=**");
  await opened.settle();
  const last = await rowsOf(opened, "Sales register");
  expect(last).toHaveLength(11);
  expect(last.at(-1)!.slice(3)).toEqual([...sums(6000_00n, 150_00n), "6,300.00"]);
  expect(last.at(-1)![0]).toBe("Total of 60 documents");
  // Another period begins with its first page.
  await page.getByLabel("Period").selectOption("This month");
  await page.getByText("No documents in this period").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
});

test("a franchise has no report but what its customers owe", async () => {
  const login = { email: "reports-franchise@example.com", password: "a long enough secret" };
  const names = { franchise_code: "PUNE", franchise_name: "Pune" };
  await saveFranchiseWithLogin(site, invoices.merchant, login, names);
  const franchise = await Browser.signIn(site, { ...login, merchant: invoices.merchant.id });
  const opened = await browser.open("/", { as: franchise });
  await opened.page.getByRole("link", { name: "Invoices" }).first().waitFor();
  const reports = opened.page.getByRole("link", { name: /^(Reports|Receivables|Sales register|Trial balance)$/ });
  expect([...new Set(await reports.allTextContents())]).toEqual(["Receivables"]);
  await opened.goTo("/reports/sales-register");
  await opened.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await opened.page.context().close();
});
