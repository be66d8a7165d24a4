// Claims transfers from the queue, puts them back, puts them on hold and releases them. The merchants' books are held, so that
// nobody suspends a merchant or takes it live meanwhile. payoutRefusal has the rule.
import {
  eventWrites,
  findFreeBooks,
  lockBooks,
  recordEventsOfMany,
  slotsOf,
  type NewEventOf,
} from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { tryInEachPart } from "../../platform/database/citus/index.ts";
import { isLockTimeout } from "../../platform/database/failure.ts";
import {
  inTransaction,
  inTwoRoundTrips,
  type Connection,
  type Pool,
  type Queryable,
  together,
} from "../../platform/database/pool.ts";
import { actorOf } from "../../platform/origin.ts";
import { flat, type Settled } from "../../platform/settled.ts";
import { readPayers, type PayerFacts } from "../batch/facts-store.ts";
import {
  changeRail,
  listClaims,
  proveUnsent,
  putBack,
  putBackUnsent,
  readClaimedTransfers,
  removeClaims,
  type Claim,
  type ClaimedTransfer,
  type ListedClaim,
  type Unsent,
} from "../claim-store.ts";
import {
  listHeldRails,
  markClaimed,
  markDue,
  markHeld,
  readDue,
  type Due,
  type HeldRail,
  type Queued,
} from "./dispatch-store.ts";
import { REROUTED, SENDING } from "../instruction-proof.ts";
import { payoutRefusal } from "../make-payout.ts";
import type { TransferIdentity } from "../transfer.ts";

/** A transfer that this process has claimed, with the state that it had. */
export type Claimed = Queued;

/** The actor of automatic changes. */
const BY_ITSELF = { actor: actorOf("job", "payouts"), address: null };

/**
 * Claims due transfers, except those that another process has just claimed. An unsent transfer that may not leave (its merchant is
 * suspended, or has another rail now) is put on hold instead. One that may have been sent is claimed anyway, to ask the bank about it.
 */
export function claimTransfers(
  pool: Pool,
  now: Temporal.Instant,
  claim: Claim,
  transfers: readonly TransferIdentity[],
): Promise<Claimed[]> {
  return inTwoRoundTrips(
    pool,
    async (connection) => {
      const [payers, due] = await together(
        connection,
        () => takePayers(connection, transfers),
        () => readDue(connection, now, transfers),
      );
      const mayGo = ({ instruction, rail, state }: Due): boolean =>
        state !== "RESERVED" || payoutRefusal(payers.get(instruction.merchantId)!, rail) === null;
      const claimed = due.filter(mayGo);
      const entries = await eventWrites(connection, claimed.flatMap(sendingOf));
      return { claimed, entries, held: due.filter((queued) => !mayGo(queued)) };
    },
    (connection, { claimed, entries, held }) => [
      ...(claimed.length > 0 ? [() => markClaimed(connection, claim, claimed)] : []),
      ...(held.length > 0 ? [() => markHeld(connection, held.map(identityOf))] : []),
      ...entries,
    ],
  ).then(({ claimed }) => claimed);
}

const identityOf = ({ instruction }: Due): TransferIdentity => instruction;

/**
 * The entry that a transfer may have been sent since it was taken from the queue. It makes the proof of its earlier, unsent row invalid,
 * because that has too few steps. A transfer that is started when it is accepted never had such a row.
 */
function sendingOf({ instruction, sentProof }: Due): NewEventOf[] {
  if (sentProof === null) return [];
  const { bucket, merchantId, transferId: subjectId } = instruction;
  return [{ bucket, merchantId, type: SENDING, subjectId, origin: BY_ITSELF }];
}

/** Puts claimed, unsent transfers back, to be retried or to wait. */
export async function holdClaims(pool: Pool, transfers: readonly Unsent[]): Promise<void> {
  await inTwoRoundTrips(
    pool,
    async (connection) => {
      const [, proofs] = await together(
        connection,
        () => lockBooks(connection, slotsOf(transfers).merchants),
        () => proveUnsent(connection, transfers),
      );
      return proofs;
    },
    (connection, proofs) => [() => putBackUnsent(connection, transfers, proofs)],
  );
}

/**
 * Moves a claimed, unsent transfer to another rail. The change and its journal entry are durable when this resolves. Returns whether the
 * transfer is still claimed.
 */
export function takeOtherRail(pool: Pool, transfer: ClaimedTransfer, rail: string): Promise<boolean> {
  const { bucket, merchantId, transferId: subjectId } = transfer;
  return inTransaction(pool, async (connection) => {
    await lockBooks(connection, [transfer]);
    const before = await changeRail(connection, transfer, rail);
    if (before === null) return false;
    const change = { before: { rail: before }, after: { rail } };
    const event = { bucket, merchantId, type: REROUTED, subjectId, ...change, origin: BY_ITSELF };
    await recordEventsOfMany(connection, [event]);
    return true;
  });
}

