// Approvals in the database: who may decide what, and that each is decided once despite concurrency.
// test/wire/approvals.test.ts tests the API.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DRAFT, makeFranchise } from "../../test/support/franchises.ts";
import { claim, makeMerchants, report } from "../../test/support/ledger.ts";
import { TEST_ACTOR } from "../../test/support/secrets.ts";
import { changeAccount, deleteFranchise, findFranchise, type Franchise } from "../franchises/index.ts";
import {
  changeMerchant,
  findApprovals,
  findPolicy,
  listApprovals,
  requireMerchant,
  type Approval,
  type Merchant,
} from "../merchants/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { actorOf, type Actor } from "../platform/origin.ts";
import { contactRecord, UNVERIFIED, type Beneficiary } from "../payouts/beneficiaries/beneficiary.ts";
import { findByBankAccount } from "../payouts/beneficiaries/beneficiary-store.ts";
import { keepBeneficiary } from "../payouts/beneficiaries/save-beneficiary.ts";
import { askAboutRestoredTransfers } from "../payouts/dispatch/restored-store.ts";
import { findTransfer, type AcceptOutcome } from "../payouts/transfer-store.ts";
import { approve, reject } from "./decide-approval.ts";
import { expireApprovals } from "./expire-approvals.ts";
import { codeOf, FUNDS_PAISE, PolicyStage } from "../../test/support/policy-stage.ts";

const ASHA = actorOf("user", "2");
const byAsha = () => ({ pool: asha, merchant: stage.merchant });
const never = new AbortController().signal;
const later = (hours: number): Temporal.Instant => Temporal.Now.instant().add({ hours });

/** The pool of somebody who has requested nothing. */
let asha: Pool;

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
  asha = stage.as(ASHA);
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

