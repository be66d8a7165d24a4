// How something that pays and has no dispatcher of its own waits for the bank: a server that runs takes the transfer there.
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadContext } from "../merchants/index.ts";
import { findTransfer } from "./transfer-store.ts";
import { wireStatus } from "./transfer.ts";

const LOOK_AGAIN_MS = 100;

export type AwaitBank = { readonly transferId: bigint; readonly waitMs: number };

/** The status of a transfer once the bank has had its say, or as it is when the wait is over. */
export async function awaitBank(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  { transferId, waitMs }: AwaitBank,
): Promise<string> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const transfer = await findTransfer(pool, { bucket, merchantId, transferId });
    const status = wireStatus(transfer!.state);
    if (status !== "PENDING" || performance.now() > deadline) return status;
    await sleep(LOOK_AGAIN_MS);
  }
}
