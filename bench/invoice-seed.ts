// Very many invoices of one merchant, made by the database itself: copies of a few that the API saved. `nodal verify`
// checks the result.
import { sealBooks } from "../src/audit/seal-books.ts";
import { formatInvoiceId } from "../src/invoices/invoice.ts";
import type { MerchantKey } from "../src/merchants/index.ts";
import type { IdSource } from "../src/platform/database/ids.ts";
import { inTransaction, type Pool } from "../src/platform/database/pool.ts";
import { makeFranchises, makeMerchants, savePdfPaths } from "./invoice-merchants.ts";
import type { SeededMerchant } from "./invoice-reads.ts";
import { tellOfSeeded } from "./seeded-entries.ts";
import type { WireClient } from "./wire-client.ts";

/** Days over which the copies' bill dates spread, the last one being today. */
const DAYS = 1095;
const INVOICES_PER_CUSTOMER = 50;
const FRANCHISES = 4;
/** Ids come in blocks of so many. */
const ID_BLOCK = 1000;

type Seeding = MerchantKey & {
  /** How many copies to make. */
  readonly invoices: number;
  /** How many invoices there are already, to copy. */
  readonly samples: number;
  /** To whom half of them belong, in turns; the others belong to none. */
  readonly franchiseIds: readonly string[];
  /** Whether the log has an entry about each, without which `nodal verify` finds rows that nobody has made. */
  readonly tells: boolean;
};

/** Customers C2, C3, …, a quarter of them in the group Wholesale. $3 is the first id, $4 how many. */
const INSERT_CUSTOMERS = `
  insert into customer (
    bucket, merchant_id, customer_id, customer_code, customer_name, email, mobile, address, city, state, zipcode,
    created_at, updated_at)
  select
    $1, $2, $3::bigint + n, 'C' || n + 1, 'Customer ' || n, 'customer' || n || '@example.com',
    (9000000000 + n)::text, n || ', MG Road', (array['Mysuru', 'Pune', 'Chennai', 'Kolkata'])[n % 4 + 1], 'Karnataka',
    (560000 + n % 100)::text, now(), now()
  from generate_series(1, $4::integer) as n`;

const INSERT_GROUP = `
  insert into customer_group (bucket, merchant_id, group_id, name, name_key)
  values ($1, $2, $3, 'Wholesale', 'wholesale')`;

const INSERT_MEMBERS = `
  insert into customer_group_member (bucket, merchant_id, customer_id, group_id, place)
  select $1, $2, $3::bigint + n, $3, 1 from generate_series(4, $4::integer, 4) as n`;

/**
 * Copies of the merchant's invoices. $3 is the first id, $4 how many, $5 the customers', $6 their first id, $7 the
 * franchises and $8 how many invoices there are to copy.
 */
const INSERT_INVOICES = `
  with sample as materialized (
    select *, row_number() over (order by invoice_id) - 1 as place
    from invoice where bucket = $1 and merchant_id = $2
  ), copy as (
    select
      n, (n * 7919) % 100 as lot,
      current_date - ${DAYS - 1} + ((n - 1) * ${DAYS}::bigint / $4::bigint)::integer as bill_date
    from generate_series(1, $4::bigint) as n
  ), dated as (
    select
      *, extract(year from bill_date - interval '3 months')::smallint as financial_year,
      case
        when lot < 2 then 'Cancelled'
        when lot < 6 then 'Partially paid'
        when lot < 12 or (lot < 60 and bill_date > current_date - 30) then 'Unpaid'
        else 'Paid offline'
      end as status
    from copy
  ), numbered as (
    select
      *, row_number() over (partition by financial_year order by n) + coalesce((
        select last_number from number_counter counter
        where counter.bucket = $1 and counter.merchant_id = $2 and counter.financial_year = dated.financial_year
      ), 0) as number
    from dated
  )
  insert into invoice (
    bucket, merchant_id, invoice_id, customer_id, template_id, franchise_id, series_id, financial_year, invoice_number,
    cycle_name, bill_date, due_date, paid_date, status, sub_total_paise, tax_total_paise, previous_dues_paise,
    amount_paise, paid_paise, content, public_token, created_at)
  select
    bucket, merchant_id, $3::bigint + n, $6::bigint + 1 + (n * 104729) % $5::bigint, template_id,
    coalesce(($7::bigint[])[n % (2 * cardinality($7::bigint[])) + 1], 0), series_id, numbered.financial_year,
    'INV-' || lpad((numbered.financial_year % 100)::text, 2, '0')
      || lpad(((numbered.financial_year + 1) % 100)::text, 2, '0') || '-'
      || lpad(number::text, greatest(5, length(number::text)), '0'),
    cycle_name, numbered.bill_date, numbered.bill_date + (array[7, 15, 30, 45])[n % 4 + 1],
    case when numbered.status in ('Paid offline', 'Partially paid')
      then least(current_date, numbered.bill_date + (lot % 20)::integer) end,
    numbered.status, sub_total_paise, tax_total_paise, 0, amount_paise,
    case numbered.status when 'Paid offline' then amount_paise when 'Partially paid' then amount_paise / 2 else 0 end,
    content, public_token, numbered.bill_date + interval '6 hours'
  from numbered
  join sample on sample.place = n % $8::bigint`;

