// The reports on the books of billing by API, with the sums worked out by hand: docs/accounts.md
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyInstallation } from "../../src/installation/index.ts";
import { BOOK_ACCOUNTS, columnOf } from "../../src/books/index.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let shop: Invoices;
let owner: Browser;
let stranger: Browser;
const ids: Record<string, string> = {};

beforeAll(async () => {
  site = await Installation.shared();
  const profile = { gstin: "29AAACI1234K1Z5", state: "Karnataka" };
  shop = await Invoices.ofNewMerchant(site, profile);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  const others = await Invoices.ofNewMerchant(site, profile);
  stranger = await Browser.signIn(site, await newPerson(site, others.merchant.id));
  await shop.addCustomer({ customer_code: "A", customer_name: "Asha", state: "Karnataka" });
  await shop.addCustomer({ customer_code: "B", customer_name: "=Bala", state: "Karnataka" });
  const bill = async (
    customer_code: string,
    bill_date: string,
    due_date: string,
    total_amount: string,
    gst: string,
  ) => {
    const particular_rows = [{ item: "Work", sac_code: "998311", total_amount, gst }];
    return (await shop.add({ customer_code, bill_date, due_date, particular_rows }))["invoice_id"]!;
  };
  ids["first"] = await bill("A", "2026-06-01", "2026-06-15", "1000", "18");
  ids["second"] = await bill("A", "2026-07-01", "2026-07-31", "500", "5");
  ids["third"] = await bill("B", "2026-06-10", "2026-06-10", "2000", "18");
  const neft = { mode: "NEFT", bank_ref_no: "UTR77", paid_date: "2026-06-20" };
  await shop.settle({ ...neft, invoice_id: ids["first"], amount: "500" });
  await shop.settle({
    mode: "Cash",
    bank_ref_no: "",
    paid_date: "2026-07-05",
    invoice_id: ids["third"],
    amount: "2360",
  });
  const note = { date: "2026-07-10", reason: "Returned", amount: "118.00", refund_to: null };
  await owner.post(`/invoices/${ids["third"]}/credit-notes`, { request_key: "note-of-books", ...note });
  const { body } = await owner.get("/customers?search=Bala");
  ids["bala"] = (body["customers"] as { customer_id: string }[])[0]!.customer_id;
});
afterAll(() => site?.stop());

/** The accounts of a trial balance that are not 0. */
async function trialBalance(day: string) {
  const { status, body } = await owner.get(`/reports/trial-balance?as_of=${day}`);
  expect([day, status]).toEqual([day, 200]);
  const { accounts, totals } = body as { accounts: Record<string, string>[]; totals: unknown };
  const moved = accounts.filter(({ debit, credit }) => debit !== credit);
  return { accounts: moved.map(({ account, debit, credit }) => [account, debit, credit]), totals };
}

test("the trial balance of any day adds up to zero", async () => {
  expect(await trialBalance("2026-05-31")).toEqual({ accounts: [], totals: { debit: "0.00", credit: "0.00" } });
  expect(await trialBalance("2026-06-30")).toEqual({
    accounts: [
      ["receivable", "3040.00", "0.00"],
      ["bank", "500.00", "0.00"],
      ["output_cgst", "0.00", "270.00"],
      ["output_sgst", "0.00", "270.00"],
      ["revenue", "0.00", "3000.00"],
    ],
    totals: { debit: "3540.00", credit: "3540.00" },
  });
  expect(await trialBalance("2026-08-31")).toEqual({
    accounts: [
      ["receivable", "1205.00", "0.00"],
      ["bank", "500.00", "0.00"],
      ["cash", "2360.00", "0.00"],
      ["refunds_payable", "0.00", "118.00"],
      ["output_cgst", "0.00", "273.50"],
      ["output_sgst", "0.00", "273.50"],
      ["revenue", "0.00", "3400.00"],
    ],
    totals: { debit: "4065.00", credit: "4065.00" },
  });
});

const none = {
  not_due: "0.00",
  days_1_to_30: "0.00",
  days_31_to_60: "0.00",
  days_61_to_90: "0.00",
  over_90_days: "0.00",
};

