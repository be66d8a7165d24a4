// Saving invoices over real HTTP: what invoice/save takes, answers and refuses. Numbers are in invoice-numbers.test.ts,
// customers that come with an invoice and what is another merchant's in invoice-references.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, NO_NEW_CUSTOMER, PLAIN } from "../support/invoices.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";

/** An invoice with every field, and numbers as strings. */
const SAMPLE = {
  customer_code: "C001",
  bill_cycle_name: "June 2026",
  bill_date: "2026-06-01",
  due_date: "2026-06-15",
  invoice_properties: { notify_patron: "1" },
  custom_header_fields: [{ id: "1", name: "PO number", type: "text", value: "PO-77" }],
  particular_rows: [
    { item: "Rent", sac_code: "997212", description: "Office, June", gst: "18", total_amount: "1000.00" },
    { item: "Cleaning", sac_code: "998533", description: "", gst: "5", total_amount: "99.99" },
  ],
  tax_rows: [
    { name: "CGST", percentage: "9.00", applicable_on: "1000.00" },
    { name: "SGST", percentage: "9.00", applicable_on: "1000.00" },
  ],
  new_customer: NO_NEW_CUSTOMER,
};

const CUSTOMER = {
  customer_code: "C001",
  customer_name: "Rajeev Kumar",
  email: "rajeev@example.com",
  mobile: "9730946150",
  city: "Pune",
  state: "Maharashtra",
};

let installation: Installation;
let invoices: Invoices;

beforeAll(async () => {
  installation = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(installation);
  await invoices.addCustomer(CUSTOMER);
});
afterAll(() => installation.stop());

/** What a batch is answered with that must leave everything as it was. */
function refused(batch: unknown): Promise<Answer> {
  return invoices.unmoved(() => invoices.ask(INVOICE_SAVE, { invoice: batch }));
}

