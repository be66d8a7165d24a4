// The lists of payments, credit notes and refunds through the dashboard's API, against a plain filter of all their rows;
// and lists that go through so many rows that one request does not see them all.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";

type Row = Readonly<Record<string, string>>;
type List = "payments" | "credit-notes" | "refunds";

const ROWS_IN = { payments: "payments", "credit-notes": "credit_notes", refunds: "refunds" };
const SOUTH = { email: "lists.south@example.com", password: "a long password" };
const BATCH = 12;

let site: Installation;
let invoices: Invoices;
let owner: Browser;

beforeAll(async () => {
  // Its own: rows are added below that no book knows of.
  site = await Installation.start();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  const { bucket, merchantId } = await requireMerchant(site.pool, BigInt(invoices.merchant.id));
  const opening = { bucket, merchantId, amountPaise: 5_000_000n, reference: "opening" };
  await fundMerchant(site.pool, new IdSource(site.pool), opening);
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  await invoices.addCustomer({ customer_code: "C2", customer_name: "Bharat Nair", mobile: "9876501234" });
  const franchiseId = await saveFranchiseWithLogin(site, invoices.merchant, SOUTH, {
    franchise_code: "SOUTH",
    franchise_name: "Southern Star",
  });
  const batch = Array.from({ length: BATCH }, (_, index) => ({
    customer_code: index % 3 === 0 ? "C2" : "C1",
    bill_date: "2026-06-01",
    due_date: "2026-06-15",
    franchise_id: index % 4 === 0 ? franchiseId : "0",
    particular_rows: [{ item: "Work", total_amount: "1000" }],
  }));
  const made = (await invoices.save(batch)).body.srvrsp as { invoice_id: string }[];
  for (const [index, { invoice_id: id }] of made.entries()) {
    await invoices.settle({
      invoice_id: id,
      amount: `${500 + index * 10}.50`,
      mode: index % 2 === 0 ? "NEFT" : "Cash",
      paid_date: `2026-07-${String((index % 5) + 10)}`,
      bank_ref_no: index % 2 === 0 ? `NEFTIN7712${index}` : "",
    });
  }
  const { payments } = (await owner.get("/payments")).body as unknown as { payments: Row[] };
  const wrong = payments.find(({ amount }) => amount === "510.50")!;
  await owner.post(`/invoices/${wrong["invoice_id"]}/payments/${wrong["settlement_id"]}/reverse`, { reason: "Typing" });
  for (const [index, { invoice_id: id }] of made.slice(4, 9).entries()) {
    const note = {
      request_key: `note-${index}-of-lists`,
      amount: index < 3 ? "100.00" : "900.00",
      reason: "Goods back",
    };
    const payee = index < 3 ? {} : { refund_to: null };
    await owner.post(`/invoices/${id}/credit-notes`, { ...note, ...payee, date: `2026-08-0${index + 1}` });
  }
  const notes = await walk("credit-notes");
  for (const note of notes.filter(({ to_refund: owed }) => owed !== "0.00")) {
    const { account_number, ifsc } = GOOD_ACCOUNT;
    const refund = { amount: note["to_refund"], attempts: 0, account_number, ifsc, name: "Asha Rao" };
    await owner.post(`/invoices/${note["invoice_id"]}/credit-notes/${note["credit_note_id"]}/refund`, refund);
  }
});
afterAll(() => site?.stop());

/** The whole list, gone through in small pages. */
async function walk(list: List, query = "", browser = owner): Promise<Row[]> {
  const all: Row[] = [];
  for (let after = ""; ;) {
    const { status, body } = await browser.get(`/${list}?limit=3&${query}${after}`);
    expect([list, query, status]).toEqual([list, query, 200]);
    all.push(...(body[ROWS_IN[list]] as Row[]));
    if (body.next === null) return all;
    after = `&after=${String(body.next)}`;
  }
}

const paise = (amount: string | undefined): bigint => BigInt(amount!.replace(".", ""));

