// Finding customers over real HTTP: detail, and the list by each attribute. Saving is in customers.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { ask, CUSTOMER_DETAIL, CUSTOMER_LIST, CUSTOMER_SAVE } from "../support/merchant-wire.ts";
import type { Answer } from "../support/nodal.ts";
import { countInvoice, postInvoice, registerInvoice } from "../support/invoice-days.ts";
import { recordEventsOf } from "../support/record-events.ts";

const CUSTOMERS = [
  {
    customer_code: "C1",
    customer_name: "Asha Traders",
    email: "Asha@Example.com",
    mobile: "9730946150",
    address: "1, Main Street",
    city: "Pune",
    state: "Maharashtra",
    zipcode: "411038",
    customer_group: "Wholesale,Gold",
    custom_fields: [{ id: "17", name: "GST", type: "gst", value: "33BRSPP2039T1ZU" }],
  },
  {
    customer_code: "c1",
    customer_name: "अनुष्का शर्मा & Sons",
    email: "sales@asha.example.org",
    mobile: "9822200001",
    city: "मुंबई",
    state: "Maharashtra",
    zipcode: "400001",
    customer_group: ["gold"],
  },
  {
    customer_code: "C12",
    customer_name: "100% Cotton_Mills \\ Co",
    city: "Coimbatore",
    state: "Tamil Nadu",
    zipcode: "641001",
  },
  { customer_code: "C%", customer_name: "ÉCOLE Zoe\u0308", city: "Puducherry", customer_group: "Wholesale Plus" },
];

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.start();
  merchant = await installation.newMerchant({ name: "Search Traders" });
  await ask(installation, merchant, CUSTOMER_SAVE, { customer: CUSTOMERS });
});
afterAll(() => installation.stop());

const list = (body: Members, who = merchant): Promise<Answer> => ask(installation, who, CUSTOMER_LIST, body);
const detail = (body: Members, who = merchant): Promise<Answer> => ask(installation, who, CUSTOMER_DETAIL, body);

/** The codes that a search finds, newest customer first. */
async function find(searchby: string, keyword: unknown): Promise<string[]> {
  const answer = await list({ searchby, keyword });
  const records = answer.body.srvrsp as Members[];
  expect(answer).toBeSuccess("read", records.length);
  return records.map((record) => record["customer_code"] as string);
}

test("detail answers with a record of every field, also for a customer without invoices", async () => {
  const answer = await detail({ customer_code: "C1" });
  expect(answer).toBeSuccess("read", 1);
  const { customer_group: _group, ...first } = CUSTOMERS[0]!;
  expect(answer.body.srvrsp).toStrictEqual([
    {
      ...first,
      invoice_id: null,
      invoice_number: null,
      bill_date: "",
      due_date: "",
      sent_date: "",
      status: "",
      amount: "0.00",
      paid_amount: "0.00",
      previous_dues: "0.00",
      due_amount: "0.00",
      due: 0,
      cycle_name: "",
      customer_group: "All,Wholesale,Gold",
      franchise_id: "0",
      franchise_name: null,
      created_by: "Search Traders",
      customer_id: expect.any(Number) as number,
    },
  ]);
});

test("detail finds a whole code only, and another merchant's not at all", async () => {
  const other = await installation.newMerchant();
  for (const [customer_code, who] of [
    ["c12", merchant],
    ["C", merchant],
    ["C1", other],
  ] as const) {
    const fields = ["customer_code customer_not_found"];
    expect(await detail({ customer_code }, who)).toBeFailure({ status: 404, code: "customer_not_found", fields });
  }
  const fields = ["customer_code required"];
  expect(await detail({})).toBeFailure({ status: 400, code: "validation_failed", fields });
});

describe("a list by", () => {
  test.each([
    ["customer_code", "C1", ["C1"]],
    ["customer_code", "C", []],
    ["customer_code", "C%", ["C%"]],
    ["name", "asha", ["C1"]],
    ["name", "SHA T", ["C1"]],
    ["name", "अनुष्का", ["c1"]],
    ["name", "र्मा & s", ["c1"]],
    ["name", "as", ["C1"]],
    ["name", "%", ["C12"]],
    ["name", "0%", ["C12"]],
    ["name", "n_m", ["C12"]],
    ["name", "\\", ["C12"]],
    ["name", "s_a", []],
    ["name", "école", ["C%"]],
    ["name", "zoë", ["C%"]],
    ["email", "ASHA", ["c1", "C1"]],
    ["email", "@example.c", ["C1"]],
    ["mobile", "97309", ["C1"]],
    ["mobile", 9822200001, ["c1"]],
    ["city", "pu", ["C%", "C1"]],
    ["city", "मुंबई", ["c1"]],
    ["state", "maharashtra", ["c1", "C1"]],
    ["zipcode", "400", ["c1"]],
    ["zipcode", 411038, ["C1"]],
    ["group", "wholesale", ["C1"]],
    ["group", "GOLD", ["c1", "C1"]],
    ["group", "gol", []],
    ["group", "All", ["C%", "C12", "c1", "C1"]],
    ["name", "", ["C%", "C12", "c1", "C1"]],
    ["name", "'; drop table customer; --", []],
  ])("%s %s finds %j", async (searchby, keyword, codes) => {
    expect(await find(searchby, keyword)).toEqual(codes);
  });
});

