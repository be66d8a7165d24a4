// SQL of invoices and their revisions. Lists are in lists/invoice-list-store.ts.
import type pg from "pg";
import type { MerchantKey } from "../merchants/index.ts";
import { arrayText, table, type Row } from "../platform/database/table.ts";
import { type Connection, type Queryable, together } from "../platform/database/pool.ts";
import { byBucket } from "../platform/database/buckets.ts";
import { isSpread } from "../platform/database/citus/index.ts";
import { contentFromJson, contentToJson } from "./content-codec.ts";
import { OPEN_STATUSES, type Invoice, type InvoiceHead, type InvoiceKey } from "./invoice.ts";
import { numberKey } from "./numbers/number-series.ts";

/** The columns besides its content. */
const INVOICES = table<InvoiceHead, InvoiceKey>("invoice", ["bucket", "merchantId", "invoiceId"], {
  bucket: "smallint",
  merchantId: "bigint",
  invoiceId: "bigint",
  customerId: "bigint",
  templateId: "bigint",
  franchiseId: "bigint",
  seriesId: "bigint",
  financialYear: "smallint",
  invoiceNumber: "text",
  cycleName: "text",
  billDate: "date",
  dueDate: "date",
  sentAt: "timestamptz",
  sentDate: "date",
  paidDate: "date",
  status: "text",
  subTotalPaise: "bigint",
  taxTotalPaise: "bigint",
  previousDuesPaise: "bigint",
  amountPaise: "bigint",
  paidPaise: "bigint",
  creditedPaise: "bigint",
  carriedPaise: "bigint",
  carriedTo: "bigint",
  carriedDuePaise: "bigint",
  isOpeningBalance: "boolean",
  originalInvoiceId: "bigint",
  publicToken: "text",
  revision: "integer",
  createdAt: "timestamptz",
});
/** The values of a new invoice; the rest are the database's defaults. */
const NEW = INVOICES.without(
  "sentAt",
  "sentDate",
  "paidDate",
  "paidPaise",
  "creditedPaise",
  "carriedTo",
  "carriedDuePaise",
  "isOpeningBalance",
  "originalInvoiceId",
  "revision",
);
/** The columns that a payment changes. */
const PAYMENTS = table<Pick<Invoice, keyof InvoiceKey | "paidPaise" | "paidDate" | "status">, InvoiceKey>(
  "invoice",
  ["bucket", "merchantId", "invoiceId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    invoiceId: "bigint",
    paidPaise: "bigint",
    paidDate: "date",
    status: "text",
  },
);
/** The columns that may change. */
const CHANGING = INVOICES.without("seriesId", "isOpeningBalance", "originalInvoiceId", "publicToken", "createdAt");

function fromRow(row: Row): Invoice {
  return { ...INVOICES.read(row), content: contentFromJson(row["content"]) };
}

/** A condition: the invoice itself has a due amount. */
export const IS_OPEN = `status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(", ")})`;

/** A condition: the invoice is overdue on the day of the SQL expression `day`, such as `$3::date`, as in `overdueDays`. */
export function isOverdueSql(day: string): string {
  return `${IS_OPEN} and due_date < ${day}`;
}

/**
 * The statement that inserts new invoices, of one merchant or of several. `contents` are theirs, from `contentToJson`. Its sender
 * records the change: change-store.ts.
 */
export function insertInvoices(invoices: readonly Invoice[], contents: readonly string[]): pg.QueryConfig {
  const { columns, arrays, values } = NEW.arrays(invoices, { from: 2 });
  return {
    name: "insert-invoices",
    text: `insert into invoice (content, ${columns}) select * from unnest($1::jsonb[], ${arrays}) returning 1`,
    values: [arrayText(contents), ...values],
  };
}

/**
 * The statement that updates invoices, of one merchant or of several. The caller has locked their rows. Its sender records the
 * change: change-store.ts.
 */
export function updateStatement(invoices: readonly Invoice[]): pg.QueryConfig {
  const { columns, arrays, values } = CHANGING.arrays(invoices, { from: 2 });
  return {
    name: "update-invoices",
    text: `update invoice set content = changed.content, ${CHANGING.assignmentsFrom("changed")}
      from unnest($1::jsonb[], ${arrays}) as changed (content, ${columns})
      where invoice.bucket = changed.bucket and invoice.merchant_id = changed.merchant_id
        and invoice.invoice_id = changed.invoice_id`,
    values: [arrayText(invoices.map(({ content }) => contentToJson(content))), ...values],
  };
}

