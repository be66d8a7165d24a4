// A franchise's statement of commission, as JSON, CSV and PDF, for the merchant's people and for the franchise itself.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { readPdf } from "../support/pdf.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

const ALWAYS = "from_date=2020-01-01&to_date=2099-12-31";
const PASSWORD = "a long enough secret";

let site: Installation;
let shop: Invoices;
let owner: Browser;
let call: Raw;
let franchiseId: string;
let otherId: string;
let invoice: { invoice_id: string; invoice_number: string };
beforeAll(async () => {
  site = await Installation.start();
  shop = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  call = rawOf(site, owner);
  franchiseId = await franchise("PUNE", "Pune Branch");
  otherId = await franchise("NAGPUR", "Nagpur Branch");
  invoice = (await earn("PUNE-1", franchiseId)) as typeof invoice;
  await earn("NAGPUR-1", otherId);
  const paid = { amount: "40.00", mode: "Cheque", paid_date: "2026-06-15", bank_ref_no: "CHQ 000123", note: "" };
  await owner.post(`/franchises/${franchiseId}/payments`, paid);
});
afterAll(() => site?.stop());

function franchise(code: string, name: string): Promise<string> {
  const login = { email: `${code.toLowerCase()}@example.com`, password: PASSWORD };
  return saveFranchiseWithLogin(site, shop.merchant, login, { franchise_code: code, franchise_name: name });
}

/** An invoice of 1000.00, fully paid. */
async function earn(code: string, franchise_id: string): Promise<Readonly<Record<string, unknown>>> {
  const saved = await shop.add({
    franchise_id,
    particular_rows: [{ item: "Work", total_amount: "1000.00" }],
    new_customer: { customer_code: code, customer_name: `Customer ${code}` },
  });
  await shop.pay(saved["invoice_id"], "1000.00");
  return saved;
}

const pathOf = (id: string, form = ""): string => `/franchises/${id}/statement${form}?${ALWAYS}`;

test("names each invoice and payment, and ends with the commission that is due", async () => {
  const { status, body } = await call("GET", pathOf(franchiseId));
  expect(status, JSON.stringify(body)).toBe(200);
  const sums = { opening_balance: "0.00", earned: "100.00", paid: "40.00", closing_balance: "60.00" };
  expect(body).toMatchObject({ franchise_code: "PUNE", ...sums });
  expect(body.lines).toMatchObject([
    { kind: "earned", invoice_id: invoice.invoice_id, earned: "100.00", paid: "0.00", balance: "100.00" },
    { kind: "paid_outside", invoice_id: "", mode: "Cheque", reference: "CHQ 000123", paid: "40.00", balance: "60.00" },
  ]);
  expect(body.lines[0].invoice_number).not.toBe("");
  const { body: shown } = await call("GET", `/franchises/${franchiseId}`);
  expect(shown.franchise.commission_due).toBe(body.closing_balance);
});

test("the CSV has its lines, and the PDF also the sums", async () => {
  const csv = await owner.getFile(pathOf(franchiseId, ".csv"));
  const [head, ...lines] = Buffer.from(csv.bytes).toString("utf8").trim().split("\r\n");
  expect(head).toMatch(/date,kind,invoice_id,invoice_number,transfer_id,mode,reference,earned,paid,balance$/);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/,paid_outside,,,,Cheque,CHQ 000123,0\.00,40\.00,60\.00$/);
  const pdf = await owner.getFile(pathOf(franchiseId, "/pdf"));
  expect(pdf.status).toBe(200);
  const text = (await readPdf(pdf.bytes)).pages.join(" ");
  for (const words of ["Commission statement", "Pune Branch", "Earned (₹)", "Paid by Cheque on 15 Jun 2026", "60.00"]) {
    expect(text).toContain(words);
  }
});

test("a franchise reads its own and no other; another merchant's is not found", async () => {
  const person = { email: "pune@example.com", password: PASSWORD, merchant: shop.merchant.id };
  const own = await Browser.signIn(site, person);
  const asFranchise = rawOf(site, own);
  expect((await asFranchise("GET", pathOf(franchiseId))).body).toMatchObject({ closing_balance: "60.00" });
  for (const form of ["", ".csv", "/pdf"]) {
    expect(await asFranchise("GET", pathOf(otherId, form))).toMatchObject({
      status: 404,
      body: { error: { code: "franchise_not_found" } },
    });
  }
  const neighbour = await Invoices.ofNewMerchant(site, { name: "Neighbour" });
  const stranger = rawOf(site, await Browser.signIn(site, await newPerson(site, neighbour.merchant.id)));
  for (const form of ["", ".csv", "/pdf"]) {
    expect((await stranger("GET", pathOf(franchiseId, form))).body).toMatchObject({
      error: { code: "franchise_not_found" },
    });
  }
});

test("a period that ends before it begins is refused at its field", async () => {
  const { status, body } = await call(
    "GET",
    `/franchises/${franchiseId}/statement?from_date=2026-06-30&to_date=2026-06-01`,
  );
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain("to_date");
});
