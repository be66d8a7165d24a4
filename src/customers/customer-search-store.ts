// SQL of finding customers: by one attribute, for lists that may show other things than customers, and page by page in the order of
// an index, with any number of them.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { leadsToSpread } from "../platform/database/citus/index.ts";
import { phoneDigits } from "../platform/as-typed.ts";
import { GROUP_OF_ALL } from "./customer-fields.ts";
import { nameKey } from "./customer.ts";

/** The searchable attributes, by their API names, with their columns. */
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
 * A search. Codes match whole and in their case, groups by their whole name in any case, the other attributes anywhere in the value
 * in any case. No character has a special meaning. `null` matches every customer. docs/rules/customers.md#search.
 */
export type CustomerSearch = {
  /**
   * `gstin` is the whole GSTIN. `anywhere` is for lists of people: the whole code or GSTIN, or part of name, e-mail, city, PIN
   * code, or phone in any format.
   */
  readonly by: (typeof SEARCH_ATTRIBUTES)[number] | "gstin" | "anywhere";
  readonly keyword: string | null;
};

/** A possible GSTIN, with any check digit. */
const GSTIN = /^[0-9]{2}[0-9A-Z]{13}$/i;
/** A customer with the keyword as GSTIN: docs/rules/customers.md#gstin. */
const HAS_GSTIN = `customer.custom_fields @> jsonb_build_array(jsonb_build_object('type', 'gst', 'value', upper($3::text)))`;

/** The minimum number of consecutive characters for the trigram index. */
const GRAM_LENGTH = 3;

/** A search as conditions on the table `customer`, in a statement whose $1 and $2 are the merchant's key and whose $3 is `keyword`. */
type Conditions = {
  readonly keyword: string;
  /** The condition on a customer, besides its merchant. */
  readonly matches: string;
  /** The condition for the trigram index: all matches, and a few others; `null` if it can't be used. */
  readonly indexed: string | null;
};

const OF_MERCHANT = "customer.bucket = $1 and customer.merchant_id = $2";

/** If `db` is Citus, the trigram index is not used: its look-up function can't run there within a statement. */
async function conditionsOf(db: Queryable, { by, keyword }: CustomerSearch): Promise<Conditions> {
  if (keyword === null || (by === "group" && nameKey(keyword) === nameKey(GROUP_OF_ALL))) {
    return { matches: "$3::text is not null", indexed: null, keyword: "" };
  }
  if (by === "customer_code") return { matches: "customer.customer_code = $3", indexed: null, keyword };
  if (by === "gstin") return { matches: HAS_GSTIN, indexed: null, keyword };
  if (by === "group") return { matches: inGroup("$3"), indexed: null, keyword: nameKey(keyword) };
  const parts = by === "anywhere" ? partsAnywhere(keyword) : [{ column: COLUMN_OF[by], text: "$3::text" }];
  const contains = parts.map(
    ({ column, text }) => `strpos(customer_fold(customer.${column}), customer_fold(${text})) > 0`,
  );
  const isGstin = by === "anywhere" && GSTIN.test(keyword);
  if (by === "anywhere") contains.push("customer.customer_code = $3", ...(isGstin ? [HAS_GSTIN] : []));
  // A shorter keyword has no trigram: then the merchant's own customers are scanned, and nobody else's.
  const isIndexed = [...keyword.normalize("NFC")].length >= GRAM_LENGTH && !(await leadsToSpread(db));
  const columns = parts.map(({ column }) => `'${column}'`).join(", ");
  const found = [
    `select customers_with_parts($1, $2, array[${columns}], array[${parts.map(({ text }) => text).join(", ")}])`,
    ...(by === "anywhere" ? [`select customer_id from customer where ${OF_MERCHANT} and customer_code = $3`] : []),
    ...(isGstin ? [`select customer_id from customer where ${OF_MERCHANT} and ${HAS_GSTIN}`] : []),
  ];
  // As one value: with a join, PostgreSQL would scan all customers in the order of the list rather than look these up.
  const indexed = isIndexed ? `customer.customer_id = any (array(${found.join(" union all ")}))` : null;
  return { matches: `(${contains.join(" or ")})`, indexed, keyword };
}

/**
 * The search as a condition on the table `customer`, in a statement whose $1 and $2 are the merchant's key and whose $3 is
 * `keyword`. Don't prepare statements with it: the plan depends on how common the keyword is.
 */
export async function searchCondition(
  db: Queryable,
  search: CustomerSearch,
): Promise<{ condition: string; keyword: string }> {
  const { keyword, matches, indexed } = await conditionsOf(db, search);
  return { condition: [OF_MERCHANT, ...(indexed === null ? [] : [indexed]), matches].join(" and "), keyword };
}

