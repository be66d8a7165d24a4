// How a command that pays waits for the bank: a server that runs takes the transfer there.
import { setTimeout as sleep } from "node:timers/promises";
import type { MerchantKey } from "../merchants/index.ts";
import { findTransfer, wireStatus } from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";

const LOOK_AGAIN_MS = 100;

/** The status of a transfer once the bank has had its say, or as it is when the wait is over. */
export async function awaitBank(
  pool: Pool,
  merchant: MerchantKey,
  transferId: bigint,
  waitMs: number,
): Promise<string> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const transfer = await findTransfer(pool, { ...merchant, transferId });
    const status = wireStatus(transfer!.state);
    if (status !== "PENDING" || performance.now() > deadline) return status;
    await sleep(LOOK_AGAIN_MS);
  }
}
