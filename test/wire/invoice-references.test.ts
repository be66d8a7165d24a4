// What an invoice refers to, over real HTTP: customers that come with it, templates, franchises; and other merchants'.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_DETAIL, INVOICE_SAVE, INVOICE_SETTLE, Invoices, NO_NEW_CUSTOMER, PLAIN } from "../support/invoices.ts";
import { CUSTOMER_DETAIL } from "../support/merchant-wire.ts";
import type { Answer } from "../support/nodal.ts";

const FRESH = { ...NO_NEW_CUSTOMER, customer_code: "N1", customer_name: "Neha Gupta" };
const FRANCHISE = {
  franchise_code: "F1",
  franchise_name: "Pune Branch",
  contact_person_name: "Meera Shah",
  email_id: "pune@example.com",
  mobile: "9876543210",
  commission_type: "Percentage",
  commission: 10,
  settlement_type: "Manual",
};

let installation: Installation;
let owner: Invoices;
let stranger: Invoices;

beforeAll(async () => {
  installation = await Installation.shared();
  owner = await Invoices.ofNewMerchant(installation);
  stranger = await Invoices.ofNewMerchant(installation, { name: "Stranger" });
});
afterAll(() => installation.stop());

/** What a request is answered with that must change nothing for either merchant. */
function unmoved(ask: () => Promise<Answer>): Promise<Answer> {
  return owner.unmoved(() => stranger.unmoved(ask));
}

async function addFranchise(invoices: Invoices, franchise_code: string): Promise<string> {
  const answer = await invoices.merchant.post("/api/v1/franchise/save", { ...FRANCHISE, franchise_code });
  expect(answer.status).toBe(200);
  return answer.body.franchise_id as string;
}

describe("a new customer", () => {
  test("is made with the invoice, with all that was sent of it", async () => {
    const details = {
      ...FRESH,
      email: "neha@example.com",
      mobile: "9822200001",
      address: "5, Link Road",
      city: "Mumbai",
      state: "Maharashtra",
      zipcode: "400001",
      custom_fields: [{ id: "17", name: "GST Number", type: "gst", value: "27AAACI1234K1Z5" }],
    };
    const saved = await owner.add({ customer_code: "", new_customer: details });
    expect(saved).toMatchObject({ code: "N1", patron_name: "Neha Gupta", email_id: "neha@example.com" });
    const answer = await owner.ask(CUSTOMER_DETAIL, { customer_code: "N1" });
    expect(answer).toBeSuccess("read", 1);
    expect(answer.body.srvrsp[0]).toMatchObject({ ...details, invoice_id: saved["invoice_id"] });
  });

  test("wins over the code beside it, and may be several in a batch, also billed again in it", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const [one, two] = ["A", "B"].map((customer_code) => ({ ...FRESH, customer_code }));
    const batch = [
      { ...PLAIN, new_customer: one },
      { ...PLAIN, customer_code: "A" },
      { ...PLAIN, customer_code: "B", new_customer: two },
    ];
    const answer = await mine.save(batch);
    expect(answer).toBeSuccess("write");
    expect((answer.body.srvrsp as Members[]).map(({ code }) => code)).toEqual(["A", "A", "B"]);
  });

  test("whose code is taken is refused, by the database or within the batch", async () => {
    const field = (place: number) => `invoice[${place}].new_customer.customer_code customer_code_exists`;
    const taken = { ...FRESH, customer_code: "C1" };
    const save = (...customers: (Members | null)[]) =>
      owner.save(customers.map((new_customer) => ({ ...PLAIN, new_customer })));
    expect(await unmoved(() => save(null, taken))).toBeFailure({
      status: 409,
      code: "customer_code_exists",
      fields: [field(1)],
    });
    const twice = { ...FRESH, customer_code: "N2" };
    expect(await unmoved(() => save(twice, taken, twice))).toBeFailure({
      status: 409,
      code: "customer_code_exists",
      fields: [field(1), field(2)],
    });
  });

  test("that is not sound is refused with its key paths, together with the rest", async () => {
    const unsound = [
      { ...PLAIN, due_date: "", new_customer: { ...FRESH, customer_code: "N3", customer_name: " ", mobile: "12" } },
      { ...PLAIN, new_customer: { ...FRESH, customer_code: "x".repeat(46) } },
      {
        ...PLAIN,
        new_customer: { ...FRESH, customer_code: "N4", custom_fields: [{ id: "", type: "gst", value: "1" }] },
      },
    ];
    expect(await unmoved(() => owner.save(unsound))).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields: [
        "invoice[0].due_date required",
        "invoice[0].new_customer.customer_name required",
        "invoice[0].new_customer.mobile invalid",
        "invoice[1].new_customer.customer_code too_long",
        "invoice[2].new_customer.custom_fields[0].id required",
        "invoice[2].new_customer.custom_fields[0].value invalid",
      ],
    });
  });

  test("may have empty objects for custom fields, which stand for none, also where there is no new customer", async () => {
    const nothing = { id: "", name: "", type: null, value: " " };
    const kept = { id: "17", name: "Note", type: "text", value: "x" };
    const unused = { ...NO_NEW_CUSTOMER, custom_fields: [nothing, {}] };
    expect(await owner.save([{ ...PLAIN, new_customer: unused }])).toBeSuccess("write");
    const new_customer = { ...FRESH, customer_code: "E1", custom_fields: [{}, kept, nothing] };
    expect(await owner.save([{ ...PLAIN, customer_code: "", new_customer }])).toBeSuccess("write");
    const { rows } = await installation.pool.query(
      "select custom_fields from customer where merchant_id = $1 and customer_code = 'E1'",
      [owner.merchant.id],
    );
    expect(rows).toEqual([{ custom_fields: [kept] }]);
    const bad = { ...FRESH, customer_code: "E2", custom_fields: [{}, { value: "x" }, []] };
    const answer = await unmoved(() => owner.save([{ ...PLAIN, customer_code: "", new_customer: bad }]));
    const fields = ["[1].id required", "[2] invalid"].map((at) => `invoice[0].new_customer.custom_fields${at}`);
    expect(answer).toBeFailure({ status: 400, code: "validation_failed", fields });
  });

  test("is made by one of many saves at once", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const saves = Array.from({ length: 10 }, () => mine.save([{ ...PLAIN, new_customer: FRESH }]));
    const statuses = (await Promise.all(saves)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(await mine.add()).toMatchObject({ invoice_number: "INV-2627-00002" });
  });
});