describe("save", () => {
  test("takes every field, and answers with what was made of it", async () => {
    const answer = await invoices.ask(INVOICE_SAVE, { template_id: invoices.templateId, invoice: [SAMPLE] });
    // The published sample charges CGST and SGST between two states.
    expect([answer.status, answer.body.warnings]).toMatchObject([200, [{ code: "tax_contradicts_place" }]]);
    expect(answer.body.srvrsp).toStrictEqual([
      {
        invoice_id: expect.stringMatching(/^R[0-9]{9,}$/) as string,
        invoice_number: "INV-2627-00001",
        code: "C001",
        bill_date: "2026-06-01",
        patron_name: "Rajeev Kumar",
        email_id: "rajeev@example.com",
        mobile: "9730946150",
        amount: "1279.99",
        short_url: expect.stringMatching(
          new RegExp(`^${installation.server.baseUrl}/i/[0-9]+-[0-9]+-[0-9]+-[\\w-]{22}$`),
        ) as string,
      },
    ]);
  });

  test("takes numbers in place of strings, with the same outcome", async () => {
    const asNumbers = {
      ...SAMPLE,
      invoice_properties: { notify_patron: 1 },
      particular_rows: [
        { item: "Rent", sac_code: 997212, description: "Office, June", gst: 18, total_amount: 1000 },
        { item: "Cleaning", sac_code: 998533, gst: 5, total_amount: 99.99 },
      ],
      tax_rows: [
        { name: "CGST", percentage: 9, applicable_on: 1000 },
        { name: "SGST", percentage: 9.0, applicable_on: 1000.0 },
      ],
      franchise_id: 0,
      previous_dues: 0,
    };
    const [first, second] = [await invoices.add(SAMPLE), await invoices.add(asNumbers)];
    const same = { invoice_id: "", invoice_number: "", short_url: "" };
    expect({ ...second, ...same }).toEqual({ ...first, ...same });
    const [one, other] = [await invoices.read(first["invoice_id"]), await invoices.read(second["invoice_id"])];
    expect({ ...other, ...same, pdf_url: "" }).toEqual({ ...one, ...same, pdf_url: "" });
  });

  test("keeps the line breaks of header fields of type textarea, and refuses them in others", async () => {
    const field = (type: string) => ({ id: "7", name: "Remarks", type, value: "Gate 4\r\nBehind the temple" });
    const saved = await invoices.add({ ...SAMPLE, custom_header_fields: [field("textarea")] });
    expect(await invoices.read(saved["invoice_id"])).toMatchObject({
      custom_header_fields: [{ type: "textarea", value: "Gate 4\nBehind the temple" }, { id: "1" }, { id: "2" }],
    });
    const batch = [{ ...SAMPLE, custom_header_fields: [field("textarea"), field("text"), field("")] }];
    const at = (index: number) => `invoice[0].custom_header_fields[${index}].value invalid`;
    const fields = [at(1), at(2)];
    expect(await invoices.save(batch)).toBeFailure({ status: 400, code: "validation_failed", fields });
  });

  test("needs a customer, two dates and a row, and nothing else", async () => {
    const bare = { customer_code: "C001", bill_date: "2026-06-01", due_date: "2026-06-01" };
    expect(await invoices.save([{ ...bare, particular_rows: [{ total_amount: "0" }] }])).toBeSuccess("write");
    expect(await invoices.save([{ ...bare, previous_dues: "12.50" }])).toBeSuccess("write");
    const empty = {
      ...SAMPLE,
      bill_cycle_name: "",
      invoice_properties: {},
      custom_header_fields: [],
      tax_rows: [],
      franchise_id: "",
      previous_dues: "",
      unknown_field: { is: "ignored" },
    };
    expect(await invoices.save([{ ...empty, new_customer: null }])).toBeSuccess("write");
  });

  test("takes what a customer's code may be, such as a number", async () => {
    await invoices.addCustomer({ customer_code: "77001", customer_name: "Numbers" });
    expect(await invoices.add({ customer_code: 77001 })).toMatchObject({ code: "77001", amount: "100.00" });
  });

  test("works with the sample request that `nodal template show` prints", async () => {
    type Sample = { sample_request: { template_id: string; invoice: Members[] } };
    const { sample_request: sample } = await nodalJson<Sample>(
      installation.environment,
      "template",
      "show",
      "--merchant",
      invoices.merchant.id,
    );
    const filled = { ...sample, ...invoices.merchant.keys };
    filled.invoice = [{ ...sample.invoice[0], customer_code: "C001" }];
    const answer = await installation.send("POST", INVOICE_SAVE, filled);
    expect(answer).toBeSuccess("write");
    expect(answer.body.srvrsp[0]).toMatchObject({ code: "C001", amount: "1180.00" });
  });

  test("writes a notification only for invoices whose customer is to be told", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const flags = [{ notify_patron: "1" }, { notify_patron: "0" }, {}, { notify_patron: 1 }];
    await mine.save(flags.map((invoice_properties) => ({ ...PLAIN, invoice_properties })));
    const { rows } = await installation.pool.query(
      `select notification.kind, invoice_number from notification
       join invoice on invoice.bucket = notification.bucket and invoice.merchant_id = notification.merchant_id and invoice_id = subject_id
         and invoice.customer_id = notification.customer_id
       where notification.merchant_id = $1 order by invoice_number`,
      [mine.merchant.id],
    );
    const told = ["INV-2627-00001", "INV-2627-00004"].map((number) => ({ kind: "invoice", invoice_number: number }));
    expect(rows).toEqual(told);
  });
});

