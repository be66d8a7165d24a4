// Earlier rows of open transfers that are restored with SQL, including their proofs: nothing is paid twice or released.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { dispatching } from "../../../test/support/dispatching.ts";
import { keepingRows, type EarlierRows } from "../../../test/support/earlier-rows.ts";
import { accept, claim, newClaim, PROCESS_ID, report, reportOn } from "../../../test/support/ledger.ts";
import { PayingBank } from "../../../test/support/paying-bank.ts";
import { codeOf, PolicyStage } from "../../../test/support/policy-stage.ts";
import { approve } from "../../approvals/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import type { ClaimedTransfer } from "../claim-store.ts";
import type { PaymentReference } from "../rails/rail.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { findForgedUtrs } from "../utr-proof.ts";
import { cancelTransfer } from "./cancel-transfer.ts";
import { claimTransfers, holdClaims, putBackTransfers, takeOtherRail } from "./claim-transfers.ts";
import { endUnsent } from "./unsent-store.ts";
import { refuseTransfer, releaseTransfer } from "./waiting-transfer-store.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

const KEY = ["bucket", "merchant_id", "transfer_id"];
const owner = (text: string, transfer: NewTransfer) => stage.db.owner.query(text, [transfer.transferId]);
const keeping = (work: (earlier: EarlierRows) => Promise<void>) => keepingRows(stage.db.owner, "transfer", KEY, work);

async function accepted(): Promise<NewTransfer> {
  const transfer = await stage.payoutRequest({ amountPaise: 10n });
  await accept(stage.db.server, [transfer]);
  return transfer;
}

async function inHand(transfer: NewTransfer): Promise<ClaimedTransfer> {
  const held = newClaim();
  await claimTransfers(stage.db.server, Temporal.Now.instant(), held, [transfer]);
  return { ...transfer, claimId: held.claimId };
}

async function putBackUnsent(claimed: ClaimedTransfer): Promise<void> {
  await holdClaims(stage.db.server, [{ ...claimed, dueAt: null, attempts: 1, waitsFor: "Waiting: down" }]);
  await stage.db.owner.query("update transfer_dispatch set due_at = now() where transfer_id = $1", [
    claimed.transferId,
  ]);
}

const approveWaiting = (transfer: NewTransfer) =>
  approve({ ...stage.context, pool: stage.as("user:2") }, { approvalId: transfer.transferId, note: "" });

/** Every way in which an unsent transfer becomes one that may have been sent. */
const SENT: Readonly<Record<string, () => Promise<NewTransfer>>> = {
  "taken from the queue": async () => {
    const transfer = await accepted();
    await claim(stage.db.server, [transfer]);
    return transfer;
  },
  "left by a process that is gone": async () => {
    const transfer = await accepted();
    await putBackTransfers(stage.db.server, [await inHand(transfer)], PROCESS_ID);
    return transfer;
  },
  "put back unsent and taken again": async () => {
    const { transfer } = await stage.ask({ amountPaise: 10n });
    const { rows } = await owner("select claim_id from transfer where transfer_id = $1", transfer);
    await putBackUnsent({ ...transfer, claimId: rows[0]!["claim_id"] as bigint });
    await putBackUnsent(await inHand(transfer));
    await claim(stage.db.server, [transfer]);
    return transfer;
  },
  "sent over another account": async () => {
    const transfer = await accepted();
    expect(await takeOtherRail(stage.db.server, await inHand(transfer), "cashfree:2")).toBe(true);
    return transfer;
  },
  "reported while it waited": async () => {
    const transfer = await accepted();
    await report(stage.db.server, transfer, "PENDING");
    return transfer;
  },
  "approved and taken from the queue": async () => {
    await stage.set({ approveOverPaise: 0n });
    const transfer = await stage.waiting(10n);
    await approveWaiting(transfer);
    await claim(stage.db.server, [transfer]);
    return transfer;
  },
};

/** A bank that pays everything, and counts the questions. */
class AskedBank extends PayingBank {
  readonly asked: bigint[] = [];

