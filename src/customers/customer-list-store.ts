// SQL of the list of customers that people page through: by keys, in the order of an index, whatever their number.
// What belongs here: which customers a page has. Which ones a search finds is said in customer-search-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { searchCondition, type CustomerSearch } from "./customer-search-store.ts";
import { nameKey } from "./customer.ts";

export const CUSTOMER_SORTS = ["created_at", "-created_at", "customer_code", "-customer_code"] as const;

export type CustomerFilter = {
  readonly search: CustomerSearch;
  /** The name of a group; `null` stands for any. */
  readonly group: string | null;
  /** Only customers with an invoice of this franchise; `null` stands for all. */
  readonly franchiseId: bigint | null;
  readonly sort: (typeof CUSTOMER_SORTS)[number];
};

/** Where a page begins: after this customer. */
export type CustomerPage = { readonly after: string | null; readonly limit: number };

const OF_FRANCHISE = `and exists (
  select from invoice
  where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.franchise_id = $7
    and invoice.customer_id = customer.customer_id)`;

const IN_GROUP = `and customer.customer_id in (
  select member.customer_id
  from customer_group
  join customer_group_member member using (bucket, merchant_id, group_id)
  where customer_group.bucket = $1 and customer_group.merchant_id = $2 and customer_group.name_key = $6)`;

/** The ids of one page. Ids grow with time, so that they stand for when a customer was added. */
export async function pageCustomers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { search, group, franchiseId, sort }: CustomerFilter,
  { after, limit }: CustomerPage,
): Promise<bigint[]> {
  const { condition, keyword } = searchCondition(search);
  const isByCode = sort.endsWith("customer_code");
  const column = isByCode ? "customer.customer_code" : "customer.customer_id";
  const isDescending = sort.startsWith("-");
  const { rows } = await db.query<{ customer_id: bigint }>(
    `select customer.customer_id from customer
     where ${condition}
       and ($4::text is null or ${column} ${isDescending ? "<" : ">"} $4::${isByCode ? "text" : "bigint"})
       ${group === null ? "and $6::text is null" : IN_GROUP}
       ${franchiseId === null ? "and $7::bigint is null" : OF_FRANCHISE}
     order by ${column} ${isDescending ? "desc" : "asc"}
     limit $5`,
    [bucket, merchantId, keyword, after, limit, group === null ? null : nameKey(group), franchiseId],
  );
  return rows.map((row) => row.customer_id);
}
