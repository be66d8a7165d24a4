// SQL of the lines of batches: each asks for one payout.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Row } from "../../platform/database/table.ts";
import { readSecretRows, secretsOf } from "../../platform/secrets/index.ts";
import { isLineProved, proveLine } from "./batch-proof.ts";
import type { TransferState } from "../transfer.ts";
import {
  lineStatus,
  type BatchKey,
  type LineOutcome,
  type LineState,
  type LineStatus,
  type PayoutLine,
} from "./payout-batch.ts";

export type LineKey = BatchKey & { readonly lineNo: number };

type StoredLine = PayoutLine & { readonly proof: Uint8Array | null };

export const LINES = table<StoredLine, LineKey>("payout_batch_line", ["bucket", "merchantId", "batchId", "lineNo"], {
  bucket: "smallint",
  merchantId: "bigint",
  batchId: "bigint",
  lineNo: "integer",
  transferId: "bigint",
  referenceId: "text",
  beneficiaryId: "bigint",
  payeeName: "text",
  accountNumber: "text sealed",
  ifsc: "text",
  upi: "text sealed",
  mode: "text",
  amountPaise: "bigint",
  narrative: "text",
  scheduledFor: "date",
  state: "text",
  code: "text",
  reason: "text",
  proof: "bytea",
});

export const BATCH_LINE_SECRETS = LINES.secretTable();

/** Inserts the lines of a batch, those that wait with their proof. */
export async function insertLines(connection: Connection, lines: readonly PayoutLine[]): Promise<void> {
  const secrets = await secretsOf(connection);
  const proved = lines.map((line) => ({ ...line, proof: line.state === "waiting" ? proveLine(secrets, line) : null }));
  await LINES.insertAll(connection, proved);
}

/** The lines that already have these references, by reference: those with a transfer, or still to make one, and cancelled ones. */
export async function findLinesByReference(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  references: readonly string[],
): Promise<Map<string, PayoutLine>> {
  const text = `select * from payout_batch_line
    where bucket = $1 and merchant_id = $2 and reference_id = any ($3)
      and state in ('waiting', 'requesting', 'requested', 'cancelled')
    order by state <> 'cancelled', batch_id`;
  const found = await LINES.select(db, text, [bucket, merchantId, references]);
  // The last line of each reference counts: one that is not cancelled, or else the newest.
  return new Map(found.map((line) => [line.referenceId, line]));
}

/**
 * Takes the next lines of a batch that are due by `today`, in their order; lines left over from an earlier turn come first. From
 * then on they can't be cancelled.
 */
export async function beginLines(
  db: Queryable,
  { bucket, merchantId, batchId }: BatchKey,
  today: Temporal.PlainDate,
  limit: number,
): Promise<BegunLine[]> {
  const lines = await LINES.select(db, {
    name: "begin-payout-batch-lines",
    text: `with next as (
        select line_no from payout_batch_line
        where bucket = $1 and merchant_id = $2 and batch_id = $3 and state in ('waiting', 'requesting')
          and (scheduled_for is null or scheduled_for <= $4)
        order by line_no limit $5 for update
      )
      update payout_batch_line line set state = 'requesting'
      from next
      where line.bucket = $1 and line.merchant_id = $2 and line.batch_id = $3 and line.line_no = next.line_no
        and line.state in ('waiting', 'requesting')
      returning line.*`,
    values: [bucket, merchantId, batchId, today.toString(), limit],
  });
  const secrets = await secretsOf(db);
  return lines
    .toSorted((one, other) => one.lineNo - other.lineNo)
    .map((line) => ({ ...line, isProved: isLineProved(secrets, line) }));
}

/** A line to request, and whether it has the server's proof; if not, it must not be paid. */
export type BegunLine = PayoutLine & { readonly isProved: boolean };