/**
 * Puts back claimed transfers that nobody works on, so that the next process asks the bank about them first. Transfers of merchants
 * whose books are locked stay claimed. Returns what was put back, even if a Citus node is down.
 */
export async function putBackTransfers(
  pool: Pool,
  transfers: readonly ClaimedTransfer[],
  processId: bigint,
): Promise<Settled<ClaimedTransfer>> {
  return flat(await tryInEachPart(pool, transfers, (where, some) => putBackAt(where, some, processId, [])));
}

/** The same, for all transfers of some claims. Claims that become empty are removed. */
async function putBackAt(
  pool: Pool,
  transfers: readonly ClaimedTransfer[],
  processId: bigint,
  claims: readonly ListedClaim[],
): Promise<readonly ClaimedTransfer[]> {
  const tryAll = async (
    some: readonly ClaimedTransfer[],
    listed: readonly ListedClaim[],
  ): Promise<readonly ClaimedTransfer[]> => {
    await inTwoRoundTrips(
      pool,
      (connection) => lockBooks(connection, slotsOf(some).merchants),
      (connection) => [
        ...(some.length > 0 ? [() => putBack(connection, Temporal.Now.instant(), some)] : []),
        ...(listed.length > 0 ? [() => removeClaims(connection, processId, listed)] : []),
      ],
    );
    return some;
  };
  try {
    return await tryAll(transfers, claims);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
  const free = await findFreeBooks(pool, transfers);
  const left = new Set(transfers.filter(({ merchantId }) => !free.has(String(merchantId))).map((item) => item.claimId));
  return tryAll(
    transfers.filter(({ merchantId }) => free.has(String(merchantId))),
    claims.filter(({ claimId }) => !left.has(claimId)),
  );
}

/** How many claims are put back in one transaction. */
const CLAIMS_AT_ONCE = 64;

/**
 * Puts back all transfers that a dead or stopping process has claimed. Returns how many. @throws if a Citus node is down; the transfers
 * on the other nodes have been put back by then
 */
export async function putBackClaimsOf(pool: Pool, processId: bigint): Promise<number> {
  let count = 0;
  let lastId = 0n;
  let firstFailure: Error | null = null;
  for (;;) {
    const claims = await listClaims(pool, processId, lastId, CLAIMS_AT_ONCE);
    if (claims.length === 0) break;
    const { done, failure } = await putBackClaims(pool, processId, claims);
    firstFailure ??= failure;
    count += done.length;
    lastId = claims.at(-1)!.claimId;
  }
  if (firstFailure !== null) throw firstFailure;
  return count;
}

/** The same for some of its claims. Returns what was put back, even if a Citus node is down. */
export async function putBackClaims(
  pool: Pool,
  processId: bigint,
  claims: readonly ListedClaim[],
): Promise<Settled<ClaimedTransfer>> {
  const parts = await tryInEachPart(pool, claims, async (where, some) =>
    putBackAt(where, await readClaimedTransfers(where, processId, some), processId, some),
  );
  return flat(parts);
}

/** Checks again, right before they are sent, whether transfers may still leave over their rails. Locks nothing. */
export async function mayLeave(
  db: Queryable,
  claims: readonly (TransferIdentity & { readonly rail: string })[],
): Promise<boolean[]> {
  const { slots, merchants } = slotsOf(claims);
  const payers = await readPayers(db, merchants);
  return claims.map(({ rail }, index) => payoutRefusal(payers[slots[index]! - 1]!, rail) === null);
}

/** How many transfers on hold may be tried now, by rail and mode. */
export type RoomOf = (held: HeldRail) => number;

/** Releases at most `limit` of a merchant's transfers on hold that may leave now. Returns how many. */
export async function freeHeld(
  pool: Pool,
  now: Temporal.Instant,
  merchant: MerchantKey,
  limit: number,
  roomOf: RoomOf = () => Infinity,
): Promise<number> {
  let freed = 0;
  await inTwoRoundTrips(
    pool,
    async (connection) => {
      const [payers, rails] = await together(
        connection,
        () => takePayers(connection, [merchant]),
        () => listHeldRails(connection, merchant),
      );
      const payer = payers.get(merchant.merchantId)!;
      return rails.filter(({ rail }) => payoutRefusal(payer, rail) === null);
    },
    (connection, rails) =>
      rails.flatMap((held) => {
        const room = Math.min(limit, roomOf(held));
        const free = async (): Promise<void> => {
          freed += await markDue(connection, now, merchant, held, room);
        };
        return room > 0 ? [free] : [];
      }),
  );
  return freed;
}

/** Locks the merchants' books, and returns the merchants by id. */
async function takePayers(
  connection: Connection,
  items: readonly MerchantKey[],
): Promise<ReadonlyMap<bigint, PayerFacts>> {
  const { merchants } = slotsOf(items);
  const [, payers] = await together(
    connection,
    () => lockBooks(connection, merchants),
    () => readPayers(connection, merchants),
  );
  return new Map(merchants.map(({ merchantId }, index) => [merchantId, payers[index]!]));
}
