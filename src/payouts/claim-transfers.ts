// What a process takes from the queue, holds back, and lets go on: with the merchants' books held, so that nobody suspends
// a merchant, or takes it live, meanwhile. What belongs here: these decisions. The rule itself is payoutRefusal.
import { lockBooks } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { inTwoRoundTrips, type Connection, type Pool, type Queryable } from "../platform/database/pool.ts";
import { together } from "../platform/database/together.ts";
import { slotsOf } from "./batch-slots.ts";
import { readPayers, type PayerFacts } from "./batch/facts-store.ts";
import { listHeldRails, markClaimed, markDue, markHeld, readDue, type Queued } from "./dispatch-store.ts";
import { payoutRefusal } from "./rails/merchant-rail.ts";
import type { TransferIdentity } from "./transfer.ts";

/** A transfer that this process has claimed, with the state that it had. */
export type Claimed = Omit<Queued, "rail">;

/**
 * Claims due transfers for a process; those that another took meanwhile are left out. What was never sent and may not
 * leave (its merchant is suspended, or has another rail by now) is held back instead; what may have been sent is claimed all
 * the same, to ask the bank about it.
 */
export function claimTransfers(
  pool: Pool,
  now: Temporal.Instant,
  processId: bigint,
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
      const mayGo = ({ instruction, rail, state }: Queued): boolean =>
        state !== "RESERVED" || payoutRefusal(payers.get(instruction.merchantId)!, rail) === null;
      return { claimed: due.filter(mayGo), held: due.filter((queued) => !mayGo(queued)) };
    },
    (connection, { claimed, held }) => [
      ...(claimed.length > 0 ? [() => markClaimed(connection, processId, claimed.map(identityOf))] : []),
      ...(held.length > 0 ? [() => markHeld(connection, null, held.map(identityOf))] : []),
    ],
  ).then(({ claimed }) => claimed);
}

const identityOf = ({ instruction }: Queued): TransferIdentity => instruction;

/** Holds back what the process has claimed and never sent, until its merchant's money may leave: no longer a claim. */
export async function holdClaims(pool: Pool, processId: bigint, claims: readonly TransferIdentity[]): Promise<void> {
  await inTwoRoundTrips(
    pool,
    (connection) => takePayers(connection, claims),
    (connection) => [() => markHeld(connection, processId, claims)],
  );
}

/** Looks again, right before claims are sent over a rail: answers for each whether it may leave by now. Locks nothing. */
export async function mayLeave(db: Queryable, claims: readonly TransferIdentity[], rail: string): Promise<boolean[]> {
  const { slots, merchants } = slotsOf(claims);
  const payers = await readPayers(db, merchants);
  return slots.map((slot) => payoutRefusal(payers[slot - 1]!, rail) === null);
}

/** Makes what is held back of a merchant due, where it may leave by now, at most `limit` of it. Answers how many. */
export async function freeHeld(
  pool: Pool,
  now: Temporal.Instant,
  merchant: MerchantKey,
  limit: number,
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
      return rails.filter((rail) => payoutRefusal(payers.get(merchant.merchantId)!, rail) === null);
    },
    (connection, rails) => [
      async () => {
        freed = await markDue(connection, now, merchant, rails, limit);
      },
    ],
  );
  return freed;
}

/** Takes the books of merchants, and answers who they are, by id. */
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
