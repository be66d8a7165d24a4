// Transfers that are changed with SQL while they wait: none is sent to the bank, and none is cancelled.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { dispatching } from "../../../test/support/dispatching.ts";
import { accept, VENDOR } from "../../../test/support/ledger.ts";
import { PayingBank } from "../../../test/support/paying-bank.ts";
import { PolicyStage } from "../../../test/support/policy-stage.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { saveBatchPayee } from "../beneficiaries/save-beneficiary.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { findForgedUtrs } from "../utr-proof.ts";
import { endUnsent } from "./unsent-store.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

async function accepted(): Promise<NewTransfer> {
  const transfer = await stage.payoutRequest({ amountPaise: 10n });
  await accept(stage.db.server, [transfer]);
  return transfer;
}

test.each([
  ["beneficiary_id", "beneficiary_id = $beneficiary"],
  ["amount", "amount_paise = amount_paise * 10"],
  ["narrative", "narrative = 'for another'"],
  ["reference", "reference_id = 'another' || transfer_id"],
  ["mode", "mode = 'upi', rail_mode = 'UPI'"],
  ["rail's mode", "rail_mode = 'NEFT'"],
  ["proof", "instruction_proof = null"],
  [
    "proof, with that of another",
    "instruction_proof = (select instruction_proof from transfer where transfer_id = $sound)",
  ],
])(
  "is not told to pay a transfer whose %s was changed with SQL, and is told of others' meanwhile",
  async (_, change) => {
    const spoilt = await accepted();
    const sound = await accepted();
    const { merchant } = stage;
    const payee = { ...VENDOR, name: "Mallory", accountNumber: "60100000001194", upi: null };
    const { beneficiaryId } = await inTransaction(stage.db.server, async (connection) =>
      saveBatchPayee({ connection, merchant }, { ...payee, beneficiaryId: await stage.db.ids.next() }),
    );
    const text = change.replace("$beneficiary", String(beneficiaryId)).replace("$sound", String(sound.transferId));
    await stage.db.owner.query(`update transfer set ${text} where transfer_id = $1`, [spoilt.transferId]);
    const forged = await findForgedUtrs(stage.db.owner, stage.merchant);
    expect(forged.map(({ check, subjectId }) => [check, subjectId])).toEqual([["transfer_proof", spoilt.transferId]]);
    const bank = new PayingBank();
    await dispatching(stage.db, bank, async () => {
      await vi.waitFor(async () => expect(await stage.stateOf(sound)).toBe("SUCCESS"), 60_000);
      await vi.waitFor(async () => expect(await stage.stateOf(spoilt)).toBe("UNKNOWN"), 60_000);
    });
    expect(bank.paidOf(stage.merchant)).toEqual([{ transferId: sound.transferId, payee: VENDOR }]);
  },
);

test("is not told to pay a payout whose approval was left out with SQL", async () => {
  await stage.set({ approveOverPaise: 0n });
  const waiting = await stage.waiting();
  await stage.db.owner.query("update transfer set state = 'RESERVED' where transfer_id = $1", [waiting.transferId]);
  await stage.db.owner.query(
    "insert into transfer_dispatch select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $1",
    [waiting.transferId],
  );
  const bank = new PayingBank();
  await dispatching(stage.db, bank, async () => {
    await vi.waitFor(async () => expect(await stage.stateOf(waiting)).toBe("UNKNOWN"), 60_000);
  });
  expect(bank.paidOf(stage.merchant)).toEqual([]);
});

test("gets no transfer that was changed with SQL, and cancelled ones give back what was set aside", async () => {
  const spoilt = await accepted();
  const before = await stage.availablePaise();
  await stage.db.owner.query("update transfer set amount_paise = amount_paise * 10 where transfer_id = $1", [
    spoilt.transferId,
  ]);
  const end = { state: "FAILED", reason: "Cancelled", origin: null } as const;
  const ended = await inTransaction(stage.db.server, (connection) =>
    endUnsent(connection, Temporal.Now.instant(), stage.merchant, [spoilt.transferId], end),
  );
  expect(ended).toEqual([]);
  expect(await stage.availablePaise()).toBe(before);
});