describe("what there is none of", () => {
  test.each(["template_id", "invoice"])("is refused by its own code: %s", async (member) => {
    if (member === "template_id") {
      const fields = ["template_id template_not_found"];
      const save = () => owner.ask(INVOICE_SAVE, { template_id: "999", invoice: [PLAIN] });
      expect(await unmoved(save)).toBeFailure({ status: 404, code: "template_not_found", fields });
      const wrong = () => owner.ask(INVOICE_SAVE, { template_id: "T-1", invoice: [PLAIN] });
      expect(await unmoved(wrong)).toBeFailure({
        status: 400,
        code: "validation_failed",
        fields: ["template_id invalid"],
      });
      return;
    }
    for (const customer_code of ["c1", "C1 2", "C%", "C_"]) {
      const fields = ["invoice[0].customer_code customer_not_found"];
      expect(await unmoved(() => owner.save([{ ...PLAIN, customer_code }]))).toBeFailure({
        status: 404,
        code: "customer_not_found",
        fields,
      });
    }
  });

  test("is a franchise that was deleted, while its invoices keep it", async () => {
    const franchise_id = await addFranchise(owner, "GONE");
    const saved = await owner.add({ franchise_id });
    expect(await owner.read(saved["invoice_id"])).toMatchObject({ franchise_id, franchise_name: "Pune Branch" });
    await owner.merchant.post("/api/v1/franchise/delete", { franchise_id });
    const fields = ["invoice[0].franchise_id franchise_not_found"];
    expect(await unmoved(() => owner.save([{ ...PLAIN, franchise_id }]))).toBeFailure({
      status: 404,
      code: "franchise_not_found",
      fields,
    });
    expect(await owner.read(saved["invoice_id"])).toMatchObject({ franchise_id, franchise_name: "Pune Branch" });
    expect(await owner.update(saved["invoice_id"], { bill_cycle_name: "July" })).toBeSuccess("write");
  });

  test.each(["update", "settle", "deleteInvoice", "detail"])("is an invoice, to %s", async (what) => {
    const ask = (invoice_id: unknown) => {
      if (what === "update") return owner.update(invoice_id, { bill_cycle_name: "x" });
      if (what === "settle") return owner.settle({ invoice_id, amount: "1" });
      return what === "detail" ? owner.ask(INVOICE_DETAIL, { invoice_id }) : owner.cancel(invoice_id);
    };
    for (const id of ["R000000001", "R9999999999999999"]) {
      expect(await unmoved(() => ask(id))).toBeFailure({ status: 404, code: "invoice_not_found" });
    }
    for (const id of [
      "1",
      "R1",
      "X000000001",
      "r000000001",
      "R00000000a",
      `R${"1".repeat(18)}`,
      29148,
      ["R000000001"],
    ]) {
      const fields = [`invoice_id ${id === `R${"1".repeat(18)}` ? "too_long" : "invalid"}`];
      expect(await unmoved(() => ask(id))).toBeFailure({ status: 400, code: "validation_failed", fields });
    }
    expect(await unmoved(() => ask(""))).toBeFailure({
      status: 400,
      code: "validation_failed",
      fields: ["invoice_id required"],
    });
  });
});

