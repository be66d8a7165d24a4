// Pages of customers found by a search, behind row-level security: equal to a plain model, whether found among the first rows or by
// the trigram index.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import type { Merchant } from "../merchants/index.ts";
import { createPool, inTransaction, type OwnedPool, type Pool } from "../platform/database/pool.ts";
import { TenantDatabase } from "../platform/database/tenant.ts";
import { CUSTOMER_SORTS, findCustomerIds, pageCustomers } from "./customer-search-store.ts";

/** More than twice as many as are read before the index is used. */
const CUSTOMERS = 1300;
const TOWNS = ["Pune", "मुंबई", "Coimbatore", "Zoë’s"];

type Row = {
  readonly customer_id: bigint;
  readonly customer_code: string;
  readonly customer_name: string;
  readonly city: string;
};

let db: LedgerDatabase;
let tenants: OwnedPool;
let merchant: Merchant;
let own: Pool;
let customers: Row[];

beforeAll(async () => {
  db = await openLedgerDatabase();
  tenants = createPool({ url: db.url, size: 1, role: "nodal_tenant" });
  const [first, second] = (await makeMerchants(db, 2)) as [Merchant, Merchant];
  merchant = first;
  own = new TenantDatabase(tenants).of(merchant);
  // Those of old times have a name that none of the newer ones has.
  for (const { bucket, merchantId } of [first, second]) {
    await db.owner.query(
      `insert into customer (bucket, merchant_id, customer_id, customer_code, customer_name, email, mobile, address, city,
         state, zipcode, created_at, updated_at)
       select $1, $2, number, 'C' || number, case when number < 300 then 'Olden ' else 'Customer ' end || number, '', '',
         '', ($4::text[])[number % 4 + 1], '', '', now(), now()
       from generate_series(1, $3::integer) as number`,
      [bucket, merchantId, CUSTOMERS, TOWNS],
    );
  }
  await db.owner.query("vacuum (analyze) customer");
  const { rows } = await db.owner.query<Row>("select * from customer where merchant_id = $1", [merchant.merchantId]);
  customers = rows;
});
afterAll(async () => {
  await tenants.end();
  await db.close();
});

const KEYWORDS = [
  "Customer",
  "customer 1",
  "Olden",
  "olden 299",
  "CUSTOMER 1299",
  "मुंबई",
  "zoë",
  "C7",
  "er 300",
  "nobody",
];
const fold = (text: string): string => text.normalize("NFC").toLowerCase();

/** The codes of customers that match anywhere, sorted. */
function expected(keyword: string, sort: (typeof CUSTOMER_SORTS)[number]): bigint[] {
  const matching = customers.filter(
    ({ customer_code: code, customer_name: name, city }) =>
      code === keyword || [name, city].some((text) => fold(text).includes(fold(keyword))),
  );
  const isByCode = sort.endsWith("customer_code");
  const sorted = matching.toSorted((a, b) =>
    isByCode
      ? Buffer.compare(Buffer.from(a.customer_code), Buffer.from(b.customer_code))
      : Number(a.customer_id - b.customer_id),
  );
  return (sort.startsWith("-") ? sorted.toReversed() : sorted).map(({ customer_id: id }) => id);
}

test.each(CUSTOMER_SORTS)("page by page a search has all that match and no other, %s", async (sort) => {
  for (const keyword of KEYWORDS) {
    const filter = { search: { by: "anywhere", keyword } as const, group: null, franchiseId: null, sort };
    const found: bigint[] = [];
    for (let after: string | null = null; ;) {
      const page = await pageCustomers(own, merchant, filter, { after, limit: 170 });
      found.push(...page);
      if (page.length < 170) break;
      after = sort.endsWith("customer_code") ? `C${page.at(-1)}` : String(page.at(-1));
    }
    expect(found, keyword).toEqual(expected(keyword, sort));
  }
});

test("the newest that a text may mean are found, however old they are", async () => {
  for (const keyword of KEYWORDS.filter((each) => !["मुंबई", "zoë"].includes(each))) {
    const newest = expected(keyword, "-created_at").slice(0, 101);
    expect(await findCustomerIds(own, merchant, keyword, 101), keyword).toEqual(newest);
  }
});

test("what the index of parts finds is looked up, and not searched for among all customers", async () => {
  const plan = await inTransaction(own, async (connection) => {
    let text = "";
    const query = async (statement: string, values: unknown[]): Promise<object> => {
      const { rows } = await connection.query<{ "QUERY PLAN": string }>(`explain ${statement}`, values);
      text = rows.map((row) => row["QUERY PLAN"]).join("\n");
      return { rows: [{ ids: [] }] };
    };
    const filter = { group: null, franchiseId: null, sort: "-created_at" } as const;
    const search = { by: "name", keyword: "Olden 7" } as const;
    await pageCustomers({ query } as unknown as Pool, merchant, { ...filter, search }, { after: null, limit: 50 });
    return text;
  });
  expect(plan).toMatch(/Index Cond: .*customer_id = ANY/);
});