describe("a batch", () => {
  test("of 500 is saved in its order, one of 501 or of none is refused", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const batch = Array.from({ length: 501 }, (_, index) => {
      return { ...PLAIN, particular_rows: [{ item: `Item ${index}`, total_amount: `${index + 1}.00` }] };
    });
    const answer = await mine.save(batch.slice(0, 500));
    expect(answer).toBeSuccess("write");
    const saved = answer.body.srvrsp as Members[];
    expect(saved.map(({ amount }) => amount)).toEqual(batch.slice(0, 500).map((_, index) => `${index + 1}.00`));
    expect(saved.at(-1)).toMatchObject({ invoice_number: "INV-2627-00500" });
    const failed = { status: 400, code: "validation_failed" };
    expect(await mine.save(batch)).toBeFailure({ ...failed, fields: ["invoice too_long"] });
    expect(await mine.save([])).toBeFailure({ ...failed, fields: ["invoice invalid"] });
    expect(await mine.save({ ...PLAIN })).toBeFailure({ ...failed, fields: ["invoice invalid"] });
    expect(await mine.add()).toMatchObject({ invoice_number: "INV-2627-00501" });
  });

  test.each([
    ["an unknown customer", { customer_code: "nobody" }, 404, "customer_not_found", "customer_code"],
    ["an unknown franchise", { franchise_id: "12345" }, 404, "franchise_not_found", "franchise_id"],
    ["a wrong date", { due_date: "2026-02-30" }, 400, "validation_failed", "due_date"],
  ])("with %s in its midst changes nothing", async (_what, fault, status, code, member) => {
    const fresh = { ...NO_NEW_CUSTOMER, customer_code: `new-${member}`, customer_name: "New" };
    const batch = [{ ...PLAIN, new_customer: fresh }, { ...PLAIN, ...fault }, PLAIN];
    const field = `invoice[1].${member} ${code === "validation_failed" ? "invalid" : code}`;
    expect(await refused(batch)).toBeFailure({ status, code, fields: [field] });
  });

  test("names all that is at fault: every customer, every franchise", async () => {
    const batch = ["x", "C1", "y", "x"].map((customer_code) => ({ ...PLAIN, customer_code }));
    const at = (name: string, code: string, ...places: number[]) =>
      places.map((place) => `invoice[${place}].${name} ${code}`);
    expect(await refused(batch)).toBeFailure({
      status: 404,
      code: "customer_not_found",
      fields: at("customer_code", "customer_not_found", 0, 2, 3),
    });
    const franchised = ["7", "0", "", "8"].map((franchise_id) => ({ ...PLAIN, franchise_id }));
    expect(await refused(franchised)).toBeFailure({
      status: 404,
      code: "franchise_not_found",
      fields: at("franchise_id", "franchise_not_found", 0, 3),
    });
  });
});

