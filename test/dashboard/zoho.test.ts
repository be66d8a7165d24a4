// The files for Zoho Books, read back by a reader of our own: their sums are those of the books. docs/zoho-books.md
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

type Row = Record<string, string>;

let site: Installation;
let shop: Invoices;
let owner: Browser;
const bills: Row[] = [];

beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1Z5", state: "Karnataka" });
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  await shop.addCustomer({ customer_code: "A", customer_name: '=Asha, "Traders"', state: "Karnataka" });
  await shop.addCustomer({ customer_code: "B", customer_name: "Bala", state: "Tamil Nadu" });
  const bill = async (customer_code: string, rows: readonly object[]) => {
    const particular_rows = rows.map((row) => ({ item: "Work", sac_code: "998311", ...row }));
    const dates = { bill_date: "2026-06-01", due_date: "2026-06-15" };
    bills.push(await shop.add({ customer_code, ...dates, particular_rows }));
  };
  await bill("A", [
    { total_amount: "1000.33", gst: "18" },
    { item: "Paper", sac_code: "4802", total_amount: "33.33", gst: "5" },
  ]);
  await bill("B", [{ total_amount: "500", gst: "18" }]);
  await bill("A", [{ total_amount: "70", gst: "18" }]);
  const { body } = await owner.get("/customers?search=A");
  const customers = body["customers"] as { customer_id: string; customer_code: string }[];
  const { customer_id } = customers.find(({ customer_code }) => customer_code === "A")!;
  const paid = {
    customer_id,
    date: "2026-06-20",
    mode: "NEFT",
    bank_ref_no: "UTR9",
    tds_amount: "20",
    tds_code: "194C",
  };
  await post("/receipts", { ...paid, amount: "1500" });
  const neft = { mode: "Cash", paid_date: "2026-06-21", amount: "90" };
  await shop.settle({ ...neft, invoice_id: bills[1]!["invoice_id"]! });
  const note = {
    invoice_id: bills[1]!["invoice_id"],
    date: "2026-06-25",
    reason: "Returned",
    rows: [{ row: 1, amount: "50.00" }],
  };
  await post("/credit-notes", note);
});
afterAll(() => site?.stop());

async function post(path: string, body: object): Promise<void> {
  const { status, body: answer } = await owner.post(path, { ...body });
  expect(status, JSON.stringify(answer)).toBe(200);
}

const PERIOD = "from_date=2026-06-01&to_date=2026-06-30";
async function read(name: string, of = owner): Promise<Row[]> {
  const { status, bytes } = await of.getFile(`/reports/zoho-${name}.csv?${name === "customers" ? "" : PERIOD}`);
  expect([name, status]).toEqual([name, 200]);
  return parse(Buffer.from(bytes), { columns: true, bom: true });
}
const paise = (rupees: string | undefined): bigint => BigInt((rupees || "0.00").replace(".", ""));

/** What a document comes to in Zoho: its rows, the tax of each, and the adjustment once. */
function totalOf(rows: readonly Row[]): bigint {
  const stated = rows.reduce((sum, row) => {
    const price = paise(row["Item Price"]);
    return sum + price + (price * BigInt(row["Item Tax %"] || "0") + 50n) / 100n;
  }, 0n);
  return stated + paise(rows[0]!["Adjustment"]);
}
const documentsIn = (rows: readonly Row[], number: string) => Map.groupBy(rows, (row) => row[number]!);
async function balanceOf(account: string): Promise<bigint> {
  const { body } = await owner.get("/reports/trial-balance?as_of=2026-06-30");
  const accounts = body["accounts"] as { account: string; debit: string; credit: string }[];
  const found = accounts.find((each) => each.account === account)!;
  return paise(found.debit) - paise(found.credit);
}

test("each invoice and credit note comes to its total, and all of them to the revenue of the books", async () => {
  const [invoices, notes] = [await read("invoices"), await read("credit-notes")];
  const totals = [...documentsIn(invoices, "Invoice Number")].map(([number, rows]) => [number, totalOf(rows)]);
  expect(totals).toEqual(bills.map((bill) => [bill["invoice_number"], paise(bill["amount"])]));
  const noteTotals = [...documentsIn(notes, "Credit Note Number").values()].map(totalOf);
  expect(noteTotals).toEqual([59_00n]);
  const priceOf = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + paise(row["Item Price"]), 0n);
  expect(priceOf(invoices) - priceOf(notes)).toBe(-(await balanceOf("revenue")));
  expect(invoices[0]).toMatchObject({
    "Customer Name": `'=Asha, "Traders" (A)`,
    "GST Treatment": "consumer",
    "Place of Supply": "KA",
    "Item Tax": "GST18",
    "Item Tax Type": "Tax Group",
    "HSN/SAC": "998311",
    "Item Type": "service",
  });
  expect(invoices[1]).toMatchObject({ "Item Tax": "GST5", "Item Type": "goods" });
  const toTamilNadu = { "Place of Supply": "TN", "Item Tax": "IGST18", "Item Tax Type": "Item Amount" };
  expect(invoices.find((row) => row["Customer Name"] === "Bala (B)")).toMatchObject(toTamilNadu);
  expect(notes).toMatchObject([{ "Associated Invoice Number": bills[1]!["invoice_number"], Reason: "Returned" }]);
});

test("payments come to bank, cash and TDS of the books, and to what is paid on invoices", async () => {
  const rows = await read("payments");
  const numberOf = (row: Row) => `${row["Payment Number Prefix"]!}${row["Payment Number Suffix"]!}`;
  const payments = [...Map.groupBy(rows, numberOf).values()];
  expect(payments).toHaveLength(2);
  const sums = payments.map(([row]) => paise(row!["Amount"])).reduce((sum, each) => sum + each, 0n);
  expect(sums).toBe((await balanceOf("bank")) + (await balanceOf("cash")));
  const tds = rows.reduce((sum, row) => sum + paise(row["Withholding Tax Amount"]), 0n);
  expect(tds).toBe(await balanceOf("tds_receivable"));
  for (const bill of bills) {
    const of = rows.filter((row) => row["Invoice Number"] === bill["invoice_number"]);
    const used = of.map((row) => paise(row["Amount Applied to Invoice"]) + paise(row["Withholding Tax Amount"]));
    const { paid_amount } = await shop.read(bill["invoice_id"]!);
    expect(used.reduce((sum, each) => sum + each, 0n)).toBe(paise(paid_amount as string));
  }
  expect(rows[0]).toMatchObject({ "Payment Type": "Invoice Payment", Mode: "NEFT", "Reference Number": "UTR9" });
});

test("customers have the names of the other files, and another merchant has its own alone", async () => {
  const customers = await read("customers");
  const known = new Set(customers.map((row) => row["Display Name"]));
  const named = [...(await read("invoices")), ...(await read("credit-notes")), ...(await read("payments"))];
  expect(named.filter((row) => !known.has(row["Customer Name"]))).toEqual([]);
  const other = await Invoices.ofNewMerchant(site);
  const stranger = await Browser.signIn(site, await newPerson(site, other.merchant.id));
  expect(await read("customers", stranger)).toHaveLength(1);
  for (const name of ["invoices", "credit-notes", "payments"]) expect(await read(name, stranger)).toEqual([]);
});
