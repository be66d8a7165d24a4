// All SQL of the dispatch queue: what is due, who works on it, and which processes are alive.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { QueueState } from "../platform/jobs/queue.ts";
import { readSecretRows } from "../platform/secrets/index.ts";
import type { PaymentInstruction, RailMode } from "./rails/rail.ts";
import { unsealPayee } from "./transfer-store.ts";
import type { TransferIdentity, TransferState } from "./transfer.ts";

/**
 * Transfers that anybody may take up now, longest due first, but for those of some merchants. Nothing is locked: claiming
 * decides.
 */
export async function findDue(
  db: Queryable,
  now: Temporal.Instant,
  limit: number,
  exceptMerchantIds: readonly bigint[] = [],
): Promise<TransferIdentity[]> {
  const { rows } = await db.query<{ bucket: number; merchant_id: bigint; transfer_id: bigint }>({
    name: "find-due-transfers",
    text: `select bucket, merchant_id, transfer_id from transfer_dispatch
      where due_at <= $1 and merchant_id <> all ($3::bigint[]) order by due_at limit $2`,
    values: [now.toString(), limit, exceptMerchantIds],
  });
  return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id, transferId: row.transfer_id }));
}

/** A transfer in the queue that may be claimed, as it stands. The bank has never heard of a `RESERVED` one. */
export type Queued = {
  readonly instruction: PaymentInstruction;
  readonly rail: string;
  readonly state: TransferState;
  readonly attempts: number;
};

type QueuedRow = {
  bucket: number;
  merchant_id: bigint;
  transfer_id: bigint;
  state: TransferState;
  payee_name: string;
  account_number: string | null;
  ifsc: string | null;
  upi: string | null;
  rail: string;
  rail_mode: RailMode;
  amount_paise: bigint;
  narrative: string;
  attempts: number;
};

/** Those of these transfers that are due. */
export async function readDue(
  db: Queryable,
  now: Temporal.Instant,
  transfers: readonly TransferIdentity[],
): Promise<Queued[]> {
  const { rows } = await db.query<QueuedRow>({
    name: "read-due-transfers",
    text: `select
        bucket, merchant_id, transfer_id, state, payee_name, account_number, ifsc, upi, rail, rail_mode, amount_paise,
        narrative, attempts
      from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (bucket, merchant_id, transfer_id)
      join transfer_dispatch using (bucket, merchant_id, transfer_id)
      join transfer using (bucket, merchant_id, transfer_id)
      where due_at <= $1`,
    values: [now.toString(), ...identityColumns(transfers)],
  });
  return readSecretRows(db, rows, (row, secrets) => ({
    instruction: {
      transferId: row.transfer_id,
      bucket: row.bucket,
      merchantId: row.merchant_id,
      amountPaise: row.amount_paise,
      mode: row.rail_mode,
      payee: { name: row.payee_name, ifsc: row.ifsc, ...unsealPayee(secrets, row) },
      narrative: row.narrative,
    },
    rail: row.rail,
    state: row.state,
    attempts: row.attempts,
  }));
}

/** Puts due transfers in the name of a process: from now on they may have been sent. The caller holds the books. */
export async function markClaimed(
  db: Queryable,
  processId: bigint,
  transfers: readonly TransferIdentity[],
): Promise<void> {
  await db.query({
    name: "mark-claimed",
    text: `with claimed as (
        update transfer_dispatch queued
        set claimed_by = $1, due_at = null
        from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (bucket, merchant_id, transfer_id)
        where queued.bucket = wanted.bucket and queued.merchant_id = wanted.merchant_id
          and queued.transfer_id = wanted.transfer_id
        returning queued.bucket, queued.merchant_id, queued.transfer_id
      )
      update transfer
      set state = 'SUBMITTING'
      from claimed
      where transfer.bucket = claimed.bucket and transfer.merchant_id = claimed.merchant_id
        and transfer.transfer_id = claimed.transfer_id and transfer.state = 'RESERVED'`,
    values: [processId, ...identityColumns(transfers)],
  });
}

/**
 * Holds back what was never sent, until its merchant's money may leave: claims of a process, or what is due where that is
 * `null`. The caller holds the books.
 */
export async function markHeld(
  db: Queryable,
  processId: bigint | null,
  transfers: readonly TransferIdentity[],
): Promise<void> {
  await db.query({
    name: "mark-held",
    text: `with held as (
        update transfer_dispatch queued
        set claimed_by = null, due_at = 'infinity'
        from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (bucket, merchant_id, transfer_id)
        where queued.bucket = wanted.bucket and queued.merchant_id = wanted.merchant_id
          and queued.transfer_id = wanted.transfer_id and queued.claimed_by is not distinct from $1::bigint
        returning queued.bucket, queued.merchant_id, queued.transfer_id
      )
      update transfer
      set state = 'RESERVED'
      from held
      where transfer.bucket = held.bucket and transfer.merchant_id = held.merchant_id
        and transfer.transfer_id = held.transfer_id and transfer.state = 'SUBMITTING'`,
    values: [processId, ...identityColumns(transfers)],
  });
}

function identityColumns(transfers: readonly TransferIdentity[]): [number[], bigint[], bigint[]] {
  return [
    transfers.map(({ bucket }) => bucket),
    transfers.map(({ merchantId }) => merchantId),
    transfers.map(({ transferId }) => transferId),
  ];
}

