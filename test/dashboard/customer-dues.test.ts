// What the list of customers says of their dues: open invoices and what is left of receipts, and nothing else.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

type Body = Answer["body"];
const LOGIN = { email: "north@example.com", password: "a long password" };

let site: Installation;
let shop: Invoices;
let call: Raw;
let franchise_id: string;
beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site, { gstin: "" });
  call = rawOf(site, await Browser.signIn(site, await newPerson(site, shop.merchant.id)));
  await shop.addCustomer({ customer_code: "C2", customer_name: "Bharat Nair" });
  await shop.addCustomer({ customer_code: "C3", customer_name: "Chitra Iyer" });
  franchise_id = await saveFranchiseWithLogin(site, shop.merchant, LOGIN, {
    franchise_code: "F1",
    franchise_name: "North",
  });
  const bill = async (customer_code: string, total_amount: string, members: object = {}): Promise<string> =>
    (
      await shop.add({
        customer_code,
        bill_date: "2026-06-01",
        due_date: "2026-06-10",
        particular_rows: [{ item: "Work", total_amount }],
        ...members,
      })
    )["invoice_id"]!;
  await bill("C1", "100.00");
  await bill("C1", "50.00", { due_date: "2099-06-10", franchise_id });
  await shop.pay(await bill("C1", "30.00"), "10.00");
  await shop.pay(await bill("C1", "70.00"), "70.00");
  await shop.cancel(await bill("C1", "900.00"));
  await shop.pay(await bill("C2", "40.00"), "40.00");
});
afterAll(() => site?.stop());

const duesIn = (body: Body): Record<string, unknown[]> =>
  Object.fromEntries(
    body.customers.map(({ customer_code, due_amount, overdue_amount, advance_amount }: Body) => [
      customer_code,
      [due_amount, overdue_amount, advance_amount],
    ]),
  );
const codes = async (query: string): Promise<string[]> =>
  (await call("GET", `/customers?${query}`)).body.customers.map((each: Body) => each.customer_code);
const dues = async (): Promise<Record<string, unknown[]>> => duesIn((await call("GET", "/customers")).body);

test("what is open is due; what is paid or cancelled is not; what is left of receipts is an advance", async () => {
  const { body } = await call("GET", "/customers?search=C2");
  const [{ customer_id }] = body.customers;
  const receipt = { customer_id, amount: "25.00", date: "2026-07-01", mode: "NEFT", allocations: [] };
  const { body: made } = await call("POST", "/receipts", receipt);
  expect(await dues()).toEqual({
    C1: ["170.00", "120.00", "0.00"],
    C2: ["0.00", "0.00", "25.00"],
    C3: ["0.00", "0.00", "0.00"],
  });
  expect(await codes("dues=owing")).toEqual(["C1"]);
  expect(await codes("dues=overdue")).toEqual(["C1"]);
  expect(await codes("dues=advance")).toEqual(["C2"]);
  // Together with a search, which uses an index of its own.
  expect(await codes("dues=advance&search=Nair&sort=customer_code")).toEqual(["C2"]);
  expect(await codes("dues=owing&search=Nair")).toEqual([]);
  await call("POST", `/receipts/${made.receipt.receipt_id}/reverse`, { reason: "Bounced" });
  expect((await dues())["C2"]).toEqual(["0.00", "0.00", "0.00"]);
  expect(await codes("dues=advance")).toEqual([]);
});

test("what is due later is owed and not overdue; who may not see invoices can't ask who owes", async () => {
  await shop.addCustomer({ customer_code: "C4", customer_name: "Deepa Rao" });
  const later = { customer_code: "C4", bill_date: "2026-06-01", due_date: "2099-01-01" };
  await shop.add({ ...later, particular_rows: [{ item: "Work", total_amount: "10.00" }] });
  expect(await codes("dues=owing&sort=customer_code")).toEqual(["C1", "C4"]);
  expect(await codes("dues=owing&sort=customer_code&limit=1&after=C1")).toEqual(["C4"]);
  expect(await codes("dues=overdue")).toEqual(["C1"]);
  const { status, body } = await call("POST", "/roles", { name: "Names", permissions: ["customers.view"] });
  expect(status, JSON.stringify(body)).toBe(200);
  const reader = rawOf(site, await Browser.signIn(site, await newPerson(site, shop.merchant.id, "Names")));
  expect((await reader("GET", "/customers")).status).toBe(200);
  for (const path of ["/customers?dues=owing", "/customers.csv?dues=overdue"]) {
    const refused = await reader("GET", path);
    expect([refused.status, refused.body.error.code]).toEqual([403, "access_denied"]);
  }
  expect((await call("GET", "/customers?dues=rich")).body.error.fields[0].path).toBe("dues");
});

test("a franchise sees what is due on its own invoices; another merchant's customer of that code owes nothing", async () => {
  const north = new Browser(site.server.baseUrl);
  await north.post("/session/sign-in", { ...LOGIN, merchant: shop.merchant.id });
  expect(duesIn((await north.get("/customers")).body)).toEqual({ C1: ["50.00", "0.00", null] });
  expect(duesIn((await north.get("/customers?dues=owing")).body)).toEqual({ C1: ["50.00", "0.00", null] });
  for (const none of ["overdue", "advance"]) {
    expect(duesIn((await north.get(`/customers?dues=${none}`)).body)).toEqual({});
  }
  const other = await Invoices.ofNewMerchant(site, { gstin: "" });
  const theirs = await Browser.signIn(site, await newPerson(site, other.merchant.id));
  expect(duesIn((await theirs.get("/customers")).body)).toEqual({ C1: ["0.00", "0.00", "0.00"] });
});
