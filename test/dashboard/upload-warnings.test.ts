// What the check of a file of invoices warns of, and the answer of its import.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  const { merchant } = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});
afterAll(() => site?.stop());

const check = (csv: string) => owner.post("/invoice-files/preview", Buffer.from(csv), { "content-type": "text/csv" });
type Checked = {
  good: number;
  problems: { line: number; column: string; message: string }[];
  batches: Batch[];
};
type Batch = { key: string; lines: number[]; invoices: object[] };
const save = ({ key, lines, invoices }: Batch) =>
  owner.post("/invoice-files", { request_key: key, template_id: "", lines, invoice: invoices });

describe("warnings", () => {
  const ROWS = "customer_code,customer_name,bill_date,due_date,item,sac_code,description,gst,total_amount";
  const line = (rest: string, billDate = "2026-11-01") => `W1,Warned,${billDate},${billDate},${rest}`;
  type Warned = { warnings: { line: number; column: string; message: string }[] };

  test("are those of invoice/save, by line and column, and block nothing", async () => {
    const csv = [
      ROWS,
      line("I,998314,,18,1000.00", "2062-11-01"),
      line("I,998314,,17,1000.00"),
      line("I,998314,,0.18,1001.00"),
      line("I,0000,,18,1002.00"),
      line("I,998314,,18,1003.00"),
    ].join("\n");
    const { body } = await check(csv);
    const { good, warnings, batches } = body as unknown as Checked & Warned;
    expect(good).toBe(5);
    const slips = warnings.filter(({ message }) => !message.includes("GST is not charged"));
    expect(slips.map((warning) => `${warning.line} ${warning.column} ${warning.message}`)).toEqual([
      expect.stringMatching(/^2 bill_date 2062-11-01 is more than a year away/),
      "3 gst 17 % is not a GST rate.",
      "4 gst 0.18 % is not a GST rate.",
      expect.stringMatching(/^5 sac_code 0000 is not an HSN or SAC code/),
    ]);
    const saved = await save(batches[0]!);
    const said = (saved.body as unknown as { warnings: { line: number; field: string; message: string }[] }).warnings;
    expect(said.map(({ line: of, message }) => `${of} ${message}`)).toEqual(
      warnings.map(({ line: of, message }) => `${of} ${message}`),
    );
  });

  test("tell of an amount that may be cut, which is refused behind a rate that there is not", async () => {
    const { body } = await check([ROWS, line("I,998314,18,1,500.00"), line("I,998314,18,2,500.00")].join("\n"));
    const { problems, warnings } = body as unknown as Checked & Warned;
    expect(warnings.find(({ column }) => column === "total_amount")).toEqual({
      line: 2,
      column: "total_amount",
      message: "500.00 after 1: was this 1,500.00? Put amounts with commas in quotation marks.",
    });
    expect(problems).toEqual([{ line: 3, column: "", message: expect.stringContaining("500.00 after 2") as string }]);
    const other = await check(
      "customer_code,bill_date,due_date,item,total_amount,gst\nW1,2026-11-01,2026-11-01,I,1,018\n",
    );
    expect(other.body).toMatchObject({
      good: 0,
      problems: [{ message: expect.stringMatching(/018 begins with zeros/) as string }],
    });
  });
});
