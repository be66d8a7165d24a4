import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";

/** A customer's opening balance. */
export type KnownOpeningBalance = {
  readonly customerId: bigint;
  readonly invoiceId: bigint;
  readonly date: Temporal.PlainDate;
  readonly amountPaise: bigint;
};

/** The opening balances of customers, by customer, without cancelled ones. */
export async function findOpeningBalancesOf(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  customerIds: readonly bigint[],
): Promise<Map<bigint, KnownOpeningBalance>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await db.query<{
    customer_id: bigint;
    invoice_id: bigint;
    bill_date: Temporal.PlainDate;
    amount_paise: bigint;
  }>({
    name: "find-opening-balances",
    text: `select customer_id, invoice_id, bill_date, amount_paise from invoice
      where bucket = $1 and merchant_id = $2 and customer_id = any ($3::bigint[])
        and is_opening_balance and status <> 'Cancelled'`,
    values: [bucket, merchantId, customerIds],
  });
  return new Map(
    rows.map((row) => [
      row.customer_id,
      { customerId: row.customer_id, invoiceId: row.invoice_id, date: row.bill_date, amountPaise: row.amount_paise },
    ]),
  );
}
