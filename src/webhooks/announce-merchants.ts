// Turns notices about merchants into events of the installation, which its webhooks send.
import { recordEventsOfMany } from "../ledger/index.ts";
import { findNotedMerchants, OPERATORS, takeNotices, type NotedMerchants } from "../merchants/index.ts";
import { isConnectionLost } from "../platform/database/failure.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { Worker } from "../platform/jobs/worker.ts";
import type { Logger } from "../platform/log.ts";
import type { Origin } from "../platform/origin.ts";

const LOOK_MS = 1000;
/** The most merchants in one poll; the others wait for the next one. */
const MERCHANTS_AT_ONCE = 200;

/** Records merchants' notices in the installation's journal, from `start` to `stop`. */
export function merchantAnnouncements({ pool, logger }: { readonly pool: Pool; readonly logger: Logger }) {
  return new Worker<readonly NotedMerchants[]>({
    name: "events about merchants",
    logger,
    // All of them need the installation's book.
    atOnce: 1,
    lookMs: LOOK_MS,
    find: async () => {
      const found = await findNotedMerchants(pool, MERCHANTS_AT_ONCE).catch((error: unknown) => {
        // Other parts report that the database is down.
        if (isConnectionLost(error)) return [];
        throw error;
      });
      return found.length > 0 ? [found] : [];
    },
    run: async (found) => {
      for (const noted of found) await announce(pool, noted);
    },
  });
}

/** Moves merchants' notices to the installation's journal, each in the name of the user who changed the merchant. */
async function announce(pool: Pool, noted: NotedMerchants): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const notices = await takeNotices(connection, noted);
    await recordEventsOfMany(
      connection,
      notices.map(({ type, merchantId, actor, address }) => ({
        ...OPERATORS,
        type: `merchant.${type}`,
        subjectId: merchantId,
        origin: { actor: actor as Origin["actor"], address },
      })),
    );
  });
}