test("a refund's transfer names its credit note, from which it is paid again", async () => {
  const refund = (await walk("refunds"))[0]!;
  const { body } = await owner.get(`/transfers/${refund["transfer_id"]}`);
  const { credit_note_number, invoice_id } = refund;
  expect(body["refund_of"]).toEqual({ credit_note_number, invoice_id });
});

describe("each list", () => {
  test("has all of its rows once, in the order of days, both ways", async () => {
    for (const [list, day, id, count] of [
      ["payments", "paid_date", "settlement_id", BATCH],
      ["credit-notes", "note_date", "credit_note_id", 5],
      ["refunds", "added_at", "transfer_id", 2],
    ] as const) {
      const rows = await walk(list);
      expect([list, rows.length]).toEqual([list, count]);
      const keys = rows.map((row) => `${row[day]} ${row[id]}`);
      expect(keys).toEqual([...new Set(keys)].sort().toReversed());
      const sort = list === "payments" ? "paid_date" : day;
      expect((await walk(list, `sort=${sort}`)).map((row) => `${row[day]} ${row[id]}`)).toEqual(keys.toReversed());
    }
  });

  test.each([
    [
      "payments",
      "from=2026-07-11&to=2026-07-12",
      ({ paid_date }) => paid_date! >= "2026-07-11" && paid_date! <= "2026-07-12",
    ],
    [
      "payments",
      "amount_from=530.50&amount_to=560.50",
      ({ amount }) => paise(amount) >= 530_50n && paise(amount) <= 560_50n,
    ],
    ["payments", "kind=reversed", ({ status }) => status === "Reversed"],
    ["payments", "kind=recorded&mode=Cash", ({ status, mode }) => status === "Recorded" && mode === "Cash"],
    ["payments", "search=bharat", ({ customer_code }) => customer_code === "C2"],
    ["payments", "search=98765%2001234", ({ customer_code }) => customer_code === "C2"],
    ["payments", "search=neftin77124", ({ reference }) => reference === "NEFTIN77124"],
    ["payments", "search=%E2%82%B9550.50", ({ amount }) => amount === "550.50"],
    ["payments", "search=nobody%25_", () => false],
    ["credit-notes", "kind=refunded", ({ applied, amount }) => applied !== amount],
    [
      "credit-notes",
      "from=2026-08-02&to=2026-08-04",
      ({ note_date }) => note_date! >= "2026-08-02" && note_date! <= "2026-08-04",
    ],
    ["credit-notes", "amount_from=500", ({ amount }) => paise(amount) >= 500_00n],
    ["credit-notes", "search=bharat", ({ customer_code }) => customer_code === "C2"],
    ["refunds", "kind=failed", ({ status }) => status === "FAILED"],
    ["refunds", "kind=paid", ({ status }) => status === "SUCCESS"],
    ["refunds", "search=asha", ({ customer_code }) => customer_code === "C1"],
    ["refunds", "to=2020-01-01", () => false],
  ] satisfies [List, string, (row: Row) => boolean][])(
    "%s with %s has what a plain filter has",
    async (list, query, isMeant) => {
      const wanted = (await walk(list)).filter(isMeant);
      expect(await walk(list, query)).toEqual(wanted);
      const { totals } = (await owner.get(`/${list}/totals?${query}`)).body as {
        totals: { count: number; sums: Record<string, string> };
      };
      expect(totals.count).toBe(wanted.length);
      const counted = list === "payments" ? wanted.filter(({ status }) => status === "Recorded") : wanted;
      expect(paise(totals.sums["amount"])).toBe(counted.reduce((sum, { amount }) => sum + paise(amount), 0n));
      const csv = (await owner.get(`/${list}.csv?${query}`)).body as string;
      expect(csv.trim().split("\r\n")).toHaveLength(1 + wanted.length);
    },
  );

  test("finds a payment and a credit note by the number of its invoice, and a note by its own", async () => {
    const [note] = await walk("credit-notes");
    const ofInvoice = (rows: Row[]): unknown[] => rows.map((row) => row["invoice_id"]);
    for (const list of ["payments", "credit-notes"] as const) {
      expect(ofInvoice(await walk(list, `search=${note!["invoice_number"]}`))).toEqual([note!["invoice_id"]]);
    }
    expect(await walk("credit-notes", `search=${note!["credit_note_number"]}`)).toEqual([note]);
  });

  test("is a franchise's own as far as its invoices go, and nobody else's", async () => {
    const south = await Browser.signIn(site, { ...SOUTH, merchant: invoices.merchant.id });
    const own = new Set(
      ((await owner.get("/invoices?franchise=0")).body.invoices as Row[]).map((row) => row["invoice_id"]),
    );
    for (const list of ["payments", "credit-notes", "refunds"] as const) {
      const wanted = (await walk(list)).filter((row) => !own.has(row["invoice_id"]));
      expect(await walk(list, "", south)).toEqual(wanted);
      expect((await south.get(`/${list}/totals`)).body.totals).toMatchObject({ count: wanted.length });
    }
    const stranger = await Browser.signIn(site, await newPerson(site, (await site.newMerchant()).id));
    for (const list of ["payments", "credit-notes", "refunds"] as const)
      expect(await walk(list, "", stranger)).toEqual([]);
  });

  test("refuses a place that no page has answered, and a range that ends before it begins", async () => {
    for (const query of [
      "after=1",
      "after=2026-02-31_1",
      "from=2026-02-01&to=2026-01-01",
      "amount_from=-1",
      "kind=x",
    ]) {
      const { status, body } = await owner.get(`/payments?${query}`);
      expect([query, status, body.code]).toEqual([query, 400, "validation_failed"]);
    }
  });
});

