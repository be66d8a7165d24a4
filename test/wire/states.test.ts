// States over real HTTP and by the command line: what every entrance takes and refuses, and the tax that follows. Which
// spellings are read is tested beside platform/indian-states.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCustomerFile } from "../../src/customers/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { settledToday } from "../support/days.ts";
import { readPdf } from "../support/pdf.ts";
import "../support/expect-wire.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, NO_NEW_CUSTOMER, PLAIN } from "../support/invoices.ts";
import { ask, CUSTOMER_SAVE, CUSTOMER_UPDATE } from "../support/merchant-wire.ts";
import { nodal, type Answer } from "../support/nodal.ts";
import { Biller, REPEATED, Subscriptions } from "../support/subscriptions.ts";
import { recordCustomerEvents } from "../support/record-events.ts";

const UNREADABLE = ["Karnadu", "New York", "27-Goa", "129", "कर्ना"];
const NEAREST = /Karnadu|Karnataka/;
const TAXED = { ...PLAIN, particular_rows: [{ item: "Work", gst: "18", total_amount: "100.00" }] };
const FRANCHISE = {
  franchise_code: "F1",
  franchise_name: "South",
  contact_person_name: "Ravi",
  email_id: "ravi@example.com",
  mobile: "9876543210",
  commission_type: "Percentage",
  commission: "10",
  settlement_type: "Manual",
};

let installation: Installation;
let biller: Biller;
let invoices: Invoices;
let owner: Browser;

beforeAll(async () => {
  installation = await Installation.shared();
  biller = new Biller(installation.serverUrl);
  invoices = await Invoices.ofNewMerchant(installation);
  owner = await Browser.signIn(installation, await newPerson(installation, invoices.merchant.id));
});
afterAll(async () => {
  await biller.close();
  await installation.stop();
});

/** What a field's refusal says, whatever the group of the API. */
function messageOf({ body }: Answer): string {
  const { errlist, errors } = body as { errlist?: { msg: string }[]; errors?: { message: string }[] };
  return errlist?.[0]?.msg ?? errors?.[0]?.message ?? "";
}

async function taxesOf(customerState: unknown, mine = invoices): Promise<string[]> {
  const code = `S${Math.random()}`;
  await mine.addCustomer({ customer_code: code, customer_name: "Asha", state: customerState });
  const { invoice_id } = await mine.add({ ...TAXED, customer_code: code });
  return ((await mine.read(invoice_id))["tax_rows"] as { name: string }[]).map(({ name }) => name);
}

