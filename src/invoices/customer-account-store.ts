// SQL of a customer's account: what it owes, and what it paid last.
// What belongs here: reads of one customer's invoices and settlements, by the index of its invoices.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";

/** What one customer was billed and owes, in paise. `franchiseId` leaves out the invoices of others. */
export type CustomerAccount = {
  readonly invoices: bigint;
  readonly billedPaise: bigint;
  readonly duePaise: bigint;
  readonly overduePaise: bigint;
};

type Owner = MerchantKey & { readonly customerId: bigint; readonly franchiseId: bigint | null };

/** Adds a customer's invoices up. Cancelled ones count as nothing, and previous dues are left out of what was billed. */
export async function readCustomerAccount(
  db: Queryable,
  { bucket, merchantId, customerId, franchiseId }: Owner,
  today: Temporal.PlainDate,
): Promise<CustomerAccount> {
  const { rows } = await db.query<{
    invoices: bigint;
    billed: string;
    due: string;
    overdue: string;
  }>({
    name: "read-customer-account",
    text: `with own as (
        select
          status, due_date, amount_paise - previous_dues_paise as billed,
          case when status in ('Unpaid', 'Partially paid')
            then amount_paise - paid_paise - credited_paise else 0 end as due
        from invoice
        where bucket = $1 and merchant_id = $2 and customer_id = $3 and ($4::bigint is null or franchise_id = $4)
      )
      select
        count(*) as invoices,
        coalesce(sum(billed) filter (where status <> 'Cancelled'), 0)::text as billed,
        coalesce(sum(due), 0)::text as due,
        coalesce(sum(due) filter (where due_date < $5::date), 0)::text as overdue
      from own`,
    values: [bucket, merchantId, customerId, franchiseId, today.toString()],
  });
  const { invoices, billed, due, overdue } = rows[0]!;
  return { invoices, billedPaise: BigInt(billed), duePaise: BigInt(due), overduePaise: BigInt(overdue) };
}

export type CustomerPayment = {
  readonly settlementId: bigint;
  readonly invoiceId: bigint;
  readonly invoiceNumber: string;
  readonly paidDate: Temporal.PlainDate;
  readonly mode: string;
  readonly amountPaise: bigint;
  readonly isReversed: boolean;
};

/** The last payments of a customer's invoices, latest first. What one passes on to earlier dues is in its own amount. */
export async function listCustomerPayments(
  db: Queryable,
  { bucket, merchantId, customerId, franchiseId }: Owner,
  limit: number,
): Promise<CustomerPayment[]> {
  const { rows } = await db.query<{
    settlement_id: bigint;
    invoice_id: bigint;
    invoice_number: string;
    paid_date: Temporal.PlainDate;
    mode: string;
    amount_paise: bigint;
    is_reversed: boolean;
  }>({
    name: "list-customer-payments",
    text: `select
        settlement_id, invoice_id, invoice_number, settlement.paid_date, mode, settlement.amount_paise,
        reversed_at is not null as is_reversed
      from invoice
      join settlement using (bucket, merchant_id, invoice_id)
      where bucket = $1 and merchant_id = $2 and customer_id = $3 and ($4::bigint is null or franchise_id = $4)
        and via_settlement_id is null
      order by settlement_id desc
      limit $5`,
    values: [bucket, merchantId, customerId, franchiseId, limit],
  });
  return rows.map((row) => ({
    settlementId: row.settlement_id,
    invoiceId: row.invoice_id,
    invoiceNumber: row.invoice_number,
    paidDate: row.paid_date,
    mode: row.mode,
    amountPaise: row.amount_paise,
    isReversed: row.is_reversed,
  }));
}