describe("refuses", () => {
  test("every failing field of every invoice at once, with its key path", async () => {
    const rows = [{ total_amount: "1" }, { gst: "101", total_amount: "-1" }, { total_amount: "" }];
    const batch = [
      { ...PLAIN, bill_date: "2026-6-1", due_date: "" },
      { ...PLAIN, due_date: "2026-05-31", franchise_id: "F1" },
      { ...PLAIN, particular_rows: rows, tax_rows: [{ percentage: "100.01", applicable_on: "1.001" }] },
      { bill_date: "2026-06-01", due_date: "2026-06-01", particular_rows: [], new_customer: { email: "no" } },
      { ...PLAIN, custom_header_fields: [{ name: "Invoice no", value: "A".repeat(17) }], previous_dues: "1e3" },
      { ...PLAIN, invoice_properties: { notify_patron: "yes" }, bill_cycle_name: "x".repeat(101) },
      "not an object",
    ];
    expect(await refused(batch)).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields: [
        "invoice[0].bill_date invalid",
        "invoice[0].due_date required",
        "invoice[1].due_date invalid",
        "invoice[1].franchise_id invalid",
        "invoice[2].particular_rows[1].gst invalid",
        "invoice[2].particular_rows[1].total_amount invalid",
        "invoice[2].particular_rows[2].total_amount required",
        "invoice[2].tax_rows[0].percentage invalid",
        "invoice[2].tax_rows[0].applicable_on invalid",
        "invoice[3].customer_code required",
        "invoice[3].particular_rows required",
        "invoice[3].new_customer.email invalid",
        "invoice[4].custom_header_fields[0].value invalid",
        "invoice[4].previous_dues invalid",
        "invoice[5].invoice_properties.notify_patron not_allowed",
        "invoice[5].bill_cycle_name too_long",
        "invoice[6] invalid",
      ],
    });
  });

  test.each([
    ["2026-02-29"],
    ["2026-13-01"],
    ["01-06-2026"],
    ["2026-06-01T00:00:00"],
    ["1999-12-31"],
    [20260601],
    [null, "required"],
  ])("the date %j", async (bill_date, code = "invalid") => {
    expect(await refused([{ ...PLAIN, bill_date }])).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields: [`invoice[0].bill_date ${code}`],
    });
  });

  test.each(["1,000.00", "1.005", "-1", "+1", "1e2", "₹1", "12345678901234", " ", {}, true])(
    "the row amount %j",
    async (total_amount) => {
      const code = total_amount === " " ? "required" : "invalid";
      const batch = [{ ...PLAIN, particular_rows: [{ total_amount }] }];
      expect(await refused(batch)).toBeFailure({
        status: 400,
        code: "validation_failed",
        fields: [`invoice[0].particular_rows[0].total_amount ${code}`],
      });
    },
  );

  test("a total that the wire has no digits for", async () => {
    const particular_rows = [{ total_amount: "9999999999999.99" }, { total_amount: "0.01" }];
    const fields = ["invoice[0].particular_rows invalid"];
    expect(await refused([{ ...PLAIN, particular_rows }])).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields,
    });
    expect(await invoices.add({ particular_rows: particular_rows.slice(0, 1) })).toMatchObject({
      amount: "9999999999999.99",
    });
  });

  test("rows with more text than a document has room for, new or in an update", async () => {
    const rows = Array.from({ length: 51 }, () => ({ description: "d".repeat(2000), total_amount: "1.00" }));
    const fields = ["invoice[1].particular_rows too_long"];
    expect(await refused([PLAIN, { ...PLAIN, particular_rows: rows }])).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields,
    });
    const { invoice_id } = await invoices.add({ particular_rows: rows.slice(1) });
    const update = await invoices.update(invoice_id, { particular_rows: rows });
    expect([update.status, update.body.errlist]).toMatchObject([400, [{ code: "too_long" }]]);
  });

  test("a body that is too large, and a body without invoices", async () => {
    const huge = { ...PLAIN, particular_rows: [{ description: "x".repeat(9 * 1024 * 1024), total_amount: "1" }] };
    expect(await invoices.save([huge])).toBeFailure({ status: 413, code: "body_too_large" });
    const fields = ["invoice required"];
    expect(await invoices.ask(INVOICE_SAVE, {})).toBeFailure({ status: 400, code: "validation_failed", fields });
  });

  test("wrong keys", async () => {
    const keys = { access_key_id: "x", secret_access_key: "y" };
    const answer = await invoices.ask(INVOICE_SAVE, { ...keys, invoice: [PLAIN] });
    expect(answer).toBeFailure({ status: 401, code: "invalid_keys" });
  });
});

describe("Idempotency-Key", () => {
  const headers = { "idempotency-key": "save-1" };

  test("gives the first answer again, though the invoice has changed since", async () => {
    const first = await invoices.save([SAMPLE, PLAIN], headers);
    expect(first.status).toBe(200);
    const { invoice_id: id } = first.body.srvrsp[0] as Members;
    await invoices.update(id, { tax_rows: [{ name: "Cess", percentage: "1", applicable_on: "1.00" }] });
    const before = await invoices.stored();
    const again = await invoices.save([SAMPLE, PLAIN], headers);
    expect(again.status).toBe(200);
    expect(again.body.srvrsp).toEqual(first.body.srvrsp);
    expect(again.body.warnings).toEqual(first.body.warnings);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await invoices.save([PLAIN], headers)).toBeFailure({ status: 409, code: "idempotency_conflict" });
    expect(await invoices.stored()).toEqual(before);
  });

  test("a refused save does not use it up, and twins are saved once", async () => {
    const key = { "idempotency-key": "save-2" };
    const refused = await invoices.save([{ ...PLAIN, customer_code: "later" }], key);
    expect(refused).toMatchObject({ status: 404 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => invoices.save([PLAIN], key)));
    const ids = answers.map(({ body }) => (body.srvrsp as Members[])[0]!["invoice_id"]);
    expect(new Set(ids).size).toBe(1);
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
