// SQL of lists of payments, credit notes and refunds. A page is found by an index key, among a limited number of rows per request,
// so that no filter is slow, with any data.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { numberKey } from "../numbers/number-series.ts";
import type { Found } from "./invoice-list-store.ts";

/** Rows of a table in the order of an index. In conditions, `row` is the table and `invoice` the row's invoice. */
type Source = {
  readonly from: string;
  /** The columns of the index after the merchant's key, and their types. */
  readonly key: readonly (readonly [column: string, type: "date" | "bigint"])[];
  /** The condition for rows in the list: a part of the index, or nearly all of it. */
  readonly always: string;
  readonly joins: string;
  /** The day column of the filter. */
  readonly day: string;
  readonly amount: string;
  /** The texts that a search looks in. */
  readonly texts: readonly string[];
  /** A further column, and its value for each value of the filter `kind`. */
  readonly kinds: Readonly<Record<string, string>>;
  /** The sums, by name; rows are counted too. */
  readonly sums: Readonly<Record<string, string>>;
};

/** One look-up for each row, whatever statistics the planner has: see RECORD_JOINS. */
const lookUp = (table: string, alias: string, id: string): string => `cross join lateral (
        select * from ${table} one where one.bucket = $1 and one.merchant_id = $2 and one.${id} limit 1
      ) as ${alias}`;
const invoiceOf = (row: string): string => lookUp("invoice", "invoice", `invoice_id = ${row}.invoice_id`);

const SOURCES = {
  payments: {
    from: "settlement",
    key: [
      ["paid_date", "date"],
      ["settlement_id", "bigint"],
    ],
    always: "row.via_settlement_id is null",
    joins: invoiceOf("row"),
    day: "row.paid_date",
    amount: "row.amount_paise",
    texts: ["row.bank_ref_no", "row.cheque_no"],
    kinds: { recorded: "row.reversed_at is null", reversed: "row.reversed_at is not null" },
    sums: { amount: "row.amount_paise * (row.reversed_at is null)::integer" },
  },
  notes: {
    from: "credit_note",
    key: [
      ["note_date", "date"],
      ["credit_note_id", "bigint"],
    ],
    always: "true",
    joins: invoiceOf("row"),
    day: "row.note_date",
    amount: "row.amount_paise",
    texts: ["row.credit_note_number"],
    kinds: {
      applied: "row.refund_paise = 0 and row.cancelled_at is null",
      refunded: "row.refund_paise > 0 and row.cancelled_at is null",
      cancelled: "row.cancelled_at is not null",
    },
    sums: {
      amount: "row.amount_paise * (row.cancelled_at is null)::integer",
      taxable: "row.taxable_paise * (row.cancelled_at is null and not row.is_financial)::integer",
      tax: "row.tax_paise * (row.cancelled_at is null)::integer",
    },
  },
  refunds: {
    from: "credit_note_refund",
    key: [["transfer_id", "bigint"]],
    always: "true",
    joins: [
      lookUp("credit_note", "note", "credit_note_id = row.credit_note_id"),
      lookUp("transfer", "transfer", "transfer_id = row.transfer_id"),
      invoiceOf("note"),
    ].join(" "),
    day: "(transfer.added_at at time zone $3)::date",
    amount: "transfer.amount_paise",
    texts: ["note.credit_note_number", "transfer.utr", "transfer.reference_id"],
    kinds: {
      paid: "transfer.state = 'SUCCESS'",
      under_way: "transfer.state in ('AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')",
      failed: "transfer.state in ('FAILED', 'REJECTED', 'REVERSED')",
    },
    sums: {
      amount: "transfer.amount_paise",
      paid: "transfer.amount_paise * (transfer.state = 'SUCCESS')::integer",
    },
  },
} as const satisfies Readonly<Record<string, Source>>;

export type BillingList = keyof typeof SOURCES;
/** The values of the filter `kind` of each list. */
export const KINDS = {
  payments: ["recorded", "reversed"],
  notes: ["applied", "refunded", "cancelled"],
  refunds: ["paid", "under_way", "failed"],
} as const satisfies { readonly [List in BillingList]: readonly (keyof (typeof SOURCES)[List]["kinds"])[] };

