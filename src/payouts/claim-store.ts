// SQL of claims: which transfers a process works on, and putting them back into the queue.
import { findOnNodes, readAsOwner } from "../platform/database/citus/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { isProvedInstruction, joinSteps, PROOF_COLUMNS, proveInstruction, type ProofRow } from "./instruction-proof.ts";
import { instructionOf } from "./transfer-row.ts";
import type { TransferIdentity } from "./transfer.ts";

/** A process's claim on the transfers that it works on. */
export type Claim = { readonly processId: bigint; readonly claimId: bigint };

export type ClaimedTransfer = TransferIdentity & { readonly claimId: bigint };

/** A claim with the bucket of one of its transfers; on Citus all are of one group of shards. */
export type ListedClaim = { readonly bucket: number; readonly claimId: bigint };

/** The claims of a process, in order, after one of them; all without a limit. */
export async function listClaims(
  db: Queryable,
  processId: bigint,
  afterId = 0n,
  limit: number | null = null,
): Promise<ListedClaim[]> {
  const ofProcess = { table: "dispatch_claim", condition: "process_id = $1", values: [processId], limit: null };
  const found = await findOnNodes(db, ofProcess, async (part) => {
    const { rows } = await part.query<{ bucket: number; claim_id: bigint }>({
      name: "list-claims",
      text: "select bucket, claim_id from dispatch_claim where process_id = $1 and claim_id > $2 order by claim_id limit $3",
      values: [processId, afterId, limit],
    });
    return rows.map((row) => ({ bucket: row.bucket, claimId: row.claim_id }));
  });
  // Sorted, so that the caller can continue after the last one.
  return found.toSorted((one, other) => (one.claimId < other.claimId ? -1 : 1)).slice(0, limit ?? undefined);
}

/** The claimed transfers of a merchant, with their rails; those of all merchants for 0. */
export async function readClaimedTransfersOf(
  db: Queryable,
  merchantId: bigint,
): Promise<(TransferIdentity & { readonly rail: string })[]> {
  const rows = await readAsOwner<{ bucket: number; merchant_id: bigint; transfer_id: bigint; rail: string }>(
    db,
    "select bucket, merchant_id, transfer_id, rail from transfers_in_hand_of($1)",
    [merchantId],
  );
  return rows.map((row) => ({
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    rail: row.rail,
  }));
}

/** The transfers under claims of a process. Their number only falls. */
export async function readClaimedTransfers(
  db: Queryable,
  processId: bigint,
  claims: readonly ListedClaim[],
): Promise<ClaimedTransfer[]> {
  const { rows } = await db.query<{ bucket: number; merchant_id: bigint; transfer_id: bigint; claim_id: bigint }>({
    name: "read-in-hand",
    // The same as the view transfer_in_hand, which can't be read on one Citus node alone.
    text: `select transfer.bucket, transfer.merchant_id, transfer.transfer_id, transfer.claim_id
      from (
        select buckets, merchant_ids, claim_id, unnest(slots) as slot, unnest(transfer_ids) as transfer_id
        from dispatch_claim
        where process_id = $1 and claim_id = any ($2)
      ) as claim
      join transfer
        on transfer.bucket = claim.buckets[claim.slot] and transfer.merchant_id = claim.merchant_ids[claim.slot]
        and transfer.transfer_id = claim.transfer_id and transfer.claim_id = claim.claim_id`,
    values: [processId, idsOf(claims)],
  });
  return rows.map((row) => ({
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    claimId: row.claim_id,
  }));
}

/**
 * Puts those transfers back into the queue that are still held under the given claims. Returns how many. The caller holds the books,
 * so nobody else finishes or claims one at the same time.
 */
export async function putBack(
  db: Queryable,
  dueAt: Temporal.Instant,
  transfers: readonly ClaimedTransfer[],
): Promise<number> {
  const { rowCount } = await db.query({
    name: "put-back",
    text: `with put_back as (
        update transfer
        set claim_id = null
        from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[])
          as given (bucket, merchant_id, transfer_id, claim_id)
        where transfer.bucket = given.bucket and transfer.merchant_id = given.merchant_id
          and transfer.transfer_id = given.transfer_id and transfer.claim_id = given.claim_id
        returning transfer.bucket, transfer.merchant_id, transfer.transfer_id
      )
      insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
      select bucket, merchant_id, transfer_id, $1 from put_back
      on conflict (bucket, merchant_id, transfer_id) do update set due_at = excluded.due_at
      returning 1`,
    values: [dueAt.toString(), ...keysOf(transfers)],
  });
  return rowCount ?? 0;
}

/** A transfer that is put back unsent, and why. */
export type Unsent = ClaimedTransfer & {
  /** When it may be tried again; `null` while its merchant's payouts are blocked or the provider accepts nothing. */
  readonly dueAt: Temporal.Instant | null;
  readonly attempts: number;
  /** Why it waits for the provider, as shown to people; `null` if it doesn't. */
  readonly waitsFor: string | null;
};

/**
 * The proofs of these claimed transfers once they are back in the queue; they were certainly never sent. `null` for a row that was
 * changed with SQL. The caller holds the books.
 */
