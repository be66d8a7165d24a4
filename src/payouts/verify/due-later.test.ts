// Due times that are postponed with SQL: the work would wait for years, so `nodal verify` reports it.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addVendor, BENEFICIARY_ID } from "../../../test/support/ledger.ts";
import { PolicyStage } from "../../../test/support/policy-stage.ts";
import { requestBatch } from "../bulk/request-batch.ts";
import { verify } from "./verify.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

const change = (sql: string, ...values: unknown[]) => stage.db.owner.query(sql, values);

async function reported(): Promise<string[]> {
  const { violations } = await verify(stage.db.owner, stage.merchant);
  return violations.map(({ check }) => check);
}

async function newBatch(): Promise<string> {
  await addVendor(stage.db, [stage.merchant]);
  const payee = { beneficiaryId: BigInt(BENEFICIARY_ID), payeeName: "", accountNumber: null, ifsc: null, upi: null };
  const line = { ...payee, amountPaise: 100n, referenceId: null, mode: null, narrative: "", scheduledFor: null };
  const { answer } = await requestBatch(
    { ...stage.context, idempotency: null },
    { name: "x", file: null, lines: [line] },
  );
  return answer.batchId;
}

test("a batch of a past day that is due in years", async () => {
  const batchId = await newBatch();
  expect(await reported()).toEqual([]);
  await change("update payout_batch set due_at = now() + interval '3000 days' where batch_id = $1", batchId);
  expect(await reported()).toEqual(["batch_due"]);
});

test("a batch of a later day may be due on that day, and no later", async () => {
  const batchId = await newBatch();
  await change("update payout_batch_line set scheduled_for = current_date + 20 where batch_id = $1", batchId);
  await change("update payout_batch set due_at = now() + interval '20 days' where batch_id = $1", batchId);
  expect(await reported()).toEqual([]);
  await change("update payout_batch set due_at = now() + interval '23 days' where batch_id = $1", batchId);
  expect(await reported()).toEqual(["batch_due"]);
});

test("a payment re-check that is due in years, or is beyond the journal", async () => {
  const { bucket, merchantId } = stage.merchant;
  const add =
    "insert into payment_review (bucket, merchant_id, wait, due_at) values ($1, $2, 'day', now() + interval '1 day')";
  await change(add, bucket, merchantId);
  expect(await reported()).toEqual([]);
  for (const set of ["due_at = '2035-01-01'", "due_at = now(), entry_no = 1000000"]) {
    await change(`update payment_review set ${set} where merchant_id = $1`, merchantId);
    expect([set, await reported()]).toEqual([set, ["payment_review_due"]]);
  }
});
