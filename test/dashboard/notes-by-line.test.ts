// Credit notes by the lines of an invoice: POST and GET /api/v4/credit-notes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { INVOICE_CHECKS } from "../../src/invoices/index.ts";
import { verify, verifySnapshot } from "../../src/payouts/verify/verify.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let shop: Invoices;
let owner: Browser;
let stranger: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  const other = await Invoices.ofNewMerchant(site);
  stranger = await Browser.signIn(site, await newPerson(site, other.merchant.id));
});
afterAll(() => site.stop());

const VALVES = { item: "Valves", sac_code: "8481", quantity: "10", unit: "NOS", unit_price: "250.05", gst: "18" };
const PAINT = { item: "Paint", sac_code: "3208", total_amount: "20000.10", gst: "18" };

const sell = (more: Members = {}): Promise<Record<string, string>> =>
  shop.add({ particular_rows: [VALVES, PAINT], ...more });

const credit = (invoice: Readonly<Record<string, string>>, rows: readonly object[], more: Members = {}) =>
  owner.post("/credit-notes", { invoice_id: invoice["invoice_id"], reason: "Returned", rows, ...more });

test("two pieces and an amount without tax are credited, each at its own rate", async () => {
  const sold = await sell();
  const { status, body } = await credit(
    sold,
    [
      { row: 1, quantity: "2" },
      { row: 2, amount: "10000.05" },
    ],
    { date: "2026-06-20" },
  );
  expect(status).toBe(200);
  // 500.10 and 10,000.05; the half of 18 % on each: 45.01 (45.009) and 900.00 (900.0045).
  const expected = {
    invoice_id: sold["invoice_id"],
    credit_note_date: "2026-06-20",
    taxable_value: "10500.15",
    tax: "1890.02",
    amount: "12390.17",
    rows: [
      { row: 1, item: "Valves", quantity: "2", amount: "500.10", tax: "90.02" },
      { row: 2, item: "Paint", quantity: null, amount: "10000.05", tax: "1800.00" },
    ],
    tax_rows: [
      { name: "CGST", percentage: "9", applicable_on: "10500.15", amount: "945.01" },
      { name: "SGST", percentage: "9", applicable_on: "10500.15", amount: "945.01" },
    ],
  };
  expect(body).toMatchObject(expected);
  const path = `/credit-notes/${String(body["credit_note_id"])}`;
  expect((await owner.get(path)).body).toMatchObject(expected);
  expect((await stranger.get(path)).status).toBe(404);
  const { body: hsn } = await owner.get("/reports/hsn-summary?from_date=2026-06-20&to_date=2026-06-20");
  expect(hsn["b2c"]).toMatchObject([
    { hsn: "3208", quantity: "0", taxable_value: "-10000.05" },
    { hsn: "8481", quantity: "-2", taxable_value: "-500.10", cgst: "-45.01" },
  ]);
});

test.each<[string, object, string]>([
  ["neither a quantity nor an amount", { row: 1 }, "rows[0].quantity"],
  ["both", { row: 1, quantity: "1", amount: "1" }, "rows[0].amount"],
  ["a quantity of a row without one", { row: 2, quantity: "1" }, "rows[0].quantity"],
  ["too many pieces", { row: 1, quantity: "10.001" }, "rows[0].quantity"],
  ["too much of a row", { row: 2, amount: "20000.11" }, "rows[0].amount"],
  ["a row that there is none of", { row: 3, amount: "1" }, "rows[0].row"],
])("%s is refused", async (_what, row, field) => {
  const { status, body } = await credit(await sell(), [row]);
  expect([status >= 400 && status < 500, JSON.stringify(body)]).toEqual([true, expect.stringContaining(field)]);
});

test("a misspelt member is named beside what is missing", async () => {
  const invoice = await sell();
  const inRow = await credit(invoice, [{ row: 1, qty: "1" }]);
  const { invoice_id } = invoice;
  const above = await owner.post("/credit-notes", { invoice_id, reason: "Returned", row: [{ row: 1, quantity: "1" }] });
  expect([inRow.status, above.status]).toEqual([400, 400]);
  expect(JSON.stringify(inRow.body)).toMatch(
    /rows\[0\]\.quantity.*qty is not supported here.* known name is quantity\./,
  );
  expect(JSON.stringify(above.body)).toMatch(/rows.*row is not supported here.* known name is rows\./);
});

test("another merchant's invoice is not found", async () => {
  const asked = { invoice_id: (await sell())["invoice_id"], reason: "Returned", rows: [{ row: 1, quantity: "1" }] };
  expect((await stranger.post("/credit-notes", asked)).status).toBe(404);
});

test("thirty at once credit no more pieces than there are, and the last takes the rest to the paisa", async () => {
  const sold = await sell();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => credit(sold, [{ row: 1, quantity: "1" }], { date: "2026-06-21" })),
  );
  const issued = answers.filter(({ status }) => status === 200);
  expect(issued).toHaveLength(10);
  const paise = (name: string): bigint =>
    issued.reduce((sum, { body }) => sum + BigInt(String(body[name]).replace(".", "")), 0n);
  // 2,500.50, and the half of 18 % on it: 225.05 (225.045).
  expect([paise("taxable_value"), paise("tax")]).toEqual([2500_50n, 450_10n]);
});

test("nothing of it is a violation, and a quantity that SQL adds is one", async () => {
  expect((await verify(site.pool, null, INVOICE_CHECKS)).violations).toEqual([]);
  const { body } = await credit(await sell(), [{ row: 1, quantity: "9" }]);
  const connection = await site.pool.connect();
  try {
    await connection.query("begin");
    await connection.query(
      `update credit_note set lines = jsonb_set(lines, '{0,quantityThousandths}', '"10001"')
       where credit_note_id = $1 and merchant_id = $2`,
      [String(body["credit_note_id"]), shop.merchant.id],
    );
    const { violations } = await verifySnapshot(connection, null, INVOICE_CHECKS);
    // The server would seal the change otherwise.
    await connection.query("rollback");
    expect(violations.map(({ check }) => check)).toContain("credit_note_lines");
  } finally {
    connection.release();
  }
});