/**
 * What the tax register says of the copies: what it says of the invoices that they are copies of. $3 is the first copy's id, $4 how
 * many invoices were copied.
 */
const INSERT_GST_DOCUMENTS = `
  with sample as materialized (
    select invoice_id, row_number() over (order by invoice_id) - 1 as place
    from invoice where bucket = $1 and merchant_id = $2 and invoice_id <= $3
  ), copy as (
    select copied.*, sample.invoice_id as sample_id
    from invoice copied join sample on sample.place = (copied.invoice_id - $3) % $4
    where bucket = $1 and merchant_id = $2 and copied.invoice_id > $3
  )
  insert into gst_document
  select (jsonb_populate_record(register, jsonb_build_object(
    'document_id', copy.invoice_id, 'document_number', invoice_number, 'document_date', bill_date,
    'financial_year', copy.financial_year, 'revision', copy.revision,
    'cancelled_at', case when status = 'Cancelled' then now() end))).*
  from copy join gst_document register using (bucket, merchant_id)
  where register.document_id = sample_id and is_current`;
/** One settlement for each paid copy. $3 is the first invoice's id, $4 how far the settlement's id is from it. */
const INSERT_SETTLEMENTS = `
  insert into settlement (
    bucket, merchant_id, settlement_id, invoice_id, paid_date, amount_paise, mode, bank_name, bank_ref_no, cheque_no,
    cash_paid_to, created_at)
  select bucket, merchant_id, invoice_id + $4::bigint, invoice_id, paid_date, paid_paise, 'UPI', '', '', '', '', now()
  from invoice
  where bucket = $1 and merchant_id = $2 and invoice_id > $3 and paid_paise > 0
  order by invoice_id`;

const COUNT_DAYS = `
  insert into invoice_day (
    bucket, merchant_id, filter_by, day, status, franchise_id, invoices, billed_paise, paid_paise, due_paise)
  select
    bucket, merchant_id, filter_by, day, status, franchise_id, count(*), sum(sums.billed_paise), sum(sums.paid_paise),
    sum(sums.due_paise)
  from invoice
  cross join lateral invoice_sums(
    status, amount_paise, previous_dues_paise, carried_paise, invoice.paid_paise, credited_paise) as sums
  cross join lateral (values ('bill_date', bill_date), ('due_date', due_date), ('paid_date', paid_date))
    as date (filter_by, day)
  where bucket = $1 and merchant_id = $2 and day is not null
  group by bucket, merchant_id, filter_by, day, status, franchise_id
  order by bucket, merchant_id, filter_by, day
  on conflict (bucket, merchant_id, filter_by, day, status, franchise_id) do update set
    invoices = excluded.invoices, billed_paise = excluded.billed_paise, paid_paise = excluded.paid_paise,
    due_paise = excluded.due_paise`;

const COUNT_MONTHS = `
  insert into invoice_month (
    bucket, merchant_id, filter_by, month, status, franchise_id, invoices, billed_paise, paid_paise, due_paise)
  select
    bucket, merchant_id, filter_by, date_trunc('month', day::timestamp)::date as month, status, franchise_id,
    sum(invoices), sum(billed_paise), sum(paid_paise), sum(due_paise)
  from invoice_day
  where bucket = $1 and merchant_id = $2
  group by bucket, merchant_id, filter_by, month, status, franchise_id
  on conflict (bucket, merchant_id, filter_by, month, status, franchise_id) do update set
    invoices = excluded.invoices, billed_paise = excluded.billed_paise, paid_paise = excluded.paid_paise,
    due_paise = excluded.due_paise`;

