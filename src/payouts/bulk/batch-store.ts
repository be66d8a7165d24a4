// SQL of batches of payouts: their contents, status, and the turns in which workers process them.
import { lockBook } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { takeOnNodes } from "../../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { isBatchProved, proveBatch } from "./batch-proof.ts";
import type { QueueState } from "../../platform/jobs/worker.ts";
import type { BatchKey, BatchStatus, PayoutBatch } from "./payout-batch.ts";

type StoredBatch = PayoutBatch & { readonly proof: Uint8Array | null };

const BATCHES = table<StoredBatch, BatchKey>("payout_batch", ["bucket", "merchantId", "batchId"], {
  bucket: "smallint",
  merchantId: "bigint",
  batchId: "bigint",
  kind: "text",
  name: "text",
  lineCount: "integer",
  totalPaise: "bigint",
  status: "text",
  isApproved: "boolean",
  requestedBy: "text",
  requestedFrom: "text",
  addedAt: "timestamptz",
  finishedAt: "timestamptz",
  proof: "bytea",
});

/** A new batch; the transaction's actor is its requester. */
export type NewBatch = BatchKey &
  Pick<PayoutBatch, "kind" | "name" | "lineCount" | "totalPaise" | "status" | "addedAt"> & {
    readonly fileHash: Uint8Array | null;
    /** When to process it; `null` if it has to be approved first. */
    readonly dueAt: Temporal.Instant | null;
  };

/** Inserts a batch, with its proof. */
export async function insertBatch(connection: Connection, batch: NewBatch): Promise<void> {
  const { bucket, merchantId, batchId, kind, name, fileHash, lineCount, totalPaise, status, addedAt, dueAt } = batch;
  await connection.query({
    name: "insert-payout-batch",
    text: `insert into payout_batch (
        bucket, merchant_id, batch_id, kind, name, file_hash, line_count, total_paise, status, added_at, due_at,
        requested_by, requested_from)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nodal_actor(), nodal_address())`,
    values: [
      bucket,
      merchantId,
      batchId,
      kind,
      name,
      fileHash,
      lineCount,
      totalPaise,
      status,
      addedAt.toString(),
      dueAt?.toString() ?? null,
    ],
  });
  await writeProof(connection, (await BATCHES.find(connection, batch))!);
}

async function writeProof(connection: Connection, batch: PayoutBatch): Promise<void> {
  const { bucket, merchantId, batchId } = batch;
  await BATCHES.update(connection, {
    bucket,
    merchantId,
    batchId,
    proof: proveBatch(await secretsOf(connection), batch),
  });
}

/** The next unfinished batches in key order, of one merchant or of all, and whether each has the server's proof. */
export async function listOpenBatches(
  db: Queryable,
  scope: MerchantKey | null,
  after: BatchKey | null,
  limit: number,
): Promise<(PayoutBatch & { readonly isProved: boolean })[]> {
  const text = `select * from payout_batch
    where (status in ('awaiting_approval', 'running') or due_at is not null)
      and ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
      and (bucket, merchant_id, batch_id) > ($3::smallint, $4::bigint, $5::bigint)
    order by bucket, merchant_id, batch_id limit $6`;
  const place = [after?.bucket ?? -1, after?.merchantId ?? 0n, after?.batchId ?? 0n];
  const batches = await BATCHES.select(db, text, [scope?.bucket ?? null, scope?.merchantId ?? null, ...place, limit]);
  const secrets = await secretsOf(db);
  return batches.map((batch) => ({ ...batch, isProved: isBatchProved(secrets, batch) }));
}

/** Locks the merchant's book and returns whether the merchant is live; it can't go live until the transaction ends. */
export async function lockStatus(connection: Connection, { bucket, merchantId }: MerchantKey): Promise<boolean> {
  await lockBook(connection, bucket, merchantId);
  const { rows } = await connection.query<{ live: boolean }>(
    "select live from merchant where bucket = $1 and merchant_id = $2",
    [bucket, merchantId],
  );
  return rows[0]!.live;
}

