// What the files for Zoho Books have of documents that change afterwards, of many of them, and of other taxes: docs/zoho-books.md
import { mkdtemp, readdir, readFile as readFileOf, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatPaise } from "../../src/platform/money.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { nodal } from "../support/nodal.ts";
import { Biller, Subscriptions, type MadeInvoice } from "../support/subscriptions.ts";
import { settledToday } from "../support/days.ts";

type Row = Record<string, string>;
type Shop = { readonly invoices: Invoices; readonly owner: Browser };

const TODAY = await settledToday();

let site: Installation;
beforeAll(async () => {
  site = await Installation.shared();
});
afterAll(() => site?.stop());

async function newShop(): Promise<Shop> {
  const invoices = await Invoices.ofNewMerchant(site);
  await invoices.addCustomer({ customer_code: "KA", customer_name: "Malnad Mills", state: "Karnataka" });
  return { invoices, owner: await Browser.signIn(site, await newPerson(site, invoices.merchant.id)) };
}

const PERIOD = "from_date=2026-06-01&to_date=2026-06-30";
async function readFile({ owner }: Shop, name: string): Promise<Row[]> {
  const { status, bytes } = await owner.getFile(`/reports/zoho-${name}.csv?${PERIOD}`);
  expect([name, status]).toEqual([name, 200]);
  return parse(Buffer.from(bytes), { columns: true, bom: true });
}
async function post({ owner }: Shop, path: string, request: object): Promise<Record<string, unknown>> {
  const { status, body } = await owner.post(path, { ...request });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const WORK = { item: "Work", sac_code: "998311", total_amount: "100.00", gst: "18" };
const invoiceOf = (rows: readonly object[], more: object = {}) => ({
  customer_code: "KA",
  bill_date: "2026-06-01",
  due_date: "2026-06-15",
  particular_rows: rows,
  ...more,
});
const pick = (row: Row | undefined, ...names: string[]): unknown[] => names.map((name) => row?.[name]);

test("cancelled documents and reversed payments are left out, opening balances and other taxes are in", async () => {
  const shop = await newShop();
  const { invoices } = shop;
  const cigars = { item: "Cigars", sac_code: "2402", total_amount: "1000.00", gst: "40", cess_percentage: "5" };
  const taxed = await invoices.add(invoiceOf([cigars]));
  const rounded = await invoices.add(invoiceOf([{ ...WORK, total_amount: "100.30" }], { round_off: "1" }));
  const exempt = await invoices.add(
    invoiceOf([{ item: "Rice", sac_code: "1006", total_amount: "60", tax_treatment: "nil" }]),
  );
  const cancelled = await invoices.add(invoiceOf([WORK]));
  expect((await invoices.cancel(cancelled["invoice_id"])).status).toBe(200);
  const paid = await invoices.add(invoiceOf([WORK]));
  const wrong = await invoices.pay(paid["invoice_id"], "18.00");
  await post(shop, `/invoices/${paid["invoice_id"]}/payments/${wrong["transaction_id"]}/reverse`, { reason: "Typing" });
  await post(shop, "/opening-balances", {
    customer_code: "KA",
    date: "2026-06-02",
    due_date: "2026-06-30",
    amount: "1500.00",
    note: "Bills of last year",
    reference: "OLD/1",
  });

  const rows = await readFile(shop, "invoices");
  const of = (invoice: Row) => rows.find((row) => row["Invoice Number"] === invoice["invoice_number"]);
  const names = ["Item Price", "Item Tax", "Adjustment", "Adjustment Description", "Item Tax Exemption Reason"];
  expect(pick(of(taxed), ...names)).toEqual(["1000.00", "GST40", "50.00", "Cess, other taxes and round-off", ""]);
  expect(pick(of(rounded), ...names)).toEqual(["100.30", "GST18", "-0.35", "Round-off", ""]);
  expect(pick(of(exempt), ...names)).toEqual(["60.00", "", "0.00", "", "Nil rated"]);
  expect(pick(rows.at(-1), "Account", "Item Name", "Item Price", "Item Tax")).toEqual([
    "Opening Balance Offset",
    "Opening balance",
    "1500.00",
    "",
  ]);
  expect(of(cancelled)).toBeUndefined();
  expect(rows).toHaveLength(5);
  expect(await readFile(shop, "payments")).toEqual([]);
});

test("more documents than a page are in the file once each", async () => {
  const shop = await newShop();
  const [page, more] = [500, 3];
  const numbers = new Set<string>();
  for (let left = page + more; left > 0; left -= 100) {
    const batch = Array.from({ length: Math.min(left, 100) }, () => invoiceOf([WORK]));
    const { body } = await shop.invoices.save(batch);
    for (const saved of body.srvrsp as Row[]) numbers.add(saved["invoice_number"]!);
  }
  const found = (await readFile(shop, "invoices")).map((row) => row["Invoice Number"]!);
  expect(found).toHaveLength(page + more);
  expect(new Set(found)).toEqual(numbers);
});

test("more payments than a page are in the file once each, with what each was used for", async () => {
  const shop = await newShop();
  const { invoices } = shop;
  const [page, more] = [500, 3];
  const bill = await invoices.add(invoiceOf([{ ...WORK, total_amount: "9000.00" }]));
  const customers = (await shop.owner.get("/customers?search=KA")).body["customers"] as Row[];
  const receipt = { customer_id: customers[0]!["customer_id"], date: "2026-06-10", mode: "Cash", allocations: [] };
  const paid = new Map<string, string>();
  // All are of one day, so that a page ends within it, and receipts are among the payments.
  for (let left = page + more; left > 0; left -= 25) {
    const [amount, ...others] = Array.from({ length: Math.min(left, 25) }, (_, place) =>
      formatPaise(BigInt(1000 + left - place)),
    );
    await post(shop, "/receipts", { ...receipt, amount });
    paid.set(amount!, "");
    await Promise.all(others.map((each) => invoices.pay(bill["invoice_id"], each)));
    for (const each of others) paid.set(each, each);
  }
  const rows = await readFile(shop, "payments");
  expect(rows).toHaveLength(page + more);
  expect(new Set(rows.map((row) => row["Payment Number Suffix"] ?? row["Payment Number"])).size).toBe(page + more);
  const applied = rows.map((row) => pick(row, "Amount", "Amount Applied to Invoice") as [string, string]);
  expect(new Map(applied)).toEqual(paid);
});

test("the commands write the files that the dashboard gives", async () => {
  const shop = await newShop();
  const paid = await shop.invoices.add(invoiceOf([WORK]));
  await shop.invoices.pay(paid["invoice_id"], "18.00");
  const folder = await mkdtemp(join(tmpdir(), "nodal-accounting-"));
  try {
    const merchant = ["--merchant", shop.invoices.merchant.id, "--from", "2026-06-01", "--to", "2026-06-30"];
    const write = (program: string, ...more: string[]) =>
      nodal(site.environment, "book", program, ...merchant, "--folder", join(folder, "june"), ...more);
    for (const [program, more, query, names] of [
      ["zoho", [], "", ["zoho-customers.csv", "zoho-invoices.csv", "zoho-credit-notes.csv", "zoho-payments.csv"]],
      ["tally", ["--company", "Mills & Co"], "&company=Mills+%26+Co", ["tally-masters.xml", "tally-vouchers.xml"]],
    ] as const) {
      const { code, stdout, stderr } = await write(program, ...more, "--json");
      expect([code, stderr]).toEqual([0, ""]);
      expect(JSON.parse(stdout)).toEqual(names.map((name) => ({ file: join(folder, "june", name) })));
      for (const name of names) {
        const period = name === "zoho-customers.csv" ? "" : `?${PERIOD}${query}`;
        const { bytes } = await shop.owner.getFile(`/reports/${name}${period}`);
        expect(bytes.length).toBeGreaterThan(100);
        expect(await readFileOf(join(folder, "june", name), "utf8")).toBe(Buffer.from(bytes).toString("utf8"));
      }
    }
    expect((await readdir(join(folder, "june"))).toSorted()).toHaveLength(6);
    await writeFile(join(folder, "taken"), "");
    const refused = await nodal(site.environment, "book", "zoho", ...merchant, "--folder", join(folder, "taken", "x"));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--folder must be a folder")]);
    const turned = await write("tally", "--from", "2026-07-01");
    expect([turned.code, turned.stderr]).toEqual([2, expect.stringContaining("must not be after --to")]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a payment of carried dues is applied to the invoices that they come from", async () => {
  const biller = new Biller(site.serverUrl);
  const mine = await Subscriptions.ofNewMerchant(site, biller);
  try {
    const invoice = { customer_code: "C1", particular_rows: [WORK] };
    const carrying = await mine.add({ carry_forword_dues: "1", invoice });
    await mine.advanceTo(TODAY.add({ days: 1 }).add({ months: 1 }));
    const [first, second] = await mine.made(carrying);
    const read = async ({ invoice_id: id }: MadeInvoice) => mine.invoices.read(`R${String(id).padStart(9, "0")}`);
    const [earlier, later] = [await read(first!), await read(second!)];
    expect(later).toMatchObject({ previous_dues: "118.00", due_amount: "236.00" });
    await mine.invoices.pay(later["invoice_id"], "150.00");

    const owner = await Browser.signIn(site, await newPerson(site, mine.invoices.merchant.id));
    const rows = await readFile({ invoices: mine.invoices, owner }, "payments");
    const applied = rows.map((row) => pick(row, "Amount", "Invoice Number", "Amount Applied to Invoice"));
    expect(applied).toHaveLength(2);
    expect(applied).toEqual(
      expect.arrayContaining([
        ["150.00", earlier["invoice_number"], "118.00"],
        ["150.00", later["invoice_number"], "32.00"],
      ]),
    );
    expect(new Set(rows.map((row) => row["Payment Number Suffix"])).size).toBe(1);
  } finally {
    await biller.close();
  }
});

test("customers and their invoices have the same GST treatment, GSTIN and place", async () => {
  const shop = await newShop();
  const gstin = { id: "g", name: "GSTIN", type: "gst", value: "29AABCB5678P1ZV" };
  const registered = { state: "Karnataka", custom_fields: [gstin] };
  await shop.invoices.addCustomer({ customer_code: "REG", customer_name: "Registered", ...registered });
  const composition = { ...registered, gst_category: "composition" };
  await shop.invoices.addCustomer({ customer_code: "COMP", customer_name: "Small", ...composition });
  const abroad = { state: "Other country", country: "Germany", gst_category: "overseas" };
  await shop.invoices.addCustomer({ customer_code: "DE", customer_name: "Hansen GmbH", ...abroad });
  for (const customer_code of ["KA", "REG", "COMP", "DE"]) {
    await shop.invoices.add(invoiceOf([WORK], { customer_code }));
  }
  const expected = new Map([
    ["Malnad Mills (KA)", ["consumer", "", "KA"]],
    ["Registered (REG)", ["business_registered_regular", gstin.value, "KA"]],
    ["Small (COMP)", ["business_registered_composition", gstin.value, "KA"]],
    ["Hansen GmbH (DE)", ["overseas", "", ""]],
  ]);
  const treated = (rows: readonly Row[], name: string, place: string) =>
    new Map(rows.map((row) => [row[name], pick(row, "GST Treatment", "GST Identification Number (GSTIN)", place)]));
  const invoices = await readFile(shop, "invoices");
  expect(treated(invoices, "Customer Name", "Place of Supply")).toEqual(expected);
  const { bytes } = await shop.owner.getFile("/reports/zoho-customers.csv");
  const customers: Row[] = parse(Buffer.from(bytes), { columns: true, bom: true });
  const found = customers.filter((row) => row["Customer Number"] !== "C1");
  expect(treated(found, "Display Name", "Place of Contact")).toEqual(expected);
});
