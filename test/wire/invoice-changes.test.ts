// Updating and cancelling invoices over real HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices, NO_NEW_CUSTOMER, numbered, PLAIN } from "../support/invoices.ts";
import { nodalJson } from "../support/nodal.ts";

const FULL = {
  ...PLAIN,
  bill_cycle_name: "June",
  custom_header_fields: [{ id: "1", name: "PO number", type: "text", value: "PO-1" }],
  particular_rows: [{ item: "Work", sac_code: "998311", description: "All of it", gst: "18", total_amount: "1000.00" }],
  previous_dues: "50.00",
};
const TAX_ROW = { name: "Cess", percentage: "1", applicable_on: "1000.00" };

let installation: Installation;
let invoices: Invoices;

beforeAll(async () => {
  installation = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(installation);
});
afterAll(() => installation.stop());

describe("an update", () => {
  test.each<[string, Members, Members]>([
    ["nothing", {}, {}],
    ["empty members", { ...NO_NEW_CUSTOMER, new_customer: NO_NEW_CUSTOMER }, {}],
    ["the cycle", { bill_cycle_name: "July" }, { cycle_name: "July", bill_cycle_name: "July" }],
    [
      "the dates",
      { bill_date: "2026-07-01", due_date: "2026-07-02" },
      { bill_date: "2026-07-01", due_date: "2026-07-02" },
    ],
    ["the due date alone", { due_date: "2026-06-01" }, { due_date: "2026-06-01" }],
    ["the dues", { previous_dues: "0" }, { previous_dues: "0.00", amount: "1180.00", due_amount: "1180.00" }],
    ["header fields", { custom_header_fields: [] }, { custom_header_fields: [] }],
    [
      "the rows",
      { particular_rows: [{ item: "Less", total_amount: "10.00" }] },
      {
        particular_rows: [{ item: "Less", sac_code: "", description: "", gst: "0", total_amount: "10.00" }],
        tax_rows: [],
        sub_total: "10.00",
        tax_total: "0.00",
        amount: "60.00",
        due_amount: "60.00",
      },
    ],
    [
      "the taxes",
      { tax_rows: [TAX_ROW] },
      { tax_rows: [{ ...TAX_ROW, amount: "10.00" }], tax_total: "10.00", amount: "1060.00", due_amount: "1060.00" },
    ],
  ])("of %s replaces that and nothing else", async (_what, change, expected) => {
    const saved = await invoices.add(FULL);
    const before = await invoices.read(saved["invoice_id"]);
    const answer = await invoices.update(saved["invoice_id"], change);
    expect(answer).toBeSuccess("write");
    const { amount = before["amount"], bill_date = before["bill_date"] } = expected;
    expect(answer.body.srvrsp).toStrictEqual({ ...saved, amount, bill_date });
    expect(await invoices.read(saved["invoice_id"])).toStrictEqual({
      ...before,
      due: expect.any(Number) as number,
      ...expected,
    });
  });

  test("warns of members that were sent empty and can't be cleared, and clears the cycle", async () => {
    const { invoice_id: id } = await invoices.add(FULL);
    const empty = { bill_date: "", due_date: " ", previous_dues: null, franchise_id: "", bill_cycle_name: "" };
    const { warnings } = (await invoices.update(id, empty)).body as { warnings?: { code: string; field: string }[] };
    expect(warnings).toEqual(
      ["bill_date", "due_date", "previous_dues", "franchise_id"].map((name) => ({
        code: "empty_member",
        field: `invoice.${name}`,
        message: `${name} is empty and was not changed: send a value, or leave it out.`,
      })),
    );
    const { bill_date, due_date } = FULL as Members;
    expect(await invoices.read(id)).toMatchObject({ bill_date, due_date, previous_dues: "50.00", cycle_name: "" });
    expect(
      (await invoices.update(id, { due_date: "2026-06-20", new_customer: NO_NEW_CUSTOMER })).body,
    ).not.toHaveProperty("warnings");
  });

  test("moves the invoice to another customer or a new one, and reckons tax by its state", async () => {
    const { invoice_id: id } = await invoices.add(FULL);
    await invoices.addCustomer({ customer_code: "GOA", customer_name: "Goa Stores", state: "Goa" });
    expect((await invoices.update(id, { customer_code: "GOA" })).body.srvrsp).toMatchObject({ code: "GOA" });
    expect(await invoices.read(id)).toMatchObject({ tax_rows: [{ name: "IGST", percentage: "18", amount: "180.00" }] });
    const new_customer = { ...NO_NEW_CUSTOMER, customer_code: "NEW", customer_name: "Newcomer", state: "karnataka" };
    expect((await invoices.update(id, { new_customer })).body.srvrsp).toMatchObject({ patron_name: "Newcomer" });
    expect(await invoices.read(id)).toMatchObject({ tax_rows: [{ name: "CGST" }, { name: "SGST", amount: "90.00" }] });
    const taken = "invoice.new_customer.customer_code customer_code_exists";
    expect(await invoices.unmoved(() => invoices.update(id, { new_customer }))).toBeFailure({
      status: 409,
      code: "customer_code_exists",
      fields: [taken],
    });
  });

  test("gives up one's own taxes for those that follow from the rows", async () => {
    const { invoice_id: id } = await invoices.add({ ...FULL, tax_rows: [TAX_ROW] });
    expect((await invoices.update(id, { tax_rows: [] })).body.srvrsp).toMatchObject({ amount: "1230.00" });
  });

  test("keeps what was there before as revisions, each complete", async () => {
    const { invoice_id: id, invoice_number } = await invoices.add(FULL);
    for (const bill_cycle_name of ["July", "August", "September"]) await invoices.update(id, { bill_cycle_name });
    await invoices.update("R000000001", { bill_cycle_name: "x" });
    await invoices.update(id, { due_date: "2000-01-01" });
    const { rows } = await installation.pool.query(
      `select kept.revision, kept.state->>'cycle_name' as cycle, kept.state->>'invoice_number' as number,
         kept.state ? 'public_token' as has_token, jsonb_array_length(kept.state->'content'->'rows') as rows
       from invoice_revision kept join invoice using (bucket, merchant_id, invoice_id)
       where merchant_id = $1 and invoice_number = $2 order by kept.revision`,
      [invoices.merchant.id, invoice_number],
    );
    const kept = { number: invoice_number, has_token: false, rows: 1 };
    expect(rows).toEqual(["June", "July", "August"].map((cycle, index) => ({ ...kept, revision: index + 1, cycle })));
  });

  test.each<[Members, string[]]>([
    [{ due_date: "2026-05-31" }, ["invoice.due_date invalid"]],
    [{ bill_date: "2026-06-16" }, ["invoice.due_date invalid"]],
    [{ particular_rows: [], previous_dues: 0 }, ["invoice.particular_rows required"]],
    [
      { bill_date: "2026-08-01", due_date: "2026-07-31", previous_dues: "-1", tax_rows: [{ percentage: "1" }] },
      ["invoice.due_date invalid", "invoice.previous_dues invalid", "invoice.tax_rows[0].applicable_on required"],
    ],
    [numbered("A B"), ["invoice.custom_header_fields[0].value invalid"]],
  ])("to %j is refused", async (change, fields) => {
    const { invoice_id: id } = await invoices.add(FULL);
    expect(await invoices.unmoved(() => invoices.update(id, change))).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields,
    });
  });

  test("needs an invoice object", async () => {
    const { invoice_id: id } = await invoices.add();
    expect(await invoices.unmoved(() => invoices.update(id, undefined))).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields: ["invoice required"],
    });
    expect(await invoices.unmoved(() => invoices.update(id, [PLAIN]))).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields: ["invoice invalid"],
    });
  });

  test("of one's own number takes another that is free, and moves with the date", async () => {
    const { invoice_id: id } = await invoices.add(numbered("U-1"));
    await invoices.add(numbered("U-2"));
    const field = "invoice.custom_header_fields[0].value invoice_number_exists";
    expect(await invoices.unmoved(() => invoices.update(id, numbered("U-2")))).toBeFailure({
      status: 409,
      code: "invoice_number_exists",
      fields: [field],
    });
    expect((await invoices.update(id, numbered("U-3"))).body.srvrsp).toMatchObject({ invoice_number: "U-3" });
    expect(await invoices.add(numbered("U-1"))).toMatchObject({ invoice_number: "U-1" });
    const dates = { bill_date: "2027-04-01", due_date: "2027-04-01" };
    await invoices.add({ ...numbered("U-3"), ...dates });
    expect(await invoices.unmoved(() => invoices.update(id, dates))).toBeFailure({
      status: 409,
      code: "invoice_number_exists",
      fields: ["invoice.bill_date invoice_number_exists"],
    });
    expect((await invoices.update(id, { ...dates, ...numbered("U-4") })).body.srvrsp).toMatchObject({
      invoice_number: "U-4",
      bill_date: "2027-04-01",
    });
  });

  test("leaves a number of a series in its financial year and as it is", async () => {
    const { invoice_id: id, invoice_number } = await invoices.add();
    const reserved = (field: string) => [`${field} invoice_number_reserved`];
    const moved = { bill_date: "2026-03-31" };
    expect(await invoices.unmoved(() => invoices.update(id, moved))).toBeFailure({
      status: 409,
      code: "invoice_number_reserved",
      fields: reserved("invoice.bill_date"),
    });
    const renamed = () => invoices.update(id, numbered("MINE-1"));
    const field = "invoice.custom_header_fields[0].value";
    expect(await invoices.unmoved(renamed)).toBeFailure({
      status: 409,
      code: "invoice_number_reserved",
      fields: reserved(field),
    });
    expect(await invoices.update(id, { bill_date: "2026-04-01" })).toBeSuccess("write");
    expect((await invoices.update(id, numbered(invoice_number!))).body.srvrsp).toMatchObject({ invoice_number });
  });

  test("is refused once anything is paid, and possible again once that is reversed", async () => {
    const { invoice_id: id } = await invoices.add();
    const { transaction_id: payment } = await invoices.pay(id, "0.01");
    expect(await invoices.unmoved(() => invoices.update(id, { bill_cycle_name: "x" }))).toBeFailure({
      status: 409,
      code: "invoice_already_paid",
    });
    const reversal = ["--merchant", invoices.merchant.id, "--settlement", payment!, "--reason", "bounced"];
    await nodalJson(installation.environment, "invoice", "reverse-settlement", ...reversal);
    expect((await invoices.update(id, { bill_cycle_name: "x" })).status).toBe(200);
  });

  test("with an Idempotency-Key is done once, and gives its first answer again", async () => {
    const { invoice_id: id } = await invoices.add();
    const headers = { "idempotency-key": "update-1" };
    const change = { particular_rows: [{ total_amount: "7.00" }] };
    const first = await invoices.update(id, change, headers);
    await invoices.update(id, { particular_rows: [{ total_amount: "8.00" }] });
    const again = await invoices.update(id, change, headers);
    expect(again.body.srvrsp).toEqual(first.body.srvrsp);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await invoices.read(id)).toMatchObject({ amount: "8.00" });
    expect(await invoices.unmoved(() => invoices.update(id, {}, headers))).toBeFailure({
      status: 409,
      code: "idempotency_conflict",
    });
  });

  test("beside others of the same invoice loses none of them", async () => {
    const { invoice_id: id, invoice_number } = await invoices.add();
    const changes = Array.from({ length: 10 }, (_, index) => invoices.update(id, { bill_cycle_name: `v${index}` }));
    for (const answer of await Promise.all(changes)) expect(answer).toBeSuccess("write");
    const { rows } = await installation.pool.query(
      "select revision from invoice where merchant_id = $1 and invoice_number = $2",
      [invoices.merchant.id, invoice_number],
    );
    expect(rows).toEqual([{ revision: 11 }]);
  });
});