const COUNT_NUMBERS = `
  insert into number_counter (bucket, merchant_id, series_id, financial_year, last_number)
  select bucket, merchant_id, series_id, financial_year, count(*)
  from invoice where bucket = $1 and merchant_id = $2
  group by bucket, merchant_id, series_id, financial_year
  on conflict (bucket, merchant_id, series_id, financial_year) do update set last_number = excluded.last_number`;

/**
 * Makes a merchant with so many invoices beside `samples` that the API has saved, of which they are copies. Where nothing is told
 * of the copies in the log, half of the time and a quarter of the disk is spared, and `nodal verify` is not to be run.
 */
export async function seedMerchant(
  { client, pool, ids }: { readonly client: WireClient; readonly pool: Pool; readonly ids: IdSource },
  invoices: number,
  samples: number,
  tells = true,
): Promise<SeededMerchant> {
  const [made] = await makeMerchants(pool, ids, client, 1);
  const franchiseIds = await makeFranchises(pool, ids, made!, FRANCHISES);
  await savePdfPaths(client, made!, samples);
  const invoiceId = await seedInvoices(pool, { ...made!.merchant, invoices, samples, franchiseIds, tells });
  return { ...made!, invoices, customers: customersOf(invoices), franchiseIds, invoiceId };
}

/** Returns how many customers a merchant with so many copies has. */
function customersOf(invoices: number): number {
  return invoices / INVOICES_PER_CUSTOMER;
}

/**
 * Makes the copies, their customers and settlements, and their counts. The merchant has invoices already, all from its
 * default template's series, and nobody writes at the same time. Returns the id of a copy in their midst, as the wire
 * writes it.
 */
async function seedInvoices(pool: Pool, seeding: Seeding): Promise<string> {
  const { bucket, merchantId, invoices, samples, franchiseIds, tells } = seeding;
  const customers = customersOf(invoices);
  const firstCustomer = await takeIds(pool, customers + 1);
  const firstInvoice = await takeIds(pool, 2 * (invoices + 1));
  await inTransaction(pool, async (connection) => {
    await connection.query("set local work_mem = '256MB'");
    const run = (text: string, ...values: unknown[]) => connection.query(text, [bucket, merchantId, ...values]);
    await run(INSERT_CUSTOMERS, firstCustomer, customers);
    await run(INSERT_GROUP, firstCustomer);
    await run(INSERT_MEMBERS, firstCustomer, customers);
    await run(INSERT_INVOICES, firstInvoice, invoices, customers, firstCustomer, franchiseIds, samples);
    await run(INSERT_SETTLEMENTS, firstInvoice, invoices + 1);
    await run(INSERT_GST_DOCUMENTS, firstInvoice, samples);
    await run(COUNT_DAYS);
    await run(COUNT_MONTHS);
    await run(COUNT_NUMBERS);
  });
  if (tells) {
    await tellOfSeeded(pool, seeding, "customer", firstCustomer);
    await tellOfSeeded(pool, seeding, "invoice", firstInvoice);
    await tellOfSeeded(pool, seeding, "settlement", firstInvoice + BigInt(invoices));
  }
  return formatInvoiceId(firstInvoice + BigInt(invoices / 2));
}

/**
 * As the schedules and autovacuum leave the tables a while later: without it the first reads would pay for the writes.
 */
export async function settleTables(pool: Pool): Promise<void> {
  await pool.query(
    `vacuum (analyze) customer, customer_group_member, invoice, invoice_day, invoice_month, settlement, number_counter,
       franchise, journal, gst_document`,
  );
  await sealBooks(pool);
  await pool.query("vacuum (analyze) sealed_thing");
  await pool.query("checkpoint");
}

/** Takes so many ids in a row, which nobody else gets. Returns the one before the first. */
export async function takeIds(pool: Pool, count: number): Promise<bigint> {
  const { rows } = await pool.query<{ block: bigint }>("select nextval('id_block') as block");
  await pool.query("select setval('id_block', $1)", [rows[0]!.block + BigInt(Math.ceil(count / ID_BLOCK))]);
  return rows[0]!.block * BigInt(ID_BLOCK);
}
