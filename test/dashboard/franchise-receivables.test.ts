// What the customers of a franchise owe: receivables by age and statements of account, for the merchant and for the franchise itself.
// docs/rules/franchises.md#receivables
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";
import { readPdf } from "../support/pdf.ts";

const PASSWORD = "a long enough secret";
const PERIOD = "from_date=2026-06-01&to_date=2099-12-31";

let site: Installation;
let shop: Invoices;
let owner: Browser;
let north: Browser;
let asOwner: Raw;
let asNorth: Raw;
let asStranger: Raw;
const franchises: Record<string, string> = {};
const customers: Record<string, string> = {};

async function saveFranchise(of: Invoices, code: string): Promise<string> {
  const login = { email: `${code.toLowerCase()}.receivables@example.com`, password: PASSWORD };
  return saveFranchiseWithLogin(site, of.merchant, login, { franchise_code: code, franchise_name: `${code} Branch` });
}

async function bill(customer_code: string, franchise: string, bill_date: string, due_date: string, amount: string) {
  const particular_rows = [{ item: "Work", total_amount: amount }];
  const franchise_id = franchises[franchise] ?? "";
  return (await shop.add({ customer_code, franchise_id, bill_date, due_date, particular_rows }))["invoice_id"]!;
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const { status, body: answer } = await asOwner("POST", path, body);
  expect([path, status, answer]).toEqual([path, 200, answer]);
  return answer as Record<string, unknown>;
}

beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  asOwner = rawOf(site, owner);
  for (const code of ["NORTH", "SOUTH"]) franchises[code] = await saveFranchise(shop, code);
  north = new Browser(site.server.baseUrl);
  const login = { email: "north.receivables@example.com", password: PASSWORD, merchant: shop.merchant.id };
  await north.post("/session/sign-in", login);
  asNorth = rawOf(site, north);
  for (const code of ["A", "B"]) await shop.addCustomer({ customer_code: code, customer_name: `Shop ${code}` });
  for (const { customer_code, customer_id } of (await asOwner("GET", "/customers")).body.customers) {
    customers[customer_code] = customer_id;
  }
  await billAll();
  const others = await Invoices.ofNewMerchant(site, { gstin: "" });
  franchises["FOREIGN"] = await saveFranchise(others, "FOREIGN");
  asStranger = rawOf(site, await Browser.signIn(site, await newPerson(site, others.merchant.id)));
});
afterAll(() => site?.stop());

/** A owes the merchant, North and South; B owes South alone; C1 owes North, which gives some of it back. */
async function billAll(): Promise<void> {
  await bill("A", "", "2026-06-01", "2026-06-10", "900.00");
  const late = await bill("A", "NORTH", "2026-06-02", "2026-06-12", "500.00");
  const later = await bill("A", "NORTH", "2026-07-01", "2026-08-20", "250.00");
  await bill("A", "SOUTH", "2026-06-05", "2026-06-20", "70.00");
  await bill("B", "SOUTH", "2026-06-05", "2026-06-25", "40.00");
  const returned = await bill("C1", "NORTH", "2026-06-15", "2026-06-30", "300.00");
  const neft = { mode: "NEFT", bank_ref_no: "UTR5" };
  await shop.settle({ ...neft, invoice_id: late, amount: "100.00", paid_date: "2026-06-20" });
  const bounced = await shop.settle({ ...neft, invoice_id: late, amount: "30.00", paid_date: "2026-06-22" });
  const payment = String(bounced.body.srvrsp.transaction_id);
  await post(`/invoices/${late}/payments/${payment}/reverse`, { reason: "Bounced" });
  // More than is due to North: the rest is an advance of the merchant.
  const allocations = [{ invoice_id: later, amount: "200.00" }];
  const receipt = { customer_id: customers["A"], amount: "260.00", date: "2026-07-15", mode: "NEFT", allocations };
  await post("/receipts", receipt);
  await shop.settle({ ...neft, invoice_id: returned, amount: "300.00", paid_date: "2026-07-02" });
  const note = { date: "2026-07-10", reason: "Returned", amount: "120.00", refund_to: null };
  await post(`/invoices/${returned}/credit-notes`, { request_key: "note-of-north", ...note });
}