/** The filters of a list; `null` for any. Days are the merchant's, both included. */
export type BillingFilter = {
  readonly kind: string | null;
  /** How a payment was made. */
  readonly mode: string | null;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly amountFromPaise: bigint | null;
  readonly amountToPaise: bigint | null;
  readonly franchiseId: bigint | null;
  /** The invoices and customers that a search found, and its text as typed. */
  readonly found: (Found & { readonly text: string }) | null;
};

export type BillingPage = { readonly after: string | null; readonly oldestFirst: boolean; readonly limit: number };
type Merchant = MerchantKey & { readonly timeZone: string };
type Key = Readonly<Record<string, unknown>>;

/** The most rows that one request reads; further ones are for the next page. */
const LONGEST_WALK = 20_000;
/** The most rows that are added up. */
const LONGEST_SUM = 50_000;

/** The ids of a page (the last column of the list's key), `after` for the next one, and how far an incomplete search came. */
export async function walkBilling(
  db: Queryable,
  merchant: Merchant,
  list: BillingList,
  filter: BillingFilter,
  { after, oldestFirst, limit }: BillingPage,
): Promise<{ readonly ids: readonly bigint[]; readonly next: string | null; readonly searchedTo: string | null }> {
  const source: Source = SOURCES[list];
  const place = { after: after?.split("_") ?? null, oldestFirst };
  const stop = await findStop(db, merchant, source, filter, place, LONGEST_WALK);
  const { values, add } = valuesOf(merchant);
  const conditions = [...placeConditions(source, filter, place, add), ...filterConditions(source, filter, add)];
  const end = stop?.split("_") ?? null;
  if (end) conditions.push(comparison(source, oldestFirst ? "<=" : ">=", end, add));
  const { rows } = await db.query<Key>(
    `select ${columnsOf(source)} from ${source.from} as row ${source.joins}
     where ${conditions.join(" and ")} order by ${orderOf(source, oldestFirst)} limit ${add(limit + 1)}`,
    values,
  );
  const ids = rows.slice(0, limit).map((row) => row[source.key.at(-1)![0]] as bigint);
  if (rows.length > limit) return { ids, next: writeKey(source, rows[limit - 1]!), searchedTo: null };
  return { ids, next: stop, searchedTo: stop };
}

/** The number and sums of matches, by the names of the list's sums; `null` if there are too many to add up. */
export async function sumBilling(
  db: Queryable,
  merchant: Merchant,
  list: BillingList,
  filter: BillingFilter,
): Promise<{ readonly count: bigint; readonly paise: Readonly<Record<string, bigint>> } | null> {
  const source: Source = SOURCES[list];
  const place = { after: null, oldestFirst: false };
  if ((await findStop(db, merchant, source, filter, place, LONGEST_SUM)) !== null) return null;
  const { values, add } = valuesOf(merchant);
  const conditions = [...placeConditions(source, filter, place, add), ...filterConditions(source, filter, add)];
  const sums = Object.entries(source.sums).map(([name, sum]) => `coalesce(sum(${sum}), 0)::text as ${name}`);
  const { rows } = await db.query<Record<string, string> & { count: bigint }>(
    `select count(*) as count, ${sums.join(", ")} from ${source.from} as row ${source.joins}
     where ${conditions.join(" and ")}`,
    values,
  );
  const { count, ...texts } = rows[0]!;
  return { count, paise: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, BigInt(text)])) };
}

type Add = (value: unknown) => string;
type Place = { readonly after: readonly string[] | null; readonly oldestFirst: boolean };

/** $1 and $2 are the merchant's key, $3 its time zone. */
function valuesOf({ bucket, merchantId, timeZone }: Merchant) {
  const values: unknown[] = [bucket, merchantId, timeZone];
  return { values, add: (value: unknown): string => `$${values.push(value)}` };
}

function columnsOf({ key }: Source): string {
  return key.map(([column]) => `row.${column}`).join(", ");
}

function orderOf({ key }: Source, oldestFirst: boolean): string {
  return key.map(([column]) => `row.${column} ${oldestFirst ? "asc" : "desc"}`).join(", ");
}