/** The columns that may contain a keyword, and the searched part of it: for a phone, its last ten digits. */
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

/** The names of customers' groups, in the order of assignment; customers without any are left out. */
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

/** The minimum length for the trigram index. A shorter text would scan all of a merchant's customers. */
const SHORTEST_PART = GRAM_LENGTH;

/**
 * The customer attributes that a text may mean: the whole code or GSTIN, or part of the name, the phone (in any format) or the
 * e-mail.
 */
export function searchesFor(text: string): CustomerSearch[] {
  const byCode: CustomerSearch = { by: "customer_code", keyword: text };
  if ([...text].length < SHORTEST_PART) return [byCode];
  if (GSTIN.test(text)) return [byCode, { by: "gstin", keyword: text }, { by: "name", keyword: text }];
  const phone = phoneDigits(text);
  const byName: CustomerSearch = { by: "name", keyword: text };
  if (phone === null) return [byCode, byName, { by: "email", keyword: text }];
  return [byCode, { by: "mobile", keyword: phone }, byName];
}

/** The customers that a text may mean, codes first, at most `limit`: see `searchesFor`. Short texts are searched in names only. */
export async function findCustomerIds(
  db: Queryable,
  merchant: MerchantKey,
  text: string,
  limit: number,
): Promise<bigint[]> {
  const found: bigint[] = [];
  const searches = searchesFor(text);
  if (searches.length === 1) searches.push({ by: "name", keyword: text === "" ? null : text });
  for (const search of searches) {
    const filter = { search, group: null, franchiseId: null, sort: "-created_at" } as const;
    found.push(...(await pageCustomers(db, merchant, filter, { after: null, limit })));
  }
  return [...new Set(found)].slice(0, limit);
}

export const CUSTOMER_SORTS = ["created_at", "-created_at", "customer_code", "-customer_code"] as const;

export type CustomerFilter = {
  readonly search: CustomerSearch;
  /** The name of a group; `null` for any. */
  readonly group: string | null;
  /** Only customers with an invoice of this franchise; `null` for all. */
  readonly franchiseId: bigint | null;
  readonly sort: (typeof CUSTOMER_SORTS)[number];
  /** A further condition on customers, from the store that knows it. Its $7 is the franchise, and its $8 this day. */
  readonly narrowed?: { readonly condition: string; readonly day: Temporal.PlainDate } | null;
};

/** The start of a page: after this customer. */
export type CustomerPage = { readonly after: string | null; readonly limit: number };

const OF_FRANCHISE = `and exists (
  select from invoice
  where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.franchise_id = $7
    and invoice.customer_id = customer.customer_id)`;

/**
 * How many customers are read before the trigram index is used: a frequent match is found among them, and a rare one has few rows
 * in the index.
 */
const FIRST_STEPS = 250;

/** The ids of one page. Ids grow with time, so they sort by creation. */
export async function pageCustomers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { search, group, franchiseId, sort, narrowed: further = null }: CustomerFilter,
  { after, limit }: CustomerPage,
): Promise<bigint[]> {
  const { keyword, matches, indexed } = await conditionsOf(db, search);
  const isByCode = sort.endsWith("customer_code");
  const column = isByCode ? "customer.customer_code" : "customer.customer_id";
  const isDescending = sort.startsWith("-");
  const order = `order by ${column} ${isDescending ? "desc" : "asc"}`;
  const place = `${OF_MERCHANT} and ($4::text is null or ${column} ${isDescending ? "<" : ">"} $4::${isByCode ? "text" : "bigint"})`;
  const narrowed = `${matches}
    ${group === null ? "and $6::text is null" : `and ${inGroup("$6")}`}
    ${franchiseId === null ? "and $7::bigint is null" : OF_FRANCHISE}
    ${further === null ? "" : `and $8::date is not null and ${further.condition}`}`;
  const groupKey = group === null ? null : nameKey(group);
  const values: unknown[] = [bucket, merchantId, keyword, after, limit, groupKey, franchiseId];
  if (further !== null) values.push(further.day.toString());
  const page = (from: string, conditions: string): string =>
    `select customer.customer_id from ${from} as customer where ${conditions} and ${narrowed} ${order} limit $5`;
  const text =
    indexed === null
      ? `select array(${page("customer", place)}) as ids`
      : `with first as materialized (select * from customer where ${place} ${order} limit ${FIRST_STEPS}),
           found as materialized (select array(${page("first", "true")}) as ids)
         select case
           when cardinality(ids) = $5 or (select count(*) from first) < ${FIRST_STEPS} then ids
           else array(${page("customer", `${place} and ${indexed}`)}) end as ids
         from found`;
  const { rows } = await db.query<{ ids: bigint[] }>(text, values);
  return rows[0]!.ids;
}