describe("among 45,000 rows", () => {
  beforeAll(async () => {
    await site.pool.query(`
      insert into settlement (bucket, merchant_id, settlement_id, invoice_id, paid_date, amount_paise, mode, bank_name,
        bank_ref_no, cheque_no, cash_paid_to, created_at)
      select bucket, merchant_id, 8000000000000000 + n, invoice_id, date '2025-01-01' + (n / 100)::integer, 77700 + (n = 1)::integer,
        mode, '', '', '', '', created_at
      from (select * from settlement order by settlement_id limit 1) as one, generate_series(1, 45000) as n`);
    await site.pool.query(`
      insert into invoice (bucket, merchant_id, invoice_id, customer_id, template_id, financial_year, invoice_number, cycle_name,
        bill_date, due_date, status, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise, content, public_token,
        created_at)
      select bucket, merchant_id, 8000000000000000 + n, customer_id, template_id, financial_year, 'BULK/' || n, '',
        date '2025-01-01' + (n / 100)::integer, due_date, 'Unpaid', 77700 + (n = 1)::integer, 0, 0, 77700 + (n = 1)::integer, content,
        public_token || n, created_at
      from (select * from invoice order by invoice_id limit 1) as one, generate_series(1, 45000) as n`);
    await site.pool.query("analyze settlement; analyze invoice");
  });

  test.each([
    ["payments", "amount_from=777.01&amount_to=777.01", 2],
    ["payments", "search=777.01", 2],
    ["invoices", "amount_from=777.01&amount_to=777.01", 4],
    ["invoices", "search=777.01", 4],
  ])(
    "a rare one in %s by %s is found on a later page, and each page says how far it came",
    async (list, query, stops) => {
      const places: unknown[] = [];
      const found: unknown[] = [];
      for (let after = ""; ;) {
        const { body } = await owner.get(`/${list}?${query}${after}`);
        found.push(...(body[list] as Row[]).map(({ amount }) => amount));
        if (body.next === null) break;
        places.push(body["searched_to"]);
        after = `&after=${String(body.next)}`;
      }
      expect(found).toEqual(["777.01"]);
      expect(places).toHaveLength(stops);
      expect(places.every((place) => /^202[56]-/.test(String(place)))).toBe(true);
    },
  );

  test("many that match are not added up beyond a bound, and a file has them all", async () => {
    const { totals } = (await owner.get("/payments/totals?amount_from=777")).body as { totals: { count: number } };
    expect(totals.count).toBe(45_000);
    const csv = (await owner.get("/payments.csv?amount_from=777&amount_to=778")).body as string;
    expect(csv.trim().split("\r\n")).toHaveLength(1 + 45_000);
  });
});
