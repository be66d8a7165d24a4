// SQL of due amounts and advances of customers: of those on a page, and whether a customer has any.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { IS_OPEN, isOverdueSql } from "../invoice-store.ts";

/** In paise. */
type CustomerDues = {
  readonly duePaise: bigint;
  readonly overduePaise: bigint;
  /** The unused rest of receipts; 0 for a franchise, which has none. */
  readonly advancePaise: bigint;
};

const NOTHING: CustomerDues = { duePaise: 0n, overduePaise: 0n, advancePaise: 0n };

export const CUSTOMER_DUES = ["owing", "overdue", "advance"] as const;
export type DuesName = (typeof CUSTOMER_DUES)[number];

const HAS_OPEN = `exists (
  select from invoice
  where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.customer_id = customer.customer_id
    and ($7::bigint is null or invoice.franchise_id = $7)`;

/**
 * The condition on the table `customer` that a customer owes something, owes something overdue, or has an advance. Each has an index.
 * $1 and $2 are the merchant's key, $7 is the franchise whose invoices count, or null, and $8 is today. A franchise has no advances.
 */
const DUES_CONDITIONS: Readonly<Record<DuesName, string>> = {
  owing: `${HAS_OPEN} and ${IS_OPEN})`,
  overdue: `${HAS_OPEN} and ${isOverdueSql("$8::date")})`,
  advance: `$7::bigint is null and exists (
    select from receipt
    where receipt.bucket = $1 and receipt.merchant_id = $2 and receipt.customer_id = customer.customer_id
      and reversed_at is null and amount_paise > used_paise + refunded_paise)`,
};

/** The filter that limits a list of customers to those with such dues. */
export function duesFilter(dues: DuesName, today: Temporal.PlainDate) {
  return { condition: DUES_CONDITIONS[dues], day: today };
}

/**
 * The due amount on open invoices, and the advance, of each of these customers. Neither paid invoices nor used receipts are read.
 * @param franchiseId leaves out the invoices of others, and advances
 */
export async function readDuesOf(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { customerIds, franchiseId }: { readonly customerIds: readonly bigint[]; readonly franchiseId: bigint | null },
  today: Temporal.PlainDate,
): Promise<(customerId: bigint) => CustomerDues> {
  const [dues, advances] = await Promise.all([
    db.query<{ customer_id: bigint; due: string; overdue: string }>({
      name: "sum-dues-of-customers",
      text: `select customer_id, sum(amount_paise - paid_paise - credited_paise)::text as due,
          coalesce(sum(amount_paise - paid_paise - credited_paise) filter (where ${isOverdueSql("$5::date")}), 0)::text as overdue
        from invoice
        where bucket = $1 and merchant_id = $2 and customer_id = any ($3) and ${IS_OPEN}
          and ($4::bigint is null or franchise_id = $4)
        group by customer_id`,
      values: [bucket, merchantId, customerIds, franchiseId, today.toString()],
    }),
    franchiseId === null ? sumAdvances(db, { bucket, merchantId }, customerIds) : new Map<bigint, bigint>(),
  ]);
  const found = new Map(dues.rows.map((row) => [row.customer_id, row]));
  return (customerId) => {
    const row = found.get(customerId);
    const owed = row ? { duePaise: BigInt(row.due), overduePaise: BigInt(row.overdue) } : NOTHING;
    return { ...NOTHING, ...owed, advancePaise: advances.get(customerId) ?? 0n };
  };
}

async function sumAdvances(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  customerIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, bigint>> {
  const { rows } = await db.query<{ customer_id: bigint; advance: string }>({
    name: "sum-advances-of-customers",
    text: `select customer_id, sum(amount_paise - used_paise - refunded_paise)::text as advance
      from receipt
      where bucket = $1 and merchant_id = $2 and customer_id = any ($3)
        and reversed_at is null and amount_paise > used_paise + refunded_paise
      group by customer_id`,
    values: [bucket, merchantId, customerIds],
  });
  return new Map(rows.map((row) => [row.customer_id, BigInt(row.advance)]));
}