  override async status(reference: PaymentReference) {
    this.asked.push(reference.transferId);
    return super.status(reference);
  }
}

/** A bank that knows every payment and has not paid it yet. */
class KnowingBank extends AskedBank {
  override async status(reference: PaymentReference) {
    await super.status(reference);
    return { ...reportOn(reference, "PENDING"), status: "PENDING" } as const;
  }
}

/** What a dispatcher sends to this bank for a transfer with a restored row, until it has asked about it or put it on hold. */
async function paidFor(transfer: NewTransfer, bank: PayingBank): Promise<unknown[]> {
  await owner(
    `insert into transfer_dispatch select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $1
     on conflict (bucket, merchant_id, transfer_id) do update set due_at = now(), attempts = 0`,
    transfer,
  );
  await dispatching(stage.db, bank, async () => {
    const asked =
      "select from transfer_dispatch where transfer_id = $1 and (due_at = 'infinity' or (attempts > 0 and due_at > now()))";
    await vi.waitFor(async () => expect((await owner(asked, transfer)).rowCount).toBe(1), 60_000);
  });
  return bank.paidOf(stage.merchant);
}

const endOf = (transfer: NewTransfer) =>
  inTransaction(stage.db.server, (connection) =>
    endUnsent(connection, Temporal.Now.instant(), stage.merchant, [transfer.transferId], {
      state: "FAILED",
      reason: "Given up",
      origin: null,
    }),
  );

const forgedOnes = async () =>
  (await findForgedUtrs(stage.db.owner, stage.merchant)).map(({ check, subjectId }) => [check, subjectId]);

test.each(Object.keys(SENT))(
  "of one that was %s, no unsent row that SQL puts back is sent, cancelled or given up",
  async (how) => {
    await keeping(async (earlier) => {
      const transfer = await SENT[how]!();
      expect(await forgedOnes()).toEqual([]);
      const before = await stage.availablePaise();
      const unsent = `transfer_id = ${transfer.transferId} and state = 'RESERVED'`;
      const count = await earlier.count(unsent);
      expect(count).toBeGreaterThan(0);
      for (let place = 1; place <= count; place += 1) {
        await earlier.putBack(unsent, place);
        await owner("update transfer set claim_id = null, waits_since = now() where transfer_id = $1", transfer);
        expect(await forgedOnes()).toContainEqual(["transfer_proof", transfer.transferId]);
        expect(await codeOf(cancelTransfer(stage.context, transfer.transferId))).toBe("not_cancellable");
        expect(await endOf(transfer)).toEqual([]);
        expect(await paidFor(transfer, new KnowingBank())).toEqual([]);
        expect(await paidFor(transfer, new PayingBank())).toEqual([]);
        expect(await stage.availablePaise()).toBe(before);
      }
    });
  },
);

test.each(["UNKNOWN", "PENDING", "SUBMITTING"] as const)(
  "of one that left over another account, the row of the first one that SQL puts back as %s is not sent, and the first one not asked",
  async (state) => {
    await keeping(async (earlier) => {
      const transfer = await SENT["sent over another account"]!();
      await earlier.putBack(`transfer_id = ${transfer.transferId} and state = 'SUBMITTING' and rail = 'simulator'`);
      await owner(`update transfer set state = '${state}', claim_id = null where transfer_id = $1`, transfer);
      const bank = new AskedBank();
      expect(await paidFor(transfer, bank)).toEqual([]);
      expect(bank.asked).not.toContain(transfer.transferId);
      const found = await forgedOnes();
      expect(found).toContainEqual(["transfer_proof", transfer.transferId]);
    });
  },
);

