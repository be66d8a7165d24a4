// The queue of payments with many transfers on hold, in a database without statistics. leaving.test.ts tests which are held
// and released.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  accept,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { TEST_ACTOR, withTestSecrets } from "../../../test/support/secrets.ts";
import { createPool } from "../../platform/database/pool.ts";
import { freeHeld } from "./claim-transfers.ts";

const HELD = 1000;
const AT_ONCE = 500;
/** It takes milliseconds; with a scan of all rows for each row, more than a minute. */
const PATIENCE = "20s";

let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

test("a thousand payments that were held back go on with one look-up each, the oldest first", async () => {
  const [merchant] = await makeMerchants(db, 1, 1_000_000n);
  const transferIds: bigint[] = [];
  for (let place = 0; place < HELD; place += 1) transferIds.push(await db.ids.next());
  await accept(
    db.server,
    transferIds.map((transferId) => newTransfer(merchant!, transferId, 100n, `held-${transferId}`)),
  );
  await db.owner.query("update transfer_dispatch set due_at = 'infinity'");
  const isKnown = await db.owner.query("select from pg_stats where tablename in ('transfer', 'transfer_dispatch')");
  expect(isKnown.rowCount).toBe(0);
  const settings = { statement_timeout: PATIENCE };
  const server = withTestSecrets(
    createPool({ url: db.url, size: 1, role: "nodal_server", actor: TEST_ACTOR, settings }),
  );
  try {
    expect(await freeHeld(server, Temporal.Now.instant(), merchant!, AT_ONCE)).toBe(AT_ONCE);
  } finally {
    await server.end();
  }
  const { rows } = await db.owner.query<{ transfer_id: bigint }>(
    "select transfer_id from transfer_dispatch where due_at < 'infinity' order by transfer_id",
  );
  expect(rows.map((row) => row.transfer_id)).toEqual(transferIds.slice(0, AT_ONCE));
});
