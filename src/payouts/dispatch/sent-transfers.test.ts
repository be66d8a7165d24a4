// Transfers that may have been sent and are marked as unsent with SQL: they are not sent again, and their money is not released.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { dispatching } from "../../../test/support/dispatching.ts";
import { accept, claim, newClaim, PROCESS_ID, report, reportOn, rolledBack } from "../../../test/support/ledger.ts";
import { PayingBank } from "../../../test/support/paying-bank.ts";
import { codeOf, PolicyStage } from "../../../test/support/policy-stage.ts";
import { approve } from "../../approvals/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { actorOf } from "../../platform/origin.ts";
import type { ClaimedTransfer } from "../claim-store.ts";
import type { PaymentReference } from "../rails/rail.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { findForgedUtrs } from "../utr-proof.ts";
import { cancelTransfer } from "./cancel-transfer.ts";
import { claimTransfers, holdClaims, putBackTransfers, takeOtherRail } from "./claim-transfers.ts";
import { askAboutRestoredTransfers } from "./restored-store.ts";
import { endUnsent } from "./unsent-store.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

const owner = (text: string, transfer: NewTransfer) => stage.db.owner.query(text, [transfer.transferId]);

async function accepted(): Promise<NewTransfer> {
  const transfer = await stage.payoutRequest({ amountPaise: 10n });
  await accept(stage.db.server, [transfer]);
  return transfer;
}

/** A bank that knows every payment and has not paid it yet. */
class KnowingBank extends PayingBank {
  override async status(reference: PaymentReference) {
    return { ...reportOn(reference, "PENDING"), status: "PENDING" } as const;
  }
}

const forgedOnes = async () =>
  (await findForgedUtrs(stage.db.owner, stage.merchant)).map(({ check, subjectId }) => [check, subjectId]);

/** Every way in which a transfer becomes one that may have been sent. */
const SENT: Readonly<Record<string, () => Promise<NewTransfer>>> = {
  "accepted and sent at once": async () => (await stage.ask({ amountPaise: 10n })).transfer,
  "taken from the queue": async () => {
    const transfer = await accepted();
    await claim(stage.db.server, [transfer]);
    return transfer;
  },
  "left in the hand of a process that is gone": async () => {
    const transfer = await accepted();
    const claimed = await inHand(transfer);
    await putBackTransfers(stage.db.server, [claimed], PROCESS_ID);
    return transfer;
  },
  "sent over another account": async () => {
    const transfer = await accepted();
    expect(await takeOtherRail(stage.db.server, await inHand(transfer), "cashfree:2")).toBe(true);
    return transfer;
  },
  "put back and taken again": async () => {
    const transfer = await putBackUnsent(null);
    await owner("update transfer_dispatch set due_at = now() where transfer_id = $1", transfer);
    await claim(stage.db.server, [transfer]);
    return transfer;
  },
  "reported as pending": async () => {
    const transfer = await accepted();
    await claim(stage.db.server, [transfer]);
    await report(stage.db.server, transfer, "PENDING");
    return transfer;
  },
  "reported while it waited": async () => {
    const transfer = await accepted();
    await report(stage.db.server, transfer, "PENDING");
    return transfer;
  },
  "restored while it waited for approval": async () => {
    await stage.set({ approveOverPaise: 0n });
    const transfer = await stage.waiting(10n);
    await owner("update approval set expires_at = null where subject_id = $1", transfer);
    await approve(
      { ...stage.context, pool: stage.as(actorOf("user", "2")) },
      { approvalId: transfer.transferId, note: "" },
    );
    return transfer;
  },
};

async function inHand(transfer: NewTransfer): Promise<ClaimedTransfer> {
  const held = newClaim();
  await claimTransfers(stage.db.server, Temporal.Now.instant(), held, [transfer]);
  return { ...transfer, claimId: held.claimId };
}

/** A transfer that the provider certainly did not accept; moved to another account if one is given. */
async function putBackUnsent(rail: string | null): Promise<NewTransfer> {
  const transfer = await accepted();
  const claimed = await inHand(transfer);
  if (rail !== null) await takeOtherRail(stage.db.server, claimed, rail);
  await holdClaims(stage.db.server, [{ ...claimed, dueAt: null, attempts: 1, waitsFor: "Waiting: down" }]);
  return transfer;
}

