// What a year's documents and payments say of each day, by SQL that reads no posting: the other way to the reports of the
// books. No assertion. Reversals are dated as the database keeps them, in India's time.

/** The accounts that a line of `MOVES` moves: above 0 debited, below 0 credited. Taxes are read apart. */
export const MOVED = [
  "receivable",
  "advances",
  "bank",
  "cash",
  "tds_receivable",
  "refunds_payable",
  "revenue",
  "rounding",
  "opening_balances",
  "written_off",
] as const;

type Amounts = Partial<Readonly<Record<(typeof MOVED)[number], string>>>;

/** A part of the union: where the rows are from, and what they move. */
function moves(
  from: string,
  { day, customer, invoice }: { day: string; customer: string; invoice: string },
  amounts: Amounts,
): string {
  const columns = MOVED.map((account) => `(${amounts[account] ?? "0"})::bigint as ${account}`);
  return `select ${day} as day, ${customer} as customer_id, ${invoice} as invoice_id, ${columns.join(", ")} from ${from}`;
}

const MONEY = (place: string, sign = ""): Amounts => ({
  bank: `case when ${place}.mode not in ('Cash', 'Write-off') then ${sign}(${place}.amount_paise - ${place}.tds_paise) else 0 end`,
  cash: `case when ${place}.mode = 'Cash' then ${sign}(${place}.amount_paise - ${place}.tds_paise) else 0 end`,
  tds_receivable: `${sign}${place}.tds_paise`,
});
const REVERSED = (place: string): string => `(${place}.reversed_at at time zone 'Asia/Kolkata')::date`;

const INVOICE = moves(
  "invoice where merchant_id = $1 and not (status = 'Cancelled' and credited_paise = 0)",
  { day: "bill_date", customer: "customer_id", invoice: "invoice_id" },
  {
    receivable: "amount_paise - carried_paise",
    revenue: "-sub_total_paise",
    rounding: "sub_total_paise + tax_total_paise + previous_dues_paise - amount_paise",
    opening_balances: "carried_paise - previous_dues_paise",
  },
);

/**
 * Payments and, with `-`, their reversals. What one settles of an earlier invoice is a row of its own, and a part of it; so
 * it is with that of a still earlier one.
 */
function payments(sign: "" | "-"): string[] {
  const isReversal = sign === "-";
  const day = isReversal ? REVERSED("paid") : "paid.paid_date";
  const from = `settlement paid join invoice using (bucket, merchant_id, invoice_id)
    where merchant_id = $1 and ${isReversal ? "paid.reversed_at is not null" : "true"}`;
  const place = { day, customer: "invoice.customer_id", invoice: "invoice_id" };
  const other = isReversal ? "" : "-";
  const earlier = `coalesce((select sum(part.amount_paise) from settlement part
    where part.merchant_id = $1 and part.via_settlement_id = paid.settlement_id), 0)`;
  const due: Amounts = { receivable: `${other}(paid.amount_paise - ${earlier})` };
  return [
    moves(`${from} and paid.via_settlement_id is null and paid.receipt_id is null`, place, {
      ...due,
      ...MONEY("paid", sign),
      written_off: `case when paid.mode = 'Write-off' then ${sign}paid.amount_paise else 0 end`,
    }),
    moves(`${from} and paid.receipt_id is not null and paid.via_settlement_id is null`, place, {
      ...due,
      advances: `${sign}paid.amount_paise`,
    }),
    moves(`${from} and paid.via_settlement_id is not null`, place, due),
  ];
}

const OF_RECEIPT = { customer: "customer_id", invoice: "0::bigint" };
const RECEIPTS = [
  moves(
    "receipt where merchant_id = $1",
    { day: "paid_date", ...OF_RECEIPT },
    {
      ...MONEY("receipt"),
      advances: "-amount_paise",
    },
  ),
  moves(
    "receipt where merchant_id = $1 and reversed_at is not null",
    { day: REVERSED("receipt"), ...OF_RECEIPT },
    {
      ...MONEY("receipt", "-"),
      advances: "amount_paise",
    },
  ),
  moves(
    "receipt_refund given join receipt using (bucket, merchant_id, receipt_id) where merchant_id = $1",
    { day: "given.paid_date", ...OF_RECEIPT },
    {
      advances: "given.amount_paise",
      bank: "case when given.mode = 'Cash' then 0 else -given.amount_paise end",
      cash: "case when given.mode = 'Cash' then -given.amount_paise else 0 end",
    },
  ),
];

const NOTE = moves(
  `credit_note note join invoice using (bucket, merchant_id, invoice_id)
   where merchant_id = $1 and note.cancelled_at is null`,
  { day: "note.note_date", customer: "invoice.customer_id", invoice: "invoice_id" },
  {
    receivable: "-note.reduces_due_paise",
    refunds_payable: "-note.refund_paise",
    revenue: "note.taxable_paise",
    rounding: "note.amount_paise - note.taxable_paise - note.tax_paise",
  },
);

