// The pages of what a form holds, before it is saved: POST /api/session/{invoices,subscriptions,estimates}/preview/pages.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

const ROW = { item: "Work", sac_code: "998311", gst: "18", total_amount: "1000.00" };
const INVOICE = {
  customer_code: "C1",
  bill_date: "2026-06-01",
  due_date: "2026-06-15",
  particular_rows: [ROW],
};
const ESTIMATE = {
  estimate_date: "2026-06-01",
  valid_until: "2026-06-30",
  due_days: "14",
  invoice: { customer_code: "C1", particular_rows: [ROW] },
};
const NEW_CUSTOMER = { customer_code: "N1", customer_name: "Meera Iyer", state: "Kerala", custom_fields: [] };

let site: Installation;
let invoices: Invoices;
let owner: Browser;
let call: Raw;
beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  call = rawOf(site, owner);
});
afterAll(() => site?.stop());

const pages = (of: string, body: object, by: Raw = call): Promise<Answer> =>
  by("POST", `session:/${of}/preview/pages`, body);

/** How high the picture is for its width: a page of A4 is 1.414. */
function heightOf({ status, headers, body }: Answer): number {
  expect([status, headers.get("content-type")], JSON.stringify(body).slice(0, 500)).toEqual([200, "image/svg+xml"]);
  const [, width, height] = /^<svg [^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(String(body))!;
  expect(String(body)).not.toMatch(/<script|<foreignObject/);
  // A saved document names its public page alone.
  expect(String(body)).not.toMatch(/href="http(?!:\/\/127\.0\.0\.1:\d+\/i\/)/);
  return Number(height) / Number(width);
}

/** Rows of a merchant in the tables that saving writes to. */
async function countRows(): Promise<Record<string, number>> {
  const { bucket, merchantId } = await requireMerchant(site.pool, BigInt(invoices.merchant.id));
  const counted: Record<string, number> = {};
  for (const table of ["invoice", "estimate", "subscription", "customer", "number_counter", "journal"]) {
    const { rows } = await site.pool.query<{ count: string }>(
      `select count(*) from ${table} where bucket = $1 and merchant_id = $2`,
      [bucket, merchantId],
    );
    counted[table] = Number(rows[0]!.count);
  }
  return counted;
}

test("the pages of a new invoice, a subscription and an estimate are drawn, and nothing is saved", async () => {
  const before = await countRows();
  const withCustomer = { ...INVOICE, customer_code: "", new_customer: NEW_CUSTOMER };
  for (const [of, body] of [
    ["invoices", { invoice: INVOICE }],
    ["invoices", { invoice: withCustomer }],
    ["subscriptions", { invoice: INVOICE }],
    ["estimates", ESTIMATE],
  ] as const) {
    expect(heightOf(await pages(of, body))).toBeCloseTo(1.414, 2);
  }
  const many = Array.from({ length: 40 }, () => ROW);
  expect(heightOf(await pages("invoices", { invoice: { ...INVOICE, particular_rows: many } }))).toBeGreaterThan(2.8);
  expect(await countRows()).toEqual(before);
  // No number was taken.
  const { invoice_number: number } = await invoices.add(INVOICE);
  expect(number).toMatch(/0*1$/);
});

test("an invoice and an estimate that are changed are drawn again", async () => {
  const { invoice_id: id } = await invoices.add(INVOICE);
  const { customer_code: _code, ...kept } = INVOICE;
  expect(heightOf(await pages("invoices", { invoice_id: id, invoice: kept }))).toBeCloseTo(1.414, 2);
  const saved = await call("POST", "/estimates", ESTIMATE);
  const { estimate_id } = saved.body.estimate;
  expect(heightOf(await pages("estimates", { ...ESTIMATE, estimate_id }))).toBeCloseTo(1.414, 2);
  expect((await pages("estimates", { ...ESTIMATE, estimate_id: "1" })).body.error.code).toBe("estimate_not_found");
  expect((await pages("invoices", { invoice_id: "R000000001", invoice: kept })).body.error.code).toBe(
    "invoice_not_found",
  );
});

test("what saving refuses is refused here, in words", async () => {
  const wrong = await pages("invoices", { invoice: { ...INVOICE, due_date: "2026-05-01" } });
  expect([wrong.status, wrong.body.error.fields]).toEqual([
    400,
    [expect.objectContaining({ path: "invoice.due_date" })],
  ]);
  const early = await pages("estimates", { ...ESTIMATE, valid_until: "2026-05-01" });
  expect([early.status, early.body.error.fields[0].path]).toEqual([400, "valid_until"]);
  const long = Array.from({ length: 500 }, () => ({ ...ROW, description: "Long. ".repeat(20) }));
  const refused = await pages("invoices", { invoice: { ...INVOICE, particular_rows: long } });
  expect([refused.status, refused.body.error.code]).toEqual([422, "limit_exceeded"]);
  expect(refused.body.error.message).toMatch(/^The document has \d+ pages, and a preview at most 20/);
});

test("another merchant's customer and invoice are not there", async () => {
  const other = await Invoices.ofNewMerchant(site);
  await other.addCustomer({ customer_code: "ONLY-THERE", customer_name: "Their customer" });
  const { invoice_id: theirs } = await other.add(INVOICE);
  for (const [of, body] of [
    ["invoices", { invoice: { ...INVOICE, customer_code: "ONLY-THERE" } }],
    ["subscriptions", { invoice: { ...INVOICE, customer_code: "ONLY-THERE" } }],
    ["estimates", { ...ESTIMATE, invoice: { ...ESTIMATE.invoice, customer_code: "ONLY-THERE" } }],
  ] as const) {
    const { status, body: answer } = await pages(of, body);
    expect([status, answer.error.code]).toEqual([404, "customer_not_found"]);
  }
  const { body } = await pages("invoices", { invoice_id: theirs, invoice: INVOICE });
  expect(body.error.code).toBe("invoice_not_found");
});

test("the pages of a saved invoice are drawn for a viewer, and not for another merchant or a stranger", async () => {
  const { invoice_id: id } = await invoices.add(INVOICE);
  const path = `session:/invoices/${id}/pages`;
  const viewer = rawOf(site, await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Viewer")));
  expect(heightOf(await viewer("GET", path))).toBeCloseTo(297 / 210, 2);
  const other = await Invoices.ofNewMerchant(site);
  const theirs = rawOf(site, await Browser.signIn(site, await newPerson(site, other.merchant.id)));
  const { status, body } = await theirs("GET", path);
  expect([status, body.error.code]).toEqual([404, "invoice_not_found"]);
  expect((await rawOf(site)("GET", path)).status).toBe(401);
});

test("a viewer and a stranger are refused", async () => {
  const viewer = rawOf(site, await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Viewer")));
  for (const [of, body] of [
    ["invoices", { invoice: INVOICE }],
    ["subscriptions", { invoice: INVOICE }],
    ["estimates", ESTIMATE],
  ] as const) {
    const { status, body: answer } = await pages(of, body, viewer);
    expect([status, answer.error.code]).toEqual([403, "access_denied"]);
    expect((await pages(of, body, rawOf(site))).status).toBe(401);
  }
});

test("one merchant's previews are limited, by themselves", async () => {
  const busy = await Invoices.ofNewMerchant(site);
  const by = rawOf(site, await Browser.signIn(site, await newPerson(site, busy.merchant.id)));
  let refused: Answer | undefined;
  for (let asked = 0; asked < 200 && !refused; asked += 1) {
    const answer = await pages("invoices", { invoice: INVOICE }, by);
    if (answer.status !== 200) refused = answer;
  }
  expect([refused?.status, refused?.body.error.code]).toEqual([429, "rate_limited"]);
  expect((await pages("invoices", { invoice: INVOICE })).status).toBe(200);
});
