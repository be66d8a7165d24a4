// SQL of the dispatch queue: waiting and due transfers, and which processes are alive.
import { slotsOf } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { findOnNodes, searchNodes } from "../../platform/database/citus/index.ts";
import { isConnectionLost } from "../../platform/database/failure.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { QueueState } from "../../platform/jobs/worker.ts";
import { readSecretRows, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import { isPayable, joinBooked, type BookedRow } from "../booked-store.ts";
import { formOf, joinSteps, PROOF_COLUMNS, proveInstruction, SENT_PROOF, type ProofRow } from "../instruction-proof.ts";
import { joinReroute, knownRailOf, type RerouteRow } from "../known-rail-store.ts";
import { instructionOf } from "../transfer-row.ts";
import type { Payee, PaymentInstruction, RailMode } from "../rails/rail.ts";
import type { Claim } from "../claim-store.ts";
import { JOIN_PAYEE, PAYEE_COLUMNS, readPayee, type PayeeRow } from "../transfer-store.ts";
import type { TransferIdentity, TransferState } from "../transfer.ts";

/**
 * Transfers that any process may claim now, longest due first, except those of some merchants. Locks nothing: the claim decides.
 */
export async function findDue(
  db: Queryable,
  now: Temporal.Instant,
  limit: number,
  exceptMerchantIds: readonly bigint[] = [],
): Promise<TransferIdentity[]> {
  const due = { table: "transfer_dispatch", condition: "due_at <= now()", limit };
  return findOnNodes(db, due, async (part) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint; transfer_id: bigint }>({
      name: "find-due-transfers",
      // A subselect is hashed: while a bank is slow, thousands of rows are compared with a thousand merchants.
      text: `select bucket, merchant_id, transfer_id from transfer_dispatch
        where due_at <= $1 and merchant_id not in (select unnest($3::bigint[])) order by due_at limit $2`,
      values: [now.toString(), limit, exceptMerchantIds],
    });
    return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id, transferId: row.transfer_id }));
  });
}

/** A transfer in the queue that may be claimed. The bank doesn't know a `RESERVED` one. */
export type Queued = {
  readonly instruction: PaymentInstruction;
  readonly rail: string;
  /** Whether `rail` is really its rail. If not, its row was changed with SQL, and no provider must be asked about it. */
  readonly isRailKnown: boolean;
  readonly state: TransferState;
  readonly attempts: number;
};

/** The same with its proof once it is claimed; `null` if it keeps its own, or was changed with SQL. */
export type Due = Queued & { readonly sentProof: Buffer | null };

type QueuedRow = PayeeRow &
  ProofRow &
  BookedRow &
  RerouteRow & { readonly state: TransferState; readonly attempts: number };

/** The empty payee of a transfer that was changed with SQL, so that nothing is sent. */
const NOBODY: Payee = { name: "", accountNumber: null, ifsc: null, upi: null };

/**
 * Reads those transfers that are due. One that was changed with SQL, has ended in the ledger, or is `RESERVED` although it may have
 * been sent, has no payee. The caller holds the books.
 */
export async function readDue(
  db: Queryable,
  now: Temporal.Instant,
  transfers: readonly TransferIdentity[],
): Promise<Due[]> {
  const { rows } = await db.query<QueuedRow>({
    name: "read-due-transfers",
    text: `select
        ${PROOF_COLUMNS}, ${PAYEE_COLUMNS}, transfer.state, attempts, booked.*, rerouted.*
      from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (bucket, merchant_id, transfer_id)
      join transfer_dispatch using (bucket, merchant_id, transfer_id)
      join transfer using (bucket, merchant_id, transfer_id)
      ${JOIN_PAYEE}
      ${joinBooked()}
      ${joinSteps()}
      ${joinReroute()}
      where due_at <= $1`,
    values: [now.toString(), ...identityColumns(transfers)],
  });
  // Proofs need the keys, which this process may not have read yet.
  if (rows.length > 0) await secretsOf(db);
  return readSecretRows(db, rows, readDueRow);
}

function readDueRow(row: QueuedRow, secrets: Secrets): Due {
  const { state, attempts } = row;
  const instruction = instructionOf(row);
  const isDuePayment = isPayable(secrets, row, formOf(state));
  const knownRail = isDuePayment ? row.rail : knownRailOf(secrets, row);
  const sentProof =
    isDuePayment && state === "RESERVED" ? proveInstruction(secrets, instruction, "sent", row.steps + 1) : null;
  return {
    instruction: {
      transferId: row.transfer_id,
      bucket: row.bucket,
      merchantId: row.merchant_id,
      // The accepted amount, so that no provider is asked about another one.
      amountPaise: row.reserved_paise ?? row.amount_paise,
      mode: row.rail_mode,
      payee: isDuePayment ? readPayee(row, secrets) : NOBODY,
      narrative: row.narrative,
    },
    rail: knownRail ?? row.rail,
    isRailKnown: knownRail !== null,
    state,
    attempts,
    sentProof,
  };
}

