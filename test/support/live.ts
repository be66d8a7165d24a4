// A merchant whose money is real, as it would be with a provider connected: this release has none, so no command makes one.
// What belongs here: setting the stage. No assertion.
import { makeLive, requireMerchant } from "../../src/merchants/index.ts";
import { inTransaction, type Pool } from "../../src/platform/database/pool.ts";

/** Makes a merchant live, whatever the sandbox has left of it. */
export async function takeLive(pool: Pool, merchantId: bigint): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await makeLive(connection, await requireMerchant(connection, merchantId, true));
  });
}
