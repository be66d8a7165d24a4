// The GSTIN of customers in files: imported, exported, made with an uploaded invoice, and searched for, without a column for it.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const GOA = "30AAACI1234K1ZQ";
const KARNATAKA = "29AAACI1234K1Z5";
const SUPPLIER = "27AAACI1234K1Z9";

let site: Installation;
beforeAll(async () => {
  site = await Installation.shared();
});
afterAll(() => site?.stop());

async function open() {
  const invoices = await Invoices.ofNewMerchant(site, { gstin: SUPPLIER, state: "Maharashtra" });
  const owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const preview = async (csv: string | Uint8Array) =>
    (await owner.post("/customer-files/preview", Buffer.from(csv), { "content-type": "text/csv" })).body;
  const importFile = async (csv: string | Uint8Array) => {
    const { good, errors, ignored } = await preview(csv);
    expect([errors, ignored]).toEqual([[], []]);
    const customer = (good as { customer: object }[]).map((each) => each.customer);
    expect(await owner.post("/customers/batch", { request_key: randomUUID(), customer })).toMatchObject({
      status: 200,
    });
  };
  const exportFile = async () => Buffer.from((await owner.getFile("/customers.csv")).bytes).toString();
  const taxOf = async (customer_code: string) => {
    const particular_rows = [{ item: "Work", gst: "18", total_amount: "100" }];
    const { body } = await invoices.save([
      { customer_code, bill_date: "2026-11-01", due_date: "2026-11-16", particular_rows },
    ]);
    const [{ invoice_id }] = body.srvrsp as [{ invoice_id: string }];
    const { tax_rows } = (await invoices.ask("/api/v1/merchant/invoice/detail", { invoice_id })).body.srvrsp as {
      tax_rows: { name: string }[];
    };
    return tax_rows.map(({ name }) => name);
  };
  return { invoices, owner, preview, importFile, exportFile, taxOf };
}

test.each(["GSTIN", "gstin", "GST No.", "GSTIN/UIN", "GSTIN/UIN of Recipient", "Customer GSTIN"])(
  "a file with the heading %s goes in and out again",
  async (heading) => {
    const { importFile, exportFile, taxOf, preview } = await open();
    await importFile(`customer_code,customer_name,${heading}\nG1,Goa Mills,${GOA.toLowerCase()}\nG2,Nearby,\n`);
    expect(await taxOf("G1")).toEqual(["IGST"]);
    expect(await taxOf("G2")).toEqual(["CGST", "SGST"]);
    const file = await exportFile();
    expect(file).toContain(`,gstin\r\n`);
    expect(file).toMatch(new RegExp(`^G1,Goa Mills,.*,${GOA}\r$`, "m"));
    const other = await open();
    await other.importFile(file.replaceAll(/^C1,.*\r\n/gm, ""));
    expect(await other.taxOf("G1")).toEqual(["IGST"]);
    expect((await preview(`customer_code,customer_name,gstin\nG3,X,30AAACI\n`)).errors).toMatchObject([
      { line: 2, field: "gstin", message: expect.stringContaining("GSTIN") },
    ]);
  },
);

test("where a column is for it, the value goes there, and no other GSTIN is lost", async () => {
  const { owner, importFile, exportFile, taxOf, preview } = await open();
  await importFile(`customer_code,customer_name,gstin\nOLD,Before,${GOA}\n`);
  const { body } = await owner.post("/customer-columns", { name: "Tax number", type: "gst" });
  await importFile(
    `customer_code,customer_name,gstin,Tax number\nA,A,${GOA},\nB,B,,${KARNATAKA}\nC,C,${GOA},${GOA.toLowerCase()}\n`,
  );
  for (const code of ["OLD", "A", "B", "C"]) expect(await taxOf(code), code).toEqual(["IGST"]);
  const found = (await owner.get("/customers?search=A")).body.customers as {
    customer_code: string;
    custom_fields: object[];
  }[];
  expect(found.find(({ customer_code }) => customer_code === "A")!.custom_fields).toEqual([
    { id: body.column_id, name: "Tax number", type: "gst", value: GOA },
  ]);
  expect(await exportFile()).toContain(`,gstin,Tax number\r\n`);
  const two = await preview(`customer_code,customer_name,gstin,Tax number\nD,D,${GOA},${KARNATAKA}\n`);
  expect(two).toMatchObject({ good: [], errors: [{ line: 2, field: "gstin" }] });
});

