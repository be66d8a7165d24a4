// SQL of invoices: writing them, finding one, and the counts and sums of days that lists live on.
// What belongs here: the table invoice and its revisions. Lists are in invoice-list-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { together } from "../platform/database/together.ts";
import { sumsOf, type Invoice, type InvoiceKey, type InvoiceStatus } from "./invoice.ts";
import { contentFromJson, contentToJson } from "./invoice-json.ts";
import { numberKey } from "./number-series.ts";

type InvoiceRow = {
  bucket: number;
  merchant_id: bigint;
  invoice_id: bigint;
  customer_id: bigint;
  template_id: bigint;
  franchise_id: bigint;
  series_id: bigint | null;
  financial_year: number;
  invoice_number: string;
  cycle_name: string;
  bill_date: Temporal.PlainDate;
  due_date: Temporal.PlainDate;
  sent_at: Temporal.Instant | null;
  sent_date: Temporal.PlainDate | null;
  paid_date: Temporal.PlainDate | null;
  status: InvoiceStatus;
  sub_total_paise: bigint;
  tax_total_paise: bigint;
  previous_dues_paise: bigint;
  amount_paise: bigint;
  paid_paise: bigint;
  credited_paise: bigint;
  carried_paise: bigint;
  carried_to: bigint | null;
  carried_due_paise: bigint;
  content: unknown;
  public_token: string;
  revision: number;
  created_at: Temporal.Instant;
};

function fromRow(row: InvoiceRow): Invoice {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    invoiceId: row.invoice_id,
    customerId: row.customer_id,
    templateId: row.template_id,
    franchiseId: row.franchise_id,
    seriesId: row.series_id,
    financialYear: row.financial_year,
    invoiceNumber: row.invoice_number,
    cycleName: row.cycle_name,
    billDate: row.bill_date,
    dueDate: row.due_date,
    sentAt: row.sent_at,
    sentDate: row.sent_date,
    paidDate: row.paid_date,
    status: row.status,
    subTotalPaise: row.sub_total_paise,
    taxTotalPaise: row.tax_total_paise,
    previousDuesPaise: row.previous_dues_paise,
    amountPaise: row.amount_paise,
    paidPaise: row.paid_paise,
    creditedPaise: row.credited_paise,
    carriedPaise: row.carried_paise,
    carriedTo: row.carried_to,
    carriedDuePaise: row.carried_due_paise,
    content: contentFromJson(row.content),
    publicToken: row.public_token,
    revision: row.revision,
    createdAt: row.created_at,
  };
}

/** Inserts new invoices of one merchant, at least one, and counts them. The statements are sent at once. */
export async function insertInvoices(connection: Connection, invoices: readonly Invoice[]): Promise<void> {
  await together(
    connection,
    () => insertRows(connection, invoices),
    () => countDays(connection, invoices[0]!, [], invoices),
  );
}

async function insertRows(connection: Connection, invoices: readonly Invoice[]): Promise<void> {
  const column = <T>(read: (invoice: Invoice) => T): T[] => invoices.map(read);
  await connection.query({
    name: "insert-invoices",
    text: `insert into invoice (
        bucket, merchant_id, invoice_id, customer_id, template_id, franchise_id, series_id, financial_year,
        invoice_number, cycle_name, bill_date, due_date, status, sub_total_paise, tax_total_paise,
        previous_dues_paise, amount_paise, content, public_token, created_at, carried_paise)
      select * from unnest(
        $1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::smallint[], $9::text[], $10::text[], $11::date[], $12::date[], $13::text[], $14::bigint[], $15::bigint[],
        $16::bigint[], $17::bigint[], $18::jsonb[], $19::text[], $20::timestamptz[], $21::bigint[])`,
    values: [
      column((invoice) => invoice.bucket),
      column((invoice) => invoice.merchantId),
      column((invoice) => invoice.invoiceId),
      column((invoice) => invoice.customerId),
      column((invoice) => invoice.templateId),
      column((invoice) => invoice.franchiseId),
      column((invoice) => invoice.seriesId),
      column((invoice) => invoice.financialYear),
      column((invoice) => invoice.invoiceNumber),
      column((invoice) => invoice.cycleName),
      column((invoice) => invoice.billDate.toString()),
      column((invoice) => invoice.dueDate.toString()),
      column((invoice) => invoice.status),
      column((invoice) => invoice.subTotalPaise),
      column((invoice) => invoice.taxTotalPaise),
      column((invoice) => invoice.previousDuesPaise),
      column((invoice) => invoice.amountPaise),
      column((invoice) => contentToJson(invoice.content)),
      column((invoice) => invoice.publicToken),
      column((invoice) => invoice.createdAt.toString()),
      column((invoice) => invoice.carriedPaise),
    ],
  });
}

/** An invoice as it was, for the day counts, and as it is to be. */
type Change = { readonly before: Invoice; readonly after: Invoice };

/** Writes an invoice back. The caller holds its row. */
export async function updateInvoice(connection: Connection, before: Invoice, after: Invoice): Promise<void> {
  await updateInvoices(connection, [{ before, after }]);
}

