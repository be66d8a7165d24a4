// Looking invoices up by number as requests do it, behind row-level security: in the index, whatever a merchant has.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, inTransaction, type Connection, type OwnedPool } from "../../platform/database/pool.ts";
import { TenantDatabase } from "../../platform/database/tenant.ts";
import { findTakenNumbers } from "../invoice-store.ts";
import { findIdsByNumbers } from "./invoice-list-store.ts";
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
  await db.owner.query("analyze invoice");
});
afterAll(async () => {
  await tenants.end();
  await db.close();
});

type Statement = string | { readonly text: string; readonly values?: readonly unknown[] };

/** The conditions that PostgreSQL looks up in an index for the statement of `work`. */
function conditionsOf(work: (connection: Connection) => Promise<unknown>): Promise<string> {
  return inTransaction(new TenantDatabase(tenants).of(merchant), async (connection) => {
    let plan = "";
    const query = async (statement: Statement, values?: readonly unknown[]): Promise<object> => {
      const { text, values: own } = typeof statement === "string" ? { text: statement, values } : statement;
      const { rows } = await connection.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...(own ?? [])]);
      plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      return { rows: [] };
    };
    await work({ query } as unknown as Connection);
    return [...plan.matchAll(/Index Cond: (.*)/g)].map(([, condition]) => condition).join("\n");
  });
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