/**
 * The statement that saves paid amounts and statuses of invoices of one merchant or of several. The caller has locked their rows.
 * Its sender records the change: change-store.ts.
 */
export function updatePayments(invoices: readonly InvoiceHead[]): pg.QueryConfig {
  const { columns, arrays, values } = PAYMENTS.arrays(invoices);
  return {
    name: "update-payments",
    text: `update invoice set ${PAYMENTS.assignmentsFrom("changed")} from unnest(${arrays}) as changed (${columns})
      where invoice.bucket = changed.bucket and invoice.merchant_id = changed.merchant_id
        and invoice.invoice_id = changed.invoice_id`,
    values,
  };
}

/** Saves an invoice as it was before an update. */
export async function insertRevision(connection: Connection, before: Invoice, now: Temporal.Instant): Promise<void> {
  await connection.query(
    `insert into invoice_revision (bucket, merchant_id, invoice_id, revision, state, replaced_at)
     select bucket, merchant_id, invoice_id, revision, to_jsonb(invoice) - 'public_token', $4
     from invoice where bucket = $1 and merchant_id = $2 and invoice_id = $3
     returning 1`,
    [before.bucket, before.merchantId, before.invoiceId, now.toString()],
  );
}

/** An invoice before an update: its number, dates and total. */
export type Revision = {
  readonly revision: number;
  readonly replacedAt: Temporal.Instant;
  readonly billDate: string;
  readonly dueDate: string;
  readonly amountPaise: bigint;
};

