// Opening balances by API: docs/rules/invoicing.md#opening-balances
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { verifyInstallation } from "../../src/installation/index.ts";
import { INVOICE_CHECKS } from "../../src/invoices/index.ts";
import { verifySnapshot } from "../../src/payouts/verify/verify.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { settledToday } from "../support/days.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { readPdf } from "../support/pdf.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

const TODAY = await settledToday();
const WAITING = { timeout: 120_000, interval: 50 };
const OPENING = {
  customer_code: "C1",
  date: "2026-04-01",
  due_date: "2026-04-30",
  amount: "1500.00",
  note: "Three bills of last year",
  reference: "TALLY/88",
};

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
let call: Raw;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  [merchant, owner] = await newOwner();
  call = rawOf(site, owner);
});
afterAll(() => site?.stop());

async function newOwner(): Promise<[TestMerchant, Browser]> {
  const { merchant: own } = await Invoices.ofNewMerchant(site);
  return [own, await Browser.signIn(site, await newPerson(site, own.id))];
}

async function addCustomer(customer_code: string): Promise<void> {
  const { status, body } = await call("POST", "/customers", {
    customer_code,
    customer_name: `Customer ${customer_code}`,
  });
  expect(status, JSON.stringify(body)).toBe(200);
}

type Opening = Record<string, string>;
async function create(members: object = {}): Promise<Opening> {
  const { status, body } = await call("POST", "/opening-balances", { ...OPENING, ...members });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.opening_balance;
}
const at = (opening: Opening): string => `/opening-balances/${opening["opening_balance_id"]!}`;
const fields = (answer: { body: { error: { fields: { path: string; code: string }[] } } }): string[] =>
  answer.body.error.fields.map(({ path, code }) => `${path} ${code}`);

async function pay(opening: Opening, amount: string) {
  const path = `/invoices/${opening["opening_balance_id"]!}/payments`;
  const { status, body } = await call("POST", path, { paid_date: TODAY.toString(), amount, mode: "Cash", notify: "0" });
  expect(status, JSON.stringify(body)).toBe(200);
}

async function findings(): Promise<string[]> {
  const { violations } = await verifyInstallation(site.pool, { merchant: BigInt(merchant.id) });
  return violations.map(({ check }) => check);
}

