// Withdrawing one's own requests, and deciding several approvals at once: each is decided once despite concurrency and
// interruptions. test/dashboard/approvals.test.ts tests the dashboard.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeMerchants } from "../../test/support/ledger.ts";
import { codeOf, FUNDS_PAISE, PolicyStage } from "../../test/support/policy-stage.ts";
import { findApprovals, readIdempotencyKey, type Merchant } from "../merchants/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { actorOf } from "../platform/origin.ts";
import { askAboutRestoredTransfers } from "../payouts/dispatch/restored-store.ts";
import { findTransfer } from "../payouts/transfer-store.ts";
import { approve, reject, withdraw } from "./decide-approval.ts";
import { decideMany } from "./decide-many.ts";

const MAKER = actorOf("user", "2");
const CHECKER = actorOf("user", "3");
const later = (hours: number): Temporal.Instant => Temporal.Now.instant().add({ hours });

let stage: PolicyStage;
let maker: Pool;
let checker: Pool;

beforeAll(async () => {
  stage = await PolicyStage.open();
  maker = stage.as(MAKER);
  checker = stage.as(CHECKER);
});
beforeEach(async () => {
  await stage.renew();
  await stage.set({ approveOverPaise: 0n });
});
afterAll(() => stage.db.close());

const asked = (amountPaise = 5000n) =>
  stage.ask({ amountPaise, origin: { actor: MAKER, address: null, mayMoveMoney: true } });
const by = (pool: Pool) => ({ pool, merchant: stage.merchant });

async function waiting(amountPaise?: bigint) {
  const { outcome, transfer } = await asked(amountPaise);
  expect(outcome).toBe("awaiting_approval");
  return transfer;
}