/** Makes a table of everything that moved, by day, customer and invoice: once, since it is read for each day. */
export function keepMoves(merchantId: bigint): string {
  const union = [INVOICE, ...payments(""), ...payments("-"), ...RECEIPTS, NOTE].join("\nunion all\n");
  const ofMerchant = union.replaceAll("$1", String(merchantId));
  return `create schema documents; create table documents.move as
    select move.*, invoice.due_date from (${ofMerchant}) as move
    left join invoice on invoice.merchant_id = ${merchantId} and invoice.invoice_id = move.invoice_id;
    analyze documents.move`;
}

/** What moved on each day. */
export const BY_DAY = `select day::text as day, ${MOVED.map((name) => `sum(${name})::bigint as ${name}`).join(", ")}
  from documents.move group by day order by day`;

/** By how much what a customer owes changed on each day: dues, less advances and what is owed back. */
export const BY_CUSTOMER = `select day::text as day, customer_id::text as customer_id,
    sum(receivable + advances + refunds_payable)::bigint as owed
  from documents.move group by day, customer_id order by day`;

/** What was due at the end of day $2 to merchant $1, by customer and age. */
export const AGEING = `with due as (
    select customer_id, due_date, sum(receivable)::bigint as paise from documents.move
    where day <= $2 and invoice_id <> 0 group by invoice_id, customer_id, due_date having sum(receivable) <> 0
  )
  select customer_code, sum(paise)::bigint as total, ${[
    ["not_due", "late <= 0"],
    ["days_1_to_30", "late between 1 and 30"],
    ["days_31_to_60", "late between 31 and 60"],
    ["days_61_to_90", "late between 61 and 90"],
    ["over_90_days", "late > 90"],
  ]
    .map(([name, holds]) => `coalesce(sum(paise) filter (where ${holds}), 0)::bigint as ${name}`)
    .join(", ")}
  from due join customer on customer.merchant_id = $1 and customer.customer_id = due.customer_id
  cross join lateral (select $2::date - due_date as late) as age
  group by customer_code order by customer_code`;

/** The taxes of each day by head, as documents say them; credit notes take away. */
export const TAXES = `with document as (
    select bill_date as day, 1 as sign, content from invoice
      where merchant_id = $1 and not (status = 'Cancelled' and credited_paise = 0)
    union all select note_date, -1, content from credit_note where merchant_id = $1 and cancelled_at is null
  )
  select day::text as day, lower(tax ->> 'name') as head, sum(sign * (tax ->> 'amountPaise')::bigint)::bigint as paise
  from document, jsonb_array_elements(content -> 'taxes') as tax group by 1, 2 order by 1`;

const HEADS = `unnest(case when supply = 'inter_state' then array['igst']
  else array['cgst', case when supply = 'intra_state' then 'sgst' else 'utgst' end] end)`;

/**
 * How the tax on advances changed on each day, by head: at the end of a day it is the tax in what is then left of each advance
 * that has a voucher, rounded for each head.
 */
export const ADVANCE_TAXES = `with moved as (
    select receipt_id, paid_date as day, amount_paise as paise from receipt where merchant_id = $1
    union all select receipt_id, ${REVERSED("receipt")}, -amount_paise from receipt
      where merchant_id = $1 and reversed_at is not null
    union all select receipt_id, paid_date, -amount_paise from receipt_refund where merchant_id = $1
    union all select receipt_id, paid_date, -amount_paise from settlement
      where merchant_id = $1 and receipt_id is not null and via_settlement_id is null
    union all select receipt_id, ${REVERSED("settlement")}, amount_paise from settlement
      where merchant_id = $1 and receipt_id is not null and via_settlement_id is null and reversed_at is not null
  ), rest as (
    select receipt_id, day, (sum(sum(paise)) over (partition by receipt_id order by day))::numeric as paise
    from moved group by receipt_id, day
  ), taxed as (
    select receipt_id, day, head, round(
        least(rest.paise, voucher.amount_paise) * rate_thousandths
        / ((case when supply = 'inter_state' then 1 else 2 end) * (100000 + rate_thousandths))
      )::bigint as paise
    from advance_voucher voucher join rest using (receipt_id) cross join lateral ${HEADS} as head
    where voucher.merchant_id = $1 and kind = 'receipt_voucher'
  )
  select day::text as day, head, sum(change)::bigint as paise from (
    select day, head, paise - coalesce(lag(paise) over (partition by receipt_id, head order by day), 0) as change from taxed
  ) as changed group by 1, 2 order by 1`;
