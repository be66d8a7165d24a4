// Very many subscriptions that are due at once, made by the database itself: copies of one that the API saved.
import { sealBooks } from "../src/audit/seal-books.ts";
import { changeMerchant, type MerchantKey } from "../src/merchants/index.ts";
import type { IdSource } from "../src/platform/database/ids.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { tellOfSeeded } from "./seeded-entries.ts";

/** Ids come in blocks of so many. */
const ID_BLOCK = 1000;

/** One customer for each subscription. $3 is the first id, $4 how many. */
const INSERT_CUSTOMERS = `
  insert into customer (
    bucket, merchant_id, customer_id, customer_code, customer_name, email, mobile, address, city, state, zipcode,
    created_at, updated_at)
  select
    $1, $2, $3::bigint + n, 'S' || n, 'Customer ' || n, 'customer' || n || '@example.com', '', n || ', MG Road',
    'Mysuru', 'Karnataka', '570001', now(), now()
  from generate_series(1, $4::integer) as n`;

/** Copies of the merchant's one subscription that begin today. $3 is the customers' first id, $4 how many. */
const INSERT_SUBSCRIPTIONS = `
  insert into subscription (
    bucket, merchant_id, subscription_id, customer_id, template_id, mode, repeat_every, start_date, due_days, end_mode,
    carry_dues, invoice, state, next_bill_date, created_at, updated_at)
  select
    bucket, merchant_id, $3::bigint + $4::integer + n, $3::bigint + n, template_id, mode, repeat_every, $5::date,
    due_days, end_mode, carry_dues, invoice, state, $5::date, now(), now()
  from subscription
  cross join generate_series(1, $4::integer) as n
  where bucket = $1 and merchant_id = $2`;

/**
 * Gives a merchant so many subscriptions that are due today, beside the one that it has. They are billed as soon as it is
 * active.
 */
export async function seedSubscriptions(
  pool: Pool,
  { bucket, merchantId }: MerchantKey,
  count: number,
  today: Temporal.PlainDate,
): Promise<void> {
  const { rows } = await pool.query<{ block: bigint }>("select nextval('id_block') as block");
  const blocks = Math.ceil((2 * count + 1) / ID_BLOCK);
  await pool.query("select setval('id_block', $1)", [rows[0]!.block + BigInt(blocks)]);
  const firstId = rows[0]!.block * BigInt(ID_BLOCK);
  await pool.query(INSERT_CUSTOMERS, [bucket, merchantId, firstId, count]);
  await pool.query(INSERT_SUBSCRIPTIONS, [bucket, merchantId, firstId, count, today.toString()]);
  await tellOfSeeded(pool, { bucket, merchantId }, "customer", firstId);
  await tellOfSeeded(pool, { bucket, merchantId }, "subscription", firstId);
}

/** Suspends merchants, or makes them active. */
export async function setStatus(
  parts: { readonly pool: Pool; readonly ids: IdSource },
  merchants: readonly MerchantKey[],
  status: "active" | "suspended",
): Promise<void> {
  for (const { merchantId } of merchants) await changeMerchant({ ...parts, merchant: { merchantId } }, { status });
}

/** As the schedules and autovacuum leave the tables a while later. */
export async function settleSubscriptions(pool: Pool): Promise<void> {
  await pool.query("vacuum (analyze) customer, subscription, merchant, invoice, journal");
  await sealBooks(pool);
  await pool.query("vacuum (analyze) sealed_thing");
  await pool.query("checkpoint");
}

/** How many subscriptions are still to be billed today. */
export async function countDue(pool: Pool, today: Temporal.PlainDate): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    "select count(*) as count from subscription where state = 'Active' and next_bill_date <= $1",
    [today.toString()],
  );
  return Number(rows[0]!.count);
}

/** What billing has made: each number is the same where every occurrence made one invoice. */
export type Made = { readonly billed: number; readonly subscriptions: number; readonly invoices: number };

/** Counts what billing has made for today. */
export async function countMade(pool: Pool, today: Temporal.PlainDate): Promise<Made> {
  const { rows } = await pool.query<{ billed: bigint; subscriptions: bigint; invoices: bigint }>(
    `select
       count(*) as billed, count(distinct subscription_id) as subscriptions, count(distinct invoice.invoice_id) as invoices
     from subscription_occurrence occurrence
     join invoice using (bucket, merchant_id, invoice_id)
     where occurrence.bill_date = $1 and invoice.bill_date = $1`,
    [today.toString()],
  );
  const { billed, subscriptions, invoices } = rows[0]!;
  return { billed: Number(billed), subscriptions: Number(subscriptions), invoices: Number(invoices) };
}
