// What a file of invoices says about its customers, against what is saved of them and what its other lines say.
import { beforeEach, afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const MAHARASHTRA = "27AAPFU0939F1ZV";
const KARNATAKA = "29AAACI1234K1Z5";

let site: Installation;
let invoices: Invoices;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  invoices = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  await invoices.addCustomer({ customer_code: "T0", customer_name: "Tara Stores", state: "Karnataka" });
});
afterAll(() => site?.stop());

type Note = { line: number; column: string; message: string };
type Batch = { key: string; lines: number[]; invoices: object[] };
type Checked = { good: number; problems: Note[]; warnings: Note[]; bad_lines: string; batches: Batch[] };
const REST = "bill_date,due_date,item,gst,total_amount";
const row = (amount: number) => `2026-11-20,2026-12-01,Work,18,${amount}.00`;

async function check(head: string, ...lines: string[]): Promise<Checked> {
  const csv = [`${head},${REST}`, ...lines.map((line, index) => `${line},${row(100 + index)}`)].join("\n");
  const { status, body } = await owner.post("/invoice-files/preview", Buffer.from(`${csv}\n`), {
    "content-type": "text/csv",
  });
  expect(status).toBe(200);
  return body;
}

const save = ({ key, lines, invoices: invoice }: Batch) =>
  owner.post("/invoice-files", { request_key: key, template_id: "", lines, invoice });
const places = (notes: readonly Note[]) => notes.map(({ line, column }) => `${line} ${column}`);
const count = async () => (await invoices.list()).body.total_records;

describe("a file that contradicts a saved customer", () => {
  test("is refused where its GSTIN or state differs, with line, column and remedy", async () => {
    const { good, problems } = await check(
      "customer_code,customer_name,state,gstin",
      `T0,Tara Stores,,${MAHARASHTRA}`,
      "T0,Tara Stores,Maharashtra,",
      `T0,,,${MAHARASHTRA}`,
      "T0,,27,",
      "C1,Asha Rao,Goa,",
      "T0,,Nowhere,",
      "T0,,,27AAP",
    );
    expect(good).toBe(0);
    expect(places(problems)).toEqual(["2 gstin", "3 state", "4 gstin", "5 state", "6 state", "7 state", "8 gstin"]);
    expect(problems.map(({ message }) => message)).toEqual([
      `is ${MAHARASHTRA}, but customer T0 has no GSTIN: correct or empty the cell, or update the customer first.`,
      "is Maharashtra, but customer T0 has Karnataka: correct or empty the cell, or update the customer first.",
      expect.stringContaining("has no GSTIN"),
      expect.stringContaining("has Karnataka"),
      expect.stringContaining("customer C1 has no state"),
      expect.stringContaining("has Karnataka"),
      expect.stringContaining("has no GSTIN"),
    ]);
  });

  test("passes where it says the same in other words, or nothing", async () => {
    const custom_fields = [{ id: "gstin", name: "GSTIN", type: "gst", value: MAHARASHTRA }];
    await invoices.addCustomer({ customer_code: "M", customer_name: "Mills", custom_fields });
    await invoices.addCustomer({ customer_code: "K", customer_name: "Kin", state: "KA", mobile: "9876543210" });
    const { good, problems, warnings } = await check(
      "customer_code,customer_name,mobile,state,gstin",
      `M,MILLS ,,27-Maharashtra,${MAHARASHTRA.toLowerCase()}`,
      "M,,,MH,",
      "K,Kin,+91 98765 43210,29,",
      "K,,,Karnatka,",
      "K,,,,",
    );
    expect([problems, warnings, good]).toEqual([[], [], 5]);
  });

  test("is warned where only name or contact differ: the saved details are printed", async () => {
    const { good, problems, warnings } = await check(
      "customer_code,customer_name,email,city",
      "T0,Other Stores,,",
      "T0,Other Stores,a@example.com,Mysuru",
    );
    expect([problems, good]).toEqual([[], 2]);
    expect(warnings).toEqual([
      {
        line: 2,
        column: "customer_name",
        message: "Customer T0 has “Tara Stores”, which the invoice will show.",
      },
      {
        line: 3,
        column: "customer_name",
        message: "Customer T0 has “Tara Stores”, which the invoice will show (also different: email, city).",
      },
    ]);
  });

  test("is refused when saved, too, if the customer was created or changed after the check", async () => {
    const { batches } = await check("customer_code,customer_name,gstin,state", `N1,New,${MAHARASHTRA},`, "N2,New,,Goa");
    await invoices.addCustomer({ customer_code: "N1", customer_name: "New", state: "Karnataka" });
    await invoices.addCustomer({ customer_code: "N2", customer_name: "New", state: "Karnataka" });
    const { status, body } = await save(batches[0]!);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { field: "invoice[0].new_customer.custom_fields", message: expect.stringContaining("N1 has no GSTIN") as string },
      { field: "invoice[1].new_customer.state", message: expect.stringContaining("N2 has Karnataka") as string },
    ]);
    expect(await count()).toBe(0);
  });

  test("answers a repeated save as before, even if the customer has changed since", async () => {
    const { batches } = await check("customer_code,customer_name,state", "N1,New,Goa");
    const first = await save(batches[0]!);
    expect(first.status).toBe(200);
    const found = (await owner.get("/customers?search=N1")).body.customers as { customer_id: number }[];
    await invoices.ask("/api/v1/merchant/customer/update", {
      customer: [{ customer_id: found[0]!.customer_id, state: "Karnataka" }],
    });
    const again = await save(batches[0]!);
    expect([again.status, again.body.replayed, again.body.invoices]).toEqual([200, true, first.body.invoices]);
    expect(await count()).toBe(1);
  });
});