describe("a state that can't be read is refused, and nothing is saved, at", () => {
  test("customer save and update", async () => {
    const refusal = { status: 400, code: "validation_failed", fields: ["customer[0].state invalid"] };
    const of = (customer: Members, path = CUSTOMER_SAVE) =>
      ask(installation, invoices.merchant, path, { customer: [customer] });
    for (const state of UNREADABLE) {
      const answer = await invoices.unmoved(() => of({ customer_code: "X", customer_name: "X", state }));
      expect(answer, state).toBeFailure(refusal);
      expect(messageOf(answer)).toContain('"Other country" for an address abroad');
    }
    const saved = await of({ customer_code: "S1", customer_name: "S", state: 27 });
    const { customer_id } = (saved.body.srvrsp as { customer_id: number }[][])[0]![0]!;
    const answer = await invoices.unmoved(() => of({ customer_id, state: "Karnadu" }, CUSTOMER_UPDATE));
    expect(answer).toBeFailure(refusal);
    expect(messageOf(answer)).toMatch(/nearest: .*Karnataka/);
    expect(await of({ customer_id, state: "" }, CUSTOMER_UPDATE)).toBeSuccess("write");
  });

  test("a new customer of an invoice", async () => {
    const new_customer = { ...NO_NEW_CUSTOMER, customer_code: "N1", customer_name: "N", state: "Karnadu" };
    const answer = await invoices.unmoved(() => invoices.save([{ ...TAXED, new_customer }]));
    const fields = ["invoice[0].new_customer.state invalid"];
    expect(answer).toBeFailure({ status: 400, code: "validation_failed", fields });
  });

  test("the import of customers", async () => {
    const merchant = await requireMerchant(installation.pool, BigInt(invoices.merchant.id));
    const csv = "customer_code,customer_name,state\nI1,One,MH\nI2,Two,Karnadu\nI3,Three,\n";
    const { good, errors } = await readCustomerFile(
      { pool: installation.pool, merchant },
      { bytes: Buffer.from(csv), dateOrder: null },
    );
    expect(good.map(({ line }) => line)).toEqual([2, 4]);
    expect(errors).toEqual([{ line: 3, field: "state", message: expect.stringMatching(NEAREST) as string }]);
  });

  test("a franchise's save and update", async () => {
    const refusal = { status: 400, code: "validation_failed", fields: ["state invalid"] };
    const { merchant } = invoices;
    const save = (members: Members) => merchant.post("/api/v1/franchise/save", { ...FRANCHISE, ...members });
    expect(await save({ state: "Karnadu" })).toBeRefusal(refusal);
    const { franchise_id } = (await save({ state: "KA" })).body as { franchise_id: string };
    const update = await merchant.post("/api/v1/franchise/update", { franchise_id, state: "New York" });
    expect(update).toBeRefusal(refusal);
  });

  test("a merchant's profile and a template, by the dashboard and by the command line", async () => {
    const profile = await owner.put("/profile", { state: "Karnadu", gstin: "50AAACI1234K1Z5" });
    expect(profile.status).toBe(400);
    const failed = (profile.body as { errors: { field: string }[] }).errors.map(({ field }) => field);
    expect(failed.toSorted()).toEqual(["gstin", "state"]);
    expect((await owner.put("/profile", { state: "Karnatka" })).status).toBe(200);
    const { id } = invoices.merchant;
    const template = await owner.put(`/templates/${invoices.templateId}`, { company: { state: "Karnadu" } });
    expect([template.status, messageOf(template)]).toEqual([400, expect.stringMatching(NEAREST)]);
    const commands = [
      ["merchant", "set", "--merchant", id, "--state", "Karnadu"],
      ["merchant", "create", "--name", "A", "--email", "a@example.com", "--state", "Karnadu"],
      ["template", "create", "--merchant", id, "--name", "T", "--prefix", "T-", "--company-state", "Karnadu"],
    ];
    for (const command of commands) {
      const { code, stderr } = await nodal(installation.environment, ...command);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/state must be .*Karnataka/) as string,
      });
    }
  });
});

test("a beneficiary's state is a postal detail, and free text", async () => {
  const account = { account_number: "00789101112", ifsc: "HDFC0000789" };
  expect((await invoices.merchant.save({ name: "Ravi", ...account, state: "Karnadu" })).status).toBe(200);
});

describe("tax follows the state, however it is written", () => {
  test.each<[unknown, string[]]>([
    ["", ["CGST", "SGST"]],
    ["KA", ["CGST", "SGST"]],
    ["Karnatka", ["CGST", "SGST"]],
    ["कर्नाटक", ["CGST", "SGST"]],
    [29, ["CGST", "SGST"]],
    ["MH", ["IGST"]],
    ["Chattisgarh", ["IGST"]],
    ["महाराष्ट्र", ["IGST"]],
    ["27-Maharashtra", ["IGST"]],
    ["Chandigarh", ["IGST"]],
    ["Other country", ["IGST"]],
    ["Overseas", ["IGST"]],
  ])("%j", async (state, expected) => {
    expect(await taxesOf(state)).toEqual(expected);
  });

  test("UTGST stands in the detail, on the page and in the PDF of a union territory without a legislature", async () => {
    const mine = await Invoices.ofNewMerchant(installation, { state: "Chandigarh", gstin: "04AAACI1234K1Z5" });
    expect(await taxesOf("CH", mine)).toEqual(["CGST", "UTGST"]);
    expect(await taxesOf("Punjab", mine)).toEqual(["IGST"]);
    const { invoice_id } = await mine.add(TAXED);
    const detail = await mine.read(invoice_id);
    expect(detail["tax_rows"]).toEqual([
      { name: "CGST", percentage: "9", applicable_on: "100.00", amount: "9.00" },
      { name: "UTGST", percentage: "9", applicable_on: "100.00", amount: "9.00" },
    ]);
    const open = (url: unknown) => fetch(url as string);
    const page = await (await open(detail["short_url"])).text();
    const pdf = await readPdf(new Uint8Array(await (await open(detail["pdf_url"])).arrayBuffer()));
    for (const text of [page, pdf.pages.join(" ")]) {
      expect(text).toContain("UTGST");
      expect(text).not.toContain("SGST 9");
      expect(text).toContain("Chandigarh (04)");
    }
  });
});

