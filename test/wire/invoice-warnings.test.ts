// Invoices that are taken with a warning, and GST details that are taken or refused.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodalJson } from "../support/nodal.ts";
import { Installation, type Members } from "../support/installation.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";
import { Invoices, numbered, PLAIN } from "../support/invoices.ts";
import { CUSTOMER_SAVE, CUSTOMER_UPDATE } from "../support/merchant-wire.ts";

let installation: Installation;
let invoices: Invoices;
const year = Temporal.Now.plainDateISO("Asia/Kolkata").year;

beforeAll(async () => {
  installation = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(installation, { state: "Maharashtra", gstin: "27AAACI1234K1Z5" });
});
afterAll(() => installation.stop());

type Warned = { readonly code: string; readonly field: string; readonly message: string };
const row = (members: Members = {}): Members => ({
  item: "Work",
  sac_code: "998311",
  total_amount: "100.00",
  ...members,
});

async function warningsFor(invoice: Members): Promise<Warned[]> {
  const answer = await invoices.save([{ ...PLAIN, particular_rows: [row()], ...invoice }]);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return (answer.body as { warnings?: Warned[] }).warnings ?? [];
}

const halves = ["CGST", "SGST"].map((name) => ({ name, percentage: "8.5", applicable_on: "100.00" }));

