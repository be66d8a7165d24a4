// Files that people choose in the dashboard: in the encodings of spreadsheets, and files that are no CSV. What each
// kind of file may hold is tested beside its reader.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  ({ merchant } = await Invoices.ofNewMerchant(site, { gstin: "" }));
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});
afterAll(() => site?.stop());

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const KEY = "request_key=0123456789abcdef&name=a.csv";
const ROUTES = [
  "/payout-files/preview",
  `/payout-batches?${KEY}`,
  "/beneficiary-files/preview",
  "/beneficiary-files",
  "/customer-files/preview",
  "/opening-balance-files/preview",
  "/receipt-files/preview",
  "/invoice-files/preview",
  "/reconciliation/preview?account=HDFC",
  "/reconciliation/import?account=HDFC",
];
const OTHER_FILES: readonly [what: string, bytes: Buffer, type: string, told: RegExp][] = [
  ["an Excel workbook", Buffer.from("PK\x03\x04\x14\0", "latin1"), XLSX, /is an Excel workbook.*save it as CSV/],
  [
    "an older one",
    Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1", "latin1"),
    "application/vnd.ms-excel",
    /Excel workbook \(\.xls\).*save it as CSV/,
  ],
  ["a PDF", Buffer.from("%PDF-1.7\n"), "application/pdf", /is a PDF/],
  [
    "a table of HTML under another name",
    Buffer.from("<html><table><tr><td>Date</td></tr></table></html>"),
    "application/vnd.ms-excel",
    // Statements may be tables of HTML, which this is, without a statement.
    /is a web page|no heading row/,
  ],
  ["a picture", Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"), "image/png", /not readable text/],
  ["nothing", Buffer.alloc(0), "text/csv", /is empty/],
];

describe.each(ROUTES)("POST %s", (route) => {
  test.each(OTHER_FILES)("refuses %s with what to do", async (_, bytes, type, told) => {
    const before = await merchant.snapshot();
    const { status, body } = await owner.post(route, bytes, { "content-type": type });
    expect([status, body.code]).toEqual([400, "validation_failed"]);
    expect(body.error).toMatch(told);
    expect(body.errors).toMatchObject([{ field: "file" }]);
    expect(await merchant.snapshot()).toEqual(before);
  });
});

test.each([
  ["UTF-16 with tabs", Buffer.from("\uFEFFcustomer_code\tcustomer_name\nD1\tD’Souza आशा\n", "utf16le"), "D’Souza आशा"],
  ["Windows-1252", Buffer.from("customer_code,customer_name\nD1,D\x92Souza Caf\xe9\n", "latin1"), "D’Souza Café"],
  [
    "a line for Excel, and formulas that keep texts",
    Buffer.from('\uFEFFsep=;\r\ncustomer_code;customer_name\r\n="0042";="007"\r\n'),
    "007",
  ],
])("%s is read", async (_, bytes, name) => {
  const { body } = await owner.post("/customer-files/preview", bytes, { "content-type": "application/vnd.ms-excel" });
  expect(body).toMatchObject({ lines: 1, bad_lines: 0, good: [{ customer: { customer_name: name } }] });
});

test("a line with more cells than headings is refused in every file of lines", async () => {
  const files = {
    "/payout-files/preview": "name,upi,amount\nUma,uma@upi,1,590.00\n",
    "/beneficiary-files/preview": "name,upi\nUma, Dr,uma@upi\n",
    "/customer-files/preview": "customer_code,customer_name\nC1,Uma, Dr\n",
  };
  for (const [route, csv] of Object.entries(files)) {
    const { body } = await owner.post(route, Buffer.from(csv), { "content-type": "text/csv" });
    expect(body.errors, route).toEqual([
      { line: 2, field: "", message: expect.stringMatching(/^The line has \d cells under \d headings/) as string },
    ]);
  }
  const csv = "invoice_reference,customer_code,customer_name,bill_date,due_date,item,total_amount\n";
  const lines = [
    "1,C1,One,2026-11-01,2026-11-16,Work,10",
    "1,C1,One,2026-11-01,2026-11-16,Work,1,500.00",
    "2,C1,One,2026-11-01,2026-11-16,Other,10",
  ].join("\n");
  const { body } = await owner.post("/invoice-files/preview", Buffer.from(`${csv}${lines}\n`), {
    "content-type": "text/csv",
  });
  // The other lines of its invoice are not saved without it.
  expect(body).toMatchObject({ lines: 3, good: 1, problems: [{ line: 3, column: "" }] });
});

test("dates in numbers alone are asked about in every file that has dates", async () => {
  const ask = (route: string, csv: string) => owner.post(route, Buffer.from(csv), { "content-type": "text/csv" });
  await owner.post("/customer-columns", { name: "Since", type: "date" });
  const year = Temporal.Now.plainDateISO("Asia/Kolkata").year;
  const files = [
    ["/payout-files/preview", `name,upi,amount,scheduled_for\nUma,uma@upi,1.00,02/03/${year + 1}\n`],
    ["/customer-files/preview", `customer_code,customer_name,since\nNEW-1,One,02/03/${year}\n`],
    ["/opening-balance-files/preview", `customer_code,date,amount\nC1,02/03/${year},5\n`],
    ["/receipt-files/preview", `customer_code,date,amount,mode\nC1,02/03/${year},5,Cash\n`],
    [
      "/invoice-files/preview",
      `customer_code,customer_name,bill_date,due_date,total_amount\nC1,One,02/03/${year},03-04-${year},5\n`,
    ],
  ] as const;
  for (const [route, csv] of files) {
    const asked = await ask(route, csv);
    expect(asked.status, route).toBe(400);
    expect(asked.body.errors, route).toMatchObject([{ field: "date_order", code: "required" }]);
    expect((await ask(`${route}?date_order=day-first`, csv)).body, route).toMatchObject({ lines: 1 });
  }
  const monthFirst = await ask(`${files[1][0]}?date_order=month-first`, files[1][1]);
  expect(JSON.stringify(monthFirst.body.good)).toContain(`${year}-02-03`);
});

test("every CSV file that is downloaded begins with a byte order mark, and is read back", async () => {
  const files = [
    "/payout-files/sample",
    "/beneficiary-files/sample",
    "/customer-files/sample",
    "/opening-balance-files/sample",
    "/receipt-files/sample",
    "/invoice-files/sample",
    "/transfers.csv",
    "/beneficiaries.csv",
    "/customers.csv",
    "/invoices.csv",
    "/statement.csv",
    "/reconciliation.csv",
  ];
  for (const path of files) {
    const { status, bytes } = await owner.getFile(path);
    expect([status, Buffer.from(bytes.slice(0, 3)).toString("hex")], path).toEqual([200, "efbbbf"]);
  }
  const { bytes } = await owner.getFile("/payout-files/sample");
  const { body } = await owner.post("/payout-files/preview", Buffer.from(bytes), { "content-type": "text/csv" });
  expect(body).toMatchObject({ lines: 1, good: 1, errors: [] });
});

test("a file of payouts with a warning about money is paid only once the warning is accepted", async () => {
  const file = "name,upi,amount,reference_id,pay?\nUma,uma@upi,1.00,no-1,no\n";
  const send = (query: string) =>
    owner.post(`/payout-batches?name=a.csv${query}`, file, { "content-type": "text/csv" });
  const before = await merchant.snapshot();
  const refused = await send("");
  expect([refused.status, refused.body.code]).toEqual([400, "validation_failed"]);
  expect(refused.body.errors.map(({ field }: { field: string }) => field)).toContain("accept_warnings");
  expect(await merchant.snapshot()).toEqual(before);
  expect((await send("&accept_warnings=1")).status).toBe(200);
});
