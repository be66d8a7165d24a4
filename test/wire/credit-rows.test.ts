// Credit notes of chosen rows, by `nodal credit-note` and in the dashboard, on a running server.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { nodalJson } from "../support/nodal.ts";
import { readPdf } from "../support/pdf.ts";

let installation: Installation;
let shop: Invoices;
let folder: string;

beforeAll(async () => {
  installation = await Installation.shared();
  shop = await Invoices.ofNewMerchant(installation);
  folder = await mkdtemp(join(tmpdir(), "nodal-rows-"));
});
afterAll(async () => {
  await installation.stop();
  await rm(folder, { recursive: true });
});

type Note = Record<string, string> & { readonly credit_note_id: string };

function note<T = Note>(command: string, ...args: string[]): Promise<T> {
  return nodalJson<T>(installation.environment, "credit-note", command, "--merchant", shop.merchant.id, ...args);
}

function create(invoice: Readonly<Record<string, string>>, ...args: string[]): Promise<Note> {
  return note("create", "--invoice", invoice["invoice_id"]!, "--reason", "Goods returned", ...args);
}

/** Two rows of 1000.00, at 5 % and at 18 %, to a customer of another state. */
const TWO_ROWS = {
  customer_code: "",
  particular_rows: [
    { item: "Desk", sac_code: "9403", gst: "5", total_amount: "1000.00" },
    { item: "Chair", sac_code: "9401", gst: "18", total_amount: "1000.00" },
  ],
  new_customer: { customer_code: "MH1", customer_name: "Ravi Rao", state: "Maharashtra" },
};

test("a returned row is credited alone, with the tax of its rate, and only it is printed", async () => {
  const saved = await shop.add(TWO_ROWS);
  const issued = await create(saved, "--row", "1=1050.00");
  expect(issued).toMatchObject({ amount: "1050.00", taxable: "1000.00", tax: "50.00", due_amount: "1180.00" });
  expect(await note("show", "--credit-note", issued.credit_note_id)).toMatchObject({
    rows: [{ row: 1, item: "Desk", taxable: "1000.00", tax: "50.00" }],
    tax_rows: [{ name: "IGST", amount: "50.00" }],
  });
  const out = join(folder, "row.pdf");
  await note("pdf", "--credit-note", issued.credit_note_id, "--out", out);
  const text = (await readPdf(new Uint8Array(await readFile(out)))).pages.join(" ");
  expect(text).toContain("Desk");
  expect(text).not.toContain("Chair");
  expect(text).not.toContain("18%");
  await expect(create(saved, "--row", "1=0.01")).rejects.toThrow("Row 1 (Desk) has nothing left to credit");
  await expect(create(saved, "--row", "2=1180.01")).rejects.toThrow("Row 2 (Chair) has ₹1,180.00 left to credit");
  await expect(create(saved, "--row", "3=1")).rejects.toThrow("--row[0].row names row 3, and the invoice has 2");
  expect(await create(saved, "--row", "2=590")).toMatchObject({
    taxable: "500.00",
    tax: "90.00",
    due_amount: "590.00",
  });
});

test("rows are credited, each up to what is left of it", async () => {
  const owner = await Browser.signIn(installation, await newPerson(installation, shop.merchant.id));
  const saved = await shop.add({ ...TWO_ROWS, new_customer: { ...TWO_ROWS.new_customer, customer_code: "MH2" } });
  const path = `/invoices/${saved["invoice_id"]}`;
  const left = async () => (await owner.get(path)).body.creditable_rows;
  expect(await left()).toMatchObject([
    { row: 1, item: "Desk", left: "1050.00", left_taxable: "1000.00", left_quantity: "" },
    { row: 2, item: "Chair", left: "1180.00" },
  ]);
  const issue = (key: string, asked: object) =>
    owner.post(`${path}/credit-notes`, { request_key: key, reason: "Returned", ...asked });
  const both = await issue("rows-key-1", { amount: "1", rows: [{ row: 1, amount: "1" }] });
  expect([both.status, both.body.errors]).toEqual([
    400,
    [expect.objectContaining({ field: "amount", code: "not_allowed" })],
  ]);
  const asked = { rows: [{ row: 1, amount: "1050.00" }] };
  expect((await issue("rows-key-2", asked)).body).toMatchObject({ amount: "1050.00" });
  expect((await issue("rows-key-2", asked)).body).toMatchObject({ amount: "1050.00" });
  expect(await left()).toMatchObject([{ left: "0.00" }, { left: "1180.00" }]);
  const other = await issue("rows-key-2", { rows: [{ row: 2, amount: "1" }] });
  expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
  const refused = await issue("rows-key-3", {
    rows: [
      { row: 2, amount: "1" },
      { row: 1, amount: "1" },
    ],
  });
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    422,
    "credit_exceeds_invoice",
    [expect.objectContaining({ field: "rows[1].amount" })],
  ]);
});