describe("who has asked for it", () => {
  test("withdraws it: the money is back, and the journal says who did it and why", async () => {
    const transfer = await waiting();
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE - 5000n);
    const withdrawn = await withdraw(by(maker), { approvalId: transfer.transferId, note: "Typed wrongly" });
    expect(withdrawn).toMatchObject({ decision: "withdrawn", decidedBy: MAKER, note: "Typed wrongly" });
    expect(await findTransfer(stage.db.server, transfer)).toMatchObject({
      state: "REJECTED",
      reason: "The request was withdrawn: Typed wrongly",
    });
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE);
    const { rows } = await stage.db.owner.query(
      `select type, actor from journal where merchant_id = $1 and subject_id = $2 order by entry_no`,
      [stage.merchant.merchantId, transfer.transferId],
    );
    expect(rows).toEqual([
      { type: "transfer.awaiting_approval", actor: MAKER },
      { type: "transfer.rejected", actor: MAKER },
      { type: "approval.withdrawn", actor: MAKER },
    ]);
    expect(await codeOf(approve(by(checker), { approvalId: transfer.transferId, note: "" }))).toBe("approval_decided");
    expect(await codeOf(withdraw(by(maker), { approvalId: transfer.transferId, note: "" }))).toBe("approval_decided");
  });

  test("is the only one who can, and not after its time, or after a restore", async () => {
    const transfer = await waiting();
    const it = { approvalId: transfer.transferId, note: "" };
    for (const actor of [CHECKER, actorOf("key", "nk_1"), actorOf("job", "approvals"), actorOf("user", "20")]) {
      expect([actor, await codeOf(withdraw(by(stage.as(actor)), it))]).toEqual([actor, "approval_not_allowed"]);
    }
    const [other] = (await makeMerchants(stage.db, 1)) as [Merchant];
    expect(await codeOf(withdraw({ pool: maker, merchant: other }, it))).toBe("approval_not_found");
    await stage.db.owner.query("update approval set expires_at = now() where approval_id = $1", [transfer.transferId]);
    expect(await codeOf(withdraw(by(maker), it))).toBe("approval_decided");
    await stage.db.owner.query("update approval set expires_at = $2 where approval_id = $1", [
      transfer.transferId,
      later(1).toString(),
    ]);
    await askAboutRestoredTransfers(stage.db.owner);
    expect(await codeOf(withdraw(by(maker), it))).toBe("approval_not_allowed");
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    await reject(by(checker), { ...it, note: "The bank has not paid it" });
  });

  test("ends it once, however many approve, reject and withdraw at once", async () => {
    for (let round = 0; round < 8; round += 1) {
      const transfer = await waiting();
      const before = await stage.availablePaise();
      const it = { approvalId: transfer.transferId, note: "At once" };
      const decide = [
        () => withdraw(by(maker), it),
        () => approve(by(checker), it),
        () => withdraw(by(maker), it),
        () => reject(by(checker), it),
      ];
      // A different one starts each time, so that each may win; which one does depends on the machine.
      const turned = [...decide.slice(round % 4), ...decide.slice(0, round % 4)];
      const codes = await Promise.all(turned.map((each) => codeOf(each())));
      expect(codes.filter((code) => code === "done")).toHaveLength(1);
      expect(codes.filter((code) => code === "approval_decided")).toHaveLength(3);
      const [approval] = await findApprovals(stage.db.server, stage.merchant, [transfer.transferId]);
      const isApproved = approval!.decision === "approved";
      expect(await stage.stateOf(transfer)).toBe(isApproved ? "RESERVED" : "REJECTED");
      expect(await stage.availablePaise()).toBe(isApproved ? before : before + 5000n);
      expect(await stage.count(`transfer_dispatch where transfer_id = ${transfer.transferId}`)).toBe(
        isApproved ? 1 : 0,
      );
      expect(await stage.count(`journal where type ~ '^approval[.]' and subject_id = ${transfer.transferId}`)).toBe(1);
    }
    expect(await stage.findViolations()).toEqual([]);
  });

  test("changes nothing where the connection dies before the end, and can do it again", async () => {
    const transfer = await waiting();
    const it = { approvalId: transfer.transferId, note: "" };
    await inTransaction(stage.db.owner, async (holder) => {
      // The decision is written, and waits for the book to release the amount.
      await holder.query("select 1 from ledger_book where merchant_id = $1 for update", [stage.merchant.merchantId]);
      const cut = codeOf(withdraw(by(maker), it));
      await expect
        .poll(async () => {
          const { rows } = await stage.db.owner.query<{ count: bigint }>(
            `select count(pg_terminate_backend(pid)) as count from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return Number(rows[0]!.count);
        })
        .toBeGreaterThan(0);
      expect(await cut).not.toBe("done");
    });
    const [open] = await findApprovals(stage.db.server, stage.merchant, [transfer.transferId]);
    expect(open).toMatchObject({ decision: null, decidedBy: null });
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    expect(await codeOf(withdraw(by(maker), it))).toBe("done");
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE);
  });
});

describe("several at once", () => {
  const keyed = (approvalId: bigint, decision: string) => {
    return { approvalId, idempotency: readIdempotencyKey(`key-${approvalId}`, decision, { decision })! };
  };

  test("each has its own outcome, and the same keys again answer the same", async () => {
    const [first, second, own] = [await waiting(), await waiting(), await waiting()];
    const mine = (await stage.ask({ amountPaise: 100n, origin: { actor: CHECKER, address: null, mayMoveMoney: true } }))
      .transfer;
    await withdraw(by(maker), { approvalId: own.transferId, note: "" });
    const ids = [first, own, mine, second].map(({ transferId }) => transferId);
    const decide = async () => {
      const approvals = [...ids, 1n].map((id) => keyed(id, "approve"));
      const outcomes = await decideMany(by(checker), { decision: "approve", note: "", approvals });
      return outcomes.map(({ outcome }) => ("code" in outcome ? outcome.code : outcome.decision));
    };
    const expected = ["approved", "approval_decided", "same_person", "approved", "approval_not_found"];
    expect(await decide()).toEqual(expected);
    expect(await decide()).toEqual(expected);
    // Two presses at once are one.
    const third = await waiting();
    ids.splice(0, ids.length, third.transferId);
    expect(await Promise.all([decide(), decide()])).toEqual([
      ["approved", "approval_not_found"],
      ["approved", "approval_not_found"],
    ]);
    expect(await stage.count(`transfer_dispatch where transfer_id = ${third.transferId}`)).toBe(1);
    expect(await stage.findViolations()).toEqual([]);
  });

  test("are not rejected without a reason, neither one nor many", async () => {
    const transfer = await waiting();
    const approvals = [keyed(transfer.transferId, "reject")];
    const many = decideMany(by(checker), { decision: "reject", note: " ", approvals });
    const one = reject(by(checker), { approvalId: transfer.transferId, note: "" });
    expect([await codeOf(many), await codeOf(one)]).toEqual(["validation_failed", "validation_failed"]);
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    const [done] = await decideMany(by(checker), { decision: "reject", note: "Twice", approvals });
    expect(done!.outcome).toMatchObject({ decision: "rejected", note: "Twice" });
  });
});
