// The PAN of a customer: encrypted, masked, and the same as in the GSTIN. docs/rules/customers.md#pan
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices } from "../support/invoices.ts";
import { ask, CUSTOMER_SAVE, CUSTOMER_UPDATE } from "../support/merchant-wire.ts";

const PAN = "AAFCM4321P";
const OTHER = "AAFCM4322P";
const GSTIN = { id: "gstin", type: "gst", value: `29${PAN}1Z5` };
const OTHERS = { ...GSTIN, value: `29${OTHER}1Z5` };

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  ({ merchant } = await Invoices.ofNewMerchant(site));
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});

const save = (members: object) =>
  ask(site, merchant, CUSTOMER_SAVE, { customer: [{ customer_code: "P1", customer_name: "Mills", ...members }] });
const change = (members: object) => ask(site, merchant, CUSTOMER_UPDATE, { customer: [members] });

async function kept(): Promise<string[]> {
  const sql = "select pan from customer where merchant_id = $1 and customer_code like 'P%'";
  return (await site.pool.query<{ pan: string }>(sql, [merchant.id])).rows.map(({ pan }) => pan);
}

test("is encrypted, seen by who may see personal data, and masked for others, in lists, files and the history", async () => {
  const answer = await save({ pan: PAN.toLowerCase(), custom_fields: [GSTIN] });
  expect(answer).toBeSuccess("write");
  const id = answer.body.srvrsp[0][0].customer_id as number;
  expect(await kept()).toEqual([expect.stringMatching(/^enc1:/)]);
  expect((await owner.get(`/customers/${id}`)).body["customer"].pan).toBe(PAN);
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  expect((await viewer.get(`/customers/${id}`)).body["customer"].pan).toBe("XXXX321P");
  expect((await owner.get("/customers")).body["customers"]).toContainEqual(
    expect.objectContaining({ pan: "XXXX321P" }),
  );
  const file = (await owner.get("/customers.csv")).body as string;
  const events = (await owner.get(`/audit?subject=${id}`)).body as object;
  for (const text of [file, JSON.stringify(events)]) {
    expect(text).toContain("XXXX321P");
    expect(text.replaceAll(GSTIN.value, "")).not.toContain(PAN);
  }
  expect(await site.findProblems()).toEqual([]);
});

test("that is not the GSTIN's is refused, also where one of the two was saved before", async () => {
  const refused = { status: 400, code: "validation_failed", fields: ["customer[0].pan invalid"] };
  const wrong = await save({ pan: OTHER, custom_fields: [GSTIN] });
  expect(wrong).toBeFailure(refused);
  expect(wrong.body.errlist[0].msg).toContain(`must be ${PAN}`);
  expect(await save({ pan: "AAFCM43211" })).toBeFailure(refused);
  expect(await kept()).toEqual([]);
  const { body } = await save({ pan: PAN });
  const customer_id = body.srvrsp[0][0].customer_id as number;
  const before = await kept();
  expect(await change({ customer_id, custom_fields: [OTHERS] })).toBeFailure(refused);
  expect(await kept()).toEqual(before);
  expect(await change({ customer_id, custom_fields: [OTHERS], pan: OTHER })).toBeSuccess("write");
  expect(await change({ customer_id, pan: PAN })).toBeFailure(refused);
  expect(await change({ customer_id, pan: "" })).toBeSuccess("write");
  expect(await kept()).toEqual([""]);
});

test("is a column of the customers' file, and stays in a form that leaves it empty", async () => {
  const lines = `customer_code,customer_name,pan,gstin\nP1,Mills,${PAN},${GSTIN.value}\nP2,Bent,${OTHER},${GSTIN.value}\n`;
  const checked = await owner.post("/customer-files/preview", Buffer.from(lines), { "content-type": "text/csv" });
  expect(checked.body, JSON.stringify(checked.body)).toMatchObject({ errors: [{ line: 3, field: "pan" }] });
  const made = await owner.post("/customers", {
    request_key: randomUUID(),
    customer_code: "P1",
    customer_name: "A",
    pan: PAN,
  });
  const path = `/customers/${made.body["customer_id"]}`;
  expect((await owner.put(path, { city: "Mysuru" })).status).toBe(200);
  expect((await owner.get(path)).body["customer"]).toMatchObject({ city: "Mysuru", pan: PAN });
});

test("is in no draft, which is not encrypted, and on no invoice", async () => {
  const rows = [{ item: "Work", sac_code: "998311", gst: "18", total_amount: "1000.00" }];
  const invoice = { new_customer: { customer_code: "P1", customer_name: "Mills", pan: PAN }, particular_rows: rows };
  const draft = await owner.post("/invoice-drafts", { request_key: randomUUID(), invoice });
  expect(draft.status).toBe(400);
  expect(draft.body["errors"]).toMatchObject([{ field: "invoice.new_customer.pan" }]);
  const dates = { bill_date: "2026-06-01", due_date: "2026-06-15" };
  const saved = await ask(site, merchant, INVOICE_SAVE, { template_id: "", invoice: [{ ...invoice, ...dates }] });
  expect(saved, JSON.stringify(saved.body)).toBeSuccess("write");
  expect(await kept()).toEqual([expect.stringMatching(/^enc1:/)]);
  const { rows: contents } = await site.pool.query<{ content: string }>(
    "select content::text as content from invoice where merchant_id = $1",
    [merchant.id],
  );
  expect(contents).toHaveLength(1);
  expect(contents[0]!.content).not.toContain(PAN);
});
