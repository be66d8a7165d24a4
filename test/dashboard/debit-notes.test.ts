// Debit notes by API: docs/rules/invoicing.md#debit-notes
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyInstallation } from "../../src/installation/index.ts";
import { INVOICE_CHECKS } from "../../src/invoices/index.ts";
import { verifySnapshot } from "../../src/payouts/verify/verify.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { settledToday } from "../support/days.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

const TODAY = await settledToday();
const VALVES = {
  item: "Valves",
  sac_code: "8481",
  quantity: "10",
  unit: "NOS",
  unit_price: "250.05",
  gst: "18",
  cess_percentage: "1",
};
const PAINT = { item: "Paint", sac_code: "3208", total_amount: "20000.10", gst: "5" };
const ROWS = [
  { row: 1, quantity: "12" },
  { row: 2, amount: "10000.05" },
];

let site: Installation;
let shop: Invoices;
let call: Raw;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  [shop, call] = await newOwner();
});
afterAll(() => site?.stop());

async function newOwner(): Promise<[Invoices, Raw]> {
  const own = await Invoices.ofNewMerchant(site);
  const browser = await Browser.signIn(site, await newPerson(site, own.merchant.id));
  return [own, rawOf(site, browser)];
}

type Texts = Record<string, string>;
const sell = (more: Members = {}): Promise<Texts> => shop.add({ particular_rows: [VALVES, PAINT], ...more });
const ask = (invoice: Texts, more: object = {}) =>
  call("POST", "/debit-notes", {
    invoice_id: invoice["invoice_id"],
    reason: "Price agreed later",
    rows: ROWS,
    ...more,
  });
async function debit(invoice: Texts, more: object = {}): Promise<Texts> {
  const { status, body } = await ask(invoice, more);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.debit_note;
}
const at = (note: Texts): string => `/debit-notes/${note["debit_note_id"]!}`;
const fields = (answer: { body: { error: { fields: { path: string; code: string }[] } } }): string[] =>
  answer.body.error.fields.map(({ path, code }) => `${path} ${code}`);

async function findings(): Promise<string[]> {
  const { violations } = await verifyInstallation(site.pool, { merchant: BigInt(shop.merchant.id) });
  return violations.map(({ check }) => check);
}

