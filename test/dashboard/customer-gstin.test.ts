// The GSTIN of a customer as a field of its own: which custom field it goes into, and that nothing else is lost.
// docs/rules/customers.md#gstin
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

const KARNATAKA = "29AAACI1234K1Z5";
const MAHARASHTRA = "27AAACI1234K1Z9";

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  merchant = await site.newMerchant();
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});

const addColumn = async (name: string, type: string): Promise<string> =>
  String((await owner.post("/customer-columns", { name, type })).body["column_id"]);

async function add(members: object): Promise<string> {
  const customer = { request_key: randomUUID(), customer_code: randomUUID(), customer_name: "Mills", ...members };
  const { status, body } = await owner.post("/customers", customer);
  expect([status, body]).toEqual([200, { customer_id: expect.any(String) }]);
  return String(body["customer_id"]);
}

async function read(id: string) {
  const { body } = await owner.get(`/customers/${id}`);
  const { gstin, custom_fields } = body["customer"];
  return { gstin, custom_fields, gstin_field_id: body["gstin_field_id"] };
}

test("without a column for it, it is a field of its own; it is changed and taken back", async () => {
  expect((await owner.get("/session/customers/form")).body).toMatchObject({ columns: [], gstin_field_id: "gstin" });
  const id = await add({ gstin: KARNATAKA.toLowerCase() });
  const field = { id: "gstin", name: "GSTIN", type: "gst", value: KARNATAKA };
  expect(await read(id)).toEqual({ gstin: KARNATAKA, custom_fields: [field], gstin_field_id: "gstin" });
  const supply = await owner.get(`/customers/supply?gstin=${KARNATAKA}&state=Kerala`);
  expect(supply.body).toMatchObject({ gstin_state: "Karnataka", address_state: "Kerala" });
  // Who says nothing of it changes nothing of it.
  await owner.put(`/customers/${id}`, { city: "Mysuru" });
  expect((await read(id)).gstin).toBe(KARNATAKA);
  await owner.put(`/customers/${id}`, { gstin: "" });
  expect(await read(id)).toMatchObject({ gstin: "", custom_fields: [] });
});

test("it goes into the merchant's first column of that kind, and stays where it is in customers that have it elsewhere", async () => {
  const old = await add({ gstin: MAHARASHTRA });
  const [other, first] = [await addColumn("Contract", "text"), await addColumn("GST number", "gst")];
  const second = await addColumn("GSTIN of the branch", "gst");
  expect((await owner.get("/session/customers/form")).body["gstin_field_id"]).toBe(first);
  const contract = { id: other, value: "A-1" };
  const branch = { id: second, value: MAHARASHTRA };
  const id = await add({ gstin: KARNATAKA, custom_fields: [contract, branch] });
  expect(await read(id)).toMatchObject({
    gstin: KARNATAKA,
    custom_fields: [{ id: first, name: "GST number", type: "gst", value: KARNATAKA }, contract, branch],
    gstin_field_id: first,
  });
  // What the form sends: all but the field of the GSTIN.
  await owner.put(`/customers/${old}`, { gstin: KARNATAKA, custom_fields: [contract] });
  expect(await read(old)).toMatchObject({ gstin: KARNATAKA, gstin_field_id: "gstin" });
  expect((await read(old)).custom_fields).toHaveLength(2);
});

test("what is no GSTIN is refused at its field, and nothing is changed", async () => {
  const id = await add({ gstin: KARNATAKA });
  const refused = { status: 400, body: { errors: [{ field: "gstin", code: "invalid" }] } };
  expect(await owner.put(`/customers/${id}`, { gstin: "29AAACI" })).toMatchObject(refused);
  const body = { request_key: randomUUID(), customer_code: "N", customer_name: "N", gstin: "29AAACI" };
  expect(await owner.post("/customers", body)).toMatchObject(refused);
  expect((await read(id)).gstin).toBe(KARNATAKA);
});

test("the states of the list are all taken as a customer's state", async () => {
  const { states } = (await owner.get("/states")).body as { states: { code: string; name: string }[] };
  expect(states).toHaveLength(38);
  expect(states[0]).toEqual({ code: "35", name: "Andaman and Nicobar Islands" });
  expect(states.slice(-2).map(({ name }) => name)).toEqual(["Other Territory", "Other country"]);
  const id = await add({});
  for (const { name } of states) {
    expect([name, (await owner.put(`/customers/${id}`, { state: name })).status]).toEqual([name, 200]);
  }
});
