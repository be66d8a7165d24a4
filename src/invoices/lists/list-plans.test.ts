// Query plans of looking invoices up and paging through them as requests do, behind row-level security: by the index, with any
// data.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, inTransaction, type Connection, type OwnedPool } from "../../platform/database/pool.ts";
import { TenantDatabase } from "../../platform/database/tenant.ts";
import { findTakenNumbers } from "../invoice-store.ts";
import { locatePage } from "./invoice-day-store.ts";
import { findIdsByNumbers, listInvoices } from "./invoice-list-store.ts";
import { findIdsByBeginning } from "./look-up-store.ts";

let db: LedgerDatabase;
let tenants: OwnedPool;
let merchant: Merchant;
beforeAll(async () => {
  db = await openLedgerDatabase();
  tenants = createPool({ url: db.url, size: 1, role: "nodal_tenant" });
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  await db.owner.query(
    `insert into invoice (bucket, merchant_id, invoice_id, customer_id, template_id, financial_year, invoice_number, cycle_name,
       bill_date, due_date, status, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise, content, public_token,
       created_at)
     select $1, $2, number, 1, 1, 2027, 'Inv-2627-' || lpad(number::text, 5, '0'), '', '2026-11-01', '2026-11-15', 'Unpaid',
       100, 0, 0, 100, '{}', number::text, now()
     from generate_series(1, 5000) as number`,
    [merchant.bucket, merchant.merchantId],
  );
  await db.owner.query(
    `insert into invoice_day (bucket, merchant_id, filter_by, day, status, franchise_id, invoices)
     select $1, $2, 'bill_date', date '2026-11-01' - number, 'Unpaid', 0, 1 from generate_series(1, 5000) as number`,
    [merchant.bucket, merchant.merchantId],
  );
  await db.owner.query("vacuum (analyze) invoice, invoice_day");
});
afterAll(async () => {
  await tenants.end();
  await db.close();
});

type Statement = string | { readonly text: string; readonly values?: readonly unknown[] };

/** The plan of the last statement of `work`. Each statement gets one row as its result. */
function planOf(work: (connection: Connection) => Promise<unknown>, row: object = NOTHING_COUNTED): Promise<string> {
  return inTransaction(new TenantDatabase(tenants).of(merchant), async (connection) => {
    let plan = "";
    const query = async (statement: Statement, values?: readonly unknown[]): Promise<object> => {
      const { text, values: own } = typeof statement === "string" ? { text: statement, values } : statement;
      const { rows } = await connection.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...(own ?? [])]);
      plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      return { rows: [row] };
    };
    await work({ query } as unknown as Connection);
    return plan;
  });
}

const NOTHING_COUNTED = {
  total: null,
  first_day: null,
  last_day: null,
  before_last_day: null,
  through_first_day: null,
};

/** The conditions that PostgreSQL looks up in an index for the last statement of `work`. */
async function conditionsOf(work: (connection: Connection) => Promise<unknown>): Promise<string> {
  return [...(await planOf(work)).matchAll(/Index Cond: (.*)/g)].map(([, condition]) => condition).join("\n");
}

const TODAY = Temporal.PlainDate.from("2026-11-23");
const NUMBERS = [{ financialYear: 2027, invoiceNumber: "INV-2627-00007" }];

test.each([
  ["whole numbers", (of: Connection) => findIdsByNumbers(of, merchant, ["inv-2627-00007"], TODAY), "number_key = ANY"],
  ["beginnings of numbers", (of: Connection) => findIdsByBeginning(of, merchant, "INV-26", [2027], 5), "number_key >="],
  [
    "numbers to be given",
    (of: Connection) => findTakenNumbers(of, merchant, NUMBERS),
    "number_key = wanted.number_key",
  ],
])("of invoices, %s are looked up in the index", async (_, work, condition) => {
  expect(await conditionsOf(work)).toContain(condition);
});

const ALL = { filterBy: "bill_date", from: null, to: null, franchiseId: null } as const;
const LAST_PAGE = { offset: 4950, limit: 50 };

test("the days of a page are looked up in the index, from the first to the last", async () => {
  const conditions = await conditionsOf((of) => locatePage(of, merchant, { ...ALL, statuses: null }, LAST_PAGE));
  expect(conditions).toMatch(/day >= GREATEST\(.*first_month\)\) AND \(day <= LEAST\(.*last_day\)/);
});

test("what a page passes over on its days is read in the index alone", async () => {
  const day = Temporal.PlainDate.from("2026-11-01");
  const counted = { total: 5000n, first_day: day, last_day: day, before_last_day: 0n, through_first_day: 5000n };
  const asked = { status: null, today: TODAY, customerId: null, group: null, templateId: null, found: null };
  const filter = { ...ALL, ...asked, amountFromPaise: null, amountToPaise: null };
  const plan = await planOf((of) => listInvoices(of, merchant, filter, LAST_PAGE), counted);
  // The last page of a day is read from its end, and skips nothing.
  expect(plan).toContain("Index Only Scan Backward using invoice_by_bill_date");
  const second = await planOf((of) => listInvoices(of, merchant, filter, { offset: 50, limit: 50 }), counted);
  expect(second).toContain("Index Only Scan using invoice_by_bill_date");
});
