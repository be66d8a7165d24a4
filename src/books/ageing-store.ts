// SQL of receivables by age.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";

/** A customer's dues, in paise, by days overdue. */
export type AgeingRow = {
  readonly customerId: bigint;
  readonly customerCode: string;
  readonly customerName: string;
  readonly notDuePaise: bigint;
  /** 1 to 30 days overdue, and so on. */
  readonly to30Paise: bigint;
  readonly to60Paise: bigint;
  readonly to90Paise: bigint;
  readonly over90Paise: bigint;
  readonly totalPaise: bigint;
};
/** The end of a page. */
export type AgeingKey = { readonly totalPaise: bigint; readonly customerId: bigint };

const AGES = ["not_due", "to30", "to60", "to90", "over90"] as const;

/** The due amount of an open invoice now. */
const DUE_NOW = "amount_paise - carried_paise - (paid_paise - least(paid_paise, carried_paise)) - credited_paise";

/**
 * What is due on each invoice now, and the later postings that are taken off. Both come from indexes alone: open invoices, and
 * the postings after the day $3. Only invoices paid since are read from the table.
 */
const OWED = `
    select invoice_id, customer_id, due_date, ${DUE_NOW} as paise from invoice
    where bucket = $1 and merchant_id = $2 and status in ('Unpaid', 'Partially paid')
    union all
    select invoice_id, customer_id, due_date, ${DUE_NOW} from invoice
    where bucket = $1 and merchant_id = $2 and status = 'Carried forward'
    union all
    select invoice_id, null, null, -receivable_paise from book_entry
    where bucket = $1 and merchant_id = $2 and entry_date > $3::date and receivable_paise <> 0`;

/** The same of a franchise's invoices, $7. No others are read. */
const OWED_OF_FRANCHISE = `
    select invoice_id, customer_id, due_date, ${DUE_NOW} as paise from invoice
    where bucket = $1 and merchant_id = $2 and franchise_id = $7 and franchise_id <> 0
      and status in ('Unpaid', 'Partially paid', 'Carried forward')
    union all
    select invoice.invoice_id, invoice.customer_id, invoice.due_date, -receivable_paise
    from invoice
    join book_entry later
      on later.bucket = $1 and later.merchant_id = $2 and later.invoice_id = invoice.invoice_id
    where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.franchise_id = $7 and invoice.franchise_id <> 0
      and later.entry_date > $3::date and receivable_paise <> 0`;

/** The due amount of each customer at the end of the day, by age. */
const agedOf = (owed: string): string => `
  owed as (${owed}
  ), due as (
    select invoice_id, max(customer_id) as customer_id, max(due_date) as due_date, sum(paise) as paise
    from owed group by invoice_id having sum(paise) <> 0
  ), dated as (
    select customer_id, due_date, paise from due where customer_id is not null
    union all
    select invoice.customer_id, invoice.due_date, due.paise
    from due
    join invoice on invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = due.invoice_id
    where due.customer_id is null
  ), aged as (
    select
      customer_id, sum(paise) as total,
      sum(paise) filter (where due_date >= $3::date) as not_due,
      sum(paise) filter (where $3::date - due_date between 1 and 30) as to30,
      sum(paise) filter (where $3::date - due_date between 31 and 60) as to60,
      sum(paise) filter (where $3::date - due_date between 61 and 90) as to90,
      sum(paise) filter (where $3::date - due_date > 90) as over90
    from dated
    group by customer_id
  )`;

type Aged = Record<(typeof AGES)[number] | "total", string | null>;

function agesOf(row: Aged) {
  return {
    notDuePaise: BigInt(row.not_due ?? 0),
    to30Paise: BigInt(row.to30 ?? 0),
    to60Paise: BigInt(row.to60 ?? 0),
    to90Paise: BigInt(row.to90 ?? 0),
    over90Paise: BigInt(row.over90 ?? 0),
    totalPaise: BigInt(row.total ?? 0),
  };
}

type AgeingTotals = ReturnType<typeof agesOf> & { readonly customers: number };

/** Of all invoices, or of a franchise's alone. `limit` is `null` for all customers. */
export type AgeingPage = {
  readonly franchiseId: bigint | null;
  readonly after: AgeingKey | null;
  readonly limit: number | null;
};

/** A page of customers' dues at the end of a day, by age, the largest first; and the total of all. */
export async function readAgeing(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  asOf: Temporal.PlainDate,
  { franchiseId, after, limit }: AgeingPage,
): Promise<{ readonly rows: AgeingRow[]; readonly totals: AgeingTotals }> {
  type Stored = Aged & {
    customer_id: bigint;
    customer_code: string;
    customer_name: string;
    sums: Aged;
    customers: bigint;
  };
  const values = [bucket, merchantId, asOf.toString(), after?.totalPaise ?? null, after?.customerId ?? null, limit];
  const { rows } = await db.query<Stored>(
    `with ${agedOf(franchiseId === null ? OWED : OWED_OF_FRANCHISE)}, page as (
       select * from aged where $4::bigint is null or (-total, customer_id) > (-$4::bigint, $5::bigint)
       order by -total, customer_id limit $6
     ), summed as (
       select
         count(*) as customers,
         json_build_object(${["total", ...AGES].map((age) => `'${age}', sum(${age})::text`).join(", ")}) as sums
       from aged
     )
     select
       page.customer_id, customer_code, customer_name, page.total::text,
       ${AGES.map((age) => `page.${age}::text`).join(", ")}, customers, sums
     from page
     cross join summed
     join customer on customer.bucket = $1 and customer.merchant_id = $2 and customer.customer_id = page.customer_id
     order by -page.total, page.customer_id`,
    franchiseId === null ? values : [...values, franchiseId],
  );
  const [first] = rows;
  const sums: Aged = first?.sums ?? { total: null, not_due: null, to30: null, to60: null, to90: null, over90: null };
  return {
    rows: rows.map((row) => ({
      customerId: row.customer_id,
      customerCode: row.customer_code,
      customerName: row.customer_name,
      ...agesOf(row),
    })),
    totals: { ...agesOf(sums), customers: Number(first?.customers ?? 0) },
  };
}