/** The batch of a key; `lock` keeps it locked until the transaction ends. */
export function findBatch(db: Queryable, key: BatchKey, lock = false): Promise<PayoutBatch | null> {
  return BATCHES.find(db, key, lock);
}

/** A merchant's batches by their ids; ids that don't exist are left out. */
export function findBatches(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  batchIds: readonly bigint[],
): Promise<PayoutBatch[]> {
  const text = "select * from payout_batch where bucket = $1 and merchant_id = $2 and batch_id = any ($3)";
  return BATCHES.select(db, text, [bucket, merchantId, batchIds]);
}

/** A merchant's bulk batches, the newest first, from the one before `before`. */
export function listBatches(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { before, limit }: { readonly before: bigint | null; readonly limit: number },
): Promise<PayoutBatch[]> {
  const text = `select * from payout_batch
    where bucket = $1 and merchant_id = $2 and kind = 'bulk' and ($3::bigint is null or batch_id < $3)
    order by batch_id desc limit $4`;
  return BATCHES.select(db, text, [bucket, merchantId, before, limit]);
}

/** The newest batch from the same file that was not cancelled or rejected as a whole. */
export async function findSameFile(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  fileHash: Uint8Array,
): Promise<PayoutBatch | null> {
  const text = `select * from payout_batch
    where bucket = $1 and merchant_id = $2 and file_hash = $3 and status not in ('cancelled', 'rejected')
    order by batch_id desc limit 1`;
  return (await BATCHES.select(db, text, [bucket, merchantId, fileHash]))[0] ?? null;
}

/**
 * Writes a batch's status and when it is due next. The caller has locked it. It gets a new proof only if its earlier one was valid.
 */
export async function setBatchStatus(
  connection: Connection,
  { bucket, merchantId, batchId }: BatchKey,
  change: {
    readonly status: BatchStatus;
    readonly isApproved: boolean;
    readonly finishedAt: Temporal.Instant | null;
    readonly dueAt: Temporal.Instant | null;
  },
): Promise<void> {
  const { status, isApproved, finishedAt, dueAt } = change;
  const before = await BATCHES.find(connection, { bucket, merchantId, batchId });
  await connection.query({
    name: "set-payout-batch",
    text: `update payout_batch set status = $4, is_approved = $5, finished_at = $6, due_at = $7
      where bucket = $1 and merchant_id = $2 and batch_id = $3`,
    values: [
      bucket,
      merchantId,
      batchId,
      status,
      isApproved,
      finishedAt?.toString() ?? null,
      dueAt?.toString() ?? null,
    ],
  });
  if (before === null || !isBatchProved(await secretsOf(connection), before)) return;
  const hasEnded = dueAt === null && status !== "awaiting_approval";
  if (hasEnded) await BATCHES.update(connection, { bucket, merchantId, batchId, proof: null });
  else if (before.status !== status || before.isApproved !== isApproved)
    await writeProof(connection, { ...before, status, isApproved });
}

/** A batch that this process has for one turn. */
export type TakenBatch = PayoutBatch & {
  readonly turn: bigint;
  /** Whether it has the server's proof; if not, nothing of it is paid. */
  readonly isProved: boolean;
};

/**
 * Takes due batches, the longest waiting first, one for each merchant. Leaves out some merchants, suspended merchants, and batches
 * that wait for approval. Each is due again after `leaseMs`, in case this process dies.
 */