describe("what is another merchant's", () => {
  let ownersInvoice: string;
  let ownersFranchise: string;

  beforeAll(async () => {
    ownersFranchise = await addFranchise(owner, "F1");
    await owner.addCustomer({ customer_code: "OWNERS", customer_name: "Owner's customer" });
    const saved = await owner.add({ customer_code: "OWNERS", franchise_id: ownersFranchise });
    ownersInvoice = saved["invoice_id"]!;
  });

  test("is not found by a save, whether template, customer or franchise", async () => {
    const template = { template_id: owner.templateId, invoice: [PLAIN] };
    const fields = ["template_id template_not_found"];
    expect(await unmoved(() => stranger.ask(INVOICE_SAVE, template))).toBeFailure({
      status: 404,
      code: "template_not_found",
      fields,
    });
    const cases = [
      ["customer_code", "OWNERS", "customer_not_found"],
      ["franchise_id", ownersFranchise, "franchise_not_found"],
    ] as const;
    for (const [member, value, code] of cases) {
      const save = () => stranger.save([{ ...PLAIN, [member]: value }]);
      expect(await unmoved(save)).toBeFailure({ status: 404, code, fields: [`invoice[0].${member} ${code}`] });
    }
  });

  test("is not found by an update of one's own invoice", async () => {
    const { invoice_id } = await stranger.add();
    const cases = [
      [{ customer_code: "OWNERS" }, "customer_not_found", "invoice.customer_code"],
      [{ franchise_id: ownersFranchise }, "franchise_not_found", "invoice.franchise_id"],
    ] as const;
    for (const [change, code, field] of cases) {
      expect(await unmoved(() => stranger.update(invoice_id, change))).toBeFailure({
        status: 404,
        code,
        fields: [`${field} ${code}`],
      });
    }
  });

  test("is not found as an invoice, whatever is asked of it, just as none", async () => {
    const asks = (id: string) => [
      () => stranger.ask(INVOICE_DETAIL, { invoice_id: id }),
      () => stranger.ask(INVOICE_SETTLE, { invoice_id: id, amount: "1", mode: "Cash", paid_date: "2026-06-10" }),
      () => stranger.update(id, { bill_cycle_name: "mine" }),
      () => stranger.cancel(id),
    ];
    const [theirs, none] = [asks(ownersInvoice), asks("R000000001")];
    for (const [index, ask] of theirs.entries()) {
      expect(await unmoved(ask)).toBeFailure({ status: 404, code: "invoice_not_found" });
      const times = { reqtime: "", resptime: "" };
      expect({ ...(await ask()).body, ...times }).toEqual({ ...(await none[index]!()).body, ...times });
    }
  });

  test("is in no list", async () => {
    const filters = [{}, { customer_code: "OWNERS" }, { franchise_id: ownersFranchise }, { group: "All" }];
    for (const filter of filters) {
      const { body } = await stranger.list(filter);
      const theirs = (body.srvrsp as Members[]).filter((record) => record["customer_code"] === "OWNERS");
      expect(theirs).toEqual([]);
    }
    expect((await owner.list({ customer_code: "OWNERS" })).body).toMatchObject({ total_records: 1 });
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
