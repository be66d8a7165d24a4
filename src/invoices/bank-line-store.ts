// SQL that finds the invoices that a bank line may pay, and receipts that already record its money.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { IS_OPEN } from "./invoice-store.ts";

/** Money recorded under a bank's reference: a receipt, or a payment of one invoice. */
export type RecordedPayment = {
  readonly kind: "receipt" | "payment";
  /** The receipt, or the paid invoice. */
  readonly id: bigint;
  /** The number of the receipt, or that of the invoice. */
  readonly number: string;
  readonly paidDate: Temporal.PlainDate;
  /** Money, without TDS. */
  readonly amountPaise: bigint;
};

const MOST = 20;

/**
 * Receipts and payments with one of these references that are not reversed. References are in capitals and digits, without leading
 * zeros. Receipts recorded from statement lines are left out: another line with their reference is other money.
 */
export async function findRecorded(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  references: readonly string[],
): Promise<RecordedPayment[]> {
  const { rows } = await db.query<{
    kind: RecordedPayment["kind"];
    id: bigint;
    number: string;
    paid_date: Temporal.PlainDate;
    amount_paise: bigint;
  }>({
    name: "find-recorded",
    text: `(select 'receipt' as kind, receipt_id as id, receipt_number as number, paid_date,
         amount_paise - tds_paise as amount_paise
       from receipt
       where bucket = $1 and merchant_id = $2 and bank_ref_key = any ($3) and bank_ref_key <> '' and reversed_at is null
         and statement_line_id is null
       order by receipt_id limit ${MOST})
      union all
      (select 'payment', invoice_id, invoice_number, settlement.paid_date, settlement.amount_paise - settlement.tds_paise
       from settlement join invoice using (bucket, merchant_id, invoice_id)
       where bucket = $1 and merchant_id = $2 and bank_ref_key = any ($3) and bank_ref_key <> '' and reversed_at is null
         and receipt_id is null and via_settlement_id is null
       order by settlement_id limit ${MOST})`,
    values: [bucket, merchantId, references],
  });
  return rows.map((row) => ({
    kind: row.kind,
    id: row.id,
    number: row.number,
    paidDate: row.paid_date,
    amountPaise: row.amount_paise,
  }));
}

/** How many open invoices of a period, the last due first, are compared. */
const COMPARED = 20_000;

/** Open invoices with exactly this due amount in a period, the nearest to a day first. */
export async function findOpenByDue(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  duePaise: bigint,
  { from, to, near }: Readonly<Record<"from" | "to" | "near", Temporal.PlainDate>>,
): Promise<bigint[]> {
  const { rows } = await db.query<{ invoice_id: bigint }>({
    name: "find-open-by-due",
    text: `select invoice_id
      from (
        select invoice_id, due_date, amount_paise - paid_paise - credited_paise as due_paise from invoice
        where bucket = $1 and merchant_id = $2 and ${IS_OPEN} and due_date between $3 and $4
        order by due_date desc, invoice_id desc limit ${COMPARED}
      ) as compared
      where due_paise = $5
      order by abs(due_date - $6::date), invoice_id limit ${MOST}`,
    values: [bucket, merchantId, from.toString(), to.toString(), duePaise, near.toString()],
  });
  return rows.map((row) => row.invoice_id);
}