export async function proveUnsent(db: Queryable, transfers: readonly ClaimedTransfer[]): Promise<(Buffer | null)[]> {
  const { rows } = await db.query<ProofRow>({
    name: "read-in-hand-instructions",
    text: `select ${PROOF_COLUMNS}
      from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[])
        as given (bucket, merchant_id, transfer_id, claim_id)
      join transfer using (bucket, merchant_id, transfer_id, claim_id)
      ${joinSteps()}
      where transfer.state = 'SUBMITTING'`,
    values: keysOf(transfers),
  });
  if (rows.length === 0) return transfers.map(() => null);
  const secrets = await secretsOf(db);
  const found = new Map(rows.map((row) => [row.transfer_id, row]));
  return transfers.map(({ transferId }) => {
    const row = found.get(transferId);
    if (!row || !isProvedInstruction(secrets, row, "sent")) return null;
    return proveInstruction(secrets, instructionOf(row), "unsent", row.steps);
  });
}

/** Like `putBack`, for transfers that were certainly never sent: they become `RESERVED`, with the proofs of `proveUnsent`. */
export async function putBackUnsent(
  db: Queryable,
  transfers: readonly Unsent[],
  proofs: readonly (Buffer | null)[],
): Promise<void> {
  const now = Temporal.Now.instant().toString();
  await db.query({
    name: "put-back-unsent",
    text: `with put_back as (
        update transfer
        set
          claim_id = null, state = case when state = 'SUBMITTING' then 'RESERVED' else state end,
          reason = coalesce(given.waits_for, reason),
          waits_since = coalesce(transfer.waits_since, given.waits_since),
          instruction_proof = case when state = 'SUBMITTING'
            then coalesce(given.proof, transfer.instruction_proof) else transfer.instruction_proof end
        from unnest(
          $1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::integer[], $7::text[],
          $8::timestamptz[], $9::bytea[])
          as given (bucket, merchant_id, transfer_id, claim_id, due_at, attempts, waits_for, waits_since, proof)
        where transfer.bucket = given.bucket and transfer.merchant_id = given.merchant_id
          and transfer.transfer_id = given.transfer_id and transfer.claim_id = given.claim_id
        returning transfer.bucket, transfer.merchant_id, transfer.transfer_id, given.due_at, given.attempts
      )
      insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at, attempts)
      select bucket, merchant_id, transfer_id, due_at, attempts from put_back
      on conflict (bucket, merchant_id, transfer_id) do update set due_at = excluded.due_at
      returning 1`,
    values: [
      ...keysOf(transfers),
      transfers.map(({ dueAt }) => dueAt?.toString() ?? "infinity"),
      transfers.map(({ attempts }) => attempts),
      transfers.map(({ waitsFor }) => waitsFor),
      transfers.map(({ waitsFor }) => (waitsFor === null ? null : now)),
      proofs,
    ],
  });
}

/**
 * Moves a claimed transfer that was never sent to another rail. Returns the previous rail; `null` if it is no longer held under this
 * claim, or was changed with SQL. The caller holds its book, and adds the entry `REROUTED`.
 */
export async function changeRail(
  db: Queryable,
  { bucket, merchantId, transferId, claimId }: ClaimedTransfer,
  rail: string,
): Promise<string | null> {
  const secrets = await secretsOf(db);
  // Held first: Citus locks no rows of a table that is joined to another.
  const { rowCount: held } = await db.query({
    name: "hold-for-rail",
    text: `select from transfer
      where bucket = $1 and merchant_id = $2 and transfer_id = $3 and claim_id = $4 and state = 'SUBMITTING'
      for no key update`,
    values: [bucket, merchantId, transferId, claimId],
  });
  if (held === 0) return null;
  const { rows } = await db.query<ProofRow>({
    name: "read-for-rail",
    text: `select ${PROOF_COLUMNS} from transfer ${joinSteps()}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = $3`,
    values: [bucket, merchantId, transferId],
  });
  const [row] = rows;
  if (!row || !isProvedInstruction(secrets, row, "sent")) return null;
  const proof = proveInstruction(secrets, { ...instructionOf(row), rail }, "sent", row.steps + 1);
  await db.query({
    name: "change-rail",
    text: `update transfer set rail = $4, first_rail = coalesce(first_rail, rail), instruction_proof = $5
      where bucket = $1 and merchant_id = $2 and transfer_id = $3`,
    values: [bucket, merchantId, transferId, rail, proof],
  });
  return row.rail;
}

function keysOf(transfers: readonly ClaimedTransfer[]): [number[], bigint[], bigint[], bigint[]] {
  return [
    transfers.map(({ bucket }) => bucket),
    transfers.map(({ merchantId }) => merchantId),
    transfers.map(({ transferId }) => transferId),
    transfers.map(({ claimId }) => claimId),
  ];
}

/** Removes a process's empty claims. */
export async function removeClaims(db: Queryable, processId: bigint, claims: readonly ListedClaim[]): Promise<void> {
  await db.query({
    name: "remove-claims",
    text: "delete from dispatch_claim where process_id = $1 and claim_id = any ($2)",
    values: [processId, idsOf(claims)],
  });
}

function idsOf(claims: readonly ListedClaim[]): bigint[] {
  return claims.map(({ claimId }) => claimId);
}