test("the account that a transfer left over is asked, whatever its row says", async () => {
  // In this test the simulated bank takes the place of the account that the journal names.
  const transfer = await stage.payoutRequest({ amountPaise: 10n, rail: "simulator" });
  await accept(stage.db.server, [transfer]);
  await keeping(async (earlier) => {
    await takeOtherRail(stage.db.server, await inHand(transfer), "cashfree:2");
    const { rows } = await owner("select claim_id from transfer where transfer_id = $1", transfer);
    const claimed = { ...transfer, claimId: rows[0]!["claim_id"] as bigint };
    await takeOtherRail(stage.db.server, claimed, "simulator");
    await earlier.putBack(`transfer_id = ${transfer.transferId} and rail = 'cashfree:2'`);
    await owner("update transfer set state = 'UNKNOWN', claim_id = null where transfer_id = $1", transfer);
    const bank = new KnowingBank();
    expect(await paidFor(transfer, bank)).toEqual([]);
    expect(bank.asked).toContain(transfer.transferId);
    expect(await stage.stateOf(transfer)).toBe("PENDING");
  });
});

test("one that is put on another account by a planted entry is neither asked about nor sent", async () => {
  const transfer = await accepted();
  await claim(stage.db.server, [transfer]);
  await owner(
    `insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor, before, after)
     select bucket, merchant_id, 1000000 + subject_id, 'transfer.rerouted', subject_id, now(), 'job:payouts', '{"rail":"cashfree:2"}', '{"rail":"simulator"}'
     from journal where subject_id = $1 and kind = 'reserve'`,
    transfer,
  );
  await owner("update transfer set state = 'UNKNOWN', claim_id = null where transfer_id = $1", transfer);
  const bank = new AskedBank();
  expect(await paidFor(transfer, bank)).toEqual([]);
  expect(bank.asked).not.toContain(transfer.transferId);
});

test("a row whose account SQL changed has nobody asked or paid; one with another amount has its own account asked", async () => {
  const other = await accepted();
  await claim(stage.db.server, [other]);
  await owner(
    "update transfer set state = 'UNKNOWN', claim_id = null, amount_paise = 20 where transfer_id = $1",
    other,
  );
  const bank = new AskedBank();
  expect(await paidFor(other, bank)).toEqual([]);
  expect(bank.asked).toContain(other.transferId);
  const moved = { ...(await stage.payoutRequest({ amountPaise: 10n })) };
  await accept(stage.db.server, [moved]);
  await takeOtherRail(stage.db.server, await inHand(moved), "cashfree:2");
  await owner("delete from journal where subject_id = $1 and type = 'transfer.rerouted'", moved);
  await owner(
    "update transfer set state = 'UNKNOWN', claim_id = null, rail = 'simulator' where transfer_id = $1",
    moved,
  );
  const second = new AskedBank();
  expect(await paidFor(moved, second)).toEqual([]);
  expect(second.asked).not.toContain(moved.transferId);
});

test("of one that was approved, the waiting row that SQL puts back is neither approved again nor refused", async () => {
  await keeping(async (earlier) => {
    const transfer = await SENT["approved and taken from the queue"]!();
    const before = await stage.availablePaise();
    await earlier.putBack(`transfer_id = ${transfer.transferId} and state = 'AWAITING_APPROVAL'`);
    const waiting = { ...transfer, kind: "transfer", isRestored: false } as const;
    const now = Temporal.Now.instant();
    for (const decide of [
      () => inTransaction(stage.db.server, (connection) => releaseTransfer(connection, now, waiting)),
      () => inTransaction(stage.db.server, (connection) => refuseTransfer(connection, now, waiting, "No")),
    ])
      expect(await codeOf(decide())).toBe("approval_not_allowed");
    expect(await stage.availablePaise()).toBe(before);
  });
});

test("one that was put back unsent, or approved, is sent all the same", async () => {
  const again = await accepted();
  await putBackUnsent(await inHand(again));
  await putBackUnsent(await inHand(again));
  await stage.set({ approveOverPaise: 0n });
  const approved = await stage.waiting(10n);
  await approveWaiting(approved);
  const bank = new PayingBank();
  await dispatching(stage.db, bank, async () => {
    for (const transfer of [again, approved])
      await vi.waitFor(async () => expect(await stage.stateOf(transfer)).toBe("SUCCESS"), 60_000);
  });
  expect(bank.paidOf(stage.merchant)).toHaveLength(2);
  expect(await forgedOnes()).toEqual([]);
});