/** Stores the beneficiaries that the new payees of lines were saved as. The given lines have their new values and had valid proofs. */
export async function setBeneficiaries(
  connection: Connection,
  { bucket, merchantId, batchId }: BatchKey,
  saved: readonly PayoutLine[],
): Promise<void> {
  const secrets = await secretsOf(connection);
  await connection.query(
    `update payout_batch_line line set beneficiary_id = saved.beneficiary_id, proof = saved.proof
     from unnest($4::integer[], $5::bigint[], $6::bytea[]) as saved (line_no, beneficiary_id, proof)
     where bucket = $1 and merchant_id = $2 and batch_id = $3 and line.line_no = saved.line_no`,
    [
      bucket,
      merchantId,
      batchId,
      saved.map(({ lineNo }) => lineNo),
      saved.map(({ beneficiaryId }) => beneficiaryId),
      saved.map((line) => proveLine(secrets, line)),
    ],
  );
}

/** The outcome of a requested line. */
export type LineEnd = Pick<PayoutLine, "lineNo" | "transferId" | "code" | "reason"> & {
  readonly state: "requested" | "repeated" | "refused";
  /** Its proof was invalid; `nodal verify` keeps reporting it. */
  readonly isForged?: true;
};

/** Writes the outcomes of lines that were being requested. */
export async function endLines(
  connection: Connection,
  { bucket, merchantId, batchId }: BatchKey,
  ends: readonly LineEnd[],
): Promise<void> {
  await connection.query({
    name: "end-payout-batch-lines",
    text: `update payout_batch_line line
      set state = ended.state, transfer_id = ended.transfer_id, code = ended.code, reason = ended.reason,
        proof = case when ended.is_forged then coalesce(line.proof, '') end
      from unnest($4::integer[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::boolean[])
        as ended (line_no, state, transfer_id, code, reason, is_forged)
      where bucket = $1 and merchant_id = $2 and batch_id = $3 and line.line_no = ended.line_no
        and line.state = 'requesting'`,
    values: [
      bucket,
      merchantId,
      batchId,
      ends.map(({ lineNo }) => lineNo),
      ends.map(({ state }) => state),
      ends.map(({ transferId }) => transferId),
      ends.map(({ code }) => code),
      ends.map(({ reason }) => reason),
      ends.map(({ isForged }) => isForged ?? false),
    ],
  });
}

/** The unfinished part of a batch. */
export type LinesLeft = {
  /** Whether any is being requested, or could be by `today`. */
  readonly isDue: boolean;
  /** The next day that a line is scheduled for; `null` for none. */
  readonly nextDay: Temporal.PlainDate | null;
};

export async function readLinesLeft(
  db: Queryable,
  { bucket, merchantId, batchId }: BatchKey,
  today: Temporal.PlainDate,
): Promise<LinesLeft> {
  const { rows } = await db.query<{ is_due: boolean | null; next_day: Temporal.PlainDate | null }>({
    name: "read-payout-batch-lines-left",
    text: `select
        bool_or(state = 'requesting' or scheduled_for is null or scheduled_for <= $4) as is_due,
        min(scheduled_for) as next_day
      from payout_batch_line
      where bucket = $1 and merchant_id = $2 and batch_id = $3 and state in ('waiting', 'requesting')`,
    values: [bucket, merchantId, batchId, today.toString()],
  });
  return { isDue: rows[0]!.is_due ?? false, nextDay: rows[0]!.next_day };
}

/** The lines of a batch whose transfers are being requested. */
export async function listRequestedLines(db: Queryable, { bucket, merchantId, batchId }: BatchKey): Promise<number[]> {
  const { rows } = await db.query<{ line_no: number }>(
    `select line_no from payout_batch_line
     where bucket = $1 and merchant_id = $2 and batch_id = $3 and state = 'requesting' order by line_no`,
    [bucket, merchantId, batchId],
  );
  return rows.map((row) => row.line_no);
}

/** Ends the lines of a batch that were not requested yet: all of them, or one. Returns how many. */
export async function endWaitingLines(
  connection: Connection,
  { bucket, merchantId, batchId }: BatchKey,
  how: { readonly state: "cancelled" | "refused"; readonly code: string | null; readonly reason: string },
): Promise<number> {
  const { rowCount } = await connection.query(
    `update payout_batch_line set state = $4, code = $5, reason = $6, proof = null
     where bucket = $1 and merchant_id = $2 and batch_id = $3 and state = 'waiting'`,
    [bucket, merchantId, batchId, how.state, how.code, how.reason],
  );
  return rowCount ?? 0;
}