describe("a transfer over the limit for approvals", () => {
  beforeEach(async () => {
    await stage.set({ approveOverPaise: 4999n });
  });

  test("waits with its money held, in no queue, and leaves once it is approved", async () => {
    expect((await stage.ask({ amountPaise: 4999n })).outcome).toBe("created");
    const transfer = await stage.waiting();
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE - 9999n);
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    expect(await stage.count(`transfer_dispatch where transfer_id = ${transfer.transferId}`)).toBe(0);
    expect(await stage.findViolations()).toEqual([]);
    const approved = await approve(byAsha(), { approvalId: transfer.transferId, note: "Agreed" });
    expect(approved).toMatchObject({ decision: "approved", requestedBy: TEST_ACTOR, decidedBy: ASHA, note: "Agreed" });
    expect(await stage.stateOf(transfer)).toBe("RESERVED");
    await claim(stage.db.server, [transfer]);
    await report(stage.db.server, transfer, "FAILED");
    expect(await stage.stateOf(transfer)).toBe("FAILED");
    const { rows } = await stage.db.owner.query<{ type: string; actor: string }>(
      "select type, actor from journal where merchant_id = $1 and subject_id = $2 order by entry_no",
      [stage.merchant.merchantId, transfer.transferId],
    );
    expect(rows).toEqual([
      { type: "transfer.awaiting_approval", actor: TEST_ACTOR },
      { type: "transfer.accepted", actor: ASHA },
      { type: "approval.approved", actor: ASHA },
      { type: "transfer.sending", actor: "job:payouts" },
      { type: "transfer.failed", actor: TEST_ACTOR },
    ]);
  });

  test("gives its money back when it is rejected, with the reason, and to the day's limit", async () => {
    await stage.set({ dailyLimitPaise: 6000n });
    const transfer = await stage.waiting();
    expect((await stage.ask({ amountPaise: 1001n })).outcome).toBe("daily_limit");
    await reject(byAsha(), { approvalId: transfer.transferId, note: "Paid twice" });
    expect(await findTransfer(stage.db.server, transfer)).toMatchObject({
      state: "REJECTED",
      reason: "The request was rejected: Paid twice",
      processedAt: expect.any(Temporal.Instant) as unknown,
    });
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE);
    expect((await stage.ask({ amountPaise: 1001n })).outcome).toBe("created");
  });

  test("is rejected when nobody decides in time, and not before", async () => {
    const transfer = await stage.waiting();
    const schedule = stage.as(actorOf("job", "approvals"));
    await expireApprovals(schedule, later(71), never);
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    await expireApprovals(schedule, later(73), never);
    expect(await findTransfer(stage.db.server, transfer)).toMatchObject({
      state: "REJECTED",
      reason: "The approval expired.",
    });
    const [approval] = await findApprovals(stage.db.server, stage.merchant, [transfer.transferId]);
    expect(approval).toMatchObject({ decision: "expired", decidedBy: "job:approvals" });
    expect(await codeOf(approve(byAsha(), { approvalId: transfer.transferId, note: "" }))).toBe("approval_decided");
  });

  test("can't be approved once its time is over, also where the schedule has not come by yet", async () => {
    const transfer = await stage.waiting();
    await stage.db.owner.query("update approval set expires_at = now() where approval_id = $1", [transfer.transferId]);
    expect(await codeOf(approve(byAsha(), { approvalId: transfer.transferId, note: "" }))).toBe("approval_decided");
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
  });

  test("is decided once, however many decide at once", async () => {
    for (let round = 0; round < 6; round += 1) {
      const transfer = await stage.waiting(5000n);
      const before = await stage.availablePaise();
      const key = stage.keyOf(transfer.transferId);
      const others = [3, 4, 5].map((id) => stage.as(actorOf("user", String(id))));
      const decisions = [
        codeOf(approve({ pool: others[0]!, merchant: key }, { ...key, note: "" })),
        codeOf(reject({ pool: others[1]!, merchant: key }, { ...key, note: "No" })),
        codeOf(approve({ pool: others[2]!, merchant: key }, { ...key, note: "" })),
        codeOf(expireApprovals(stage.as(actorOf("job", "approvals")), later(100), never)),
      ];
      const ended = await Promise.all(decisions);
      expect(ended.slice(0, 3).filter((code) => code !== "done" && code !== "approval_decided")).toEqual([]);
      const state = await stage.stateOf(transfer);
      expect(["RESERVED", "REJECTED"]).toContain(state);
      expect(await stage.availablePaise()).toBe(state === "RESERVED" ? before : before + 5000n);
      expect(await stage.count(`journal where type ~ '^approval[.]' and subject_id = ${transfer.transferId}`)).toBe(1);
      expect(await stage.count(`transfer_dispatch where transfer_id = ${transfer.transferId}`)).toBe(
        state === "RESERVED" ? 1 : 0,
      );
      await expireApprovals(stage.as(actorOf("job", "approvals")), later(100), never);
    }
  });

  test("is decided by somebody else than asked for it, and never by a key or a schedule", async () => {
    const byKey = { actor: actorOf("key", "nk_1"), address: null, mayMoveMoney: true };
    const [asked, own] = [await stage.ask({ amountPaise: 5000n, origin: byKey }), await stage.waiting()];
    const key = stage.keyOf(asked.transfer.transferId);
    const by = (actor: Actor) => ({ pool: stage.as(actor), merchant: key });
    expect(await codeOf(approve(by(byKey.actor), { ...key, note: "No" }))).toBe("approval_not_allowed");
    expect(await codeOf(approve(by(actorOf("key", "nk_2")), { ...key, note: "No" }))).toBe("approval_not_allowed");
    expect(await codeOf(reject(by(actorOf("job", "approvals")), { ...key, note: "No" }))).toBe("approval_not_allowed");
    for (const decide of [approve, reject]) {
      expect(
        await codeOf(
          decide({ pool: stage.db.server, merchant: stage.merchant }, { approvalId: own.transferId, note: "No" }),
        ),
      ).toBe("same_person");
    }
    expect(await codeOf(approve({ pool: stage.db.server, merchant: key }, { ...key, note: "" }))).toBe("done");
    // One person could use two names on the command line.
    expect(
      await codeOf(
        approve(
          { pool: stage.as(actorOf("command", "other")), merchant: stage.merchant },
          { approvalId: own.transferId, note: "" },
        ),
      ),
    ).toBe("same_person");
    expect(
      await codeOf(
        approve(
          { pool: stage.as(actorOf("user", "1000002")), merchant: stage.merchant },
          { approvalId: own.transferId, note: "" },
        ),
      ),
    ).toBe("done");
  });

  test("is another merchant's for nobody else", async () => {
    const transfer = await stage.waiting();
    const [other] = (await makeMerchants(stage.db, 1)) as [Merchant];
    const foreign = { bucket: other.bucket, merchantId: other.merchantId, approvalId: transfer.transferId };
    expect(await codeOf(approve({ pool: asha, merchant: foreign }, { ...foreign, note: "" }))).toBe(
      "approval_not_found",
    );
    expect(await listApprovals(stage.db.server, other, { status: "all", before: null, limit: 10 })).toEqual([]);
  });

  test("stays what it is when its acceptance is tried again after a broken connection", async () => {
    const byReference = await stage.waiting();
    const withdrawal = await stage.ask({
      amountPaise: 5000n,
      kind: "withdrawal",
      referenceId: null,
      beneficiaryId: null,
    });
    for (const transfer of [byReference, withdrawal.transfer]) {
      const again = (): Promise<readonly AcceptOutcome[]> => stage.accept([transfer]);
      expect(await again()).toMatchObject([{ outcome: "awaiting_approval", transferId: transfer.transferId }]);
      await approve(byAsha(), { approvalId: transfer.transferId, note: "" });
      // The interrupted process must not send what others may have sent.
      expect(await again()).toMatchObject([{ outcome: "awaiting_approval" }]);
    }
    const later = await stage.ask({ amountPaise: 5000n, referenceId: byReference.referenceId });
    expect(later).toMatchObject({ outcome: "existing", transferId: byReference.transferId });
  });

  test("that came back with a backup waits for a person, and the bank is asked about it before it is sent", async () => {
    const transfer = await stage.waiting();
    await askAboutRestoredTransfers(stage.db.owner);
    await expireApprovals(stage.as(actorOf("job", "approvals")), later(10_000), never);
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    await approve(byAsha(), { approvalId: transfer.transferId, note: "" });
    expect(await stage.stateOf(transfer)).toBe("UNKNOWN");
  });

  test("is listed while it is open, page by page", async () => {
    const made: bigint[] = [];
    for (let index = 0; index < 3; index += 1) made.push((await stage.waiting()).transferId);
    await approve(byAsha(), { approvalId: made[1]!, note: "" });
    const list = async (status: "open" | "decided" | "all", before: bigint | null, limit: number): Promise<bigint[]> =>
      (await listApprovals(stage.db.server, stage.merchant, { status, before, limit })).map(
        ({ approvalId }) => approvalId,
      );
    expect(await list("open", null, 9)).toEqual([made[2], made[0]]);
    expect(await list("decided", null, 9)).toEqual([made[1]]);
    expect(await list("all", made[2]!, 1)).toEqual([made[1]]);
  });
});