/** Writes invoices of one merchant back, at least one. The caller holds their rows. The statements are sent at once. */
export async function updateInvoices(connection: Connection, changes: readonly Change[]): Promise<void> {
  const before = changes.map((change) => change.before);
  const after = changes.map((change) => change.after);
  await together(
    connection,
    () => updateRows(connection, after),
    () => countDays(connection, after[0]!, before, after),
  );
}

async function updateRows(connection: Connection, invoices: readonly Invoice[]): Promise<void> {
  const { bucket, merchantId } = invoices[0]!;
  const column = <T>(read: (invoice: Invoice) => T): T[] => invoices.map(read);
  await connection.query({
    name: "update-invoices",
    text: `update invoice set
        customer_id = changed.customer_id, template_id = changed.template_id, franchise_id = changed.franchise_id,
        financial_year = changed.financial_year, invoice_number = changed.invoice_number,
        cycle_name = changed.cycle_name, bill_date = changed.bill_date, due_date = changed.due_date,
        paid_date = changed.paid_date, status = changed.status, sub_total_paise = changed.sub_total_paise,
        tax_total_paise = changed.tax_total_paise, previous_dues_paise = changed.previous_dues_paise,
        amount_paise = changed.amount_paise, paid_paise = changed.paid_paise, credited_paise = changed.credited_paise,
        content = changed.content, revision = changed.revision, carried_to = changed.carried_to,
        carried_due_paise = changed.carried_due_paise, sent_at = changed.sent_at, sent_date = changed.sent_date,
        carried_paise = changed.carried_paise
      from unnest(
          $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::smallint[], $8::text[], $9::text[], $10::date[],
          $11::date[], $12::date[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[],
          $18::bigint[], $19::bigint[], $20::jsonb[], $21::integer[], $22::bigint[], $23::bigint[],
          $24::timestamptz[], $25::date[], $26::bigint[])
        as changed (
          invoice_id, customer_id, template_id, franchise_id, financial_year, invoice_number, cycle_name, bill_date,
          due_date, paid_date, status, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise,
          paid_paise, credited_paise, content, revision, carried_to, carried_due_paise, sent_at, sent_date,
          carried_paise)
      where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = changed.invoice_id`,
    values: [
      bucket,
      merchantId,
      column((invoice) => invoice.invoiceId),
      column((invoice) => invoice.customerId),
      column((invoice) => invoice.templateId),
      column((invoice) => invoice.franchiseId),
      column((invoice) => invoice.financialYear),
      column((invoice) => invoice.invoiceNumber),
      column((invoice) => invoice.cycleName),
      column((invoice) => invoice.billDate.toString()),
      column((invoice) => invoice.dueDate.toString()),
      column((invoice) => invoice.paidDate?.toString() ?? null),
      column((invoice) => invoice.status),
      column((invoice) => invoice.subTotalPaise),
      column((invoice) => invoice.taxTotalPaise),
      column((invoice) => invoice.previousDuesPaise),
      column((invoice) => invoice.amountPaise),
      column((invoice) => invoice.paidPaise),
      column((invoice) => invoice.creditedPaise),
      column((invoice) => contentToJson(invoice.content)),
      column((invoice) => invoice.revision),
      column((invoice) => invoice.carriedTo),
      column((invoice) => invoice.carriedDuePaise),
      column((invoice) => invoice.sentAt?.toString() ?? null),
      column((invoice) => invoice.sentDate?.toString() ?? null),
      column((invoice) => invoice.carriedPaise),
    ],
  });
}

/** Keeps what an invoice was before an update. */
export async function insertRevision(connection: Connection, before: Invoice, now: Temporal.Instant): Promise<void> {
  await connection.query(
    `insert into invoice_revision (bucket, merchant_id, invoice_id, revision, state, replaced_at)
     select bucket, merchant_id, invoice_id, revision, to_jsonb(invoice) - 'public_token', $4
     from invoice where bucket = $1 and merchant_id = $2 and invoice_id = $3`,
    [before.bucket, before.merchantId, before.invoiceId, now.toString()],
  );
}

/** What an invoice was before an update: its number, dates and total. */
export type Revision = {
  readonly revision: number;
  readonly replacedAt: Temporal.Instant;
  readonly billDate: string;
  readonly dueDate: string;
  readonly amountPaise: bigint;
};

/** What an invoice was before each of its updates, the latest first, at most `limit`. */
export async function listRevisions(
  db: Queryable,
  { bucket, merchantId, invoiceId }: InvoiceKey,
  limit: number,
): Promise<Revision[]> {
  const { rows } = await db.query<{
    revision: number;
    replaced_at: Temporal.Instant;
    bill_date: string;
    due_date: string;
    amount_paise: bigint;
  }>(
    `select revision, replaced_at, state->>'bill_date' as bill_date, state->>'due_date' as due_date,
       (state->>'amount_paise')::bigint as amount_paise
     from invoice_revision where bucket = $1 and merchant_id = $2 and invoice_id = $3
     order by revision desc limit $4`,
    [bucket, merchantId, invoiceId, limit],
  );
  return rows.map((row) => ({
    revision: row.revision,
    replacedAt: row.replaced_at,
    billDate: row.bill_date,
    dueDate: row.due_date,
    amountPaise: row.amount_paise,
  }));
}

