// Proofs of UTRs: every ended transfer has one, and no later report certifies a UTR that was written with SQL.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  accept,
  applyReports,
  claim,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  report,
  reportOn,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import type { Merchant } from "../merchants/index.ts";
import type { NewTransfer, Report } from "./transfer-store.ts";
import { findForgedUtrs } from "./utr-proof.ts";

let db: LedgerDatabase;
let merchant: Merchant;
beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeMerchants(db, 1, 1_000_000n)) as [Merchant];
});
afterAll(() => db.close());

async function sent(): Promise<NewTransfer> {
  const transferId = await db.ids.next();
  const transfer = newTransfer(merchant, transferId, 100n, `r-${transferId}`);
  await accept(db.server, [transfer]);
  await claim(db.server, [transfer]);
  return transfer;
}

function change(transfer: NewTransfer, utr: string | null) {
  return db.owner.query("update transfer set utr = $2 where transfer_id = $1", [transfer.transferId, utr]);
}

/** The indexes of those whose UTR the server did not write. */
async function forged(...transfers: NewTransfer[]): Promise<number[]> {
  const ids = (await findForgedUtrs(db.owner, merchant)).map(({ subjectId }) => subjectId);
  return transfers.flatMap(({ transferId }, place) => (ids.includes(transferId) ? [place] : []));
}

const say = (transfer: NewTransfer, status: Report["status"], utr: string | null) =>
  applyReports(db.server, Temporal.Now.instant(), [{ ...reportOn(transfer, status), utr }]);

test("every ending, and every later word of the bank, leaves a proof", async () => {
  const endings = [
    ["SUCCESS"],
    ["FAILED"],
    ["REJECTED"],
    ["PENDING", "SUCCESS"],
    ["SUCCESS", "REVERSED"],
    ["FAILED", "SUCCESS", "REVERSED"],
  ] as const;
  for (const statuses of endings) {
    const transfer = await sent();
    for (const status of statuses) {
      await report(db.server, transfer, status);
      expect(await forged(transfer), statuses.join()).toEqual([]);
    }
  }
  const unnamed = await sent();
  await say(unnamed, "PENDING", "EARLY1");
  await say(unnamed, "SUCCESS", null);
  const named = await sent();
  await say(named, "SUCCESS", null);
  await say(named, "REVERSED", "LATE1");
  expect(await forged(unnamed, named)).toEqual([]);
});

test("a report without a UTR proves none that was changed, added or removed before it", async () => {
  const [changed, added, removed] = [await sent(), await sent(), await sent()];
  await report(db.server, changed, "SUCCESS");
  await report(db.server, removed, "SUCCESS");
  await report(db.server, added, "PENDING");
  await change(changed, "FORGED1");
  await change(added, "FORGED2");
  await change(removed, null);
  const all = [changed, added, removed];
  expect(await forged(...all)).toEqual([0, 1, 2]);
  await say(changed, "REVERSED", null);
  await say(added, "SUCCESS", null);
  await say(removed, "REVERSED", null);
  expect(await forged(...all)).toEqual([0, 1, 2]);
});

test("the bank's own UTR takes the place of a forged one", async () => {
  const transfer = await sent();
  await change(transfer, "FORGED3");
  expect(await forged(transfer)).toEqual([0]);
  await report(db.server, transfer, "SUCCESS");
  expect(await forged(transfer)).toEqual([]);
});
