// A dispatcher at a database of tests, in front of a bank that pays. No assertion.
import { PayoutWriter } from "../../src/payouts/batch/payout-writer.ts";
import { Dispatcher } from "../../src/payouts/dispatch/dispatcher.ts";
import { ProcessLease } from "../../src/payouts/dispatch/process-lease.ts";
import { createLogger } from "../../src/platform/log.ts";
import type { LedgerDatabase } from "./ledger.ts";
import type { PayingBank } from "./paying-bank.ts";

/** Runs a dispatcher that sends due transfers to this bank during `work`. */
export async function dispatching(
  db: LedgerDatabase,
  bank: PayingBank,
  work: (lease: ProcessLease) => Promise<void>,
): Promise<void> {
  const pool = db.server;
  const logger = createLogger("silent");
  const lease = new ProcessLease(pool, db.ids, await db.ids.next(), logger);
  await lease.begin(false);
  const writer = new PayoutWriter({ pool, lease, lanes: 1, heldMs: 5000, findRoom: () => new Set(), logger });
  const options = { pool, writer, rails: bank.inPlace(pool), lease, concurrency: 4, bankTimeoutMs: 5000, logger };
  const dispatcher = new Dispatcher(options);
  dispatcher.start();
  try {
    await work(lease);
  } finally {
    await dispatcher.stop(1000);
  }
}