describe("a warning is given", () => {
  const igst = { name: "IGST", percentage: "18", applicable_on: "100.00" };
  test.each<[string, Members, string, string]>([
    [
      "another name for the quantity",
      { particular_rows: [row({ qty: "2" })] },
      "unknown_member",
      "invoice[0].particular_rows[0].qty",
    ],
    ["a discount", { discount: "10" }, "unknown_member", "invoice[0].discount"],
    ["another name for reverse charge", { reverseCharge: "1" }, "unknown_member", "invoice[0].reverseCharge"],
    ["a misspelt name", { tax_row: [igst] }, "unknown_member", "invoice[0].tax_row"],
    ["IGST within the state", { tax_rows: [igst] }, "tax_contradicts_place", "invoice[0].tax_rows[0].name"],
    ["CGST alone", { tax_rows: [{ ...igst, name: "CGST" }] }, "tax_halves_differ", "invoice[0].tax_rows"],
    [
      "a tax on more than the rows",
      { tax_rows: ["CGST 9%", "SGST 9%"].map((name) => ({ name, percentage: "9", applicable_on: "100.01" })) },
      "tax_above_sub_total",
      "invoice[0].tax_rows",
    ],
    [
      "a rate that there is none of, beside tax rows",
      { particular_rows: [row({ gst: "17" })], tax_rows: halves },
      "unknown_gst_rate",
      "invoice[0].particular_rows[0].gst",
    ],
    [
      "a code of 3 digits",
      { particular_rows: [row({ sac_code: "902" })] },
      "unusual_hsn",
      "invoice[0].particular_rows[0].sac_code",
    ],
    [
      "a code of chapter 00",
      { particular_rows: [row({ sac_code: "0000" })] },
      "unusual_hsn",
      "invoice[0].particular_rows[0].sac_code",
    ],
    [
      "a date years ahead",
      { bill_date: `${year + 3}-01-01`, due_date: `${year + 3}-01-02` },
      "date_far_away",
      "invoice[0].bill_date",
    ],
    ["a due date years ahead", { due_date: `${year + 30}-01-01` }, "date_far_away", "invoice[0].due_date"],
    [
      "reverse charge for a customer without a GSTIN",
      { reverse_charge: "1", particular_rows: [row({ gst: "18" })] },
      "recipient_unregistered",
      "invoice[0].reverse_charge",
    ],
    [
      "the GSTIN of a supplier as a platform's",
      { ecommerce_gstin: "29AABCT1332L1ZU" },
      "operator_gstin",
      "invoice[0].ecommerce_gstin",
    ],
    [
      "a number that e-invoicing refuses",
      numbered("0042"),
      "number_not_for_e_invoice",
      "invoice[0].custom_header_fields[0].value",
    ],
  ])("of %s", async (_what, members, code, field) => {
    expect(await warningsFor(members)).toMatchObject([{ code, field }]);
  });

  test("of CGST and SGST between two states", async () => {
    await invoices.addCustomer({ customer_code: "BLR", customer_name: "Ravi", state: "Karnataka" });
    const tax_rows = ["CGST", "SGST"].map((name) => ({ name, percentage: "9", applicable_on: "100.00" }));
    const [warned] = await warningsFor({ customer_code: "BLR", tax_rows });
    expect(warned).toMatchObject({ code: "tax_contradicts_place", field: "invoice[0].tax_rows[0].name" });
    expect(warned!.message).toBe("The place of supply is Karnataka: charge IGST instead of CGST.");
  });

  test("on an update, and the same again under its key; and on other requests that change something", async () => {
    const { invoice_id: id } = await invoices.add();
    const key = { "idempotency-key": "warned-once" };
    const change = { bill_cycle_name: "June", rounding: "0.50" };
    const first = await invoices.update(id, change, key);
    const second = await invoices.update(id, change, key);
    expect(first.body).toMatchObject({ warnings: [{ code: "unknown_member", field: "invoice.rounding" }] });
    expect(second.body.warnings).toEqual(first.body.warnings);
    const paid = await invoices.settle({ invoice_id: id, amount: "10.00", fee_amount: "1.00" });
    expect(paid.body.warnings).toMatchObject([{ code: "unknown_member", field: "fee_amount" }]);
    const beneficiary_id = await invoices.merchant.addBeneficiary();
    await nodalJson(
      installation.environment,
      "fund",
      "--merchant",
      invoices.merchant.id,
      "--amount",
      "10",
      "--reference",
      "w",
    );
    const transfer = await invoices.merchant.transfer({
      beneficiary_id,
      amount: "1.00",
      reference_id: "warned",
      currency: "USD",
    });
    expect(transfer.body).toMatchObject({ status: "1", warnings: [{ code: "unknown_member", field: "currency" }] });
  });

  test.each<[string, Members, Members, string, string]>([
    ["a start years ahead", { start_date: "2062-01-01", due_date: "2062-01-05" }, {}, "date_far_away", "start_date"],
    ["a due date years later", { due_date: `${year + 30}-01-01` }, {}, "date_far_away", "due_date"],
    [
      "a rate",
      {},
      { particular_rows: [row({ gst: "17" })], tax_rows: halves },
      "unknown_gst_rate",
      "invoice.particular_rows[0].gst",
    ],
    [
      "a code",
      {},
      { particular_rows: [row({ sac_code: "902" })] },
      "unusual_hsn",
      "invoice.particular_rows[0].sac_code",
    ],
    ["IGST within the state", {}, { tax_rows: [igst] }, "tax_contradicts_place", "invoice.tax_rows[0].name"],
  ])("of a subscription with %s, billed now or later", async (_what, plan, invoice, code, field) => {
    const today = Temporal.Now.plainDateISO("Asia/Kolkata");
    for (const days of "start_date" in plan ? [0] : [0, 30]) {
      const start_date = today.add({ days }).toString();
      const answer = await invoices.ask(SUBSCRIPTION_SAVE, {
        mode: "Monthly",
        repeat_every: "1",
        start_date,
        due_date: start_date,
        end_mode: "Never",
        ...plan,
        invoice: { customer_code: "C1", particular_rows: [row()], ...invoice },
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body.warnings).toMatchObject([{ code, field }]);
    }
  });

  test("of a payment in the future or before the bill date, also in a transaction of its own", async () => {
    const { invoice_id } = await invoices.add();
    const login = { email: "warned@example.com", password: "a long password" };
    const franchise = { franchise_code: "W1", franchise_name: "Warned" };
    const franchise_id = await saveFranchiseWithLogin(installation, invoices.merchant, login, franchise);
    const { invoice_id: alone } = await invoices.add({ franchise_id });
    for (const id of [invoice_id, alone]) {
      const pay = async (paid_date: string) => {
        const key = { "idempotency-key": `paid-${String(id)}-${paid_date}` };
        const [first, again] = [
          await invoices.settle({ invoice_id: id, amount: "1.00", paid_date }, key),
          await invoices.settle({ invoice_id: id, amount: "1.00", paid_date }, key),
        ];
        expect([first.status, again.body.warnings]).toEqual([200, first.body.warnings]);
        return first.body.warnings;
      };
      expect(await pay("2062-01-01")).toMatchObject([{ code: "date_in_future", field: "paid_date" }]);
      expect(await pay("2020-01-01")).toEqual([
        {
          code: "paid_before_bill",
          field: "paid_date",
          message: "2020-01-01 is before the invoice's bill_date, 2026-06-01.",
        },
      ]);
      expect(await pay("2026-06-01")).toBeUndefined();
    }
  });

  test("of taxes that an update of the rows alone keeps, unless they are on the new sub-total", async () => {
    const taxes = (base: string) => ["CGST", "SGST"].map((name) => ({ name, percentage: "9", applicable_on: base }));
    const { invoice_id: id } = await invoices.add({ particular_rows: [row({ gst: "18" })], tax_rows: taxes("100.00") });
    const codesOf = async (change: Members): Promise<string[] | undefined> => {
      const { body } = await invoices.update(id, change);
      return (body as { warnings?: Warned[] }).warnings?.map(({ code, field }) => `${code} ${field}`);
    };
    const rows = (amount: string): Members => ({ particular_rows: [row({ gst: "18", total_amount: amount })] });
    expect(await codesOf(rows("150.00"))).toEqual(["tax_rows_kept invoice.tax_rows"]);
    expect(await codesOf({ bill_cycle_name: "June" })).toBeUndefined();
    expect(await codesOf({ ...rows("250.00"), tax_rows: taxes("200.00") })).toBeUndefined();
    expect(await codesOf(rows("200.00"))).toBeUndefined();
    expect(await codesOf({ ...rows("300.00"), tax_rows: [] })).toBeUndefined();
    expect(await codesOf(rows("400.00"))).toBeUndefined();
  });

  test("of nothing in an ordinary invoice, in members without a meaning for money, or in a refusal", async () => {
    expect(await warningsFor({ particular_rows: [row({ gst: "18" })] })).toEqual([]);
    expect(await warningsFor({ po_reference: "PO-1", quantity: "" })).toEqual([]);
    const refused = await invoices.save([{ ...PLAIN, bill_date: "never", discount: "1" }]);
    expect([refused.status, refused.body.warnings]).toEqual([400, undefined]);
  });

  test("of a credit note whose tax no longer comes off a return", async () => {
    const bill_date = `${year - 3}-05-01`;
    const rows = { particular_rows: [row({ gst: "18" })] };
    const { invoice_id: id } = await invoices.add({ bill_date, due_date: bill_date, ...rows });
    const args = ["--merchant", invoices.merchant.id, "--invoice", id!, "--amount", "11.80", "--reason", "Late"];
    const late = await nodalJson<Members>(installation.environment, "credit-note", "create", ...args);
    expect(late["warnings"]).toMatchObject([{ code: "credited_late", field: "date" }]);
    const inTime = [...args, "--date", `${year - 2}-11-30`];
    expect(await nodalJson<Members>(installation.environment, "credit-note", "create", ...inTime)).not.toHaveProperty(
      "warnings",
    );
  });
});

test.each(["9.98314E+05", "998314.0", "ABC", "9", "998314000", "99 83"])("a code of %s is refused", async (code) => {
  const answer = await invoices.unmoved(() =>
    invoices.save([{ ...PLAIN, particular_rows: [row({ sac_code: code })] }]),
  );
  expect([answer.status, answer.body.errlist[0].keypath]).toEqual([400, "invoice[0].particular_rows[0].sac_code"]);
  expect(answer.body.errlist[0].msg).toContain("2 to 8 digits");
});

test.each([998314, "0902", "", "09"])("a code of %s is taken", async (code) => {
  const saved = await invoices.add({ particular_rows: [row({ sac_code: code })] });
  const { particular_rows: rows } = await invoices.read(saved["invoice_id"]);
  expect(rows).toMatchObject([{ sac_code: String(code) }]);
});

test("half of a rate of 0.25 comes back as the detail wrote it", async () => {
  const saved = await invoices.add({ particular_rows: [row({ gst: "0.25", total_amount: "1000.00" })] });
  const { tax_rows: taxes, amount } = await invoices.read(saved["invoice_id"]);
  expect(taxes).toMatchObject([
    { name: "CGST", percentage: "0.125" },
    { name: "SGST", percentage: "0.125" },
  ]);
  const again = await invoices.add({ particular_rows: [row({ total_amount: "1000.00" })], tax_rows: taxes });
  expect(await invoices.read(again["invoice_id"])).toMatchObject({ tax_rows: taxes, amount });
  const finer = [{ name: "CGST", percentage: "0.1255", applicable_on: "1.00" }];
  const refused = await invoices.unmoved(() => invoices.save([{ ...PLAIN, tax_rows: finer }]));
  expect(refused.body.errlist[0].keypath).toBe("invoice[0].tax_rows[0].percentage");
});

test.each([
  ["0717USA12345UNF", "IGST"],
  ["27MUMA12345B1DX", "CGST"],
  ["27MUMA12345B1Z5", "CGST"],
  ["9917IRL29003OSG", "IGST"],
])("the GSTIN %s is taken, and charged %s", async (gstin, tax) => {
  const fields = [{ id: "gstin", name: "GSTIN", type: "gst", value: gstin }];
  await invoices.addCustomer({ customer_code: gstin, customer_name: "Registered", custom_fields: fields });
  const saved = await invoices.add({ customer_code: gstin, particular_rows: [row({ gst: "18" })] });
  expect((await invoices.read(saved["invoice_id"]))["tax_rows"]).toMatchObject([
    { name: tax },
    ...(tax === "CGST" ? [{}] : []),
  ]);
});

test("a new due date alone keeps the customer's details and the tax that the invoice has", async () => {
  const answer = await invoices.ask(CUSTOMER_SAVE, {
    customer: [
      { customer_code: "MOVES", customer_name: "Meera", address: "1, MG Road", city: "Bengaluru", state: "Karnataka" },
    ],
  });
  const customerId = answer.body.srvrsp[0][0].customer_id as number;
  const saved = await invoices.add({ customer_code: "MOVES", particular_rows: [row({ gst: "18" })] });
  const before = await invoices.read(saved["invoice_id"]);
  expect(before["tax_rows"]).toMatchObject([{ name: "IGST" }]);
  const moved = { customer_id: customerId, address: "2, FC Road", city: "Pune", state: "Maharashtra" };
  expect(await invoices.ask(CUSTOMER_UPDATE, { customer: [moved] })).toBeSuccess("write");
  expect(await invoices.update(saved["invoice_id"], { due_date: "2026-06-30" })).toBeSuccess("write");
  const page = async () => {
    const { short_url: url } = await invoices.read(saved["invoice_id"]);
    return (await fetch(String(url))).text();
  };
  // Its contact details are the customer's of today; what is printed is as it was.
  expect(await invoices.read(saved["invoice_id"])).toMatchObject({
    tax_rows: before["tax_rows"],
    address: "2, FC Road",
    customer: { address: "2, FC Road" },
  });
  expect(await page()).toMatch(/1, MG Road[^]*IGST/);
  // Rows that change are taxed as the invoice is.
  await invoices.update(saved["invoice_id"], { particular_rows: [row({ gst: "5", total_amount: "10.00" })] });
  expect((await invoices.read(saved["invoice_id"]))["tax_rows"]).toMatchObject([{ name: "IGST", percentage: "5" }]);
  // Who names the customer asks for its details of today.
  await invoices.update(saved["invoice_id"], { customer_code: "MOVES" });
  expect((await invoices.read(saved["invoice_id"]))["tax_rows"]).toMatchObject([{ name: "CGST" }, { name: "SGST" }]);
  expect(await page()).toContain("2, FC Road");
});

test("a row that tax rows tax is not printed with a rate of 0 %", async () => {
  const tax_rows = ["CGST", "SGST"].map((name) => ({ name, percentage: "9", applicable_on: "100.00" }));
  const saved = await invoices.add({ particular_rows: [row({ gst: "0" }), row({ gst: "5", item: "Tea" })], tax_rows });
  const { short_url: url } = await invoices.read(saved["invoice_id"]);
  const page = await (await fetch(String(url))).text();
  expect(page).toContain("5%");
  expect(page).not.toMatch(/>\s*(?:GST )?0%/);
});
