// SQL that finds possible duplicates of an invoice: with the same customer, day and amount.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";

/** Invoices of one customer, day and amount (with tax and previous dues) to be saved; each `place` has a different combination. */
export type Wanted = {
  readonly place: number;
  readonly customerId: bigint;
  readonly billDate: Temporal.PlainDate;
  readonly amountPaise: bigint;
  /** How many of them to return. */
  readonly count: number;
};

export type Alike = { readonly place: number; readonly invoiceId: bigint; readonly invoiceNumber: string };

/**
 * The existing invoices with these combinations, without cancelled ones, the newest first, at most the requested number of each;
 * without those in `except`. Reads existing invoices once, however many are alike.
 */
export async function findAlike(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  wanted: readonly Wanted[],
  except: readonly bigint[],
): Promise<Alike[]> {
  if (wanted.length === 0) return [];
  const { rows } = await db.query<{ place: number; invoice_id: bigint; invoice_number: string }>({
    name: "find-alike-invoices",
    text: `select place, invoice_id, invoice_number
      from (
        select place, count, invoice_id, invoice_number,
          row_number() over (partition by place order by invoice_id desc) as turn
        from unnest($3::integer[], $4::bigint[], $5::date[], $6::bigint[], $7::integer[])
          as wanted (place, customer_id, bill_date, amount_paise, count)
        join invoice using (customer_id, bill_date, amount_paise)
        where bucket = $1 and merchant_id = $2 and status <> 'Cancelled' and not is_opening_balance and original_invoice_id is null and invoice_id <> all ($8::bigint[])
      ) as found
      where turn <= count
      order by place, turn`,
    values: [
      bucket,
      merchantId,
      wanted.map(({ place }) => place),
      wanted.map(({ customerId }) => customerId),
      wanted.map(({ billDate }) => billDate.toString()),
      wanted.map(({ amountPaise }) => amountPaise),
      wanted.map(({ count }) => count),
      except,
    ],
  });
  return rows.map((row) => ({ place: row.place, invoiceId: row.invoice_id, invoiceNumber: row.invoice_number }));
}
