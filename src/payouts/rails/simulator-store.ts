// All SQL of the simulated bank's book: booking payments, taking their later steps, and reading them. simulator.ts decides when.
//
// Only the insert, which leaves the planner no choice, is a named statement. A plan from the time when the book was empty would
// read the whole book at every call once it has grown.
import { byTurns, findOnNodes } from "../../platform/database/citus/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { PaymentInstruction, PaymentReference, PaymentReport, RailMode } from "./rail.ts";
import type { LaterStep } from "./simulator-outcome.ts";

/** A payment as it goes into the book. */
export type NewPayment = {
  readonly instruction: PaymentInstruction;
  readonly status: "PENDING" | "SUCCESS" | "FAILED";
  readonly utr: string | null;
  readonly reason: string | null;
  readonly acknowledged: boolean;
  readonly next: LaterStep | null;
};

/** A payment that was made and not taken back. */
export type BookEntry = {
  readonly transferId: bigint;
  readonly amountPaise: bigint;
  readonly utr: string;
  readonly mode: RailMode;
  readonly payeeName: string;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
  readonly bookedAt: Temporal.Instant;
};

type ReportRow = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly transfer_id: bigint;
  readonly status: PaymentReport["status"];
  readonly utr: string | null;
  readonly reason: string | null;
  readonly acknowledged: boolean;
};

/** The columns of a report; the UTR is only reported once the money has moved. */
const REPORT_COLUMNS = `
  payment.bucket, payment.merchant_id, payment.transfer_id, payment.status, payment.reason, payment.acknowledged,
  case when payment.status in ('SUCCESS', 'REVERSED') then payment.utr end as utr`;

function toReport(row: ReportRow): PaymentReport {
  const { bucket, status, utr, reason, acknowledged } = row;
  return { transferId: row.transfer_id, bucket, merchantId: row.merchant_id, status, utr, reason, acknowledged };
}

/** Compares by key. Every write goes in key order, so that two processes wait for each other instead of deadlocking. */
function byKey(left: PaymentReference, right: PaymentReference): number {
  if (left.bucket !== right.bucket) return left.bucket - right.bucket;
  if (left.merchantId !== right.merchantId) return left.merchantId < right.merchantId ? -1 : 1;
  return left.transferId < right.transferId ? -1 : 1;
}

/** The three arrays that name payments in a statement: buckets, merchants, transfers. */
function keyArrays(references: readonly PaymentReference[]): [number[], bigint[], bigint[]] {
  return [
    references.map((reference) => reference.bucket),
    references.map((reference) => reference.merchantId),
    references.map((reference) => reference.transferId),
  ];
}

const INSERT_PAYMENTS = `
  insert into simulator.payment (
    bucket, merchant_id, transfer_id, amount_paise, mode, account_number, ifsc, upi, payee_name,
    status, utr, reason, acknowledged, next_step_at, next_status, next_reason
  )
  select
    bucket, merchant_id, transfer_id, amount_paise, mode, account_number, ifsc, upi, payee_name,
    status, utr, reason, acknowledged, now() + next_delay_ms * interval '1 millisecond', next_status, next_reason
  from unnest(
    $1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::boolean[], $14::integer[], $15::text[], $16::text[]
  ) as given (
    bucket, merchant_id, transfer_id, amount_paise, mode, account_number, ifsc, upi, payee_name,
    status, utr, reason, acknowledged, next_delay_ms, next_status, next_reason
  )
  on conflict do nothing
  returning transfer_id`;

/**
 * Books payments, all in one statement and one commit. Payments that the book already has don't change. Returns the new transfer ids. Within `given`
 * no transfer id may repeat.
 */
export async function insertPayments(db: Queryable, given: readonly NewPayment[]): Promise<Set<bigint>> {
  const payments = given.toSorted((left, right) => byKey(left.instruction, right.instruction));
  const instructions = payments.map((payment) => payment.instruction);
  const { rows } = await db.query<{ transfer_id: bigint }>({
    name: "simulator_insert_payments",
    text: INSERT_PAYMENTS,
    values: [
      ...keyArrays(instructions),
      instructions.map((instruction) => instruction.amountPaise),
      instructions.map((instruction) => instruction.mode),
      instructions.map((instruction) => instruction.payee.accountNumber),
      instructions.map((instruction) => instruction.payee.ifsc),
      instructions.map((instruction) => instruction.payee.upi),
      instructions.map((instruction) => instruction.payee.name),
      payments.map((payment) => payment.status),
      payments.map((payment) => payment.utr),
      payments.map((payment) => payment.reason),
      payments.map((payment) => payment.acknowledged),
      payments.map((payment) => payment.next?.delayMs ?? null),
      payments.map((payment) => payment.next?.status ?? null),
      payments.map((payment) => payment.next?.reason ?? null),
    ],
  });
  return new Set(rows.map((row) => row.transfer_id));
}

const FIND_PAYMENTS = `
  select ${REPORT_COLUMNS}, coalesce(payment.next_step_at <= now(), false) as is_due
  from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as given (bucket, merchant_id, transfer_id)
  join simulator.payment using (bucket, merchant_id, transfer_id)`;