test("finds nothing of another merchant's, by any attribute", async () => {
  const other = await installation.newMerchant();
  const attributes = ["customer_code", "name", "email", "mobile", "city", "state", "zipcode", "group"];
  const keywords = ["C1", "asha", "asha", "97309", "pune", "maha", "411", "Wholesale"];
  for (const [index, searchby] of attributes.entries()) {
    const answer = await list({ searchby, keyword: keywords[index] }, other);
    expect(answer).toBeSuccess("read", 0);
    expect(answer.body.srvrsp).toEqual([]);
  }
});

test("the searches' index survives what the database does to its tables", async () => {
  // These run without the search path of a session.
  await installation.pool.query("vacuum analyze customer");
  await installation.pool.query("reindex table customer");
  expect(await find("name", "asha")).toEqual(["C1"]);
});

test("pages, with the full count on each", async () => {
  const page = async (paging: Members) => {
    const answer = await list({ searchby: "group", keyword: "All", ...paging });
    expect(answer).toBeSuccess("read", 4);
    return (answer.body.srvrsp as Members[]).map((record) => record["customer_code"]);
  };
  expect(await page({ limit: "3" })).toEqual(["C%", "C12", "c1"]);
  expect(await page({ limit: 3, page: 2 })).toEqual(["C1"]);
  expect(await page({ limit: 3, page: "3" })).toEqual([]);
  expect(await page({ limit: 1000, page: "" })).toHaveLength(4);
});

test("shows invoices, newest first, before the customers without any", async () => {
  const who = await installation.newMerchant();
  const customer = ["a", "b", "c"].map((code) => ({ customer_code: code, customer_name: `Buyer ${code}` }));
  expect(await ask(installation, who, CUSTOMER_SAVE, { customer })).toBeSuccess("write");
  await writeInvoice(who, "a", 101, "2026-04-01");
  await writeInvoice(who, "b", 102, "2026-06-01");
  await writeInvoice(who, "a", 103, "2026-05-01");
  const page = async (paging: Members) => {
    const answer = await list({ searchby: "name", keyword: "buyer", ...paging }, who);
    expect(answer).toBeSuccess("read", 4);
    return (answer.body.srvrsp as Members[]).map(
      (record) => `${String(record["invoice_id"])} ${String(record["customer_code"])}`,
    );
  };
  const whole = ["R000000102 b", "R000000103 a", "R000000101 a", "null c"];
  expect(await page({})).toEqual(whole);
  expect([...(await page({ limit: 2 })), ...(await page({ limit: 2, page: 2 }))]).toEqual(whole);
  expect(await page({ limit: 3, page: 2 })).toEqual(["null c"]);
  const answer = await detail({ customer_code: "a" }, who);
  expect(answer).toBeSuccess("read", 2);
  const record = {
    invoice_number: "N-103",
    bill_date: "2026-05-01",
    amount: "590.00",
    due_amount: "590.00",
    status: "Unpaid",
  };
  expect(answer.body.srvrsp[0]).toMatchObject({
    ...record,
    customer_group: "All",
    customer_code: "a",
    created_by: "Wire Traders",
  });
});

test.each([
  ["no attribute", { keyword: "x" }, ["searchby required"]],
  ["an unknown attribute", { searchby: "address", keyword: "x" }, ["searchby not_allowed"]],
  ["a keyword that is no text", { searchby: "name", keyword: ["x"] }, ["keyword invalid"]],
  ["a keyword that is too long", { searchby: "name", keyword: "x".repeat(255) }, ["keyword too_long"]],
  ["pages that are none", { searchby: "name", page: 0, limit: 1001 }, ["page invalid", "limit invalid"]],
])("refuses %s", async (_what, body, fields) => {
  expect(await list(body)).toBeFailure({ status: 400, code: "validation_failed", fields });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});

/** Writes an unpaid invoice of 590.00 straight into the database. */
async function writeInvoice(who: TestMerchant, code: string, invoiceId: number, billDate: string): Promise<void> {
  await installation.pool.query(
    `insert into invoice (
       bucket, merchant_id, invoice_id, customer_id, template_id, financial_year, invoice_number, cycle_name, bill_date,
       due_date, status, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise, content, public_token,
       created_at)
     select bucket, merchant_id, $3::text::bigint, customer_id, 0, 2026, 'N-' || $3::text, '', $4::date, $4::date, 'Unpaid', 50000, 9000, 0, 59000,
       '{"rows": [{"amountPaise": "50000"}], "taxes": [{"amountPaise": "9000"}], "kind": "invoice", "supply": "untaxed",
         "supplier": {"gstin": ""}, "recipient": {"name": "Meera", "gstin": ""}}', 'token', now()
     from customer where merchant_id = $1 and customer_code = $2`,
    [who.id, code, String(invoiceId), billDate],
  );
  await registerInvoice(installation.pool, BigInt(invoiceId));
  await countInvoice(installation.pool, BigInt(invoiceId), 1n);
  await postInvoice(installation.pool, BigInt(invoiceId));
  await recordEventsOf(installation.pool, who.id, "invoice.created", [invoiceId]);
}