test("a column with that very name stands for it", async () => {
  const { owner, importFile, exportFile, taxOf } = await open();
  await importFile(`customer_code,customer_name,gstin\nOLD,Before,${GOA}\n`);
  await owner.post("/customer-columns", { name: "GSTIN", type: "gst" });
  await importFile(`customer_code,customer_name,gstin\nNEW,After,${GOA}\n`);
  expect(await taxOf("NEW")).toEqual(["IGST"]);
  const file = await exportFile();
  expect(file.split("\r\n")[0]!.match(/gstin/gi)).toHaveLength(1);
  for (const code of ["OLD", "NEW"]) expect(file).toMatch(new RegExp(`^${code},.*,${GOA}\r$`, "m"));
});

test.each(["gstin", "GST No", "GSTIN/UIN of Recipient", "GSTIN of buyer"])(
  "an uploaded invoice makes its customer with the GSTIN below %s, which decides the tax",
  async (heading) => {
    const { owner, invoices } = await open();
    const head = `customer_code,customer_name,${heading},bill_date,due_date,item,gst,total_amount`;
    const csv = [
      head,
      `N1,Goa Mills,${GOA},2026-11-01,2026-11-16,Work,18,100`,
      `N2,Typo,30AAA,2026-11-01,2026-11-16,Work,18,100`,
    ].join("\n");
    const { body } = await owner.post("/invoice-files/preview", Buffer.from(`${csv}\n`), {
      "content-type": "text/csv",
    });
    expect(body).toMatchObject({ good: 1, problems: [{ line: 3, column: "gstin" }] });
    const [{ key, lines, invoices: sent }] = body.batches as [{ key: string; lines: number[]; invoices: object[] }];
    const saved = await owner.post("/invoice-files", { request_key: key, template_id: "", lines, invoice: sent });
    const [{ invoice_id }] = saved.body.invoices as [{ invoice_id: string }];
    const { tax_rows } = (await invoices.ask("/api/v1/merchant/invoice/detail", { invoice_id })).body.srvrsp as {
      tax_rows: { name: string }[];
    };
    expect(tax_rows.map(({ name }) => name)).toEqual(["IGST"]);
    const two = Buffer.from(`${head},Buyer GSTIN\nN3,X,${GOA},2026-11-01,2026-11-16,Work,18,100,${KARNATAKA}\n`);
    const refused = await owner.post("/invoice-files/preview", two, { "content-type": "text/csv" });
    expect(refused.body.error).toContain(`The columns ${heading} and Buyer GSTIN both have the customer's GSTIN.`);
  },
);

test("customers are found by the whole GSTIN, in the list, in choices and in the search over everything", async () => {
  const { owner, importFile } = await open();
  await importFile(`customer_code,customer_name,gstin\nG1,Goa Mills,${GOA}\nG2,Other,${KARNATAKA}\n`);
  for (const typed of [GOA, GOA.toLowerCase()]) {
    for (const path of ["/customers?search=", "/session/customer-choices?search="]) {
      const { customers } = (await owner.get(`${path}${typed}`)).body as { customers: { customer_code: string }[] };
      expect(
        customers.map(({ customer_code }) => customer_code),
        path,
      ).toEqual(["G1"]);
    }
    expect(JSON.stringify((await owner.get(`/search?text=${typed}`)).body)).toContain("Goa Mills");
  }
  expect((await owner.get("/customers?search=30AAACI9999K1ZQ")).body.customers).toEqual([]);
});