/**
 * Moves waiting transfers from the queue to a claim: from now on they may have been sent. The caller holds the books, and adds the
 * entry `SENDING` for each that has a `sentProof`.
 */
export async function markClaimed(db: Queryable, { processId, claimId }: Claim, due: readonly Due[]): Promise<void> {
  const transfers = due.map(({ instruction }) => instruction);
  const { merchants, slots } = slotsOf(transfers);
  await db.query({
    name: "mark-claimed",
    text: `with claim as (
        insert into dispatch_claim (process_id, claim_id, bucket, buckets, merchant_ids, slots, transfer_ids)
        values ($1, $2, ($3::smallint[])[1], $3, $4, $5, $6)
      ), taken as (
        delete from transfer_dispatch queued
        using unnest($5::integer[], $6::bigint[], $7::bytea[]) as wanted (slot, transfer_id, sent_proof)
        where queued.bucket = ($3::smallint[])[wanted.slot] and queued.merchant_id = ($4::bigint[])[wanted.slot]
          and queued.transfer_id = wanted.transfer_id
        returning queued.bucket, queued.merchant_id, queued.transfer_id, wanted.sent_proof
      )
      update transfer
      set
        claim_id = $2, state = case when state = 'RESERVED' then 'SUBMITTING' else state end,
        reason = case when state = 'RESERVED' then null else reason end,
        instruction_proof = case
          when state = 'RESERVED' then coalesce(taken.sent_proof, ${SENT_PROOF}) else transfer.instruction_proof end
      from taken
      where transfer.bucket = taken.bucket and transfer.merchant_id = taken.merchant_id
        and transfer.transfer_id = taken.transfer_id`,
    values: [
      processId,
      claimId,
      merchants.map(({ bucket }) => bucket),
      merchants.map(({ merchantId }) => merchantId),
      slots,
      transfers.map(({ transferId }) => transferId),
      due.map(({ sentProof }) => sentProof),
    ],
  });
}

/** Puts waiting, unsent transfers on hold until their merchants' payouts are allowed. The caller holds the books. */
export async function markHeld(db: Queryable, transfers: readonly TransferIdentity[]): Promise<void> {
  await db.query({
    name: "mark-held",
    text: `update transfer_dispatch queued
      set due_at = 'infinity'
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (bucket, merchant_id, transfer_id)
      where queued.bucket = wanted.bucket and queued.merchant_id = wanted.merchant_id
        and queued.transfer_id = wanted.transfer_id`,
    values: identityColumns(transfers),
  });
}

function identityColumns(transfers: readonly TransferIdentity[]): [number[], bigint[], bigint[]] {
  return [
    transfers.map(({ bucket }) => bucket),
    transfers.map(({ merchantId }) => merchantId),
    transfers.map(({ transferId }) => transferId),
  ];
}

/** The merchants with transfers on hold, found with one look-up each. */
export async function listMerchantsHeld(db: Queryable): Promise<MerchantKey[]> {
  const held = { table: "transfer_dispatch", condition: "due_at = 'infinity'", limit: null };
  return findOnNodes(db, held, async (part) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint }>({ ...LIST_HELD });
    return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
  });
}

const LIST_HELD = {
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
};

/** The rail, mode and bank of some transfers on hold. The bank is the start of the IFSC, or empty for a handle. */
export type HeldRail = { readonly rail: string; readonly mode: RailMode; readonly bank: string };

/**
 * One look-up for each row. Without statistics, the planner would make a plain join read all of the merchant's transfers for each row,
 * while its book is locked.
 */
const TRANSFER_OF_QUEUED = `cross join lateral (
        select
          rail, rail_mode,
          case when rail_mode = 'UPI' then '' else coalesce(left(coalesce(transfer.ifsc, (
            select beneficiary.ifsc from beneficiary
            where beneficiary.bucket = transfer.bucket and beneficiary.merchant_id = transfer.merchant_id
              and beneficiary.beneficiary_id = transfer.beneficiary_id)), 4), '') end as bank
        from transfer
        where transfer.bucket = queued.bucket and transfer.merchant_id = queued.merchant_id
          and transfer.transfer_id = queued.transfer_id
        limit 1
      ) as held`;

