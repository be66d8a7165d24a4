// What this process itself has in hand, and does not work on.
import { inEachPart } from "../platform/database/at-nodes.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import type { PayoutWriter } from "./batch/payout-writer.ts";
import { listClaims, removeClaims } from "./claim-store.ts";
import { putBackClaims, putBackInHand } from "./claim-transfers.ts";
import type { ProcessLease } from "./process-lease.ts";

type OwnClaims = {
  readonly pool: Pool;
  readonly lease: ProcessLease;
  readonly writer: PayoutWriter;
  readonly logger: Logger;
};

/**
 * Puts back what stands in this process's hand and is not worked on, since no lease runs out over it while this process
 * lives: what it could not finish, and claims of which it does not know, such as one that was committed while the connection
 * broke. Removes the claims that are done with. What can't be done now, such as on a node of Citus that is away, is left to the next time.
 */
export async function lookAfterOwnClaims(own: OwnClaims): Promise<void> {
  let count = 0;
  for (const step of [removeDone, putBackStrays, putBackDropped]) {
    try {
      count += await step(own);
    } catch (error) {
      own.logger.warn({ err: error }, "could not look after all that the dispatcher has in hand");
    }
  }
  if (count > 0) own.logger.warn({ transfers: count }, "put transfers back that nobody worked on");
}

async function removeDone({ pool, lease: { claims, processId } }: OwnClaims): Promise<number> {
  await inEachPart(pool, claims.listDone(), async (where, some) => {
    if (some.length > 0) await removeClaims(where, processId, some);
    claims.forget(some);
  });
  return 0;
}

async function putBackStrays({ pool, lease: { claims, processId } }: OwnClaims): Promise<number> {
  const strays = (await listClaims(pool, processId)).filter(({ claimId }) => !claims.knows(claimId));
  return strays.length > 0 ? putBackClaims(pool, processId, strays) : 0;
}

async function putBackDropped({ pool, lease: { claims, processId }, writer }: OwnClaims): Promise<number> {
  const dropped = claims.listDropped();
  if (dropped.length === 0) return 0;
  writer.forget(dropped);
  const { done, failure } = await putBackInHand(pool, dropped, processId, []);
  for (const inHand of done) claims.settle(inHand);
  if (failure !== null) throw failure;
  return done.length;
}