describe("a state that was saved before states were checked", () => {
  /** The merchant's subscription, its first invoice, and its customer, whose state can't be read from then on. */
  async function legacy(): Promise<{
    mine: Subscriptions;
    invoiceId: string;
    subscription: { subscription_id: string };
  }> {
    const mine = await Subscriptions.ofNewMerchant(installation, biller);
    await mine.invoices.addCustomer({ customer_code: "OLD", customer_name: "Old Stores", state: "Goa" });
    const invoice = { ...REPEATED, ...TAXED, customer_code: "OLD" };
    const start = (await settledToday()).toString();
    const subscription = await mine.add({ mode: "Daily", start_date: start, invoice });
    await setState(mine, "Karnadu");
    return { mine, invoiceId: subscription.invoice_ids[0]!, subscription };
  }

  async function setState(mine: Subscriptions, state: string): Promise<void> {
    const sql = "update customer set state = $2 where merchant_id = $1 and customer_code = 'OLD'";
    await installation.pool.query(sql, [mine.merchantId, state]);
    await recordCustomerEvents(installation.pool, mine.merchantId);
  }

  test("refuses invoices, naming the customer, the nearest states and the remedy, and leaves what was issued", async () => {
    const { mine, invoiceId } = await legacy();
    const issued = await mine.invoices.read(invoiceId);
    const page = async () => (await fetch(issued["short_url"] as string)).text();
    expect(await page()).toContain("Goa (30)");
    const save = () => mine.invoices.save([TAXED, { ...TAXED, customer_code: "OLD" }]);
    const answer = await mine.unmoved(save);
    const fields = ["invoice[1].customer_code invalid"];
    expect(answer).toBeFailure({ status: 400, code: "validation_failed", fields });
    expect(messageOf(answer)).toMatch(
      /“Karnadu” of the customer OLD is not recognised.*Update the customer.*Karnataka/,
    );
    expect((await mine.invoices.read(invoiceId))["tax_rows"]).toEqual(issued["tax_rows"]);
    expect(await page()).toContain("Goa (30)");
    // A change that does not name the customer needs no state of it.
    expect((await mine.invoices.update(invoiceId, { bill_cycle_name: "x" })).status).toBe(200);
    expect((await mine.invoices.read(invoiceId))["tax_rows"]).toEqual(issued["tax_rows"]);
    expect((await mine.invoices.update(invoiceId, { customer_code: "OLD" })).status).toBe(400);
  });

  test("parks its subscriptions with that reason, until the customer is corrected", async () => {
    const { mine, subscription } = await legacy();
    const tomorrow = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 1 });
    expect(await mine.advanceTo(tomorrow)).toBe(0);
    const { parked } = await mine.show(subscription);
    expect(parked).toMatchObject({
      code: "validation_failed",
      reason: expect.stringContaining("customer OLD") as string,
    });
    await setState(mine, "KA");
    await mine.setClock(tomorrow);
    expect(await mine.advanceTo(tomorrow.add({ days: 1 }))).toBe(2);
    expect(await mine.show(subscription)).toMatchObject({ parked: null });
  });

  test("does not stand in the way of a merchant who charges no tax", async () => {
    const mine = await Invoices.ofNewMerchant(installation, { gstin: "" });
    await mine.addCustomer({ customer_code: "OLD", customer_name: "Old Stores" });
    await installation.pool.query("update customer set state = 'Karnadu' where merchant_id = $1", [mine.merchant.id]);
    await recordCustomerEvents(installation.pool, mine.merchant.id);
    const answer = await mine.ask(INVOICE_SAVE, { template_id: "", invoice: [{ ...TAXED, customer_code: "OLD" }] });
    const { warnings, ...body } = answer.body;
    expect(warnings).toMatchObject([{ code: "gst_not_charged" }]);
    expect({ ...answer, body }).toBeSuccess("write");
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
