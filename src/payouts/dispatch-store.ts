// All SQL of the dispatch queue: what is due, who works on it, and which processes are alive.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { QueueState } from "../platform/jobs/queue.ts";
import { readSecretRows } from "../platform/secrets/index.ts";
import { slotsOf } from "./batch-slots.ts";
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

/** A claimed transfer, with the state that it had: the bank has never heard of a `RESERVED` one. */
export type Claimed = {
  readonly instruction: PaymentInstruction;
  readonly state: TransferState;
  readonly attempts: number;
};

type ClaimedRow = {
  bucket: number;
  merchant_id: bigint;
  transfer_id: bigint;
  state: TransferState;
  payee_name: string;
  account_number: string | null;
  ifsc: string | null;
  upi: string | null;
  rail_mode: RailMode;
  amount_paise: bigint;
  narrative: string;
  attempts: number;
};

/**
 * Claims due transfers for a process; those that another took meanwhile are left out. What was never sent and may not
 * leave (its merchant is suspended, or has another rail by now) is held back instead.
 */
export async function claimTransfers(
  db: Queryable,
  now: Temporal.Instant,
  processId: bigint,
  transfers: readonly TransferIdentity[],
): Promise<Claimed[]> {
  const { buckets, merchantIds, slots } = slotsOf(transfers);
  const { rows } = await db.query<ClaimedRow>({
    name: "claim-transfers",
    text: `select bucket, merchant_id, transfer_id, state, payee_name, account_number, ifsc, upi, rail_mode,
        amount_paise, narrative, attempts
      from claim_transfers($1, $2, $3, $4, $5, $6)`,
    values: [now.toString(), processId, buckets, merchantIds, slots, transfers.map((transfer) => transfer.transferId)],
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
    state: row.state,
    attempts: row.attempts,
  }));
}

/** Looks again, right before claims are sent over a rail: answers for each whether it may leave by now. Locks nothing. */
export async function mayLeave(db: Queryable, claims: readonly TransferIdentity[], rail: string): Promise<boolean[]> {
  const { buckets, merchantIds, slots } = slotsOf(claims);
  const { rows } = await db.query<{ refusals: (string | null)[] }>({
    name: "find-payout-refusals",
    text: "select payout_refusals($1, $2, $3, array_fill($4::text, array[cardinality($3::integer[])])) as refusals",
    values: [buckets, merchantIds, slots, rail],
  });
  return rows[0]!.refusals.map((refusal) => refusal === null);
}

/** Holds back what the process has claimed and never sent, until its merchant's money may leave: no longer a claim. */
export async function holdClaims(db: Queryable, processId: bigint, claims: readonly TransferIdentity[]): Promise<void> {
  const { buckets, merchantIds, slots } = slotsOf(claims);
  await db.query({
    name: "hold-claims",
    text: "select hold_claims($1, $2, $3, $4, $5)",
    values: [processId, buckets, merchantIds, slots, claims.map((claim) => claim.transferId)],
  });
}

/** The merchants of whom something is held back. */
export async function listMerchantsHeld(db: Queryable): Promise<MerchantKey[]> {
  const { rows } = await db.query<{ bucket: number; merchant_id: bigint }>({
    name: "list-merchants-held",
    text: "select bucket, merchant_id from merchants_held()",
  });
  return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
}

/** Makes what is held back of a merchant due, where it may leave by now, at most `limit` of it. Answers how many. */
export async function freeHeld(
  db: Queryable,
  now: Temporal.Instant,
  { bucket, merchantId }: MerchantKey,
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ freed: number }>({
    name: "free-held-transfers",
    text: "select free_held_transfers($1, $2, $3, $4) as freed",
    values: [now.toString(), bucket, merchantId, limit],
  });
  return rows[0]!.freed;
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
