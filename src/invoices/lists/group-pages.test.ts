// Pages of a group's invoices behind row-level security: for few customers by their invoices, for many by reading the merchant's, a
// limited number per request.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, type OwnedPool, type Pool } from "../../platform/database/pool.ts";
import { TenantDatabase } from "../../platform/database/tenant.ts";
import {
  browseInvoices,
  sumInvoices,
  type BrowsedPage,
  type BrowseKey,
  type BrowseOrder,
} from "./invoice-browse-store.ts";
import { listInvoices, type InvoiceFilter } from "./invoice-list-store.ts";
import { readInvoiceFilter } from "./read-invoice-filter.ts";

/** More than one request reads. */
const INVOICES = 12_000;
const CUSTOMERS = 400;
/** Customers by the place of their number: most invoices are of the first half, the oldest thousand of the others. */
const GROUPS = { Few: [1, 3], Many: [1, 150], Olden: [201, 400], Empty: [0, 0] } as const;

let db: LedgerDatabase;
let tenants: OwnedPool;
let merchant: Merchant;
let own: Pool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  tenants = createPool({ url: db.url, size: 2, role: "nodal_tenant" });
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  own = new TenantDatabase(tenants).of(merchant);
  const { bucket, merchantId } = merchant;
  const run = (text: string, ...values: unknown[]) => db.owner.query(text, [bucket, merchantId, ...values]);
  await run(
    `insert into customer (bucket, merchant_id, customer_id, customer_code, customer_name, email, mobile, address, city, state,
       zipcode, created_at, updated_at)
     select $1, $2, number, 'C' || number, 'Customer', '', '', '', '', '', '', now(), now()
     from generate_series(1, $3::integer) as number`,
    CUSTOMERS,
  );
  for (const [place, [name, [first, last]]] of Object.entries(GROUPS).entries()) {
    await run("insert into customer_group values ($1, $2, $3, $4, lower($4))", place + 1, name);
    await run(
      `insert into customer_group_member select $1, $2, number, $3, 1 from generate_series($4::integer, $5::integer) as number
       where number > 0`,
      place + 1,
      first,
      last,
    );
  }
  await run(
    `insert into invoice (bucket, merchant_id, invoice_id, customer_id, template_id, financial_year, invoice_number, cycle_name,
       bill_date, due_date, status, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise, content, public_token,
       created_at)
     select $1, $2, number, case when number <= 1000 then 201 else 1 end + number % 200, 1, 2027, 'I-' || number, '',
       date '2026-01-01' + number / 40, '2027-01-01', 'Unpaid', 100, 0, 0, 100, '{}', number::text, now()
     from generate_series(1, $3::integer) as number`,
    INVOICES,
  );
  await db.owner.query("vacuum (analyze) invoice, customer, customer_group_member");
});
afterAll(async () => {
  await tenants.end();
  await db.close();
});

const filterOf = (group: string): Promise<InvoiceFilter> => readInvoiceFilter({ pool: own, merchant }, { group });

async function expected(group: keyof typeof GROUPS): Promise<bigint[]> {
  const { rows } = await db.owner.query<{ invoice_id: bigint }>(
    `select invoice_id from invoice where merchant_id = $1 and customer_id between $2 and $3
     order by bill_date desc, invoice_id desc`,
    [merchant.merchantId, ...GROUPS[group]],
  );
  return rows.map((row) => row.invoice_id);
}

/** All pages, and how many of them stopped before they were full. */
async function walk(group: string, order: BrowseOrder): Promise<{ ids: bigint[]; stops: number }> {
  const filter = await filterOf(group);
  const ids: bigint[] = [];
  let stops = 0;
  for (let after: BrowseKey | null = null; ;) {
    const page: BrowsedPage = await browseInvoices(own, merchant, filter, order, after, 700);
    ids.push(...page.records.map((record) => record.invoice_id));
    if (page.searchedTo !== null) stops += 1;
    if (page.next === null) return { ids, stops };
    after = page.next;
  }
}

test.each([
  ["Few", false, 0, 0],
  ["Many", true, 0, 0],
  ["Olden", true, 1, 1],
  ["Empty", false, 0, 0],
] as const)("page by page the group %s has all of its invoices", async (group, isLarge, newestStops, oldestStops) => {
  expect((await filterOf(group)).group?.memberIds === null).toBe(isLarge);
  const ids = await expected(group);
  expect(ids.length > 0).toBe(group !== "Empty");
  expect(await walk(group, { by: "bill_date", descending: true })).toEqual({ ids, stops: newestStops });
  const oldestFirst = { ids: ids.toReversed(), stops: oldestStops };
  expect(await walk(group, { by: "bill_date", descending: false })).toEqual(oldestFirst);
  const filter = await filterOf(group);
  const { records, total } = await listInvoices(own, merchant, filter, { offset: 100, limit: 100 });
  expect([total, records.map((record) => record.invoice_id)]).toEqual([BigInt(ids.length), ids.slice(100, 200)]);
  expect((await sumInvoices(own, merchant, filter))?.invoices).toBe(BigInt(ids.length));
});

test("a group that there is not has no invoices, and all are in the group of all", async () => {
  expect(await walk("Nobody", { by: "bill_date", descending: true })).toEqual({ ids: [], stops: 0 });
  expect((await filterOf("ALL")).group).toBeNull();
});

test("pages of a large group are read in the order of the list, however many invoices it has", async () => {
  let plan = "";
  const query = async (statement: string, values: unknown[]): Promise<object> => {
    const { rows } = await own.query<{ "QUERY PLAN": string }>(`explain ${statement}`, values);
    plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    return { rows: [] };
  };
  const filter = await filterOf("many");
  const order = { by: "bill_date", descending: true } as const;
  await browseInvoices({ query } as unknown as Pool, merchant, filter, order, null, 50);
  expect(plan).toMatch(/Index Scan using invoice_by_bill_date on invoice/);
  expect(plan).not.toMatch(/Semi Join|invoice_by_customer/);
});
