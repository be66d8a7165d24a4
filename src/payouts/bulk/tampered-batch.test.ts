// A batch that was changed with SQL: it is checked again and again, and is not paid.
import { expect, test, vi } from "vitest";
import { addVendor, BENEFICIARY_ID, makeMerchants, openLedgerDatabase } from "../../../test/support/ledger.ts";
import { createLogger } from "../../platform/log.ts";
import { requestBatch } from "./request-batch.ts";
import { BatchWorker } from "./work-batches.ts";

test("is logged once, however often its turn comes", async () => {
  const db = await openLedgerDatabase();
  const [merchant] = await makeMerchants(db, 1, 1000n);
  await addVendor(db, [merchant!]);
  const payee = { beneficiaryId: BENEFICIARY_ID, payeeName: "", accountNumber: null, ifsc: null, upi: null };
  const line = { ...payee, amountPaise: 100n, referenceId: null, mode: null, narrative: "", scheduledFor: null };
  const { answer } = await requestBatch(
    { pool: db.server, ids: db.ids, merchant: merchant!, idempotency: null },
    { name: "x", file: null, lines: [line] },
  );
  await db.owner.query("update payout_batch set is_approved = true where batch_id = $1", [answer.batchId]);
  const logger = createLogger("silent");
  const logged = vi.spyOn(logger, "error");
  const requestInOrder = vi.fn<() => Promise<never>>();
  const worker = new BatchWorker({ pool: db.server, ids: db.ids, desk: { requestInOrder }, logger });
  await worker.start(true);
  const turns = "select turn from payout_batch where batch_id = $1 and turn > 2";
  await vi.waitFor(async () => expect((await db.owner.query(turns, [answer.batchId])).rowCount).toBe(1), 60_000);
  await worker.stop();
  expect(logged).toHaveBeenCalledTimes(1);
  expect(requestInOrder).not.toHaveBeenCalled();
  await db.close();
});
