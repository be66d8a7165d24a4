// This process's claimed transfers that it doesn't work on.
import { tryInEachPart } from "../../platform/database/citus/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { Logger } from "../../platform/log.ts";
import type { Settled } from "../../platform/settled.ts";
import type { PayoutWriter } from "../batch/payout-writer.ts";
import { listClaims, removeClaims, type ClaimedTransfer } from "../claim-store.ts";
import { putBackClaims, putBackTransfers } from "./claim-transfers.ts";
import type { ProcessLease } from "./process-lease.ts";

type OwnClaims = {
  readonly pool: Pool;
  readonly lease: ProcessLease;
  readonly writer: PayoutWriter;
  readonly logger: Logger;
};

/**
 * Puts back this process's claimed transfers that it doesn't work on, since its lease doesn't expire while it lives: transfers that it
 * could not finish, and unknown claims, such as one that was committed while the connection broke. Removes finished claims. Failures,
 * such as a Citus node that is down, are left to the next run.
 */
export async function lookAfterOwnClaims(own: OwnClaims): Promise<void> {
  let count = 0;
  for (const step of [removeDone, putBackStrays, putBackDropped]) {
    try {
      const { done, failure } = await step(own);
      count += done.length;
      if (failure !== null) throw failure;
    } catch (error) {
      own.logger.warn({ err: error }, "could not check all claimed transfers");
    }
  }
  if (count > 0) own.logger.warn({ transfers: count }, "returned unattended transfers to the queue");
}

async function removeDone({ pool, lease: { claims, processId } }: OwnClaims): Promise<Settled<ClaimedTransfer>> {
  const { failure } = await tryInEachPart(pool, claims.listDone(), async (where, some) => {
    await removeClaims(where, processId, some);
    claims.forget(some);
  });
  return { done: [], failure };
}

async function putBackStrays({ pool, lease: { claims, processId } }: OwnClaims): Promise<Settled<ClaimedTransfer>> {
  const strays = (await listClaims(pool, processId)).filter(({ claimId }) => !claims.knows(claimId));
  return putBackClaims(pool, processId, strays);
}

async function putBackDropped({
  pool,
  lease: { claims, processId },
  writer,
}: OwnClaims): Promise<Settled<ClaimedTransfer>> {
  const dropped = claims.listDropped();
  writer.forget(dropped);
  const putBack = await putBackTransfers(pool, dropped, processId);
  for (const claimed of putBack.done) claims.settle(claimed);
  return putBack;
}
