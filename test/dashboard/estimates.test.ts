// Estimates by API: docs/rules/estimates.md
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

const ROW = { item: "Work", sac_code: "998311", gst: "18", total_amount: "1000.00" };
const today = Temporal.Now.plainDateISO("Asia/Kolkata");
const day = (days: number): string => today.add({ days }).toString();
const WHOLE = {
  estimate_date: day(0),
  valid_until: day(30),
  due_days: "14",
  invoice: { customer_code: "C1", particular_rows: [ROW] },
};

let site: Installation;
let invoices: Invoices;
let call: Raw;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  invoices = await Invoices.ofNewMerchant(site);
  call = rawOf(site, await Browser.signIn(site, await newPerson(site, invoices.merchant.id)));
});
afterAll(() => site?.stop());

type Body = Answer["body"];

async function save(members: object = {}): Promise<Body> {
  const { status, body } = await call("POST", "/estimates", { ...WHOLE, ...members });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.estimate;
}
const at = (estimate: Body, rest = ""): string => `/estimates/${estimate["estimate_id"]}${rest}`;
const read = async (estimate: Body): Promise<Body> => (await call("GET", at(estimate))).body.estimate;
const listed = async (query = ""): Promise<string[]> => {
  const { status, body } = await call("GET", `/estimates${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.estimates.map(({ estimate_number }: Body) => estimate_number);
};
const fields = (answer: { body: Body }): string[] =>
  answer.body.error.fields.map(({ path, code }: Body) => `${path} ${code}`);
const made = async (): Promise<string[]> =>
  (await call("GET", "/invoices")).body.invoices.map(({ invoice_number }: Body) => invoice_number);
const ends = (text: string) => expect.stringMatching(new RegExp(`${text}$`));

describe("an estimate", () => {
  test("has a number of its own series, taxes and a PDF, and counts nowhere", async () => {
    const estimate = await save();
    expect(estimate).toMatchObject({
      estimate_number: ends("00001"),
      status: "Open",
      customer_code: "C1",
      invoice_id: "",
      version: 1,
      sub_total: "1000.00",
      tax_total: "180.00",
      amount: "1180.00",
      due_days: 14,
      taxes: [{ name: "CGST" }, { name: "SGST" }],
    });
    expect(estimate["estimate_number"]).toMatch(/^EST-/);
    expect(await read(estimate)).toEqual(estimate);
    expect(await made()).toEqual([]);
    const { body: page } = await call("GET", at(estimate, "/page"));
    expect(page.html).toContain("Estimate no.");
    expect(page.html).toContain("Valid until");
    expect(page.html).not.toMatch(/tax invoice|upi:|amount due|due date/i);
    const pdf = await call("GET", at(estimate, "/pdf"));
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const { body: register } = await call("GET", `/reports/sales-register?from=${day(0)}&to=${day(0)}`);
    expect(JSON.stringify(register)).not.toContain("EST-");
    expect(
      (await call("POST", "/invoices", { invoice: [{ ...WHOLE.invoice, bill_date: day(0), due_date: day(0) }] })).body,
    ).toMatchObject({ invoices: [{ invoice_number: ends("00001") }] });
  });

  test("is checked as an invoice is, and takes no number if it is refused", async () => {
    const wrong = { ...WHOLE, valid_until: day(-1), invoice: { previous_dues: "5.00" } };
    expect(fields(await call("POST", "/estimates", wrong))).toEqual([
      "valid_until invalid",
      "invoice.previous_dues not_allowed",
      "invoice.customer_code required",
    ]);
    const rate = { ...WHOLE, invoice: { ...WHOLE.invoice, particular_rows: [{ ...ROW, gst: "17" }] } };
    expect(fields(await call("POST", "/estimates", rate))).toEqual(["invoice.particular_rows[0].gst not_allowed"]);
    const nobody = { ...WHOLE, invoice: { ...WHOLE.invoice, customer_code: "C9" } };
    expect((await call("POST", "/estimates", nobody)).body.error.code).toBe("customer_not_found");
    const new_customer = { customer_code: "N1", customer_name: "Nila Stores", state: "Kerala" };
    const estimate = await save({ invoice: { particular_rows: [ROW], new_customer } });
    expect(estimate).toMatchObject({
      estimate_number: ends("00001"),
      customer_name: "Nila Stores",
      taxes: [{ name: "IGST" }],
    });
    expect(await listed("?search=nila")).toEqual([estimate["estimate_number"]]);
  });

  test("keeps its number when it is changed by who has read the last version", async () => {
    const estimate = await save();
    const change = { ...WHOLE, valid_until: day(45), invoice: { ...WHOLE.invoice, particular_rows: [ROW, ROW] } };
    const changed = await call("PUT", at(estimate), { ...change, version: 1 });
    expect([changed.status, changed.body.estimate]).toMatchObject([
      200,
      { estimate_number: estimate["estimate_number"], amount: "2360.00", valid_until: day(45), version: 2 },
    ]);
    expect((await call("PUT", at(estimate), { ...WHOLE, version: 1 })).body.error.code).toBe("estimate_changed");
    const other = { ...WHOLE, estimate_date: today.subtract({ years: 1 }).toString(), version: 2 };
    expect(fields(await call("PUT", at(estimate), other))).toEqual(["estimate_date invalid"]);
    expect(await save()).toMatchObject({ estimate_number: ends("00002") });
  });

  test("can be declined, and expires after its last day; then it makes no invoice", async () => {
    const declined = await save();
    const { body } = await call("POST", at(declined, "/decline"), { reason: "Too expensive" });
    expect(body.estimate).toMatchObject({ status: "Declined", reason: "Too expensive" });
    const expired = await save({ estimate_date: day(-2), valid_until: day(-1) });
    expect(expired["status"]).toBe("Expired");
    for (const estimate of [declined, expired]) {
      const refused = await call("POST", at(estimate, "/invoice"), {});
      expect([refused.status, refused.body.error.code]).toEqual([409, "estimate_state"]);
    }
    expect([await listed("?status=Declined"), await listed("?status=Expired"), await listed("?status=Open")]).toEqual([
      [declined["estimate_number"]],
      [expired["estimate_number"]],
      [],
    ]);
    const longer = await call("PUT", at(expired), { ...WHOLE, version: 1 });
    expect(longer.body.estimate.status).toBe("Open");
    expect((await call("PUT", at(declined), { ...WHOLE, version: 2 })).body.error.code).toBe("estimate_state");
    expect(await made()).toEqual([]);
  });
});

describe("making the invoice of an estimate", () => {
  test("bills today, and both name each other", async () => {
    const estimate = await save();
    const { status, body } = await call("POST", at(estimate, "/invoice"), { version: 1 });
    expect([status, body.invoice], JSON.stringify(body)).toMatchObject([
      200,
      { invoice_number: ends("00001"), amount: "1180.00" },
    ]);
    const { invoice_id } = body.invoice;
    expect(await read(estimate)).toMatchObject({ status: "Accepted", invoice_id });
    expect((await call("GET", `/invoices/${invoice_id}`)).body).toMatchObject({
      bill_date: day(0),
      due_date: day(14),
      estimate_id: estimate["estimate_id"],
      estimate_number: estimate["estimate_number"],
    });
    for (const [method, path, sent] of [
      ["POST", "/invoice", {}],
      ["POST", "/decline", {}],
      ["PUT", "", { ...WHOLE, version: 2 }],
    ] as const) {
      const again = await call(method, at(estimate, path), sent);
      expect([again.status, again.body.error.code, again.body.error.invoice_id]).toEqual([
        409,
        "estimate_state",
        invoice_id,
      ]);
    }
  });

  test("makes one, on the day that is given, also when a hundred ask at once", async () => {
    const estimate = await save();
    const sent = { bill_date: day(-1), due_date: day(3) };
    const answers = await Promise.all(Array.from({ length: 100 }, () => call("POST", at(estimate, "/invoice"), sent)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    expect((await made()).length).toBe(1);
    const { invoice_id } = await read(estimate);
    expect((await call("GET", `/invoices/${invoice_id}`)).body).toMatchObject(sent);
  });
});
