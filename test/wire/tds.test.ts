// Payments of which the customer deducted tax: docs/rules/invoicing.md#tds
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let shop: Invoices;
beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1Z5", state: "Karnataka" });
});
afterAll(() => site?.stop());

const bill = () =>
  shop.add({ particular_rows: [{ item: "Audit", sac_code: "998221", total_amount: "100000", gst: "18" }] });

test("money and tax deducted settle an invoice in full", async () => {
  const { invoice_id } = await bill();
  const { status, body } = await shop.settle({ invoice_id, amount: "108000", tds_amount: "10000", tds_code: "1027" });
  expect(status).toBe(200);
  expect(body.srvrsp).toMatchObject({
    amount: "108000.00",
    tds_amount: "10000.00",
    status: "Paid offline",
    paid_amount: "118000.00",
    due_amount: "0.00",
  });
  const { settlements } = await shop.read(invoice_id);
  expect(settlements).toMatchObject([{ amount: "118000.00", tds_amount: "10000.00", tds_code: "1027" }]);
});

test("what exceeds the due together is refused, and so is a code alone", async () => {
  const { invoice_id } = await bill();
  const most = await shop.unmoved(() => shop.settle({ invoice_id, amount: "108000.01", tds_amount: "10000" }));
  expect(most).toMatchObject({ status: 422, body: { errcode: "settlement_exceeds_due" } });
  expect(most.body.errmsg).toContain("amount and tds_amount together");
  const alone = await shop.unmoved(() => shop.settle({ invoice_id, amount: "100", tds_code: "1027" }));
  expect(alone).toMatchObject({ status: 400, body: { errlist: [{ keyname: "tds_amount" }] } });
});

test("a hundred deductions at once never exceed what is due", async () => {
  const { invoice_id } = await bill();
  const asked = { invoice_id, amount: "2000", tds_amount: "360" };
  const answers = await Promise.all(Array.from({ length: 100 }, () => shop.settle(asked)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
  expect(await shop.read(invoice_id)).toMatchObject({ paid_amount: "118000.00", due_amount: "0.00" });
  expect(await site.findProblems()).toEqual([]);
});