/** Finds a merchant's invoice; `lock` holds it until the transaction ends. */
export async function findInvoice(
  db: Queryable,
  { bucket, merchantId, invoiceId }: InvoiceKey,
  lock = false,
): Promise<Invoice | null> {
  const { rows } = await db.query<InvoiceRow>({
    name: lock ? "lock-invoice" : "find-invoice",
    text: `select * from invoice where bucket = $1 and merchant_id = $2 and invoice_id = $3${lock ? " for update" : ""}`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

/**
 * Holds those of a merchant's invoices on which something is due by itself, and answers them, newest first. Whoever holds
 * several invoices takes them in this order.
 */
export async function lockDueInvoices(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<Invoice[]> {
  const { rows } = await connection.query<InvoiceRow>({
    name: "lock-due-invoices",
    text: `select * from invoice
      where bucket = $1 and merchant_id = $2 and invoice_id = any ($3::bigint[])
        and status in ('Unpaid', 'Partially paid')
      order by invoice_id desc
      for update`,
    values: [bucket, merchantId, invoiceIds],
  });
  return rows.map(fromRow);
}

/** Holds the invoices whose dues were carried forward onto one, which the caller holds, and answers them, newest first. */
export async function lockCarriedInvoices(
  connection: Connection,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<Invoice[]> {
  const { rows } = await connection.query<InvoiceRow>({
    name: "lock-carried-invoices",
    text: `select * from invoice where bucket = $1 and merchant_id = $2 and carried_to = $3
      order by invoice_id desc
      for update`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows.map(fromRow);
}

/** A merchant's invoices by their ids, in the order of the ids; one that does not exist is left out. */
export async function findInvoices(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<Invoice[]> {
  const { rows } = await db.query<InvoiceRow>({
    name: "find-invoices",
    text: `select invoice.*
      from unnest($3::bigint[]) with ordinality as wanted (invoice_id, place)
      join invoice on bucket = $1 and merchant_id = $2 and invoice.invoice_id = wanted.invoice_id
      order by wanted.place`,
    values: [bucket, merchantId, invoiceIds],
  });
  return rows.map(fromRow);
}

/** Which of these numbers are taken, in their financial years, in whatever case. */
export async function findTakenNumbers(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  numbers: readonly { readonly financialYear: number; readonly invoiceNumber: string }[],
): Promise<{ financialYear: number; invoiceNumber: string }[]> {
  const { rows } = await connection.query<{ financial_year: number; invoice_number: string }>(
    `select wanted.financial_year, wanted.invoice_number
     from unnest($3::smallint[], $4::text[], $5::text[]) as wanted (financial_year, invoice_number, number_key)
     where exists (
       select from invoice
       where bucket = $1 and merchant_id = $2 and invoice.financial_year = wanted.financial_year
         and upper(invoice.invoice_number collate "C") = wanted.number_key)`,
    [
      bucket,
      merchantId,
      numbers.map((number) => number.financialYear),
      numbers.map((number) => number.invoiceNumber),
      numbers.map((number) => numberKey(number.invoiceNumber)),
    ],
  );
  return rows.map((row) => ({ financialYear: row.financial_year, invoiceNumber: row.invoice_number }));
}

/** Moves the counts and sums of days and months from how some invoices of a merchant were to how they are. */
async function countDays(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  before: readonly Invoice[],
  after: readonly Invoice[],
): Promise<void> {
  const moves = [
    ...before.map((invoice) => ({ invoice, change: -1n })),
    ...after.map((invoice) => ({ invoice, change: 1n })),
  ].flatMap(({ invoice, change }) =>
    daysOf(invoice).map(([filterBy, day]) => ({
      filterBy,
      day,
      status: invoice.status,
      franchiseId: invoice.franchiseId,
      change,
      sums: sumsOf(invoice),
    })),
  );
  await connection.query({
    name: "count-invoice-days",
    text: "select count_invoice_days($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    values: [
      bucket,
      merchantId,
      moves.map((move) => move.filterBy),
      moves.map((move) => move.day),
      moves.map((move) => move.status),
      moves.map((move) => move.franchiseId),
      moves.map((move) => move.change),
      moves.map((move) => move.change * move.sums.billedPaise),
      moves.map((move) => move.change * move.sums.paidPaise),
      moves.map((move) => move.change * move.sums.duePaise),
    ],
  });
}

function daysOf(invoice: Invoice): [string, string | null][] {
  return [
    ["bill_date", invoice.billDate.toString()],
    ["due_date", invoice.dueDate.toString()],
    ["sent_date", invoice.sentDate?.toString() ?? null],
    ["paid_date", invoice.paidDate?.toString() ?? null],
  ];
}