describe("an opening balance", () => {
  test("is due, not billed, and in no report of GST", async () => {
    const opening = await create();
    expect(opening).toMatchObject({
      ...OPENING,
      invoice_number: `OB_${opening["opening_balance_id"]!}`,
      customer_name: expect.any(String),
      paid_amount: "0.00",
      due_amount: "1500.00",
      status: "Overdue",
      carried_to: "",
    });
    expect((await call("GET", at(opening))).body.opening_balance).toEqual(opening);
    const totals = await call("GET", "/invoices/totals");
    expect(totals.body.totals).toEqual({ invoices: 1, billed: "0.00", paid: "0.00", due: "1500.00" });
    const { body } = await call("GET", "/invoices?customer=C1");
    expect(body.invoices).toMatchObject([{ is_opening_balance: true, due_amount: "1500.00", status: "Overdue" }]);
    const period = "from_date=2026-04-01&to_date=2027-03-31";
    expect((await call("GET", `/reports/document-series?${period}`)).body).toEqual({ series: [] });
    expect((await call("GET", `/reports/sales-register?${period}`)).body.documents).toEqual([]);
    const page = (await call("GET", `/invoices/${opening["opening_balance_id"]!}/page`)).body.html as string;
    expect(page).toContain(">Opening balance</h1>");
    expect(page).toContain("TALLY/88");
    expect(page).not.toMatch(/invoice no|HSN|GST rate|Subtotal|Previous dues|Tax invoice/i);
  });

  test("is printed without a number, rows or taxes", async () => {
    const { short_url } = await create();
    const path = new URL(short_url!).pathname;
    const page = await (await fetch(new URL(path, site.server.baseUrl))).text();
    const pdf = await fetch(new URL(`${path}/pdf`, site.server.baseUrl));
    (await import("node:fs")).writeFileSync("/tmp/opening.pdf", new Uint8Array(await pdf.clone().arrayBuffer()));
    const printed = await readPdf(new Uint8Array(await pdf.arrayBuffer()));
    expect(printed.title).toContain("Opening balance");
    for (const text of [page, printed.pages.join(" ")]) {
      expect(text).toContain("Opening balance");
      expect(text).toMatch(/1 Apr(il)? 2026/);
      expect(text).toContain("1,500.00");
      expect(text).toContain("TALLY/88");
      expect(text).not.toMatch(/tax invoice|invoice (no|date)|HSN|taxable|subtotal|previous dues|CGST|reverse charge/i);
    }
  });

  test("is reminded of by its own name", async () => {
    const [known] = (await call("GET", "/customers?search=C1")).body.customers as { customer_id: number }[];
    await call("PUT", `/customers/${known!.customer_id}`, { email: "dues@example.com" });
    const { opening_balance_id: invoice_id } = await create();
    const invoices = [{ invoice_id, request_key: "reminder-of-dues-1" }];
    const reminded = await call("POST", "/invoices/remind", { invoices });
    expect(reminded.body.outcomes).toEqual([{ invoice_id, error: null }]);
    const [message] = (await call("GET", "/messages")).body.messages as { message_id: string }[];
    await vi.waitFor(async () => {
      const { body } = await call("GET", `/messages/${message!.message_id}`);
      expect(body.message.state).toBe("Held");
    }, WAITING);
    const { body } = await call("GET", `/messages/${message!.message_id}`);
    const text = JSON.stringify(body);
    expect(text).toMatch(/Opening balance OB_R\d+ from .+ was due on 30 Apr 2026/);
    expect(text).not.toMatch(/invoice no|tax invoice|previous dues/i);
  });

  test("is paid in parts, and then neither changed nor cancelled", async () => {
    const opening = await create();
    await pay(opening, "500.00");
    const partly = (await call("GET", at(opening))).body.opening_balance;
    expect(partly).toMatchObject({ paid_amount: "500.00", due_amount: "1000.00", status: "Overdue" });
    for (const [method, path, body] of [
      ["PUT", at(opening), { amount: "900.00" }],
      ["POST", `${at(opening)}/cancel`, undefined],
    ] as const) {
      const refused = await call(method, path, body);
      expect([refused.status, refused.body.error.code]).toEqual([409, "invoice_already_paid"]);
    }
    await pay(opening, "1000.00");
    expect((await call("GET", at(opening))).body.opening_balance).toMatchObject({
      due_amount: "0.00",
      status: "Paid offline",
    });
    const totals = await call("GET", "/invoices/totals");
    expect(totals.body.totals).toEqual({ invoices: 1, billed: "0.00", paid: "1500.00", due: "0.00" });
  });

  test("is changed while nothing is paid, and cancelled, which makes room for another", async () => {
    const opening = await create();
    const changed = await call("PUT", at(opening), { amount: "1200.50", due_date: "", note: "" });
    expect([changed.status, changed.body.opening_balance]).toMatchObject([
      200,
      {
        amount: "1200.50",
        due_date: "2026-04-01",
        note: "",
        reference: "TALLY/88",
        invoice_number: opening["invoice_number"],
      },
    ]);
    const cancelled = await call("POST", `${at(opening)}/cancel`);
    expect(cancelled.body.opening_balance).toMatchObject({ status: "Cancelled", due_amount: "0.00" });
    const next = await create({ amount: "1.00" });
    expect(next["invoice_number"]).not.toBe(opening["invoice_number"]);
    const { body } = await call("GET", "/opening-balances?status=Cancelled");
    expect(body.opening_balances).toMatchObject([{ opening_balance_id: opening["opening_balance_id"] }]);
    expect(await findings()).toEqual([]);
  });

  test("is no invoice: it is not changed as one, and has no credit notes", async () => {
    const opening = await create();
    const id = opening["opening_balance_id"]!;
    const changed = await call("PUT", `/invoices/${id}`, { invoice: { due_date: "2026-05-31" } });
    expect([changed.status, changed.body.error.code]).toEqual([409, "opening_balance_kept"]);
    const credited = await call("POST", `/invoices/${id}/credit-notes`, { amount: "1.00", reason: "Returned" });
    expect([credited.status, credited.body.error.code]).toEqual([409, "opening_balance_kept"]);
    expect((await call("GET", at(opening))).body.opening_balance).toEqual(opening);
  });

  test.each([
    [
      "a future date",
      { date: TODAY.add({ days: 1 }).toString(), due_date: "" },
      "date invalid",
      "must not be after today",
    ],
    ["a due date before its date", { due_date: "2026-03-31" }, "due_date invalid", "must not be before date"],
    ["no amount", { amount: "0" }, "amount invalid", "an advance"],
    ["an amount below 0", { amount: "-5" }, "amount invalid", "an advance"],
  ])("with %s is refused with the remedy, and nothing is saved", async (_, members, field, remedy) => {
    const refused = await call("POST", "/opening-balances", { ...OPENING, ...members });
    expect([refused.status, fields(refused)]).toEqual([400, [field]]);
    expect(refused.body.error.fields[0].message).toContain(remedy);
    expect((await call("GET", "/opening-balances")).body.opening_balances).toEqual([]);
  });

  test("is one for each customer: another names the first, also of several at once", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => call("POST", "/opening-balances", OPENING)));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    const id = made[0]!.body.opening_balance.opening_balance_id as string;
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, body.error.code]).toEqual([409, "opening_balance_exists"]);
      expect(body.error.message).toContain(id);
    }
    expect(await findings()).toEqual([]);
  });

  test("of another merchant is not found", async () => {
    const opening = await create();
    [merchant, owner] = await newOwner();
    call = rawOf(site, owner);
    for (const [method, path, body] of [
      ["GET", at(opening), undefined],
      ["PUT", at(opening), { amount: "1.00" }],
      ["POST", `${at(opening)}/cancel`, undefined],
    ] as const) {
      const { status, body: answer } = await call(method, path, body);
      expect([status, answer.error.code]).toEqual([404, "opening_balance_not_found"]);
    }
    const unknown = await call("POST", "/opening-balances", { ...OPENING, customer_code: "C9" });
    expect([unknown.status, fields(unknown)]).toEqual([404, ["customer_code customer_not_found"]]);
    expect((await call("GET", "/opening-balances")).body.opening_balances).toEqual([]);
  });

  test("that SQL changes is found by verify", async () => {
    const opening = await create();
    const connection = await site.pool.connect();
    try {
      await connection.query("begin");
      await connection.query("update invoice set amount_paise = 1, previous_dues_paise = 1 where invoice_id = $1", [
        BigInt(opening["opening_balance_id"]!.slice(1)),
      ]);
      const { violations } = await verifySnapshot(connection, null, INVOICE_CHECKS);
      expect(violations.map(({ check }) => check)).toContain("invoice_days");
    } finally {
      // The server would seal the change otherwise.
      await connection.query("rollback");
      connection.release();
    }
    expect(await findings()).toEqual([]);
  });
});