async function setUnsent(transfer: NewTransfer): Promise<void> {
  await owner(
    "update transfer set state = 'RESERVED', claim_id = null, waits_since = now() where transfer_id = $1",
    transfer,
  );
  await owner(
    `insert into transfer_dispatch select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $1
     on conflict (bucket, merchant_id, transfer_id) do update set due_at = now()`,
    transfer,
  );
}

const endOf = (transfer: NewTransfer) =>
  inTransaction(stage.db.server, (connection) =>
    endUnsent(connection, Temporal.Now.instant(), stage.merchant, [transfer.transferId], {
      state: "FAILED",
      reason: "Given up",
      origin: null,
    }),
  );

test.each(Object.keys(SENT))(
  "one that was %s, and that SQL has look unsent, is not sent or given back",
  async (how) => {
    const transfer = await SENT[how]!();
    expect(await forgedOnes()).toEqual([]);
    const before = await stage.availablePaise();
    await setUnsent(transfer);
    expect(await forgedOnes()).toEqual([["transfer_proof", transfer.transferId]]);
    expect(await codeOf(cancelTransfer(stage.context, transfer.transferId))).toBe("not_cancellable");
    expect(await endOf(transfer)).toEqual([]);
    const bank = new KnowingBank();
    // The sandbox has no other account, so it is put on hold.
    const ends =
      how === "sent over another account"
        ? "select from transfer_dispatch where transfer_id = $1 and due_at = 'infinity'"
        : "select from transfer where transfer_id = $1 and state = 'PENDING'";
    await dispatching(stage.db, bank, async () => {
      await vi.waitFor(async () => expect((await owner(ends, transfer)).rowCount).toBe(1), 60_000);
    });
    expect(bank.paidOf(stage.merchant)).toEqual([]);
    expect(await stage.availablePaise()).toBe(before);
  },
);

test.each([null, "cashfree:2"])(
  "one that the provider surely did not take is unsent again, and can be cancelled (over another account: %s)",
  async (rail) => {
    const transfer = await putBackUnsent(rail);
    expect(await stage.stateOf(transfer)).toBe("RESERVED");
    expect(await forgedOnes()).toEqual([]);
    await cancelTransfer(stage.context, transfer.transferId);
    expect(await stage.stateOf(transfer)).toBe("REJECTED");
    expect(await forgedOnes()).toEqual([]);
  },
);

test("one that was put back unsent is sent, and one that the bank has never heard of too", async () => {
  const unsent = await putBackUnsent(null);
  const unknown = await accepted();
  await inHand(unknown);
  await report(stage.db.server, unknown, "UNKNOWN");
  await owner("update transfer_dispatch set due_at = now() where transfer_id = $1", unsent);
  const bank = new PayingBank();
  await dispatching(stage.db, bank, async () => {
    for (const transfer of [unsent, unknown])
      await vi.waitFor(async () => expect(await stage.stateOf(transfer)).toBe("SUCCESS"), 60_000);
  });
  expect(bank.paidOf(stage.merchant)).toHaveLength(2);
  expect(await forgedOnes()).toEqual([]);
});

test("no other account is taken for one that was changed while it was in hand", async () => {
  const transfer = await accepted();
  const claimed = await inHand(transfer);
  await owner(
    "update transfer set instruction_proof = substr(instruction_proof, 1, 16) where transfer_id = $1",
    transfer,
  );
  expect(await takeOtherRail(stage.db.server, claimed, "cashfree:2")).toBe(false);
});

test("one that SQL has changed in hand does not become unsent when it is put back", async () => {
  const transfer = await accepted();
  const claimed = await inHand(transfer);
  await owner("update transfer set amount_paise = 20 where transfer_id = $1", transfer);
  await holdClaims(stage.db.server, [{ ...claimed, dueAt: null, attempts: 1, waitsFor: null }]);
  await owner("update transfer set amount_paise = 10 where transfer_id = $1", transfer);
  expect(await forgedOnes()).toEqual([["transfer_proof", transfer.transferId]]);
  expect(await codeOf(cancelTransfer(stage.context, transfer.transferId))).toBe("not_cancellable");
});

test("what is restored from a backup counts as sent", async () => {
  const transfer = await accepted();
  await rolledBack(stage.db.owner, async (connection) => {
    await askAboutRestoredTransfers(connection);
    const forged = await findForgedUtrs(connection, stage.merchant);
    expect(forged).toEqual([]);
  });
  expect(await stage.stateOf(transfer)).toBe("RESERVED");
});