test("receivables by age, on past days as they were then", async () => {
  const on = async (day: string) => (await owner.get(`/reports/ageing?as_of=${day}`)).body;
  expect(await on("2026-06-15")).toMatchObject({
    as_of: "2026-06-15",
    customers: [
      { customer_code: "B", ...none, days_1_to_30: "2360.00", total: "2360.00" },
      { customer_code: "A", ...none, not_due: "1180.00", total: "1180.00" },
    ],
    totals: { customers: 2, ...none, not_due: "1180.00", days_1_to_30: "2360.00", total: "3540.00" },
  });
  expect(await on("2026-06-30")).toMatchObject({ totals: { ...none, days_1_to_30: "3040.00", total: "3040.00" } });
  expect(await on("2026-08-31")).toMatchObject({
    customers: [{ customer_code: "A", ...none, days_31_to_60: "525.00", days_61_to_90: "680.00", total: "1205.00" }],
    totals: { customers: 1 },
  });
  expect(await on("2026-05-31")).toMatchObject({ customers: [], totals: { customers: 0, ...none, total: "0.00" } });
});

test("pages of receivables go on where the one before ended", async () => {
  const first = (await owner.get("/reports/ageing?as_of=2026-06-15&limit=1")).body;
  expect(first).toMatchObject({ customers: [{ customer_code: "B" }] });
  const { body } = await owner.get(`/reports/ageing?as_of=2026-06-15&limit=1&after=${String(first["next"])}`);
  expect(body).toMatchObject({ customers: [{ customer_code: "A" }], next: null, totals: null });
  expect((await owner.get("/reports/ageing?after=5")).status).toBe(400);
});

test("a customer's statement has what was owed before, each event, and what is owed in the end", async () => {
  const period = "from_date=2026-07-01&to_date=2026-07-31";
  const { body } = await owner.get(`/customers/${ids["bala"]}/statement?${period}`);
  expect(body).toMatchObject({
    customer_name: "=Bala",
    opening_balance: "2360.00",
    lines: [
      { date: "2026-07-05", voucher_type: "Receipt", reference: "Cash", credit: "2360.00", balance: "0.00" },
      {
        date: "2026-07-10",
        voucher_type: "Credit Note",
        number: "CN-2627-00001",
        credit: "118.00",
        balance: "-118.00",
      },
    ],
    closing_balance: "-118.00",
  });
  expect((await stranger.get(`/customers/${ids["bala"]}/statement?${period}`)).status).toBe(404);
  const turned = await owner.get(`/customers/${ids["bala"]}/statement?from_date=2026-07-31&to_date=2026-07-01`);
  expect(turned).toMatchObject({ status: 400, body: { errors: [{ field: "to_date" }] } });
});

type Entry = { entry_id: string; lines: { debit: string; credit: string }[] };

test("the day book has every posting once, page after page, and each balances", async () => {
  const seen: Entry[] = [];
  for (let after = ""; ;) {
    const { body } = await owner.get(`/reports/day-book?from_date=2026-06-01&to_date=2026-07-31&limit=2${after}`);
    const { entries, next } = body as { entries: Entry[]; next: string | null };
    seen.push(...entries);
    if (next === null) break;
    after = `&after=${next}`;
  }
  expect(new Set(seen.map(({ entry_id: id }) => id)).size).toBe(6);
  expect(seen).toHaveLength(6);
  const paise = (rupees: string): bigint => BigInt(rupees.replace(".", ""));
  for (const { lines } of seen) {
    expect(lines.reduce((sum, { debit, credit }) => sum + paise(debit) - paise(credit), 0n)).toBe(0n);
  }
});

async function download(path: string): Promise<string[]> {
  const { status, bytes } = await owner.getFile(path);
  expect([path, status]).toEqual([path, 200]);
  return Buffer.from(bytes).toString("utf8").trim().split("\r\n");
}

test("the files have the same figures, and run no formula", async () => {
  const ageing = await download("/reports/ageing.csv?as_of=2026-06-15");
  expect(ageing).toHaveLength(3);
  expect(ageing[1]).toBe("B,'=Bala,0.00,2360.00,0.00,0.00,0.00,2360.00");
  const trial = await download("/reports/trial-balance.csv?as_of=2026-06-30");
  expect(trial).toContain("1100,Customer receivables,asset,3040.00,0.00");
  const journal = await download("/reports/day-book.csv?from_date=2026-06-01&to_date=2026-07-31");
  const cells = journal.slice(1).map((line) => line.split(","));
  const sumOf = (place: number): bigint =>
    cells.reduce((sum, cell) => sum + BigInt((cell[place] || "0.00").replace(".", "")), 0n);
  expect(sumOf(8)).toBe(sumOf(9));
  expect(sumOf(8)).toBeGreaterThan(0n);
  for (const cell of cells) expect([cell[8] === "", cell[9] === ""].filter(Boolean)).toHaveLength(1);
  for (const name of ["ageing", "trial-balance"]) {
    expect((await owner.getFile(`/reports/${name}.xlsx?as_of=2026-06-30`)).status).toBe(200);
  }
});