/** The merchants of whom something is held back, found by as many look-ups as there are of them. */
export async function listMerchantsHeld(db: Queryable): Promise<MerchantKey[]> {
  const { rows } = await db.query<{ bucket: number; merchant_id: bigint }>({
    name: "list-merchants-held",
    text: `with recursive held as (
        (
          select bucket, merchant_id from transfer_dispatch
          where due_at = 'infinity' order by bucket, merchant_id limit 1
        )
        union all
        select later.bucket, later.merchant_id
        from held
        cross join lateral (
          select bucket, merchant_id from transfer_dispatch
          where due_at = 'infinity' and (bucket, merchant_id) > (held.bucket, held.merchant_id)
          order by bucket, merchant_id limit 1
        ) as later
      )
      select bucket, merchant_id from held`,
  });
  return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
}

/** Over which rails what is held back of a merchant would leave. */
export async function listHeldRails(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<string[]> {
  const { rows } = await db.query<{ rail: string }>({
    name: "list-held-rails",
    text: `select distinct rail from transfer_dispatch
      join transfer using (bucket, merchant_id, transfer_id)
      where bucket = $1 and merchant_id = $2 and due_at = 'infinity'`,
    values: [bucket, merchantId],
  });
  return rows.map(({ rail }) => rail);
}

/** Makes due what is held back of a merchant for these rails, at most `limit` of it. Answers how many. */
export async function markDue(
  db: Queryable,
  now: Temporal.Instant,
  { bucket, merchantId }: MerchantKey,
  rails: readonly string[],
  limit: number,
): Promise<number> {
  const { rowCount } = await db.query({
    name: "mark-due",
    text: `update transfer_dispatch queued
      set due_at = $3
      from (
        select transfer_id from transfer_dispatch
        join transfer using (bucket, merchant_id, transfer_id)
        where bucket = $1 and merchant_id = $2 and due_at = 'infinity' and rail = any ($4)
        order by transfer_id
        limit $5
      ) as freed
      where queued.bucket = $1 and queued.merchant_id = $2 and queued.transfer_id = freed.transfer_id`,
    values: [bucket, merchantId, now.toString(), rails, limit],
  });
  return rowCount ?? 0;
}

/** Extends the process's lease, or starts it. Answers false when it had run out, so that others took its claims. */
export async function renewLease(
  db: Queryable,
  now: Temporal.Instant,
  processId: bigint,
  expiresAt: Temporal.Instant,
): Promise<boolean> {
  const { rows } = await db.query<{ kept: boolean }>(
    `with earlier as (select lease_expires_at from dispatcher where process_id = $1)
     insert into dispatcher (process_id, lease_expires_at) values ($1, $2)
     on conflict (process_id) do update set lease_expires_at = excluded.lease_expires_at
     returning coalesce((select lease_expires_at > $3 from earlier), false) as kept`,
    [processId, expiresAt.toString(), now.toString()],
  );
  return rows[0]!.kept;
}

/** The transfers that the process has claimed. */
export async function listClaims(db: Queryable, processId: bigint): Promise<bigint[]> {
  const { rows } = await db.query<{ transfer_id: bigint }>({
    name: "list-claims",
    text: "select transfer_id from transfer_dispatch where claimed_by = $1",
    values: [processId],
  });
  return rows.map((row) => row.transfer_id);
}

/** Makes what the process holds free for all at once: every transfer, or the given ones. Answers how many. */
export async function releaseClaims(
  db: Queryable,
  now: Temporal.Instant,
  processId: bigint,
  transferIds: readonly bigint[] | null = null,
): Promise<number> {
  const { rowCount } = await db.query(
    `update transfer_dispatch set claimed_by = null, due_at = $1
     where claimed_by = $2 and ($3::bigint[] is null or transfer_id = any ($3))`,
    [now.toString(), processId, transferIds],
  );
  return rowCount ?? 0;
}

/**
 * Processes, other than the given one, whose lease has run out or that hold claims without a lease; every other one
 * when `all` is set.
 */
export async function findDeadProcesses(
  db: Queryable,
  now: Temporal.Instant,
  processId: bigint,
  all: boolean,
): Promise<bigint[]> {
  const { rows } = await db.query<{ process_id: bigint }>(
    `select process_id from dispatcher where process_id <> $1 and ($2 or lease_expires_at <= $3)
     union
     select claimed_by from transfer_dispatch
     where claimed_by <> $1 and not exists (select from dispatcher where process_id = claimed_by)`,
    [processId, all, now.toString()],
  );
  return rows.map((row) => row.process_id);
}

/** Forgets a process. Its claims must have been released. */
export async function removeProcess(db: Queryable, processId: bigint): Promise<void> {
  await db.query("delete from dispatcher where process_id = $1", [processId]);
}

/**
 * How the queue to the bank stands. `failed` are transfers that have been open since before `staleBefore`; what is held
 * back waits, however long.
 */
export async function countDispatch(db: Queryable, staleBefore: Temporal.Instant): Promise<QueueState> {
  const { rows } = await db.query<{
    waiting: bigint;
    retrying: bigint;
    stale: bigint;
    oldest_due_at: Temporal.Instant | null;
  }>(
    `select
       count(*) filter (where not is_stale) as waiting,
       count(*) filter (where not is_stale and attempts > 1) as retrying,
       count(*) filter (where is_stale) as stale,
       min(due_at) filter (where not is_stale and due_at <= now()) as oldest_due_at
     from (
       select attempts, due_at, added_at < $1 and due_at is distinct from 'infinity' as is_stale
       from transfer_dispatch
       join transfer using (bucket, merchant_id, transfer_id)
     ) as queued`,
    [staleBefore.toString()],
  );
  const { waiting, retrying, stale, oldest_due_at: oldestDueAt } = rows[0]!;
  return { name: "transfers", waiting, retrying, failed: stale, oldestDueAt };
}