describe("payees that need a second person", () => {
  const ACCOUNT = { accountNumber: "026291800001191", ifsc: "YESB0000262" };

  async function save(type = "Vendor") {
    const beneficiary: Beneficiary = {
      bucket: stage.merchant.bucket,
      merchantId: stage.merchant.merchantId,
      beneficiaryId: await stage.db.ids.next(),
      type,
      approval: "approved",
      name: "Asha Rao",
      ...contactRecord.blank,
      ...ACCOUNT,
      upi: null,
      createdAt: Temporal.Now.instant(),
      verification: UNVERIFIED,
    };
    return inTransaction(stage.db.server, (connection) => keepBeneficiary(connection, beneficiary));
  }
  const find = () => findByBankAccount(stage.db.server, stage.merchant, ACCOUNT.accountNumber, ACCOUNT.ifsc);

  test("can be paid once approved; those from before can be paid at once", async () => {
    const before = await save();
    expect(before.isPending).toBe(false);
    await stage.set({ approvePayees: true });
    expect(await save()).toMatchObject({ ...before, isNew: false });
    expect((await find())!.approval).toBe("approved");
  });

  test.each([
    ["Vendor", "beneficiary"],
    ["Franchise", "franchise_account"],
  ])("a %s waits as %s, and may be saved again when it was rejected", async (type, kind) => {
    await stage.set({ approvePayees: true });
    const first = await save(type);
    expect(first).toMatchObject({ isNew: true, isPending: true });
    expect(await save(type)).toMatchObject({ beneficiaryId: first.beneficiaryId, isNew: false, isPending: true });
    expect(await findApprovals(stage.db.server, stage.merchant, [first.beneficiaryId])).toMatchObject([
      { kind, decision: null },
    ]);
    await reject(byAsha(), { approvalId: first.beneficiaryId, note: "No" });
    expect(await find()).toBeNull();
    const second = await save(type);
    expect(second.isNew).toBe(true);
    await approve(byAsha(), { approvalId: second.beneficiaryId, note: "" });
    expect(await find()).toMatchObject({ beneficiaryId: second.beneficiaryId, approval: "approved" });
    expect(await stage.count("journal where type in ('beneficiary.approved', 'beneficiary.rejected')")).toBe(2);
  });

  test("the merchant's own account stays what it was until a new one is approved", async () => {
    const own = { bankAccount: "11112222333344", ifsc: "HDFC0000001", bankHolder: "Old" };
    const { parts } = stage;
    expect((await changeMerchant({ ...parts, merchant: stage.merchant }, own)).approvalId).toBeNull();
    await stage.set({ approvePayees: true });
    const asked = await changeMerchant(
      { ...parts, merchant: stage.merchant },
      {
        bankAccount: "99998888777766",
        ifsc: "ICIC0000001",
        city: "Pune",
      },
    );
    expect(asked.merchant).toMatchObject({ ...own, city: "Pune" });
    const again = { bankAccount: "99998888777766", ifsc: "ICIC0000001" };
    expect((await changeMerchant({ ...parts, merchant: stage.merchant }, again)).approvalId).toBe(asked.approvalId);
    const stored = await stage.db.owner.query<{ account_number: string; change: object }>(
      "select account_number, change from approval where approval_id = $1",
      [asked.approvalId],
    );
    expect(JSON.stringify(stored.rows)).not.toContain("99998888777766");
    expect((await requireMerchant(stage.db.server, stage.merchant.merchantId)).bankAccount).toBe(own.bankAccount);
    await approve(byAsha(), { approvalId: asked.approvalId!, note: "" });
    expect(await requireMerchant(stage.db.server, stage.merchant.merchantId)).toMatchObject({
      bankAccount: "99998888777766",
      ifsc: "ICIC0000001",
      bankHolder: "Old",
    });
    const removal = await changeMerchant({ ...parts, merchant: stage.merchant }, { bankAccount: "", ifsc: "" });
    await reject(byAsha(), { approvalId: removal.approvalId!, note: "No" });
    expect((await requireMerchant(stage.db.server, stage.merchant.merchantId)).bankAccount).toBe("99998888777766");
    expect((await changeMerchant({ ...parts, merchant: stage.merchant }, { city: "Goa" })).approvalId).toBeNull();
  });
});

