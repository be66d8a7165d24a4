// SQL of finding customers: by one attribute, for lists that may show other things than customers, and page by page in
// the order of an index, whatever their number.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { leadsToSpread } from "../platform/database/spread.ts";
import { phoneDigits } from "../platform/as-typed.ts";
import { GROUP_OF_ALL } from "./customer-fields.ts";
import { nameKey } from "./customer.ts";

/** What a search looks at, by its name on the wire, and the column that holds it. */
const COLUMN_OF = {
  name: "customer_name",
  email: "email",
  mobile: "mobile",
  city: "city",
  state: "state",
  zipcode: "zipcode",
} as const;

export const SEARCH_ATTRIBUTES = [
  "customer_code",
  "name",
  "email",
  "mobile",
  "city",
  "state",
  "zipcode",
  "group",
] as const;

/**
 * A search. Codes match whole and as they are written, groups by their whole name in any case, the other attributes
 * anywhere in the value in any case. No character has a special meaning. `null` matches every customer.
 * docs/rules/customers.md#search.
 */
export type CustomerSearch = {
  /** `anywhere` is for lists of people: the whole code, or a part of name, e-mail, city, PIN code, or phone however typed. */
  readonly by: (typeof SEARCH_ATTRIBUTES)[number] | "anywhere";
  readonly keyword: string | null;
};

/** So many characters have to follow one another before the index of parts can help. */
const GRAM_LENGTH = 3;

/**
 * The search as a condition on the table `customer`, in a statement whose $1 and $2 are the merchant's key and whose $3
 * is `keyword`. Statements with it are not to be prepared: how common a keyword is decides how to look for it. Where `db`
 * leads to Citus, nothing is looked up in the index of parts: the function that does it can't run there within a statement.
 */
export async function searchCondition(
  db: Queryable,
  search: CustomerSearch,
): Promise<{ condition: string; keyword: string }> {
  const ofMerchant = "customer.bucket = $1 and customer.merchant_id = $2";
  const { by, keyword } = search;
  if (keyword === null || (by === "group" && nameKey(keyword) === nameKey(GROUP_OF_ALL))) {
    return { condition: `${ofMerchant} and $3::text is not null`, keyword: "" };
  }
  if (by === "customer_code") return { condition: `${ofMerchant} and customer.customer_code = $3`, keyword };
  if (by === "group") return { condition: `${ofMerchant} and ${inGroup("$3")}`, keyword: nameKey(keyword) };
  const parts = by === "anywhere" ? partsAnywhere(keyword) : [{ column: COLUMN_OF[by], text: "$3::text" }];
  const contains = parts.map(
    ({ column, text }) => `strpos(customer_fold(customer.${column}), customer_fold(${text})) > 0`,
  );
  if (by === "anywhere") contains.push("customer.customer_code = $3");
  // Of a shorter keyword there is no part: then the merchant's own customers are looked through, and nobody else's.
  const isIndexed = [...keyword.normalize("NFC")].length >= GRAM_LENGTH && !(await leadsToSpread(db));
  const indexed = parts.map(({ column, text }) => `select customers_with_parts($1, $2, '${column}', ${text})`);
  if (by === "anywhere") indexed.push(`select customer_id from customer where ${ofMerchant} and customer_code = $3`);
  const hasParts = isIndexed ? ` and customer.customer_id in (${indexed.join(" union all ")})` : "";
  return { condition: `${ofMerchant}${hasParts} and (${contains.join(" or ")})`, keyword };
}

/** Where a keyword may be a part of, and what of it is looked for there: of a phone, its last ten digits. */
function partsAnywhere(keyword: string): { column: string; text: string }[] {
  const phone = phoneDigits(keyword);
  const columns = ["customer_name", "email", "city", ...(/[0-9]/.test(keyword) ? ["zipcode"] : [])];
  const parts = columns.map((column) => ({ column, text: "$3::text" }));
  const digits = "right(regexp_replace($3::text, '[^0-9]', '', 'g'), 10)";
  return phone === null ? parts : [...parts, { column: "mobile", text: digits }];
}