/** An invoice before each of its updates, the latest first, at most `limit`. */
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
  const { rows } = await db.query<Row>({
    name: lock ? "lock-invoice" : "find-invoice",
    text: `select * from invoice where bucket = $1 and merchant_id = $2 and invoice_id = $3${lock ? " for update" : ""}`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

/** Locks invoices of one merchant or of several, each merchant's newest first, and returns those that exist. */
export async function lockInvoices(connection: Connection, keys: readonly InvoiceKey[]): Promise<InvoiceHead[]> {
  const lock = byBucket(keys);
  const statements = lock.length === 1 || isSpread(connection) ? lock.map(lockOfBucket) : [lockOfAll(keys)];
  const answers = await together(connection, ...statements.map((each) => () => connection.query<Row>(each)));
  return answers.flatMap(({ rows }) => rows.map((row) => INVOICES.read(row)));
}

function lockOfBucket([bucket, keys]: readonly [number, readonly InvoiceKey[]]): pg.QueryConfig {
  return {
    name: "lock-invoices-of-bucket",
    text: `select * from invoice
      where bucket = $1 and (merchant_id, invoice_id) in (select * from unnest($2::bigint[], $3::bigint[]))
      order by merchant_id, invoice_id desc
      for update`,
    values: [bucket, keys.map(({ merchantId }) => merchantId), keys.map(({ invoiceId }) => invoiceId)],
  };
}

function lockOfAll(keys: readonly InvoiceKey[]): pg.QueryConfig {
  return {
    name: "lock-invoices",
    text: `select ${INVOICES.columnsOf("invoice")}
      from (
        select distinct * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (bucket, merchant_id, invoice_id)
      ) as wanted
      join invoice using (bucket, merchant_id, invoice_id)
      order by invoice.bucket, invoice.merchant_id, invoice.invoice_id desc
      for update of invoice`,
    values: [
      keys.map(({ bucket }) => bucket),
      keys.map(({ merchantId }) => merchantId),
      keys.map(({ invoiceId }) => invoiceId),
    ],
  };
}

/**
 * Locks those of a merchant's invoices that have a due amount of their own, and returns them, newest first. All callers lock
 * several invoices in this order.
 */
export async function lockDueInvoices(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<Invoice[]> {
  const { rows } = await connection.query<Row>({
    name: "lock-due-invoices",
    text: `select * from invoice
      where bucket = $1 and merchant_id = $2 and invoice_id = any ($3::bigint[])
        and ${IS_OPEN}
      order by invoice_id desc
      for update`,
    values: [bucket, merchantId, invoiceIds],
  });
  return rows.map(fromRow);
}

/** Locks those of a merchant's invoices that exist, and returns them, newest first. */
export async function lockInvoicesById(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<Invoice[]> {
  const { rows } = await connection.query<Row>({
    name: "lock-invoices-by-id",
    text: `select * from invoice where bucket = $1 and merchant_id = $2 and invoice_id = any ($3::bigint[])
      order by invoice_id desc
      for update`,
    values: [bucket, merchantId, invoiceIds],
  });
  return rows.map(fromRow);
}

/** These invoices and those that their dues were carried to, each with the next invoice in the chain. */
export async function listDuesLinks(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<Pick<Invoice, "invoiceId" | "carriedTo">[]> {
  const { rows } = await connection.query<{ invoice_id: bigint; carried_to: bigint | null }>({
    name: "list-dues-links",
    text: `select invoice_id, carried_to from invoice
      where bucket = $1 and merchant_id = $2
        and (invoice_id = any ($3::bigint[]) or carried_to = any ($3::bigint[]))`,
    values: [bucket, merchantId, invoiceIds],
  });
  return rows.map((row) => ({ invoiceId: row.invoice_id, carriedTo: row.carried_to }));
}

/** A customer's invoices with their own due amounts, the earliest due first, at most `limit`. Locks nothing. */
export async function listDues(
  connection: Queryable,
  { bucket, merchantId }: MerchantKey,
  customerId: bigint,
  limit: number,
): Promise<{ readonly invoiceId: bigint; readonly duePaise: bigint }[]> {
  const { rows } = await connection.query<{ invoice_id: bigint; due: bigint }>({
    name: "list-dues",
    text: `select invoice_id, amount_paise - paid_paise - credited_paise as due from invoice
      where bucket = $1 and merchant_id = $2 and customer_id = $3 and ${IS_OPEN}
      order by due_date, invoice_id limit $4`,
    values: [bucket, merchantId, customerId, limit],
  });
  return rows.map((row) => ({ invoiceId: row.invoice_id, duePaise: row.due }));
}

/** Locks the invoices whose dues were carried to one, which the caller has locked, and returns them, newest first. */
export async function lockCarriedInvoices(
  connection: Connection,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<Invoice[]> {
  const { rows } = await connection.query<Row>({
    name: "lock-carried-invoices",
    text: `select * from invoice where bucket = $1 and merchant_id = $2 and carried_to = $3
      order by invoice_id desc
      for update`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows.map(fromRow);
}

/** A merchant's invoices by their ids, in the order of the ids; missing ones are left out. */
export async function findInvoices(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<Invoice[]> {
  const { rows } = await db.query<Row>({
    name: "find-invoices",
    text: `select invoice.*
      from unnest($3::bigint[]) with ordinality as wanted (invoice_id, place)
      join invoice on bucket = $1 and merchant_id = $2 and invoice.invoice_id = wanted.invoice_id
      order by wanted.place`,
    values: [bucket, merchantId, invoiceIds],
  });
  return rows.map(fromRow);
}

/** The debit notes of an invoice, in the order in which they were issued. */
export async function listDebitNotesOf(
  db: Queryable,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<Invoice[]> {
  const { rows } = await db.query<Row>({
    name: "list-debit-notes-of-invoice",
    text: `select * from invoice where bucket = $1 and merchant_id = $2 and original_invoice_id = $3
      order by invoice_id`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows.map(fromRow);
}

/** Those of these numbers that are taken, in their financial years, in any case. */
export async function findTakenNumbers(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  numbers: readonly { readonly financialYear: number; readonly invoiceNumber: string }[],
): Promise<{ financialYear: number; invoiceNumber: string }[]> {
  const { rows } = await connection.query<{ financial_year: number; invoice_number: string }>(
    `select wanted.financial_year, wanted.invoice_number
     from unnest($3::smallint[], $4::text[], $5::text[]) as wanted (financial_year, invoice_number, number_key)
     -- One look-up for each number, whatever statistics the planner has.
     cross join lateral (
       select from invoice
       where bucket = $1 and merchant_id = $2 and invoice.financial_year = wanted.financial_year
         and invoice.number_key = wanted.number_key
       limit 1
     ) as taken`,
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
