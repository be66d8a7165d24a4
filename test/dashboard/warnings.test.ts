// What /api/v4 warns of after a request was accepted: docs/api.md#warnings. The codes themselves are tested beside their rules.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let installation: Installation;
let owner: Browser;
let customer_code: string;

beforeAll(async () => {
  installation = await Installation.shared();
  const { merchant } = await Invoices.ofNewMerchant(installation, { gstin: "" });
  owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
  customer_code = "WARNED";
  await owner.post("/customers", { customer_code, customer_name: "Asha", state: "Maharashtra" });
});
afterAll(() => installation.stop());

const day = (offset: number): string => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: offset }).toString();
const ROW = { item: "Work", sac_code: "00123", gst: "17", total_amount: "100.00" };
const warned = ({ body }: { body: Members }): string[] =>
  ((body["warnings"] ?? []) as { code: string; field: string }[]).map(({ code, field }) => `${code} ${field}`);

test("an invoice, its changes, its payments and its credit notes warn as the older API does", async () => {
  const invoice = { customer_code, bill_date: day(0), due_date: day(0), particular_rows: [ROW] };
  const saved = await owner.post("/invoices", { invoice: [invoice] });
  expect(warned(saved)).toEqual([
    "gst_not_charged invoice[0].particular_rows[0].gst",
    "unknown_gst_rate invoice[0].particular_rows[0].gst",
    "unusual_hsn invoice[0].particular_rows[0].sac_code",
  ]);
  const path = `/invoices/${saved.body.invoices[0].invoice_id}`;
  const changed = await owner.put(path, { invoice: { due_date: "", bill_cycle_name: "May" } });
  expect(warned(changed)).toContain("empty_member invoice.due_date");
  expect(warned(changed)).toContain("unusual_hsn invoice.particular_rows[0].sac_code");
  const payment = { paid_date: day(30), amount: "10.00", mode: "Cash", notify: "0" };
  expect(warned(await owner.post(`${path}/payments`, payment))).toEqual(["date_in_future paid_date"]);
  const note = await owner.post(`${path}/credit-notes`, { amount: "1.00", reason: "Less" });
  expect(warned(note)).toEqual([]);
  expect(note.body.credit_note_id).toMatch(/^\d+$/);
  const later = { reason: "Less", date: day(30) };
  for (const [address, body] of [
    [`${path}/credit-notes`, { amount: "1.00", ...later }],
    ["/credit-notes", { invoice_id: saved.body.invoices[0].invoice_id, rows: [{ row: 1, amount: "1" }], ...later }],
  ] as const) {
    const { status, body: refused } = await owner.post(address, body);
    expect([status, refused["errors"]]).toMatchObject([400, [{ field: "date", code: "invalid" }]]);
  }
});

test("a credit note that is too late to take its tax off a return warns, as the command does", async () => {
  const { merchant } = await Invoices.ofNewMerchant(installation);
  const registered = await Browser.signIn(installation, await newPerson(installation, merchant.id));
  await registered.post("/customers", { customer_code, customer_name: "Asha", state: "Maharashtra" });
  const year = Temporal.Now.plainDateISO("Asia/Kolkata").year;
  const dates = { bill_date: `${year - 3}-05-01`, due_date: `${year - 3}-05-01` };
  const row = { ...ROW, sac_code: "998314", gst: "18" };
  const saved = await registered.post("/invoices", { invoice: [{ customer_code, ...dates, particular_rows: [row] }] });
  const path = `/invoices/${saved.body.invoices[0].invoice_id}/credit-notes`;
  const creditOn = (date: string) => registered.post(path, { amount: "11.80", reason: "Late", date });
  expect(warned(await creditOn(`${year - 2}-11-30`))).toEqual([]);
  const late = await creditOn(`${year - 2}-12-01`);
  expect(warned(late)).toEqual(["credited_late date"]);
  expect(late.body["warnings"][0].message).toContain(`until ${year - 2}-11-30`);
});

test("a subscription and a franchise do", async () => {
  const dates = { mode: "Monthly", repeat_every: "1", start_date: day(7), due_date: day(14), end_mode: "Never" };
  const subscription = await owner.post("/subscriptions", {
    ...dates,
    invoice: { customer_code, particular_rows: [ROW] },
  });
  expect([subscription.status, ...warned(subscription)]).toContain("unusual_hsn invoice.particular_rows[0].sac_code");
  const franchise = await owner.post("/franchises", {
    franchise_code: "W1",
    franchise_name: "Pune",
    contact_person_name: "Anil",
    email_id: "w1@example.com",
    mobile: "9876543210",
    commission_type: "Percentage",
    commission: "10",
    settlement_type: "Auto",
  });
  expect([franchise.status, ...warned(franchise)]).toEqual([200, "commission_not_paid_out settlement_type"]);
});

test.each([
  ["PUT", "/profile", { phone: "9876543210" }],
  ["POST", "/customers", { customer_code: "W2", customer_name: "Uma" }],
])("%s %s with an unknown member is a success whose warning the document knows", async (method, path, body) => {
  const answer = await owner.send(method, path, { ...body, city_of_birth: "Pune" });
  expect([answer.status, ...warned(answer)]).toContain("unknown_member city_of_birth");
});