type Ages = Readonly<Record<string, string>>;
const AGES = ["not_due", "days_1_to_30", "days_31_to_60", "days_61_to_90", "over_90_days", "total"];

/** By documents alone, of a franchise: what each customer owed at the end of a day, by age. */
const BY_DOCUMENTS = `
  with due as (
    select customer_id, $3::date - due_date as late, amount_paise
      - coalesce((select sum(amount_paise) from settlement paid where paid.merchant_id = $1
        and paid.invoice_id = invoice.invoice_id and paid_date <= $3
        and (reversed_at is null or (reversed_at at time zone 'Asia/Kolkata')::date > $3)), 0)
      - coalesce((select sum(reduces_due_paise) from credit_note note where note.merchant_id = $1
        and note.invoice_id = invoice.invoice_id and note_date <= $3), 0) as paise
    from invoice where merchant_id = $1 and franchise_id = $2 and bill_date <= $3
  )
  select customer_code, (coalesce(sum(paise) filter (where late <= 0), 0) / 100)::numeric(20, 2)::text as not_due,
    (coalesce(sum(paise) filter (where late between 1 and 30), 0) / 100)::numeric(20, 2)::text as days_1_to_30,
    (coalesce(sum(paise) filter (where late between 31 and 60), 0) / 100)::numeric(20, 2)::text as days_31_to_60,
    (coalesce(sum(paise) filter (where late between 61 and 90), 0) / 100)::numeric(20, 2)::text as days_61_to_90,
    (coalesce(sum(paise) filter (where late > 90), 0) / 100)::numeric(20, 2)::text as over_90_days,
    (sum(paise) / 100)::numeric(20, 2)::text as total
  from due join customer using (customer_id) where customer.merchant_id = $1
  group by customer_code having sum(paise) <> 0 order by sum(paise) desc`;

const rowsOf = (body: { customers: Ages[] }): unknown[] =>
  body.customers.map((row) => [row["customer_code"], ...AGES.map((age) => row[age])]);

test("on every day, a franchise's receivables are those of its invoices by SQL, for the merchant and for itself", async () => {
  let [day, owing] = [Temporal.PlainDate.from("2026-06-01"), 0];
  for (; day.toString() <= "2026-12-01"; day = day.add({ days: 3 })) {
    for (const code of ["NORTH", "SOUTH"]) {
      const asked = [shop.merchant.id, franchises[code], day.toString()];
      const { rows } = await site.pool.query<Ages>(BY_DOCUMENTS, asked);
      owing += rows.length;
      const expected = [code, day.toString(), rowsOf({ customers: rows })];
      const { body } = await asOwner("GET", `/reports/ageing?as_of=${day.toString()}&franchise=${franchises[code]}`);
      expect([code, day.toString(), rowsOf(body)]).toEqual(expected);
      expect(body.totals.customers).toBe(rows.length);
      if (code === "SOUTH") continue;
      for (const path of ["", `&franchise=${franchises["NORTH"]}`]) {
        const own = await asNorth("GET", `/reports/ageing?as_of=${day.toString()}${path}`);
        expect(own.body).toEqual(body);
      }
    }
  }
  expect(owing).toBeGreaterThan(100);
});

test("pages and files have the same customers", async () => {
  const path = "/reports/ageing?as_of=2026-06-30";
  const { body: first } = await asNorth("GET", `${path}&limit=1`);
  expect(first).toMatchObject({ customers: [{ customer_code: "A" }], totals: { customers: 2, total: "670.00" } });
  const { body: second } = await asNorth("GET", `${path}&limit=1&after=${first.next}`);
  expect(second).toMatchObject({ customers: [{ customer_code: "C1" }], next: null });
  for (const [browser, query] of [
    [north, "as_of=2026-06-30"],
    [owner, `as_of=2026-06-30&franchise=${franchises["NORTH"]}`],
  ] as const) {
    const csv = await browser.getFile(`/reports/ageing.csv?${query}`);
    const [, ...lines] = Buffer.from(csv.bytes).toString("utf8").trim().split("\r\n");
    expect(lines).toEqual([
      "A,Shop A,0.00,370.00,0.00,0.00,0.00,370.00",
      "C1,Asha Rao,300.00,0.00,0.00,0.00,0.00,300.00",
    ]);
    expect((await browser.getFile(`/reports/ageing.xlsx?${query}`)).status).toBe(200);
  }
});