describe("a debit note", () => {
  test("charges more pieces and a higher price at the invoice's own rates, and is due by itself", async () => {
    const sold = await sell({ bill_date: "2026-06-10", due_date: "2026-06-25" });
    const note = await debit(sold, { date: "2026-06-20" });
    // 12 × 250.05 = 3,000.60; CGST and SGST at 9 %: 270.05 (270.054) each; cess at 1 %: 30.01 (30.006). More than the ten
    // pieces of the invoice. On 10,000.05 at 2.5 %: 250.00 (250.00125) each.
    expect(note).toMatchObject({
      debit_note_number: "DN-2627-00001",
      invoice_id: sold["invoice_id"],
      invoice_date: "2026-06-10",
      date: "2026-06-20",
      due_date: "2026-07-05",
      reason: "Price agreed later",
      taxable_value: "13000.65",
      tax: "1070.11",
      amount: "14070.76",
      due_amount: "14070.76",
      status: "Overdue",
      particular_rows: [
        { item: "Valves", quantity: "12", unit: "NOS", unit_price: "250.05", total_amount: "3000.60" },
        { item: "Paint", total_amount: "10000.05" },
      ],
      tax_rows: [
        { name: "CGST", percentage: "9", applicable_on: "3000.60", amount: "270.05" },
        { name: "SGST", percentage: "9", applicable_on: "3000.60", amount: "270.05" },
        { name: "CGST", percentage: "2.5", applicable_on: "10000.05", amount: "250.00" },
        { name: "SGST", percentage: "2.5", applicable_on: "10000.05", amount: "250.00" },
        { name: "Cess", percentage: "1", applicable_on: "3000.60", amount: "30.01" },
      ],
    });
    expect((await call("GET", at(note))).body.debit_note).toEqual(note);
    const { body } = await call("GET", "/debit-notes?status=Overdue");
    expect(body.debit_notes).toEqual([note]);
    const page = (await call("GET", `/invoices/${note["debit_note_id"]!}/page`)).body.html as string;
    expect(page).toContain(">Debit note</h1>");
    expect(page).toMatch(/Against invoice[\s\S]*INV-2627-00001[\s\S]*Dated[\s\S]*10 Jun 2026/);
    expect(await findings()).toEqual([]);
  });

  test("is in all reports, to the paisa, with a series of its own", async () => {
    const sold = await sell({ bill_date: "2026-06-10", due_date: "2026-06-10" });
    const note = await debit(sold, { date: "2026-06-20" });
    const period = "from_date=2026-06-20&to_date=2026-06-20";
    const report = async (name: string) => (await call("GET", `/reports/${name}?${period}`)).body;
    expect((await report("sales-register")).documents).toMatchObject([
      {
        kind: "debit_note",
        number: note["debit_note_number"],
        invoice_id: note["debit_note_id"],
        total: "14070.76",
        taxable_value: "13000.65",
        cgst: "520.05",
        sgst: "520.05",
        cess: "30.01",
      },
    ]);
    expect((await report("tax-summary")).rates).toMatchObject([
      { rate: "5", taxable_value: "10000.05", cgst: "250.00" },
      { rate: "18", taxable_value: "3000.60", cgst: "270.05", cess: "30.01" },
    ]);
    // What is charged by amount counts no pieces.
    expect((await report("hsn-summary")).b2c).toMatchObject([
      { hsn: "3208", quantity: "0", taxable_value: "10000.05" },
      { hsn: "8481", quantity: "12", taxable_value: "3000.60" },
    ]);
    expect((await report("document-series")).series).toMatchObject([
      { kind: "debit_note", from: "DN-2627-00001", to: "DN-2627-00001", total: 1, cancelled: 0 },
    ]);
    await call("POST", `${at(note)}/cancel`);
    expect((await report("sales-register")).documents).toEqual([]);
    expect((await report("document-series")).series).toMatchObject([{ kind: "debit_note", total: 1, cancelled: 1 }]);
    expect(await findings()).toEqual([]);
  });

  test("is paid, credited, and cancelled only while nothing is paid", async () => {
    const sold = await sell();
    const note = await debit(sold);
    const payments = `/invoices/${note["debit_note_id"]!}/payments`;
    const paid = { paid_date: TODAY.toString(), amount: "1000.00", mode: "Cash", notify: "0" };
    expect((await call("POST", payments, paid)).status).toBe(200);
    expect((await call("GET", at(note))).body.debit_note).toMatchObject({
      paid_amount: "1000.00",
      due_amount: "13070.76",
    });
    const refused = await call("POST", `${at(note)}/cancel`);
    expect([refused.status, refused.body.error.code]).toEqual([409, "invoice_already_paid"]);
    const credited = await call("POST", "/credit-notes", {
      invoice_id: note["debit_note_id"],
      reason: "Agreed back",
      rows: [{ row: 2, amount: "10000.05" }],
    });
    expect([credited.status, credited.body]).toMatchObject([200, { taxable_value: "10000.05", tax: "500.00" }]);
    expect((await call("GET", at(note))).body.debit_note["due_amount"]).toBe("2570.71");
    const other = await debit(sold);
    const cancelled = await call("POST", `${at(other)}/cancel`);
    expect(cancelled.body.debit_note).toMatchObject({ status: "Cancelled", due_amount: "0.00" });
    expect((await debit(sold))["debit_note_number"]).toBe("DN-2627-00003");
    expect(await findings()).toEqual([]);
  });

  test("keeps its invoice as it is until it is cancelled, and is not changed itself", async () => {
    const sold = await sell();
    const note = await debit(sold);
    const invoice = `/invoices/${sold["invoice_id"]!}`;
    for (const [method, path, body, code] of [
      ["PUT", invoice, { invoice: { due_date: "2027-03-31" } }, "invoice_has_debit_notes"],
      ["POST", `${invoice}/cancel`, undefined, "invoice_has_debit_notes"],
      ["PUT", `/invoices/${note["debit_note_id"]!}`, { invoice: { due_date: "2027-03-31" } }, "debit_note_kept"],
    ] as const) {
      const refused = await call(method, path, body);
      expect([refused.status, refused.body.error.code]).toEqual([409, code]);
    }
    await call("POST", `${at(note)}/cancel`);
    expect((await call("POST", `${invoice}/cancel`)).status).toBe(200);
    const late = await ask(sold);
    expect([late.status, late.body.error.code]).toEqual([409, "invoice_cancelled"]);
  });

  test.each<[string, object, string, RegExp]>([
    ["a date before the invoice's", { date: "2026-06-09" }, "date invalid", /2026-06-10/],
    ["a future date", { date: TODAY.add({ days: 1 }).toString() }, "date invalid", /must not be after today/],
    ["no reason", { reason: "" }, "reason required", /./],
    ["no rows", { rows: [] }, "rows invalid", /./],
    ["both", { rows: [{ row: 1, quantity: "1", amount: "1" }] }, "rows[0].amount not_allowed", /leave one/],
    ["neither", { rows: [{ row: 1 }] }, "rows[0].quantity required", /how many pieces to bill/],
    [
      "a quantity of a row without one",
      { rows: [{ row: 2, quantity: "1" }] },
      "rows[0].quantity not_allowed",
      /amount/,
    ],
    ["a row that there is none of", { rows: [{ row: 3, amount: "1" }] }, "rows[0].row invalid", /has 2/],
    ["a row twice", { rows: [ROWS[0], ROWS[0]] }, "rows[1].row invalid", /second time/],
    ["pieces for less than a paisa", { rows: [{ row: 3, quantity: "0.001" }] }, "rows[0].quantity invalid", /amount/],
    ["too much", { rows: [{ row: 2, amount: "9999999999999.99" }] }, "rows invalid", /split/],
  ])("with %s is refused with the remedy, and nothing is issued", async (what, more, field, remedy) => {
    const cheap = { item: "Pins", sac_code: "7319", quantity: "10", unit_price: "0.01", gst: "18" };
    const rows = what.startsWith("pieces") ? [VALVES, PAINT, cheap] : [VALVES, PAINT];
    const sold = await sell({ bill_date: "2026-06-10", due_date: "2026-06-10", particular_rows: rows });
    const refused = await ask(sold, more);
    expect([refused.status, fields(refused)]).toEqual([400, [field]]);
    expect(refused.body.error.fields[0].message).toMatch(remedy);
    expect((await call("GET", "/debit-notes")).body.debit_notes).toEqual([]);
  });

  test("of a debit note, an opening balance and another merchant's invoice is refused", async () => {
    const sold = await sell();
    const note = await debit(sold);
    const again = await ask({ invoice_id: note["debit_note_id"]! });
    expect([again.status, fields(again)]).toEqual([400, ["invoice_id not_allowed"]]);
    expect(again.body.error.fields[0].message).toContain("INV-2627-00001");
    const opening = await call("POST", "/opening-balances", {
      customer_code: "C1",
      date: "2026-04-01",
      amount: "1.00",
    });
    const opened = await ask({ invoice_id: opening.body.opening_balance.opening_balance_id });
    expect([opened.status, opened.body.error.code]).toEqual([409, "opening_balance_kept"]);
    [shop, call] = await newOwner();
    expect((await ask(sold)).status).toBe(404);
    for (const [method, path] of [
      ["GET", at(note)],
      ["POST", `${at(note)}/cancel`],
    ] as const) {
      const { status, body } = await call(method, path);
      expect([status, body.error.code]).toEqual([404, "debit_note_not_found"]);
    }
    expect((await call("GET", `/debit-notes/${sold["invoice_id"]!}`)).status).toBe(404);
    expect((await call("GET", "/debit-notes")).body.debit_notes).toEqual([]);
  });

  test("is found by its number, its customer and its amount, and nothing else is", async () => {
    const note = await debit(await sell());
    const found = async (search: string): Promise<string[]> => {
      const { body } = await call("GET", `/debit-notes?search=${encodeURIComponent(search)}`);
      expect(body).toMatchObject({ is_cut: false, searched_to: null });
      return body.debit_notes.map((each: Texts) => each["debit_note_id"]);
    };
    for (const search of [note["debit_note_number"]!, note["customer_name"]!, note["amount"]!, "00001"]) {
      expect(await found(search), search).toEqual([note["debit_note_id"]]);
    }
    expect(await found("INV-2627-00001")).toEqual([]);
  });

  test("takes its number like an invoice: a hundred at once have consecutive ones", async () => {
    const sold = await sell();
    const notes = await Promise.all(Array.from({ length: 100 }, () => debit(sold)));
    const numbers = notes.map((note) => note["debit_note_number"]!).toSorted();
    const expected = Array.from({ length: 100 }, (_, index) => `DN-2627-${String(index + 1).padStart(5, "0")}`);
    expect(numbers).toEqual(expected);
    const { body } = await call("GET", "/debit-notes?limit=60");
    const next = await call("GET", `/debit-notes?limit=60&after=${String(body.next)}`);
    expect([body.debit_notes.length, next.body.debit_notes.length, next.body.next]).toEqual([60, 40, null]);
    expect(await findings()).toEqual([]);
  });

  test("that SQL changes is found by verify", async () => {
    const note = await debit(await sell());
    const connection = await site.pool.connect();
    const id = BigInt(note["debit_note_id"]!.slice(1));
    try {
      for (const change of [
        "content = jsonb_set(content, '{original,invoiceId}', '\"77\"')",
        "content = jsonb_set(content, '{rows,0,quantityThousandths}', '\"1000\"')",
      ]) {
        await connection.query("begin");
        await connection.query(`update invoice set ${change} where invoice_id = $1`, [id]);
        const { violations } = await verifySnapshot(connection, null, INVOICE_CHECKS);
        // The server would seal the change otherwise.
        await connection.query("rollback");
        expect(violations.map(({ check }) => check)).toContain(
          change.includes("original") ? "gst_document" : "gst_line_rows",
        );
      }
    } finally {
      connection.release();
    }
    expect(await findings()).toEqual([]);
  });
});