function comparison(source: Source, operator: string, key: readonly string[], add: Add): string {
  const values = source.key.map(([, type], index) => `${add(key[index])}::${type}`);
  return `(${columnsOf(source)}) ${operator} (${values.join(", ")})`;
}

function writeKey({ key }: Source, row: Key): string {
  return key.map(([column]) => String(row[column])).join("_");
}

/** The conditions that the index alone decides: the position of a walk. */
function placeConditions(
  source: Source,
  { from, to }: BillingFilter,
  { after, oldestFirst }: Place,
  add: Add,
): string[] {
  const conditions = ["row.bucket = $1", "row.merchant_id = $2", "$3::text is not null"];
  if (after) conditions.push(comparison(source, oldestFirst ? ">" : "<", after, add));
  const [[column, type]] = source.key as [Source["key"][number]];
  if (type === "date" && from) conditions.push(`row.${column} >= ${add(from.toString())}::date`);
  if (type === "date" && to) conditions.push(`row.${column} <= ${add(to.toString())}::date`);
  return conditions;
}

function filterConditions(source: Source, filter: BillingFilter, add: Add): string[] {
  const { kind, mode, from, to, amountFromPaise, amountToPaise, franchiseId, found } = filter;
  const conditions: string[] = [source.always];
  if (from) conditions.push(`${source.day} >= ${add(from.toString())}::date`);
  if (to) conditions.push(`${source.day} <= ${add(to.toString())}::date`);
  if (kind !== null) conditions.push(source.kinds[kind]!);
  if (mode !== null) conditions.push(`row.mode = ${add(mode)}`);
  if (amountFromPaise !== null) conditions.push(`${source.amount} >= ${add(amountFromPaise)}`);
  if (amountToPaise !== null) conditions.push(`${source.amount} <= ${add(amountToPaise)}`);
  if (franchiseId !== null) conditions.push(`invoice.franchise_id = ${add(franchiseId)}`);
  if (found) conditions.push(searchCondition(source, found, add));
  return conditions;
}

function searchCondition({ texts, amount }: Source, found: NonNullable<BillingFilter["found"]>, add: Add): string {
  const text = add(found.text.toUpperCase());
  const alternatives = [
    `invoice.invoice_id = any (${add(found.invoiceIds)}::bigint[])`,
    `invoice.customer_id = any (${add(found.customerIds)}::bigint[])`,
    ...texts.map((column) => `strpos(upper(${column}), ${text}) > 0`),
  ];
  if (found.part !== null) alternatives.push(`strpos(invoice.number_key, ${add(numberKey(found.part))}) > 0`);
  if (found.amountPaise !== null) alternatives.push(`${amount} = ${add(found.amountPaise)}`);
  return `(${alternatives.join(" or ")})`;
}

/** The key of the last of `steps` rows in a walk; `null` if fewer are left. */
async function findStop(
  db: Queryable,
  merchant: Merchant,
  source: Source,
  filter: BillingFilter,
  place: Place,
  steps: number,
): Promise<string | null> {
  const { values, add } = valuesOf(merchant);
  const conditions = placeConditions(source, filter, place, add);
  const { rows } = await db.query<Key>(
    `select ${columnsOf(source)} from ${source.from} as row where ${conditions.join(" and ")}
     order by ${orderOf(source, place.oldestFirst)} offset ${steps - 1} limit 1`,
    values,
  );
  return rows[0] ? writeKey(source, rows[0]) : null;
}

/** A refund, and its credit note. */
export type RefundOfNote = { readonly transferId: bigint; readonly creditNoteId: bigint };

/** The credit notes of these refunds. */
export async function findRefunds(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<RefundOfNote[]> {
  const { rows } = await db.query<{ transfer_id: bigint; credit_note_id: bigint }>(
    `select transfer_id, credit_note_id from credit_note_refund
     where bucket = $1 and merchant_id = $2 and transfer_id = any ($3)`,
    [bucket, merchantId, transferIds],
  );
  return rows.map((row) => ({ transferId: row.transfer_id, creditNoteId: row.credit_note_id }));
}
