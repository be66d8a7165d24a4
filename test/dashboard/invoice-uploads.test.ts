// Files of invoices in the dashboard: what is wrong with which line, which lines are one invoice, and what is saved.
// The page itself is walked in test/browser.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let invoices: Invoices;
let owner: Browser;
let franchiseId: string;
beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  franchiseId = await saveFranchiseWithLogin(
    site,
    invoices.merchant,
    { email: "north@example.com", password: "a long password" },
    { franchise_code: "F1", franchise_name: "North" },
  );
});
afterAll(() => site?.stop());

async function countInvoices(): Promise<unknown> {
  return (await invoices.list()).body.total_records;
}

const HEAD = "customer_code,customer_name,bill_date,due_date,item,gst,total_amount,PO number,franchise_code";
const check = (csv: string | Buffer, query = "") =>
  owner.post(`/invoice-files/preview${query}`, Buffer.from(csv), { "content-type": "text/csv" });
type Checked = {
  lines: number;
  good: number;
  invoices: number;
  problems: { line: number; column: string; message: string }[];
  bad_lines: string;
  saved: { lines: number; invoices: number; first: { line: number; invoice_id: string; invoice_number: string }[] };
  alike: {
    rest_total: string;
    invoices: { line: number; amount: string; invoice_id: string; invoice_number: string }[];
  };
  batches: Batch[];
};
type Batch = { key: string; lines: number[]; through: number; invoices: object[] };
const save = ({ key, lines, invoices: sent }: Batch, template_id = "") =>
  owner.post("/invoice-files", { request_key: key, template_id, lines, invoice: sent });

test("an amount with a decimal comma is refused, and amounts with grouped digits are read", async () => {
  const amounts = ["1500,50", "123,00", "1,23,456.00", "1,234,567.50", "₹ 1,000"];
  const lines = amounts.map((amount) => `C1,,2026-11-01,2026-11-16,Work,0,"${amount}",,`);
  const { body } = await check([HEAD, ...lines].join("\n"));
  const { problems } = body as unknown as Checked;
  expect(problems.map(({ line, column }) => `${line} ${column}`)).toEqual(["2 total_amount", "3 total_amount"]);
  expect(body).toMatchObject({ good: 3, total: "1359023.50" });
});