/** The condition for customers in the group whose name's key is the parameter. */
function inGroup(parameter: string): string {
  return `customer.customer_id in (
    select member.customer_id
    from customer_group
    join customer_group_member member using (bucket, merchant_id, group_id)
    where customer_group.bucket = $1 and customer_group.merchant_id = $2 and customer_group.name_key = ${parameter})`;
}

/** The names of customers' groups, in the order in which they were put there; a customer without any is left out. */
export async function readGroupNames(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  customerIds: readonly bigint[],
): Promise<Map<bigint, string[]>> {
  const { rows } = await db.query<{ customer_id: bigint; names: string[] }>({
    name: "read-customer-group-names",
    text: `select member.customer_id, array_agg(customer_group.name order by member.place) as names
      from customer_group_member member
      join customer_group using (bucket, merchant_id, group_id)
      where member.bucket = $1 and member.merchant_id = $2 and member.customer_id = any($3)
      group by member.customer_id`,
    values: [bucket, merchantId, customerIds],
  });
  return new Map(rows.map((row) => [row.customer_id, row.names]));
}

/** The index of parts helps from here on. Of a shorter text all of a merchant's customers would be gone through. */
const SHORTEST_PART = GRAM_LENGTH;

/** What a text may be of a customer: the whole code, or a part of the name, the phone (however it is typed) or the e-mail. */
export function searchesFor(text: string): CustomerSearch[] {
  const byCode: CustomerSearch = { by: "customer_code", keyword: text };
  if ([...text].length < SHORTEST_PART) return [byCode];
  const phone = phoneDigits(text);
  const byName: CustomerSearch = { by: "name", keyword: text };
  if (phone === null) return [byCode, byName, { by: "email", keyword: text }];
  return [byCode, { by: "mobile", keyword: phone }, byName];
}

/** The customers that a text may mean, codes first, at most `limit`: see `searchesFor`. Short texts are looked for in names. */
export async function findCustomerIds(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  text: string,
  limit: number,
): Promise<bigint[]> {
  const found: bigint[] = [];
  const searches = searchesFor(text);
  if (searches.length === 1) searches.push({ by: "name", keyword: text === "" ? null : text });
  for (const search of searches) {
    const { condition, keyword } = await searchCondition(db, search);
    const { rows } = await db.query<{ customer_id: bigint }>(
      `select customer_id from customer where ${condition} order by customer_id desc limit $4`,
      [bucket, merchantId, keyword, limit],
    );
    found.push(...rows.map((row) => row.customer_id));
  }
  return [...new Set(found)].slice(0, limit);
}

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

/** The ids of one page. Ids grow with time, so that they stand for when a customer was added. */
export async function pageCustomers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { search, group, franchiseId, sort }: CustomerFilter,
  { after, limit }: CustomerPage,
): Promise<bigint[]> {
  const { condition, keyword } = await searchCondition(db, search);
  const isByCode = sort.endsWith("customer_code");
  const column = isByCode ? "customer.customer_code" : "customer.customer_id";
  const isDescending = sort.startsWith("-");
  const { rows } = await db.query<{ customer_id: bigint }>(
    `select customer.customer_id from customer
     where ${condition}
       and ($4::text is null or ${column} ${isDescending ? "<" : ">"} $4::${isByCode ? "text" : "bigint"})
       ${group === null ? "and $6::text is null" : `and ${inGroup("$6")}`}
       ${franchiseId === null ? "and $7::bigint is null" : OF_FRANCHISE}
     order by ${column} ${isDescending ? "desc" : "asc"}
     limit $5`,
    [bucket, merchantId, keyword, after, limit, group === null ? null : nameKey(group), franchiseId],
  );
  return rows.map((row) => row.customer_id);
}