/** The rails, modes and banks of a merchant's transfers on hold. */
export async function listHeldRails(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<HeldRail[]> {
  const { rows } = await db.query<{ rail: string; rail_mode: RailMode; bank: string }>({
    name: "list-held-rails",
    text: `select distinct rail, rail_mode, bank from transfer_dispatch queued ${TRANSFER_OF_QUEUED}
      where queued.bucket = $1 and queued.merchant_id = $2 and due_at = 'infinity'`,
    values: [bucket, merchantId],
  });
  return rows.map((row) => ({ rail: row.rail, mode: row.rail_mode, bank: row.bank }));
}

/** Makes at most `limit` of a merchant's transfers on hold due, for one rail, mode and bank, the oldest first. Returns how many. */
export async function markDue(
  db: Queryable,
  now: Temporal.Instant,
  { bucket, merchantId }: MerchantKey,
  { rail, mode, bank }: HeldRail,
  limit: number,
): Promise<number> {
  const { rowCount } = await db.query({
    name: "mark-due",
    text: `update transfer_dispatch
      set due_at = $3
      where bucket = $1 and merchant_id = $2 and transfer_id = any (array(
        select transfer_id from transfer_dispatch queued ${TRANSFER_OF_QUEUED}
        where queued.bucket = $1 and queued.merchant_id = $2 and due_at = 'infinity' and rail = $4 and rail_mode = $5
          and bank = $6
        order by transfer_id
        limit $7
      ))`,
    values: [bucket, merchantId, now.toString(), rail, mode, bank, limit],
  });
  return rowCount ?? 0;
}

/**
 * Starts or extends the process's lease, by the database's clock, since that of a process may be wrong. Returns false if the lease had
 * expired, so that others may have taken its claims.
 */
export async function renewLease(db: Queryable, processId: bigint, lastsMs: number): Promise<boolean> {
  const { rows } = await db.query<{ kept: boolean }>(
    `with earlier as (select lease_expires_at from dispatcher where process_id = $1)
     insert into dispatcher (process_id, lease_expires_at) values ($1, now() + $2 * interval '1 ms')
     on conflict (process_id) do update set lease_expires_at = excluded.lease_expires_at
     returning coalesce((select lease_expires_at > now() from earlier), false) as kept`,
    [processId, lastsMs],
  );
  return rows[0]!.kept;
}

/**
 * Processes other than the given one whose lease has expired, or that hold claims without a lease; with `all`, every other process.
 */
export async function findDeadProcesses(db: Queryable, processId: bigint, all: boolean): Promise<bigint[]> {
  // First, so that a process that starts meanwhile doesn't seem to be without a lease. Citus can't join these tables.
  const ofOthers = { table: "dispatch_claim", condition: "process_id <> $1", values: [processId], limit: null };
  const { done: claiming, failure } = await searchNodes(db, ofOthers, async (part) => {
    const sql = "select distinct process_id from dispatch_claim where process_id <> $1";
    return (await part.query<{ process_id: bigint }>(sql, [processId])).rows;
  });
  // Claims at a Citus node that is down are found when it is back.
  if (failure !== null && !isConnectionLost(failure)) throw failure;
  const { rows } = await db.query<{ process_id: bigint }>(
    `select process_id from dispatcher where process_id <> $1 and ($2 or lease_expires_at <= now())
     union
     select process_id from unnest($3::bigint[]) as claiming (process_id)
     where not exists (select from dispatcher where dispatcher.process_id = claiming.process_id)`,
    [processId, all, claiming.map((row) => row.process_id)],
  );
  return rows.map((row) => row.process_id);
}

/** Removes a process; unless `always`, only if its lease has expired. Its remaining claims can still be found. */
export async function removeProcess(db: Queryable, processId: bigint, always: boolean): Promise<void> {
  await db.query("delete from dispatcher where process_id = $1 and ($2 or lease_expires_at <= now())", [
    processId,
    always,
  ]);
}

/**
 * Counts the queue to the bank, including claimed transfers. `failed` are transfers that have been open since before `staleBefore`;
 * transfers on hold always count as waiting.
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
       select attempts, due_at, added_at < $1 and due_at <> 'infinity' as is_stale
       from transfer_dispatch
       join transfer using (bucket, merchant_id, transfer_id)
       union all
       select 0, null, added_at < $1 from transfer_in_hand
     ) as unfinished`,
    [staleBefore.toString()],
  );
  const { waiting, retrying, stale, oldest_due_at: oldestDueAt } = rows[0]!;
  return { name: "transfers", waiting, retrying, failed: stale, oldestDueAt };
}