test("Tally's vouchers balance, name the ledgers of its masters, and come to the trial balance", async () => {
  const period = "from_date=2026-06-01&to_date=2026-08-31&company=Asha%20%26%20Co";
  const fileOf = async (name: string) => {
    const { status, bytes } = await owner.getFile(`/reports/${name}.xml?${period}`);
    expect([name, status]).toEqual([name, 200]);
    return Buffer.from(bytes).toString("utf8");
  };
  const [masters, vouchers] = [await fileOf("tally-masters"), await fileOf("tally-vouchers")];
  expect(vouchers).toContain("<SVCURRENTCOMPANY>Asha &amp; Co</SVCURRENTCOMPANY>");
  const known = new Set([...masters.matchAll(/<NAME>(.*?)<\/NAME>/g)].map(([, name]) => name));
  const balances = new Map<string, bigint>();
  const all = [...vouchers.matchAll(/<VOUCHER .*?<\/VOUCHER>/g)].map(([voucher]) => voucher);
  expect(all).toHaveLength(6);
  for (const voucher of all) {
    let sum = 0n;
    for (const [, name = "", amount = ""] of voucher.matchAll(
      /<LEDGERNAME>(.*?)<\/LEDGERNAME>.*?<AMOUNT>(.*?)<\/AMOUNT>/g,
    )) {
      expect(known).toContain(name);
      const paise = BigInt(amount.replace(".", ""));
      sum += paise;
      balances.set(name, (balances.get(name) ?? 0n) + paise);
    }
    expect(sum).toBe(0n);
  }
  expect(Object.fromEntries(balances)).toEqual({
    "Asha (A)": -1_205_00n,
    "=Bala (B)": 118_00n,
    "Nodal Bank": -500_00n,
    Cash: -2_360_00n,
    "Output CGST": 273_50n,
    "Output SGST": 273_50n,
    "Sales 18% Intra": 2_900_00n,
    "Sales 5% Intra": 500_00n,
  });
  expect(await fileOf("tally-vouchers")).toBe(vouchers);
});

test("another merchant sees its own books alone", async () => {
  const { body } = await stranger.get("/reports/ageing?as_of=2026-08-31");
  expect(body).toMatchObject({ customers: [] });
  const { entries } = (await stranger.get("/reports/day-book?from_date=2026-06-01&to_date=2026-07-31")).body as {
    entries: unknown[];
  };
  expect(entries).toEqual([]);
});

test("each day's trial balance and ageing are those of the documents by SQL, and verify finds nothing", async () => {
  const merchantId = BigInt(shop.merchant.id);
  // Another way to the same: from invoices, settlements and notes, without the books.
  const { rows } = await site.pool.query<{ day: string; due: string }>(
    `select day::date::text as day, sum(amount_paise - coalesce(paid, 0) - coalesce(credited, 0))::text as due
     from generate_series('2026-05-30'::date, '2026-08-05'::date, '1 day') as day
     join invoice on merchant_id = $1 and bill_date <= day and status <> 'Cancelled'
     left join lateral (
       select sum(amount_paise) as paid from settlement
       where settlement.merchant_id = $1 and settlement.invoice_id = invoice.invoice_id and paid_date <= day
     ) as settled on true
     left join lateral (
       select sum(reduces_due_paise) as credited from credit_note note
       where note.merchant_id = $1 and note.invoice_id = invoice.invoice_id and note_date <= day
     ) as noted on true
     group by day order by day`,
    [merchantId],
  );
  expect(rows.length).toBeGreaterThan(60);
  for (const { day, due } of rows) {
    const { totals } = (await owner.get(`/reports/ageing?as_of=${day}`)).body as { totals: { total: string } };
    expect([day, totals.total.replace(".", "").replace(/^0+(?=\d)/, "")]).toEqual([day, due]);
    const balance = await trialBalance(day);
    expect((balance.totals as { debit: string; credit: string }).debit).toBe(
      (balance.totals as { debit: string; credit: string }).credit,
    );
  }
  const { rows: sums } = await site.pool.query<Record<string, bigint>>(
    `select ${BOOK_ACCOUNTS.map((account) => `sum(${columnOf(account)})::bigint as ${account}`).join(", ")}
     from book_entry where merchant_id = $1`,
    [merchantId],
  );
  expect(Object.values(sums[0]!).reduce((sum, paise) => sum + paise, 0n)).toBe(0n);
  const { violations } = await verifyInstallation(site.pool, { merchant: merchantId });
  expect(violations).toEqual([]);
});