describe("the bank account of a franchise", () => {
  const account = { ...DRAFT.account, accountNumber: "50100099990000", ifsc: "HDFC0000001" };
  const change = (franchise: Franchise, changes: Partial<typeof account> = {}): Promise<bigint | null> =>
    changeAccount(stage.context, { franchiseId: franchise.franchiseId, account: { ...account, ...changes } });
  const find = async (franchise: Franchise): Promise<Franchise> => (await findFranchise(stage.db.server, franchise))!;
  const make = (): Promise<Franchise> => makeFranchise({ server: stage.db.server, ids: stage.db.ids }, stage.merchant);

  test("changes at once where nothing asks for a second person", async () => {
    const franchise = await make();
    expect(await change(franchise)).toBeNull();
    const changed = await find(franchise);
    expect(changed.account).toEqual(account);
    const payee = await findByBankAccount(stage.db.server, stage.merchant, account.accountNumber, account.ifsc);
    expect(payee).toMatchObject({ beneficiaryId: changed.beneficiaryId, approval: "approved" });
    expect(await change(franchise)).toBeNull();
    expect(await stage.count("journal where type = 'franchise.changed'")).toBe(1);
  });

  test("stays what it was until another one is approved, which is asked for once", async () => {
    const franchise = await make();
    await stage.set({ approvePayees: true });
    const approvalId = (await change(franchise))!;
    expect(await change(franchise)).toBe(approvalId);
    const other = (await change(franchise, { bankName: "Axis Bank" }))!;
    expect(other).not.toBe(approvalId);
    expect(await find(franchise)).toEqual(franchise);
    const stored = await stage.db.owner.query("select account_number, change from approval where approval_id = $1", [
      approvalId,
    ]);
    expect(JSON.stringify(stored.rows)).not.toContain(account.accountNumber);
    expect(
      await codeOf(approve({ pool: stage.db.server, merchant: stage.merchant }, { approvalId: approvalId, note: "" })),
    ).toBe("same_person");
    await reject(byAsha(), { approvalId: other, note: "No" });
    expect(await find(franchise)).toEqual(franchise);
    await approve(byAsha(), { approvalId: approvalId, note: "" });
    const changed = await find(franchise);
    expect(changed.account).toEqual(account);
    const payee = await findByBankAccount(stage.db.server, stage.merchant, account.accountNumber, account.ifsc);
    expect(payee).toMatchObject({ beneficiaryId: changed.beneficiaryId, approval: "approved" });
    expect(await stage.count("journal where type = 'franchise.changed'")).toBe(1);
  });

  test("of one that was deleted meanwhile is not changed", async () => {
    const franchise = await make();
    await stage.set({ approvePayees: true });
    const approvalId = (await change(franchise))!;
    await deleteFranchise({ ...stage.context, idempotency: null }, franchise.franchiseId);
    expect(await codeOf(approve(byAsha(), { approvalId: approvalId, note: "" }))).toBe("franchise_not_found");
    await reject(byAsha(), { approvalId: approvalId, note: "No" });
    expect((await find(franchise)).account).toEqual(DRAFT.account);
  });
});