test("tells by line and column what is wrong, and saves the others once, however often it is sent", async () => {
  const csv = [
    HEAD,
    'C1,,2026-11-01,2026-11-16,"Work, first",18,"1,000.00",PO-1,F1',
    "C1,,2026-11-31,2026-11-16,Work,18,1000.00,,",
    "N1,New Customer,2026-11-01,2026-11-16,Work,0,10.00,,",
    "N1,New Customer,2026-11-01,2026-11-16,Work,0,20.00,,",
    "NOBODY,,2026-11-01,2026-11-16,Work,0,20.00,,F9",
    "C1,,2026-11-01,2026-10-16,Work,118,x,,",
  ].join("\r\n");
  const { status, body } = await check(csv);
  expect(status).toBe(200);
  const checked = body as unknown as Checked;
  expect([checked.lines, checked.good]).toEqual([6, 3]);
  expect(checked).toMatchObject({
    total: "1030.00",
    new_customers: { count: 1, first: [{ line: 4, customer_code: "N1", customer_name: "New Customer" }] },
  });
  expect(checked.problems.map(({ line, column }) => `${line} ${column}`)).toEqual([
    "3 bill_date",
    "6 franchise_code",
    "6 customer_code",
    "7 gst",
    "7 total_amount",
    "7 due_date",
  ]);
  expect(checked.bad_lines.trim().split("\r\n")).toHaveLength(4);
  const [batch] = checked.batches;
  expect(batch!.lines).toEqual([2, 4, 5]);
  const before = (await countInvoices()) as number;
  const send = () => save(batch!);
  const answers = await Promise.all([send(), send()]);
  const again = await send();
  expect([...answers, again].map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(again.body.invoices).toEqual(answers[0].body.invoices);
  expect(await countInvoices()).toBe(before + 3);
  const [first] = again.body.invoices as { invoice_id: string }[];
  expect(await invoices.read(first!.invoice_id)).toMatchObject({
    amount: "1000.00",
    franchise_id: franchiseId,
    custom_header_fields: [{ name: "PO number", value: "PO-1" }, { name: "Notes" }],
  });
  // The same file, now that its new customer is there: all is saved before, and what is sent again is the same request.
  const later = (await check(csv)).body as unknown as Checked;
  expect(later).toMatchObject({ lines: 6, good: 0, invoices: 0, saved: { lines: 3, invoices: 3 }, batches: [] });
  expect(later.saved.first).toMatchObject(
    [2, 4, 5].map((line, index) => ({
      line,
      invoice_id: (again.body.invoices as { invoice_id: string }[])[index]!.invoice_id,
    })),
  );
  expect(later.problems).toEqual(checked.problems);
  expect(await send()).toMatchObject({ status: 200, body: { replayed: true } });
  expect(await countInvoices()).toBe(before + 3);
});

test("what a file says is the same request, whoever of its customers there is by then", async () => {
  const csv = [
    HEAD,
    "LATE,Late Customer,2026-11-01,2026-11-16,Work,0,10.00,,",
    "C1,,2026-11-01,2026-11-16,Work,0,20.00,,",
    "LATE,,2026-11-01,2026-11-16,Work,0,30.00,,",
  ].join("\n");
  const [early] = ((await check(csv)).body as unknown as Checked).batches;
  const [first] = ((await check(csv.replaceAll("Work", "Other"))).body as unknown as Checked).batches;
  expect(early!.key).not.toBe(first!.key);
  const before = (await countInvoices()) as number;
  // Two files that make the same customer at once: each is saved, and the customer is made once.
  const answers = await Promise.all([save(early!), save(first!), save(early!), save(first!)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.map(({ body }) => Number(body.replayed)).toSorted((a, b) => a - b)).toEqual([0, 0, 1, 1]);
  expect(await countInvoices()).toBe(before + 6);
  // A file that was checked before its customer was there, and another tab that checked it afterwards.
  const third = csv.replaceAll("LATE", "LATER");
  const [checkedEarly] = ((await check(third)).body as unknown as Checked).batches;
  await invoices.addCustomer({ customer_code: "LATER", customer_name: "Otherwise" });
  const [checkedLate] = ((await check(third)).body as unknown as Checked).batches;
  expect(checkedLate).toEqual(checkedEarly);
  const both = await Promise.all([save(checkedEarly!), save(checkedLate!)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(await countInvoices()).toBe(before + 9);
  expect(both[0].body.invoices).toMatchObject([{ patron_name: "Otherwise" }, {}, { patron_name: "Otherwise" }]);
});

test("takes lines of a file that have come right since it was saved, and no other of its lines again", async () => {
  const csv = [
    HEAD,
    "C1,,2026-11-01,2026-11-16,Work,0,10.00,,",
    "SOON,,2026-11-01,2026-11-16,Work,0,20.00,,",
    "SOON-2,,2026-11-01,2026-11-16,Work,0,30.00,,",
  ].join("\n");
  const before = (await countInvoices()) as number;
  const found = async () => (await check(csv)).body as unknown as Checked;
  const addCustomer = (code: string) => invoices.addCustomer({ customer_code: code, customer_name: code });
  expect((await save((await found()).batches[0]!)).status).toBe(200);
  await addCustomer("SOON");
  const second = await found();
  expect(second).toMatchObject({ good: 1, saved: { invoices: 1 }, batches: [{ lines: [3] }] });
  await addCustomer("SOON-2");
  const third = await found();
  expect(third).toMatchObject({ good: 2, saved: { invoices: 1 }, batches: [{ lines: [3, 4] }] });
  // Two tabs that found different lines left: one of them saves, and the other is told to look again.
  const answers = await Promise.all([save(second.batches[0]!), save(third.batches[0]!)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  for (const batch of (await found()).batches) expect((await save(batch)).status).toBe(200);
  expect(await found()).toMatchObject({ good: 0, saved: { invoices: 3, lines: 3 }, batches: [], problems: [] });
  expect(await countInvoices()).toBe(before + 3);
});

test("names what another file or somebody saved already: of one customer, bill date and amount", async () => {
  for (const code of ["ALIKE", "OTHER"]) await invoices.addCustomer({ customer_code: code, customer_name: code });
  const lines = [
    "ALIKE,,2026-11-01,2026-11-16,Work,0,10.00,,",
    "ALIKE,,2026-11-01,2026-11-16,Work,0,20.00,,",
    "ALIKE,,2026-11-02,2026-11-16,Work,0,30.00,,",
    "OTHER,,2026-11-01,2026-11-16,Work,0,40.00,,",
    "ALIKE,,2026-11-03,2026-11-16,Work,0,50.00,,",
  ];
  const found = async (...csv: string[]) => (await check([HEAD, ...csv].join("\n"))).body as unknown as Checked;
  const first = await found(...lines);
  expect(first.alike).toEqual({ rest_total: "150.00", invoices: [] });
  const saved = (await save(first.batches[0]!)).body.invoices as { invoice_id: string; invoice_number: string }[];
  expect((await invoices.cancel(saved[4]!.invoice_id)).status).toBe(200);
  // The same file again is known as such; a corrected one is not, and neither is what was typed.
  expect((await found(...lines)).alike.invoices).toEqual([]);
  const corrected = await found(
    lines[0]!.replace("Work", "Better work"),
    lines[1]!.replace("20.00", "20.01"),
    lines[2]!.replace("2026-11-02", "2026-11-04"),
    lines[3]!.replace("OTHER", "ALIKE"),
    lines[4]!.replace("Work", "Once more"),
    "NEW-1,Somebody new,2026-11-01,2026-11-16,Work,0,10.00,,",
  );
  const { invoice_id, invoice_number } = saved[0]!;
  expect(corrected.alike).toEqual({
    rest_total: "150.01",
    invoices: [{ line: 2, amount: "10.00", invoice_id, invoice_number }],
  });
  expect(corrected.invoices, "they may be saved all the same").toBe(6);
  // One that there is stands for one line, and what was saved of a file stands for no other line of it.
  const thrice = await found(...["A", "B", "C"].map((item) => lines[0]!.replace("Work", item)));
  expect(thrice.alike).toMatchObject({ rest_total: "20.00", invoices: [{ line: 2, invoice_id }] });
  const twins = ["D", "E", "F"].map((item) => lines[4]!.replace("Work", item));
  const { key, lines: numbers, through, invoices: sent } = (await found(...twins)).batches[0]!;
  expect((await save({ key, lines: numbers.slice(0, 2), through, invoices: sent.slice(0, 2) })).status).toBe(200);
  expect(await found(...twins)).toMatchObject({ saved: { invoices: 2 }, invoices: 1, alike: { invoices: [] } });
  expect((await found(...twins.map((line) => line.replace("Work", "G")), lines[4]!)).alike.invoices).toHaveLength(2);
  const doubled = await save({ key: "upload-doubled", lines: [2, 2], through, invoices: sent.slice(0, 2) });
  expect([doubled.status, doubled.body.errors]).toMatchObject([400, [{ field: "lines" }]]);
  const elsewhere = await Invoices.ofNewMerchant(site, { gstin: "" });
  await elsewhere.addCustomer({ customer_code: "ALIKE", customer_name: "ALIKE" });
  const other = await Browser.signIn(site, await newPerson(site, elsewhere.merchant.id));
  const theirs = await other.post("/invoice-files/preview", Buffer.from([HEAD, lines[0]].join("\n")), {
    "content-type": "text/csv",
  });
  expect(theirs.body).toMatchObject({ invoices: 1, alike: { invoices: [] } });
});

test("refuses who may save no invoices, and lines that are not as many as the invoices", async () => {
  const clerk = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Viewer"));
  expect(
    (await clerk.post("/invoice-files", { request_key: "upload-clerk", template_id: "", lines: [2], invoice: [] }))
      .status,
  ).toBe(403);
  const invoice = {
    customer_code: "C1",
    bill_date: "2026-11-01",
    due_date: "2026-11-16",
    particular_rows: [{ item: "Work", total_amount: "1" }],
  };
  const { status, body } = await owner.post("/invoice-files", {
    request_key: "upload-lines",
    template_id: "",
    lines: [2, 3],
    invoice: [invoice],
  });
  expect([status, body.errors[0].field]).toEqual([400, "lines"]);
});

test("starts from a sample that is good as it stands, and makes its customer", async () => {
  const { body } = await owner.get("/invoice-files/sample");
  const { body: checked } = await check(body as string);
  expect(checked).toMatchObject({ lines: 1, good: 1, problems: [] });
  const { status, body: saved } = await save((checked as unknown as Checked).batches[0]!);
  expect([status, saved.invoices]).toMatchObject([200, [{ code: "EXAMPLE-1", patron_name: "Example Customer" }]]);
});

test("takes the lines with problems again once they are corrected, as they were before they were written for a spreadsheet", async () => {
  const csv = `customer_code,customer_name,mobile,bill_date,due_date,item,total_amount\nN2,=Asha,+91 9876543210,2026-11-31,2026-12-16,-Work,10`;
  const { bad_lines: badLines } = (await check(csv)).body as unknown as Checked;
  expect(badLines).toContain("N2,'=Asha,'+91 9876543210,2026-11-31,2026-12-16,'-Work,10");
  const { body } = await check(badLines.replace("2026-11-31", "2026-11-30"));
  expect(body).toMatchObject({ lines: 1, good: 1, problems: [] });
  const [batch] = (body as unknown as Checked).batches;
  expect(batch!.invoices).toMatchObject([
    { new_customer: { customer_name: "=Asha", mobile: "+91 9876543210" }, particular_rows: [{ item: "-Work" }] },
  ]);
});

describe("with several lines for one invoice", () => {
  const LINES =
    "invoice_reference,customer_code,customer_name,bill_date,due_date,PO number,item,gst,total_amount,item_2,total_amount_2";

  test("makes one invoice of them, with the head of the first line and the items of all, in their order", async () => {
    const csv = [
      LINES,
      "A,M1,Many Items,01/11/2026,2026-11-16,PO-9,Rent,18,100.00,Water,5.00",
      ",C1,,2026-11-02,2026-11-16,,Single,0,7.00,,",
      "A,,,,,,Power,18,200.00,,",
      "B,M1,Many Items,2026-11-01,2026-11-16,,Other,0,1.00,,",
      'A,M1,Many Items,2026-11-01,16/11/2026,PO-9,Lift,0,"1,000.50",,',
      ",C1,,2026-11-02,2026-11-16,,Single,0,7.00,,",
    ].join("\n");
    const { body } = await check(csv);
    const checked = body as unknown as Checked;
    expect(checked).toMatchObject({ lines: 6, good: 6, invoices: 4, problems: [], bad_lines: "" });
    const [batch] = checked.batches;
    expect([batch!.lines, batch!.through]).toEqual([[2, 3, 5, 7], 7]);
    const answers = await Promise.all([save(batch!), save(batch!)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const saved = answers[0].body.invoices as { invoice_id: string; code: string }[];
    expect(saved.map(({ code }) => code)).toEqual(["M1", "C1", "M1", "C1"]);
    expect(answers[1].body.invoices).toEqual(saved);
    const first = await invoices.read(saved[0]!.invoice_id);
    expect(first).toMatchObject({ bill_date: "2026-11-01", due_date: "2026-11-16", sub_total: "1305.50" });
    expect(first["particular_rows"]).toMatchObject([
      { item: "Rent" },
      { item: "Water" },
      { item: "Power" },
      { item: "Lift" },
    ]);
    expect(first["custom_header_fields"]).toMatchObject([{ name: "PO number", value: "PO-9" }, { name: "Notes" }]);
    expect(await invoices.read(saved[1]!.invoice_id)).toMatchObject({ sub_total: "7.00" });
  });

  test("names line and column of what contradicts and of each item, and takes none of such an invoice's lines", async () => {
    const csv = [
      LINES,
      "A,C1,,2026-11-01,2026-11-16,,Rent,18,100.00,,",
      "B,C1,,2026-11-01,2026-11-16,,Fine,0,1.00,,",
      "A,C2,,2026-11-01,2026-11-17,PO-1,Power,18,200.00,,",
      "A,,,,,,Water,118,3.00,Ice,x",
      "A,,,,,,,,,,",
      "B,,,,,,Fine too,0,1.00,,",
    ].join("\n");
    const { body } = await check(csv);
    const checked = body as unknown as Checked;
    expect(checked).toMatchObject({ lines: 6, good: 2, invoices: 1 });
    expect(checked.problems.map(({ line, column }) => `${line} ${column}`)).toEqual([
      "4 customer_code",
      "4 due_date",
      "4 PO number",
      "5 gst",
      "5 total_amount_2",
      "6 total_amount",
    ]);
    expect(checked.problems.map(({ message }) => message)).toEqual([
      "is C1 on line 2, the first line of invoice A: repeat that, or leave it empty.",
      "is 2026-11-16 on line 2, the first line of invoice A: repeat that, or leave it empty.",
      "is empty on line 2, the first line of invoice A: fill it in there.",
      expect.stringContaining("100"),
      expect.stringMatching(/^must be/),
      "is required: each further line of an invoice is another item.",
    ]);
    expect(checked.batches).toMatchObject([{ lines: [3], through: 7 }]);
    const bad = checked.bad_lines.trim().split("\r\n");
    expect(bad.map((line) => line.split(",")[0])).toEqual(["invoice_reference", "A", "A", "A", "A"]);
    // Corrected, they are one invoice.
    const corrected = [bad[0], bad[1], "A,,,,,,Power,18,200.00,,", "A,,,,,,Water,18,3.00,Ice,4"].join("\n");
    expect((await check(corrected)).body).toMatchObject({ lines: 3, good: 3, invoices: 1, problems: [] });
  });

  test("goes by the merchant's own invoice number where there is no reference", async () => {
    const template = {
      request_key: "own-numbers",
      name: "Own numbers",
      prefix: "ON-",
      yearly: 1,
      header_fields: [{ id: "", name: "Invoice no", type: "text", value: "" }],
    };
    const { template_id } = (await owner.post("/templates", template)).body as { template_id: string };
    const csv = [
      "customer_code,bill_date,due_date,Invoice no,item,total_amount",
      "C1,2026-11-01,2026-11-16,T/1,Rent,1",
      "C1,2026-11-01,2026-11-16,T/1,Power,2",
      "C1,2026-11-01,2026-11-16,T/2,Rent,4",
      "C1,2026-11-01,2026-11-16,,Rent,8",
      "C1,2026-11-01,2026-11-16,,Rent,8",
    ].join("\n");
    const { body } = await check(csv, `?template_id=${template_id}`);
    const { batches, ...checked } = body as unknown as Checked;
    expect(checked).toMatchObject({ lines: 5, good: 5, invoices: 4 });
    const saved = (await save(batches[0]!, template_id)).body.invoices as Record<string, string>[];
    expect(saved.map(({ invoice_number: number, amount }) => [number, amount])).toMatchObject([
      ["T/1", "3.00"],
      ["T/2", "4.00"],
      [expect.stringMatching(/^ON-/), "8.00"],
      [expect.stringMatching(/^ON-/), "8.00"],
    ]);
  });

  test("has so many batches of 500 invoices, whatever their lines, the same each time", async () => {
    const invoicesOf = (count: number) =>
      Array.from({ length: count }, (_, index) => [
        `R${index},C1,2026-11-01,2026-11-16,Rent,1`,
        `R${index},,,,Power,2`,
      ]).flat();
    const csv = ["invoice_reference,customer_code,bill_date,due_date,item,total_amount", ...invoicesOf(501)].join("\n");
    const { batches, ...checked } = (await check(csv)).body as unknown as Checked;
    expect(checked).toMatchObject({ lines: 1002, good: 1002, invoices: 501 });
    expect(batches.map(({ lines, through, invoices: { length } }) => [lines[0], through, length])).toEqual([
      [2, 1001, 500],
      [1002, 1003, 1],
    ]);
    expect(((await check(csv)).body as unknown as Checked).batches.map(({ key }) => key)).toEqual(
      batches.map(({ key }) => key),
    );
  });
});

test.each([
  ["a file without lines", HEAD, "no line below its headings"],
  ["a column that there is not", "customer_code,bill_date,due_date,colour\nC1,2026-11-01,2026-11-01,red", "colour"],
  ["a column too few", "customer_code,bill_date,item\nC1,2026-11-01,Work", "Missing column: due_date"],
  ["a column twice", "customer_code,bill_date,due_date,due_date\nC1,2026-11-01,2026-11-01,2026-11-01", "twice"],
  ["a quotation mark that nothing closes", `${HEAD}\nC1,,2026-11-01,2026-11-16,"Work,0,1,,\nC1,,`, "after line 1"],
  ["a number torn apart", `${HEAD}\nC1,,2026-11-01,2026-11-16,Work,0,"1,000"5,,\n`, "closing quotation mark on line 2"],
  ["too many lines", `${HEAD}\n${"C1,,2026-11-01,2026-11-16,Work,0,1,,\n".repeat(10_001)}`, "more than 10000"],
])("refuses %s, and says why", async (_, csv, reason) => {
  const { status, body } = await check(csv);
  expect(status).toBe(400);
  expect(body.errors[0].message).toContain(reason);
});

test("afterwards the books are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