/**
 * The current payments in the book; unknown ids are left out. Due later steps are taken first, so that the book agrees with every answer
 * of the bank.
 */
export async function readPayments(db: Queryable, references: readonly PaymentReference[]): Promise<PaymentReport[]> {
  const find = async () => {
    const query = { text: FIND_PAYMENTS, values: keyArrays(references) };
    return (await db.query<ReportRow & { is_due: boolean }>(query)).rows;
  };
  const found = await find();
  const due = found.filter((row) => row.is_due).map(toReport);
  if (due.length === 0) return found.map(toReport);
  await takeDueSteps(db, due);
  return (await find()).map(toReport);
}

const TAKE_DUE_STEPS = `
  update simulator.payment
  set status = next_status, reason = next_reason, acknowledged = next_status = 'SUCCESS',
    next_step_at = null, next_status = null, next_reason = null, delivered = false, updated_at = now()
  from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as given (bucket, merchant_id, transfer_id)
  where payment.bucket = given.bucket and payment.merchant_id = given.merchant_id
    and payment.transfer_id = given.transfer_id and payment.next_step_at <= now()
  returning ${REPORT_COLUMNS}`;

/** Takes due later steps, each once among all processes. Returns the changed payments. */
export async function takeDueSteps(db: Queryable, references: readonly PaymentReference[]): Promise<PaymentReport[]> {
  const query = { text: TAKE_DUE_STEPS, values: keyArrays(references.toSorted(byKey)) };
  return (await db.query<ReportRow>(query)).rows.map(toReport);
}

const LIST_WORK = `
  (
    select ${REPORT_COLUMNS}, true as is_due
    from simulator.payment
    where next_step_at <= now()
    order by next_step_at
    limit $1
  )
  union all
  (
    select ${REPORT_COLUMNS}, false as is_due
    from simulator.payment
    where not delivered and updated_at <= now() - $2::integer * interval '1 millisecond'
    order by updated_at
    limit $1
  )`;

/**
 * The bank's pending work, at most `limit` of each: payments whose later step is due, and changes from at least `undeliveredForMs` ago
 * that nobody has received yet.
 */
export async function listWork(
  db: Queryable,
  limit: number,
  undeliveredForMs: number,
): Promise<{ due: PaymentReport[]; undelivered: PaymentReport[] }> {
  const work = { table: "simulator.payment", condition: "next_step_at <= now() or not delivered", limit: 2 * limit };
  const rows = await findOnNodes(db, work, async (part) => {
    const query = { text: LIST_WORK, values: [limit, undeliveredForMs] };
    const found = (await part.query<ReportRow & { is_due: boolean }>(query)).rows;
    // Where shards share the limit, each has some of both.
    return byTurns([found.filter((row) => row.is_due), found.filter((row) => !row.is_due)]);
  });
  const reports = (isDue: boolean): PaymentReport[] =>
    rows
      .filter((row) => row.is_due === isDue)
      .slice(0, limit)
      .map(toReport);
  return { due: reports(true), undelivered: reports(false) };
}

const MARK_DELIVERED = `
  update simulator.payment
  set delivered = true
  from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[])
    as given (bucket, merchant_id, transfer_id, status)
  where payment.bucket = given.bucket and payment.merchant_id = given.merchant_id
    and payment.transfer_id = given.transfer_id and payment.status = given.status and not payment.delivered`;

/** Marks changes as delivered, each only while the payment still has the status that was reported. */
export async function markDelivered(db: Queryable, delivered: readonly PaymentReport[]): Promise<void> {
  const reports = delivered.toSorted(byKey);
  const values = [...keyArrays(reports), reports.map((report) => report.status)];
  await db.query({ text: MARK_DELIVERED, values });
}

const LIST_BOOK = `
  select transfer_id, amount_paise, utr, mode, payee_name, account_number, ifsc, upi, booked_at
  from simulator.payment
  where bucket = $1 and merchant_id = $2 and status = 'SUCCESS'
  order by booked_at, transfer_id`;

type BookRow = {
  readonly transfer_id: bigint;
  readonly amount_paise: bigint;
  readonly utr: string;
  readonly mode: RailMode;
  readonly payee_name: string;
  readonly account_number: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
  readonly booked_at: Temporal.Instant;
};

/** The merchant's payments that the bank made and has not taken back, oldest first. */
export async function listBook(db: Queryable, bucket: number, merchantId: bigint): Promise<BookEntry[]> {
  const query = { text: LIST_BOOK, values: [bucket, merchantId] };
  return (await db.query<BookRow>(query)).rows.map((row) => ({
    transferId: row.transfer_id,
    amountPaise: row.amount_paise,
    utr: row.utr,
    mode: row.mode,
    payeeName: row.payee_name,
    accountNumber: row.account_number,
    ifsc: row.ifsc,
    upi: row.upi,
    bookedAt: row.booked_at,
  }));
}