describe("the policy itself", () => {
  const openOf = async (): Promise<Approval[]> =>
    listApprovals(stage.db.server, stage.merchant, { status: "open", before: null, limit: 9 });

  test("gets stricter at once, and weaker only once somebody else agrees", async () => {
    expect((await stage.set({ dailyLimitPaise: 5000n, approvalExpiresHours: 100 })).approvalId).toBeNull();
    const { policy, approvalId } = await stage.set({ dailyLimitPaise: 9000n, transferLimitPaise: 700n });
    expect(policy).toMatchObject({ dailyLimitPaise: 5000n, transferLimitPaise: 700n });
    expect((await findPolicy(stage.db.server, stage.merchant)).dailyLimitPaise).toBe(5000n);
    expect(
      await codeOf(approve({ pool: stage.db.server, merchant: stage.merchant }, { approvalId: approvalId!, note: "" })),
    ).toBe("same_person");
    await stage.set({ approveOverPaise: 0n });
    await approve(byAsha(), { approvalId: approvalId!, note: "" });
    expect(await findPolicy(stage.db.server, stage.merchant)).toMatchObject({
      dailyLimitPaise: 9000n,
      transferLimitPaise: 700n,
      approveOverPaise: 0n,
      approvalExpiresHours: 100,
    });
    expect(await openOf()).toEqual([]);
  });

  test("a rejected change changes nothing", async () => {
    await stage.set({ approvePayees: true });
    const { approvalId } = await stage.set({ approvePayees: false });
    await reject(byAsha(), { approvalId: approvalId!, note: "No" });
    expect((await findPolicy(stage.db.server, stage.merchant)).approvePayees).toBe(true);
  });
});

test("afterwards the books are sound", async () => {
  expect(await stage.findViolations()).toEqual([]);
});
