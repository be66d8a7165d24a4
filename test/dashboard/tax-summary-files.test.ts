// The files of the tax summary have the advances of tables 11A and 11B below the rates: docs/rules/tax-register.md
import { parse } from "csv-parse/sync";
import { readXlsx } from "hucre/xlsx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let shop: Invoices;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
});
afterAll(() => site?.stop());

async function done(path: string, request: object): Promise<Record<string, string>> {
  const { status, body } = await owner.post(path, { ...request });
  expect(status, JSON.stringify(body)).toBe(200);
  return body["receipt"] as Record<string, string>;
}

async function rowsOf(period: string, by = owner): Promise<{ readonly csv: string[][]; readonly xlsx: unknown[][] }> {
  const [csv, xlsx] = [await fileOf("csv"), await fileOf("xlsx")];
  async function fileOf(format: string): Promise<Buffer> {
    const { status, bytes } = await by.getFile(`/reports/tax-summary.${format}?${period}`);
    expect(status).toBe(200);
    return Buffer.from(bytes);
  }
  const [sheet] = (await readXlsx(xlsx)).sheets;
  return { csv: parse(csv, { bom: true }), xlsx: sheet!.rows };
}

test("advances received and adjusted are below the rates, by place, in both formats", async () => {
  await shop.addCustomer({ customer_code: "KA", customer_name: "Malnad Mills", state: "Karnataka" });
  const { customer_id } = (
    (await owner.get("/customers?search=Malnad")).body["customers"] as Record<string, string>[]
  )[0]!;
  const { receipt_id } = await done("/receipts", {
    customer_id,
    amount: "118.00",
    date: "2026-07-01",
    mode: "NEFT",
    bank_ref_no: "UTR1",
    advance_gst: { rate: "18", description: "Website design" },
  });
  const invoice = await shop.add({
    customer_code: "KA",
    bill_date: "2026-08-01",
    due_date: "2026-08-31",
    particular_rows: [{ item: "Design", sac_code: "998311", total_amount: "50", gst: "18" }],
  });
  const allocations = [{ invoice_id: invoice["invoice_id"], amount: "59.00" }];
  await done(`/receipts/${receipt_id}/allocate`, { date: "2026-08-03", allocations });

  const headings = ["treatment", "rate", "place_of_supply", "state_name", "taxable_value", "igst", "cgst", "sgst"];
  const july = await rowsOf("from_date=2026-07-01&to_date=2026-07-31");
  expect(july.csv).toEqual([
    [...headings, "cess", "other_taxes"],
    ["advances_received", "18", "29", "Karnataka", "100.00", "0.00", "9.00", "9.00", "0.00", "0.00"],
  ]);
  expect(july.xlsx[1]).toEqual(["advances_received", 18, "29", "Karnataka", 100, 0, 9, 9, 0, 0]);
  const august = await rowsOf("from_date=2026-08-01&to_date=2026-08-31");
  expect(august.csv.slice(1)).toEqual([
    ["taxable", "18", "", "", "50.00", "0.00", "4.50", "4.50", "0.00", "0.00"],
    ["advances_adjusted", "18", "29", "Karnataka", "50.00", "0.00", "4.50", "4.50", "0.00", "0.00"],
  ]);
  expect(august.xlsx[2]).toEqual(["advances_adjusted", 18, "29", "Karnataka", 50, 0, 4.5, 4.5, 0, 0]);

  const other = await Invoices.ofNewMerchant(site);
  const stranger = await Browser.signIn(site, await newPerson(site, other.merchant.id));
  expect((await rowsOf("from_date=2026-07-01&to_date=2026-08-31", stranger)).csv).toHaveLength(1);
});