describe("a batch", () => {
  test("is saved all or none", async () => {
    await addCustomer("C2");
    const two = [OPENING, { customer_code: "C2", date: "2026-04-01", amount: "10.00" }];
    const twice = await call("POST", "/opening-balances/batch", { opening_balance: [...two, two[1]] });
    expect([twice.status, fields(twice)]).toEqual([400, ["opening_balance[2].customer_code not_allowed"]]);
    expect((await call("GET", "/opening-balances")).body.opening_balances).toEqual([]);
    const saved = await call("POST", "/opening-balances/batch", { opening_balance: two });
    expect([saved.status, saved.body.opening_balances]).toMatchObject([
      200,
      [{ customer_code: "C1" }, { customer_code: "C2", due_date: "2026-04-01", reference: "" }],
    ]);
    const page = await call("GET", "/opening-balances?limit=1");
    const next = await call("GET", `/opening-balances?limit=1&after=${String(page.body.next)}`);
    expect([page, next].map(({ body }) => body.opening_balances[0].customer_code)).toEqual(["C2", "C1"]);
    const again = await call("POST", "/opening-balances/batch", { opening_balance: two });
    expect([again.status, fields(again)]).toEqual([
      409,
      [
        "opening_balance[0].customer_code opening_balance_exists",
        "opening_balance[1].customer_code opening_balance_exists",
      ],
    ]);
    expect(await findings()).toEqual([]);
  });
});

describe("a file", () => {
  const HEAD = "customer_code,date,amount,note,reference,due_date";
  const preview = async (text: string, query = "") => {
    const answer = await owner.post(`/opening-balance-files/preview${query}`, Buffer.from(text), {
      "content-type": "text/csv",
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };

  test("is checked by line, and its good lines are a batch", async () => {
    await addCustomer("C2");
    await create();
    const lines = [
      'C2,01/04/2026,"₹1,180.50",Bill 7,T/7,30 Apr 2026',
      "C1,2026-04-01,10,,,",
      "C9,2026-04-01,10,,,",
      "C2,2026-04-01,10,,,",
      `C2,${TODAY.add({ days: 1 }).toString()},-5,,,`,
    ];
    const checked = await preview([HEAD, ...lines, ""].join("\n"), "?date_order=day-first");
    expect(checked).toMatchObject({ lines: 5, bad_lines: 4, good_amount: "1180.50", more_errors: 0, ignored: [] });
    const sent = { customer_code: "C2", date: "2026-04-01", amount: "1180.50", note: "Bill 7", reference: "T/7" };
    const good = [{ line: 2, customer_name: "Customer C2", opening_balance: { ...sent, due_date: "2026-04-30" } }];
    expect(checked.good).toEqual(good);
    const errors = checked.errors as { line: number; field: string; message: string }[];
    expect(errors.map(({ line, field }) => [line, field])).toEqual([
      [3, "customer_code"],
      [4, "customer_code"],
      [5, "customer_code"],
      [6, "amount"],
    ]);
    expect(errors[0]!.message).toContain("already has the opening balance");
    expect(errors[2]!.message).toContain("C2 is that of line 2 too");
    expect((await call("GET", "/opening-balances")).body.opening_balances).toHaveLength(1);
    const batch = good.map(({ opening_balance }) => opening_balance);
    const saved = await call("POST", "/opening-balances/batch", { opening_balance: batch });
    expect(saved.body.opening_balances).toMatchObject([{ ...sent, due_date: "2026-04-30", due_amount: "1180.50" }]);
    expect(await findings()).toEqual([]);
  });

  test("without a column that is needed, or with a date of two meanings, is refused with the remedy", async () => {
    const ask = (text: string) =>
      owner.post("/opening-balance-files/preview", Buffer.from(text), { "content-type": "text/csv" });
    const lacking = await ask("customer_code,amount\nC1,10\n");
    expect([lacking.status, lacking.body.error]).toEqual([400, expect.stringContaining("lacks date")]);
    const unclear = await ask(`${HEAD}\nC1,02/03/2026,10,,,\n`);
    expect([unclear.status, unclear.body.errors]).toMatchObject([400, [{ field: "date_order" }]]);
  });
});