describe("a cancellation", () => {
  test("leaves the invoice to be seen, with its number used and nothing due", async () => {
    const saved = await invoices.add(numbered("X-1"));
    const answer = await invoices.cancel(saved["invoice_id"]);
    expect(answer).toBeSuccess("write");
    expect(answer.body.srvrsp).toStrictEqual(saved);
    const shown = { status: "Cancelled", amount: "100.00", due_amount: "0.00", due: 0, invoice_number: "X-1" };
    expect(await invoices.read(saved["invoice_id"])).toMatchObject(shown);
    const listed = await invoices.list({ invoice_status: "Cancelled" });
    expect(listed).toBeSuccess("read", 1);
    expect(listed.body.srvrsp[0]).toMatchObject(shown);
    const field = "invoice[0].custom_header_fields[0].value invoice_number_exists";
    const again = () => invoices.save([{ ...PLAIN, ...numbered("X-1") }]);
    expect(await invoices.unmoved(again)).toBeFailure({ status: 409, code: "invoice_number_exists", fields: [field] });
  });

  test("leaves no gap in the series", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const { invoice_id: id } = await mine.add();
    await mine.cancel(id);
    expect(await mine.add()).toMatchObject({ invoice_number: "INV-2627-00002" });
  });

  test("is the end: nothing more can be done to the invoice", async () => {
    const { invoice_id: id } = await invoices.add();
    await invoices.cancel(id);
    expect(await invoices.unmoved(() => invoices.cancel(id))).toBeFailure({ status: 409, code: "invoice_cancelled" });
    expect(await invoices.unmoved(() => invoices.update(id, { bill_cycle_name: "x" }))).toBeFailure({
      status: 409,
      code: "invoice_cancelled",
    });
    expect(await invoices.unmoved(() => invoices.settle({ invoice_id: id, amount: "1" }))).toBeFailure({
      status: 409,
      code: "invoice_cancelled",
    });
  });

  test("is refused once anything is paid", async () => {
    const { invoice_id: id } = await invoices.add();
    await invoices.pay(id, "1");
    expect(await invoices.unmoved(() => invoices.cancel(id))).toBeFailure({
      status: 409,
      code: "invoice_already_paid",
    });
  });

  test("with an Idempotency-Key gives its answer again, and one of many at once is done", async () => {
    const { invoice_id: id } = await invoices.add();
    const headers = { "idempotency-key": "cancel-1" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => invoices.cancel(id, headers)));
    for (const answer of answers) expect(answer.body.srvrsp).toEqual(answers[0]!.body.srvrsp);
    const { invoice_id: other } = await invoices.add();
    const twins = await Promise.all(Array.from({ length: 5 }, () => invoices.cancel(other)));
    expect(twins.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