/** The same for one line. Returns whether it still waited. */
export async function cancelWaitingLine(
  connection: Connection,
  { bucket, merchantId, batchId, lineNo }: LineKey,
  reason: string,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update payout_batch_line set state = 'cancelled', reason = $5, proof = null
     where bucket = $1 and merchant_id = $2 and batch_id = $3 and line_no = $4 and state = 'waiting'`,
    [bucket, merchantId, batchId, lineNo, reason],
  );
  return rowCount === 1;
}

type OutcomeRow = Row & {
  t_id: bigint | null;
  t_state: TransferState | null;
  t_utr: string | null;
  t_reason: string | null;
  f_state: LineState | null;
  f_day: Temporal.PlainDate | null;
  f_code: string | null;
  f_reason: string | null;
  added_at: Temporal.Instant;
  saved_name: string | null;
};

// A transfer is made a moment before its line says so. A repeated line has the transfer of the line that it repeats; `first` is that
// line while it has no transfer. If `first` turned out to repeat a transfer itself, `named` is that transfer, by reference. Each is
// looked up by key for each line, and only if needed: joining whole tables takes seconds for a batch of thousands.
const OUTCOME = `
  left join lateral (
    select transfer_id, state, utr, reason from transfer made
    where line.state in ('requesting', 'requested', 'repeated')
      and made.bucket = line.bucket and made.merchant_id = line.merchant_id and made.transfer_id = line.transfer_id
    limit 1) made on true
  left join lateral (
    select line_no, state, scheduled_for, code, reason from payout_batch_line first
    where line.state = 'repeated' and made.transfer_id is null and first.state <> 'repeated'
      and first.bucket = line.bucket and first.merchant_id = line.merchant_id and first.transfer_id = line.transfer_id
    limit 1) first on true
  left join lateral (
    select transfer_id, state, utr, reason from transfer named
    where line.state = 'repeated' and made.transfer_id is null and first.line_no is null
      and named.bucket = line.bucket and named.merchant_id = line.merchant_id and named.reference_id = line.reference_id
    limit 1) named on true`;

const WITH_TRANSFER = `
  select line.*, coalesce(made.transfer_id, named.transfer_id) as t_id, coalesce(made.state, named.state) as t_state,
    coalesce(made.utr, named.utr) as t_utr, coalesce(made.reason, named.reason) as t_reason,
    first.state as f_state, first.scheduled_for as f_day, first.code as f_code, first.reason as f_reason,
    batch.added_at, payee.name as saved_name
  from payout_batch_line line
  left join lateral (
    select name from beneficiary
    where beneficiary.bucket = line.bucket and beneficiary.merchant_id = line.merchant_id
      and beneficiary.beneficiary_id = line.beneficiary_id
    limit 1) payee on true
  join payout_batch batch on batch.bucket = line.bucket and batch.merchant_id = line.merchant_id
    and batch.batch_id = line.batch_id
  ${OUTCOME}`;

async function selectOutcomes(db: Queryable, text: string, values: unknown[]): Promise<LineOutcome[]> {
  const { rows } = await db.query<OutcomeRow>(text, values);
  const lines = await readSecretRows(db, rows, LINES.read);
  return lines.map((line, index) => {
    const { t_id: transferId, t_state: state, t_utr: utr, t_reason: reason, ...row } = rows[index]!;
    const { f_state: firstState, f_day: scheduledFor, f_code: code, f_reason: why } = row;
    return {
      ...line,
      transferId: transferId ?? line.transferId,
      // The beneficiary's own name, since the line may use another one.
      payeeName: row.saved_name ?? line.payeeName,
      addedAt: row.added_at,
      transfer: state === null ? null : { state, utr, reason },
      first: firstState === null ? null : { state: firstState, scheduledFor, code, reason: why },
    };
  });
}

/** The lines of a batch in order, with their outcomes, after a given line and a number of skipped ones. */
export function listLines(
  db: Queryable,
  { bucket, merchantId, batchId }: BatchKey,
  { after, skipped, limit }: { readonly after: number; readonly skipped: number; readonly limit: number },
): Promise<LineOutcome[]> {
  const text = `${WITH_TRANSFER}
    where line.bucket = $1 and line.merchant_id = $2 and line.batch_id = $3 and line.line_no > $4
    order by line.line_no limit $5 offset $6`;
  return selectOutcomes(db, text, [bucket, merchantId, batchId, after, limit, skipped]);
}

/** Lines by the ids of their transfers, which they have before there is one. */
export function findLinesByTransfer(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<LineOutcome[]> {
  const text = `${WITH_TRANSFER}
    where line.bucket = $1 and line.merchant_id = $2 and line.transfer_id = any ($3) and line.state <> 'repeated'`;
  return selectOutcomes(db, text, [bucket, merchantId, transferIds]);
}

/** The newest line with a reference, in any status. Refused lines, which free their reference, come last. */
export async function findLineByReference(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  referenceId: string,
): Promise<LineOutcome | null> {
  const text = `${WITH_TRANSFER}
    where line.bucket = $1 and line.merchant_id = $2 and line.reference_id = $3
    order by line.state in ('waiting', 'requesting', 'requested') desc, line.state <> 'refused' desc, line.batch_id desc limit 1`;
  return (await selectOutcomes(db, text, [bucket, merchantId, referenceId]))[0] ?? null;
}

/** Scheduled payouts that have not been made, by day, after a given day and transfer id. */
export function listScheduled(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  page: {
    readonly after: { readonly day: Temporal.PlainDate; readonly transferId: bigint } | null;
    readonly limit: number;
  },
): Promise<LineOutcome[]> {
  const text = `${WITH_TRANSFER}
    where line.bucket = $1 and line.merchant_id = $2 and batch.status = 'running' and line.scheduled_for is not null
      and line.state in ('waiting', 'requesting')
      and ($3::date is null or (line.scheduled_for, line.transfer_id) > ($3, $4))
    order by line.scheduled_for, line.transfer_id limit $5`;
  const { after, limit } = page;
  return selectOutcomes(db, text, [
    bucket,
    merchantId,
    after?.day.toString() ?? null,
    after?.transferId ?? null,
    limit,
  ]);
}

/** The number of a batch's lines with a status, and their total. */
export type LineCount = { readonly status: LineStatus; readonly count: number; readonly amountPaise: bigint };

/** Counts the lines of batches by status. */
export async function countLines(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  batchIds: readonly bigint[],
): Promise<Map<bigint, LineCount[]>> {
  type CountRow = {
    batch_id: bigint;
    state: PayoutLine["state"];
    scheduled: boolean;
    t_state: TransferState | null;
    f_state: LineState | null;
    count: bigint;
    paise: bigint;
  };
  const { rows } = await db.query<CountRow>(
    `select line.batch_id, line.state, coalesce(first.scheduled_for, line.scheduled_for) is not null as scheduled,
       coalesce(made.state, named.state) as t_state, first.state as f_state, count(*) as count, sum(line.amount_paise)::bigint as paise
     from payout_batch_line line
     ${OUTCOME}
     where line.bucket = $1 and line.merchant_id = $2 and line.batch_id = any ($3)
     group by 1, 2, 3, 4, 5`,
    [bucket, merchantId, batchIds],
  );
  const found = new Map<bigint, Map<LineStatus, LineCount>>();
  for (const row of rows) {
    const transfer = row.t_state === null ? null : { state: row.t_state };
    const scheduledFor = row.scheduled ? Temporal.PlainDate.from("2000-01-01") : null;
    const first = row.f_state === null ? null : { state: row.f_state, scheduledFor };
    const status = lineStatus({ state: row.state, scheduledFor, transfer, first });
    const counts = found.get(row.batch_id) ?? new Map<LineStatus, LineCount>();
    const before = counts.get(status) ?? { count: 0, amountPaise: 0n };
    counts.set(status, {
      status,
      count: before.count + Number(row.count),
      amountPaise: before.amountPaise + row.paise,
    });
    found.set(row.batch_id, counts);
  }
  return new Map([...found].map(([batchId, counts]) => [batchId, [...counts.values()]]));
}