describe("lines of one new customer", () => {
  test("are all refused where they disagree about its GSTIN or state, and no other customer's", async () => {
    const { good, problems, bad_lines } = await check(
      "customer_code,customer_name,state,gstin",
      `NW,New,,${MAHARASHTRA}`,
      `NW,New,,${KARNATAKA}`,
      "NW,New,,",
      "OK,Fine,Goa,",
      "OK,Fine,GA,",
      "E,Empty first,,",
      "E,Empty first,Goa,",
    );
    expect(good).toBe(2);
    expect(problems.map(({ line, column, message }) => `${line} ${column} ${message}`)).toEqual([
      `2 gstin is ${MAHARASHTRA}, but ${KARNATAKA} on line 3, for the same new customer NW: make them the same.`,
      `3 gstin is ${KARNATAKA}, but ${MAHARASHTRA} on line 2, for the same new customer NW: make them the same.`,
      "4 customer_code can't be created as NW: lines 2 and 3 differ in its gstin. Correct them first.",
      "7 state is empty, but Goa on line 8, for the same new customer E: make them the same.",
      "8 state is Goa, but empty on line 7, for the same new customer E: make them the same.",
    ]);
    expect(bad_lines.trim().split("\r\n")).toHaveLength(6);
  });

  test("are refused when they are saved as one request, without the check", async () => {
    const invoice = [MAHARASHTRA, KARNATAKA].map((value) => ({
      bill_date: "2026-11-20",
      due_date: "2026-12-01",
      particular_rows: [{ item: "Work", gst: "18", total_amount: "100.00" }],
      new_customer: {
        customer_code: "NW",
        customer_name: "New",
        custom_fields: [{ id: "gstin", name: "GSTIN", type: "gst", value }],
      },
    }));
    const { status, body } = await save({ key: "upload-by-hand", lines: [2, 3], invoices: invoice });
    expect([status, (body.errors as { field: string }[])[0]!.field]).toEqual([
      400,
      "invoice[1].new_customer.custom_fields",
    ]);
    expect(await count()).toBe(0);
  });
});

test("a line that bills what an earlier line bills is warned of", async () => {
  const line = (code: string, amount: number) => `${code},,${row(amount)}`;
  const lines = [line("T0", 10), line("T0", 10), line("C1", 10), line("T0", 11), line("T0", 10)];
  const csv = [`customer_code,customer_name,${REST}`, ...lines].join("\n");
  const { body } = await owner.post("/invoice-files/preview", Buffer.from(csv), { "content-type": "text/csv" });
  const { good, warnings } = body as unknown as Checked;
  expect(good).toBe(5);
  expect(warnings.map(({ line: of, column, message }) => `${of} ${column} ${message}`)).toEqual([
    "3 customer_code Line 2 also bills T0 ₹11.80 on 2026-11-20: remove one if it is the same invoice.",
    "6 customer_code Line 2 also bills T0 ₹11.80 on 2026-11-20: remove one if it is the same invoice.",
  ]);
});
