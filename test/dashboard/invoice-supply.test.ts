// What forms of invoices are told of the kind of tax, before anything is billed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  const untaxed = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, untaxed.merchant.id));
});
afterAll(() => site?.stop());

test("how GST would be charged is told before anything is billed, by the customer or by what is typed", async () => {
  const taxed = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1Z5" });
  const gst = [{ id: "gstin", name: "GSTIN", type: "gst", value: "27AAACI1234K1Z9" }];
  await taxed.addCustomer({ customer_code: "M1", customer_name: "Mills", state: "Delhi", custom_fields: gst });
  const browser = await Browser.signIn(site, await newPerson(site, taxed.merchant.id));
  const of = async (query: string, by = browser) => (await by.get(`/invoices/supply?${query}`)).body;
  expect(await of("customer_code=M1")).toEqual({
    gstin: "27AAACI1234K1Z9",
    gstin_state: "Maharashtra",
    address_state: "Delhi",
    taxes: ["IGST"],
  });
  expect(await of("gstin=29aaaci1234k1z5&state=Kerala")).toMatchObject({
    gstin_state: "Karnataka",
    address_state: "Kerala",
    taxes: ["CGST", "SGST"],
  });
  expect(await of("state=Manipal")).toMatchObject({ address_state: "", taxes: null });
  // Another merchant's customer is none: nothing is said of it. Who has no GSTIN charges no tax.
  expect(await of("customer_code=M1", owner)).toMatchObject({ gstin: "", taxes: [] });
  expect((await browser.get("/invoices/supply?template_id=1")).status).toBe(404);
});
