// Financial credit notes, and cancelling: POST /api/v4/credit-notes and /credit-notes/{id}/cancel.
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyInstallation } from "../../src/installation/index.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

let site: Installation;
let shop: Invoices;
let call: Raw;
let stranger: Raw;

beforeAll(async () => {
  site = await Installation.shared();
  const newOwner = async (): Promise<[Invoices, Raw]> => {
    const own = await Invoices.ofNewMerchant(site);
    return [own, rawOf(site, await Browser.signIn(site, await newPerson(site, own.merchant.id)))];
  };
  [shop, call] = await newOwner();
  [, stranger] = await newOwner();
});
afterAll(() => site?.stop());

const VALVES = { item: "Valves", sac_code: "8481", quantity: "10", unit: "NOS", unit_price: "250.00", gst: "18" };
const sell = (): Promise<Record<string, string>> => shop.add({ particular_rows: [VALVES] });
const credit = (invoice: Readonly<Record<string, string>>, more: Members) =>
  call("POST", "/credit-notes", { invoice_id: invoice["invoice_id"], reason: "Rebate", ...more });

async function findings(): Promise<string[]> {
  const { violations } = await verifyInstallation(site.pool, { merchant: BigInt(shop.merchant.id) });
  return violations.map(({ check }) => check);
}

test("a financial note gives an amount back without GST, and no report has it", async () => {
  const sold = await sell();
  const { status, body } = await credit(sold, { kind: "financial", amount: "295.05", date: "2026-07-01" });
  expect([status, body]).toMatchObject([
    200,
    {
      kind: "financial",
      status: "Issued",
      credit_note_number: "FN-2627-00001",
      amount: "295.05",
      taxable_value: "0.00",
      tax: "0.00",
      round_off_amount: "0.00",
      reduces_due: "295.05",
      rows: [],
      tax_rows: [],
    },
  ]);
  const detail = (await call("GET", `/invoices/${sold["invoice_id"]!}`)).body;
  expect(detail).toMatchObject({ due_amount: "2654.95", credit_notes: [{ kind: "financial", status: "Issued" }] });
  const period = "from_date=2026-07-01&to_date=2026-07-01";
  for (const [report, rows] of [
    ["sales-register", "documents"],
    ["document-series", "series"],
    ["tax-summary", "rates"],
  ] as const) {
    expect((await call("GET", `/reports/${report}?${period}`)).body[rows]).toEqual([]);
  }
  const { body: totals } = await call("GET", "/credit-notes/totals?from=2026-07-01&to=2026-07-01");
  expect(totals.totals.sums).toEqual({ amount: "295.05", taxable: "0.00", tax: "0.00" });
  const { body: list } = await call("GET", "/credit-notes?from=2026-07-01&to=2026-07-01");
  expect(list.credit_notes).toMatchObject([{ kind: "financial", credit_note_number: "FN-2627-00001" }]);
  expect(await findings()).toEqual([]);
});

test.each<[string, Members, string]>([
  [
    "rows of a financial note",
    { kind: "financial", amount: "1", rows: [{ row: 1, quantity: "1" }] },
    "rows not_allowed",
  ],
  ["a financial note without an amount", { kind: "financial" }, "amount required"],
  ["an amount of a note with GST", { amount: "1", rows: [{ row: 1, quantity: "1" }] }, "amount not_allowed"],
  ["a note with GST without rows", {}, "rows required"],
  ["another kind", { kind: "debit", amount: "1" }, "kind not_allowed"],
])("%s is refused", async (_what, more, field) => {
  const { status, body } = await credit(await sell(), more);
  const found = body.error.fields.map(({ path, code }: Record<string, string>) => `${path} ${code}`);
  expect([status, found]).toEqual([400, [field]]);
});

test("a cancelled note is no supply any more, keeps its number, and leaves the invoice due", async () => {
  const sold = await sell();
  const { body: note } = await credit(sold, { rows: [{ row: 1, quantity: "10" }], date: "2026-07-02" });
  const period = "from_date=2026-07-02&to_date=2026-07-02";
  const path = `/credit-notes/${String(note.credit_note_id)}`;
  expect((await stranger("POST", `${path}/cancel`)).body.error.code).toBe("credit_note_not_found");
  const { status, body } = await call("POST", `${path}/cancel`);
  expect([status, body]).toMatchObject([200, { status: "Cancelled", credit_note_number: note.credit_note_number }]);
  expect((await call("GET", path)).body).toEqual(body);
  const again = await call("POST", `${path}/cancel`);
  expect([again.status, again.body.error.code]).toEqual([409, "credit_note_cancelled"]);
  const invoice = (await call("GET", `/invoices/${sold["invoice_id"]!}`)).body;
  expect(invoice).toMatchObject({ status: "Overdue", due_amount: "2950.00", credit_notes: [{ status: "Cancelled" }] });
  expect(invoice.creditable_rows).toMatchObject([{ left: "2950.00" }]);
  expect((await call("GET", `/reports/sales-register?${period}`)).body.documents).toEqual([]);
  expect((await call("GET", `/reports/document-series?${period}`)).body.series).toMatchObject([
    { kind: "credit_note", total: 1, cancelled: 1 },
  ]);
  const listed = await call("GET", "/credit-notes?kind=cancelled");
  expect(listed.body.credit_notes).toMatchObject([{ kind: "gst", status: "Cancelled", to_refund: "0.00" }]);
  const { body: history } = await call("GET", `/invoices/${sold["invoice_id"]!}/history`);
  expect(history.history.map(({ type }: { type: string }) => type)).toContain("credit_note.cancelled");
  expect(await findings()).toEqual([]);
});
