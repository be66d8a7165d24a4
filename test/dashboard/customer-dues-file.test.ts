// What customers owe, in the file of customers: docs/rules/customers.md#files
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
beforeAll(async () => {
  site = await Installation.shared();
});
afterAll(() => site?.stop());

async function rowsOf(browser: Browser): Promise<Record<string, string>[]> {
  const { status, bytes } = await browser.getFile("/customers.csv");
  expect(status).toBe(200);
  return parse(Buffer.from(bytes), { columns: true, bom: true });
}

test("the file says what each customer owes, what is overdue and what was paid in advance, and is imported without it", async () => {
  const shop = await Invoices.ofNewMerchant(site);
  const owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  await owner.post("/customers", { request_key: "customer-2", customer_code: "C2", customer_name: "Ravi Stores" });
  await owner.post("/customers", { request_key: "customer-3", customer_code: "C3", customer_name: "New Mills" });
  await shop.add({ bill_date: "2026-01-10", due_date: "2026-01-31" });
  const later = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 30 }).toString();
  await shop.add({ due_date: later });
  const { body } = await owner.get("/customers?search=C2");
  const [{ customer_id }] = body["customers"] as [{ customer_id: string }];
  const paid = { customer_id, date: "2026-07-01", mode: "Cash", amount: "55.50" };
  expect((await owner.post("/receipts", paid)).status).toBe(200);
  const rows = await rowsOf(owner);
  const dues = rows
    .toReversed()
    .map((row) => [row["customer_code"], row["due_amount"], row["overdue_amount"], row["advance_amount"]]);
  expect(dues).toEqual([
    ["C1", "200.00", "100.00", "0.00"],
    ["C2", "0.00", "0.00", "55.50"],
    ["C3", "0.00", "0.00", "0.00"],
  ]);

  const file = Buffer.from((await owner.getFile("/customers.csv")).bytes);
  const other = await Invoices.ofNewMerchant(site);
  const stranger = await Browser.signIn(site, await newPerson(site, other.merchant.id));
  const checked = await stranger.post("/customer-files/preview", file, { "content-type": "text/csv" });
  expect(checked.body).toMatchObject({ lines: 3, ignored: [] });
  expect((await rowsOf(stranger)).map((row) => row["due_amount"])).toEqual(["0.00"]);
});
