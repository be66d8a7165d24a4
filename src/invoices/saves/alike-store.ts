// SQL that finds what may be the same invoice: of one customer, day and amount.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";

/** An invoice that is about to be saved; `place` is the caller's. `amountPaise` is with tax and previous dues. */
export type Wanted = {
  readonly place: number;
  readonly customerId: bigint;
  readonly billDate: Temporal.PlainDate;
  readonly amountPaise: bigint;
};

export type Alike = { readonly place: number; readonly invoiceId: bigint; readonly invoiceNumber: string };

/** Those of which there is an invoice already that was not cancelled, each with the newest. */
export async function findAlike(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  wanted: readonly Wanted[],
): Promise<Alike[]> {
  if (wanted.length === 0) return [];
  const { rows } = await db.query<{ place: number; invoice_id: bigint; invoice_number: string }>({
    name: "find-alike-invoices",
    text: `select distinct on (place) place, invoice_id, invoice_number
      from unnest($3::integer[], $4::bigint[], $5::date[], $6::bigint[])
        as wanted (place, customer_id, bill_date, amount_paise)
      join invoice using (customer_id, bill_date, amount_paise)
      where bucket = $1 and merchant_id = $2 and status <> 'Cancelled'
      order by place, invoice_id desc`,
    values: [
      bucket,
      merchantId,
      wanted.map(({ place }) => place),
      wanted.map(({ customerId }) => customerId),
      wanted.map(({ billDate }) => billDate.toString()),
      wanted.map(({ amountPaise }) => amountPaise),
    ],
  });
  return rows.map((row) => ({ place: row.place, invoiceId: row.invoice_id, invoiceNumber: row.invoice_number }));
}