test("a franchise that is not the caller's or the merchant's is not found, and other reports are refused", async () => {
  const missing = { status: 404, body: { error: { code: "franchise_not_found" } } };
  for (const form of ["", ".csv", ".xlsx"]) {
    const path = (code: string) => `/reports/ageing${form}?franchise=${franchises[code]}`;
    expect(await asNorth("GET", path("SOUTH"))).toMatchObject(missing);
    expect(await asOwner("GET", path("FOREIGN"))).toMatchObject(missing);
    expect(await asStranger("GET", path("NORTH"))).toMatchObject(missing);
  }
  expect((await asOwner("GET", "/reports/ageing?franchise=north")).status).toBe(400);
  for (const path of ["/reports/trial-balance", `/reports/day-book?${PERIOD}`]) {
    expect([path, (await asNorth("GET", path)).status]).toEqual([path, 403]);
  }
});

test("a franchise's statement of a customer has its own invoices, and ends with what is due on them", async () => {
  const { status, body } = await asNorth("GET", `/customers/${customers["A"]}/statement?${PERIOD}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const lines = body.lines.map(({ date, voucher_type, debit, credit }: Ages) => [date, voucher_type, debit, credit]);
  const today = lines.at(-1)![0];
  expect(lines).toEqual([
    ["2026-06-02", "Sales", "500.00", "0.00"],
    ["2026-06-20", "Receipt", "0.00", "100.00"],
    ["2026-06-22", "Receipt", "0.00", "30.00"],
    ["2026-07-01", "Sales", "250.00", "0.00"],
    ["2026-07-15", "Receipt", "0.00", "200.00"],
    [today, "Receipt reversed", "30.00", "0.00"],
  ]);
  expect([body.opening_balance, body.closing_balance]).toEqual(["0.00", "450.00"]);
  const { body: aged } = await asNorth("GET", "/reports/ageing");
  expect(aged.customers.find((row: Ages) => row["customer_code"] === "A").total).toBe("450.00");
  const july = await asNorth("GET", `/customers/${customers["A"]}/statement?from_date=2026-07-01&to_date=2026-07-31`);
  expect(july.body).toMatchObject({ opening_balance: "370.00", closing_balance: "420.00" });

  // What is owed back to C1 is not due, but in its favour.
  const { body: owedBack } = await asNorth("GET", `/customers/${customers["C1"]}/statement?${PERIOD}`);
  expect(owedBack.closing_balance).toBe("-120.00");

  // The merchant's has all invoices, and the advance.
  const { body: whole } = await asOwner("GET", `/customers/${customers["A"]}/statement?${PERIOD}`);
  expect(whole.closing_balance).toBe("1360.00");
});

test("its PDF says whose invoices it has, and a customer of others is not found", async () => {
  const pdf = await north.getFile(`/customers/${customers["A"]}/statement/pdf?${PERIOD}`);
  expect(pdf.status).toBe(200);
  const text = (await readPdf(pdf.bytes)).pages.join(" ");
  for (const words of ["Invoices of NORTH Branch only.", "Shop A", "450.00"]) expect(text).toContain(words);
  const missing = { status: 404, body: { error: { code: "customer_not_found" } } };
  for (const form of ["", "/pdf"]) {
    const path = `/customers/${customers["B"]}/statement${form}?${PERIOD}`;
    expect(await asNorth("GET", path)).toMatchObject(missing);
    expect(await asStranger("GET", path)).toMatchObject(missing);
  }
  const sent = await asNorth("POST", `/customers/${customers["A"]}/send-statement`, {
    from_date: "2026-06-01",
    to_date: "2026-12-31",
  });
  expect(sent.status).toBe(403);
});