export async function takeDueBatches(
  db: Queryable,
  limit: number,
  leaseMs: number,
  exceptMerchantIds: readonly bigint[],
): Promise<TakenBatch[]> {
  const due = { table: "payout_batch", condition: "due_at <= now()", limit };
  return takeOnNodes(db, due, async (part, share) => {
    const { rows } = await part.query<Record<string, unknown> & { turn: bigint }>({
      name: "take-due-payout-batches",
      text: `with due as (
        select bucket, merchant_id, batch_id from (
          select *, row_number() over (partition by merchant_id order by due_at, batch_id) as place from (
            select batch.* from payout_batch batch
            join merchant using (bucket, merchant_id)
            where due_at <= now() and batch.status <> 'awaiting_approval' and merchant.status = 'active'
              and batch.merchant_id <> all ($3::bigint[])
            order by due_at limit 1000
          ) as oldest
        ) as placed
        where place = 1
        order by due_at
        limit $1
      )
      update payout_batch batch set turn = turn + 1, due_at = now() + $2 * interval '1 millisecond'
      from due
      where batch.bucket = due.bucket and batch.merchant_id = due.merchant_id and batch.batch_id = due.batch_id
        and batch.due_at <= now()
      returning batch.*`,
      values: [share, leaseMs, exceptMerchantIds],
    });
    const secrets = await secretsOf(part);
    return rows.map((row) => {
      const batch = BATCHES.read(row);
      return { ...batch, turn: row.turn, isProved: isBatchProved(secrets, batch) };
    });
  });
}

/** Locks a batch to write the results of its turn. Returns its current row; `null` if another turn has begun meanwhile. */
export async function lockTurn(connection: Connection, taken: TakenBatch): Promise<PayoutBatch | null> {
  const { bucket, merchantId, batchId, turn } = taken;
  const text = `select * from payout_batch
    where bucket = $1 and merchant_id = $2 and batch_id = $3 and turn = $4 for update`;
  return (await BATCHES.select(connection, text, [bucket, merchantId, batchId, turn]))[0] ?? null;
}

/** Makes a batch due again after a pause, when something outside the batch has stopped its turn. */
export async function giveTurnBack(db: Queryable, taken: TakenBatch, pauseMs: number): Promise<void> {
  const { bucket, merchantId, batchId, turn } = taken;
  await db.query(
    `update payout_batch set due_at = now() + $5 * interval '1 millisecond'
     where bucket = $1 and merchant_id = $2 and batch_id = $3 and turn = $4 and due_at is not null`,
    [bucket, merchantId, batchId, turn, pauseMs],
  );
}

/** Frees the batches of dead processes. Only for when no other process can be running. */
export async function freeBatches(db: Queryable): Promise<void> {
  await db.query(
    `update payout_batch batch set due_at = now()
     where due_at > now() and exists (
       select from payout_batch_line line
       where line.bucket = batch.bucket and line.merchant_id = batch.merchant_id and line.batch_id = batch.batch_id
         and line.state = 'requesting')`,
  );
}

/** Makes a merchant's batches due now: its sandbox clock was moved, so a later day may have come. */
export async function wakeBatches(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<void> {
  await db.query(
    `update payout_batch set due_at = now()
     where bucket = $1 and merchant_id = $2 and due_at > now() and status = 'running'`,
    [bucket, merchantId],
  );
}

/**
 * Ends all batches of a restored database, since the original installation may have continued and paid them. No server may be running
 * on the database. Returns the number of batches.
 */
export async function endRestoredBatches(db: Queryable, reason: string): Promise<number> {
  await db.query(
    "update payout_batch_line set state = 'cancelled', reason = $1, proof = null where state in ('waiting', 'requesting')",
    [reason],
  );
  const { rowCount } = await db.query(
    `update payout_batch set status = 'cancelled', finished_at = now(), due_at = null, proof = null
     where status in ('running', 'awaiting_approval') or due_at is not null`,
  );
  return rowCount ?? 0;
}

/** How many batches wait, for operators. */
export async function countBatchQueue(db: Queryable): Promise<QueueState> {
  const { rows } = await db.query<{ waiting: bigint; oldest: Temporal.Instant | null }>(
    `select count(*) as waiting, min(due_at) filter (where due_at <= now()) as oldest
     from payout_batch where due_at is not null`,
  );
  const { waiting, oldest } = rows[0]!;
  return { name: "payout batches", waiting, retrying: 0n, failed: 0n, oldestDueAt: oldest };
}
