// Changed and deactivated beneficiaries in the database: which accounts are free, what is refused, and what continues.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeFranchise } from "../../test/support/franchises.ts";
import { claim, makeMerchants, report } from "../../test/support/ledger.ts";
import { codeOf, PolicyStage } from "../../test/support/policy-stage.ts";
import { changeAccount, deactivateBeneficiary, deleteFranchise, findFranchise } from "../franchises/index.ts";
import { findApprovals } from "../merchants/index.ts";
import { actorOf } from "../platform/origin.ts";
import { contactRecord } from "../payouts/beneficiaries/beneficiary.ts";
import { findBeneficiaries } from "../payouts/beneficiaries/beneficiary-store.ts";
import { changeBeneficiary } from "../payouts/beneficiaries/change-beneficiary.ts";
import { saveBeneficiary } from "../payouts/beneficiaries/save-beneficiary.ts";
import { PayoutMaker } from "../payouts/make-payout.ts";
import { readConfig } from "../platform/config.ts";
import { approve, reject } from "./decide-approval.ts";

const ASHA = actorOf("user", "2");
const ACCOUNT = { accountNumber: "50100012345678", ifsc: "HDFC0001234", upi: null };

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

async function save(): Promise<bigint> {
  const details = { name: "Rajeev Kumar", ...ACCOUNT, ...contactRecord.blank };
  const { answer } = await saveBeneficiary({ ...stage.context, idempotency: null }, details);
  return BigInt(answer.beneficiaryId);
}

async function find(beneficiaryId: bigint) {
  const { bucket, merchantId } = stage.merchant;
  return (await findBeneficiaries(stage.db.server, [{ bucket, merchantId, beneficiaryId }]))[0]!;
}

const deactivate = (beneficiaryId: bigint) => deactivateBeneficiary(stage.context, beneficiaryId);

/** A transfer to a beneficiary, made like every payout. */
async function payoutRequest(beneficiaryId: bigint) {
  const transferId = await stage.db.ids.next();
  const base = { kind: "transfer" as const, mode: null, amountPaise: 5000n, narrative: "" };
  const made = { ...base, transferId, referenceId: `r-${transferId}`, to: await find(beneficiaryId) };
  return new PayoutMaker(readConfig({})).make(stage.merchant, made);
}

describe("a beneficiary's contact", () => {
  test("changes what is given, with an entry; whom it stands for stays", async () => {
    const id = await save();
    const before = await find(id);
    const changes = { emailId: "rajeev@example.com", city: "Pune" };
    await changeBeneficiary(stage.context, { beneficiaryId: id, changes });
    expect(await find(id)).toEqual({ ...before, ...changes });
    await changeBeneficiary(stage.context, { beneficiaryId: id, changes });
    expect(await stage.count(`journal where type = 'beneficiary.changed' and subject_id = ${id}`)).toBe(1);
  });

  test("of another merchant's is not found", async () => {
    const id = await save();
    await makeMerchants(stage.db, 1);
    await stage.renew();
    const request = { beneficiaryId: id, changes: { city: "Pune" } };
    expect(await codeOf(changeBeneficiary(stage.context, request))).toBe("beneficiary_not_found");
    expect(await codeOf(deactivate(id))).toBe("beneficiary_not_found");
  });
});

describe("a beneficiary that is deactivated", () => {
  test("can't be paid, and its account is saved anew, approvals and all", async () => {
    const id = await save();
    await deactivate(id);
    await deactivate(id);
    expect(await stage.count(`journal where type = 'beneficiary.deactivated' and subject_id = ${id}`)).toBe(1);
    expect(await codeOf(payoutRequest(id))).toBe("beneficiary_not_approved");
    await stage.set({ approvePayees: true });
    const again = await save();
    expect([again === id, (await find(again)).approval]).toEqual([false, "pending"]);
    expect(await codeOf(deactivate(again))).toBe("beneficiary_not_approved");
    expect(await findApprovals(stage.db.server, stage.merchant, [again])).toMatchObject([{ decision: null }]);
  });

  test("of many savers and enders at once, the account has one beneficiary that can be paid, or none", async () => {
    const first = await save();
    const work = Array.from({ length: 24 }, (_, index) => (index % 3 === 0 ? deactivate(first) : save()));
    const codes = (await Promise.all(work.map(codeOf))).filter((code) => code !== "done");
    expect(new Set(codes)).toEqual(new Set(["beneficiary_exists"]));
    const standing = "beneficiary where account_index is not null and approval = 'approved' and name = 'Rajeev Kumar'";
    expect(await stage.count(standing)).toBeLessThanOrEqual(1);
    expect((await find(first)).approval).toBe("deactivated");
    expect(await stage.findViolations()).toEqual([]);
  });

  test("refuses a transfer to it that waits for approval; one that was accepted before goes on", async () => {
    const id = await save();
    const accepted = await payoutRequest(id);
    expect(await stage.accept([accepted])).toMatchObject([{ outcome: "created" }]);
    await stage.set({ approveOverPaise: 0n });
    const waits = await payoutRequest(id);
    expect(await stage.accept([waits])).toMatchObject([{ outcome: "awaiting_approval" }]);
    await deactivate(id);
    const decision = { approvalId: waits.transferId, note: "Gone" };
    const byAsha = { pool: stage.as(ASHA), merchant: stage.merchant };
    expect(await codeOf(approve(byAsha, decision))).toBe("beneficiary_not_approved");
    expect(await stage.stateOf(waits)).toBe("AWAITING_APPROVAL");
    await reject(byAsha, decision);
    expect(await stage.stateOf(waits)).toBe("REJECTED");
    await claim(stage.db.server, [accepted]);
    await report(stage.db.server, accepted, "FAILED");
    expect(await stage.stateOf(accepted)).toBe("FAILED");
    expect(await stage.findViolations()).toEqual([]);
  });

  test("is not a franchise's account while the franchise is paid there, also where both are asked for at once", async () => {
    const franchise = await makeFranchise(stage.db, stage.merchant);
    expect(await codeOf(deactivate(franchise.beneficiaryId!))).toBe("beneficiary_in_use");
    const other = { ...franchise.account, accountNumber: ACCOUNT.accountNumber, ifsc: ACCOUNT.ifsc };
    const vendor = await save();
    const request = { franchiseId: franchise.franchiseId, account: other };
    await Promise.all([codeOf(deactivate(vendor)), changeAccount(stage.context, request)]);
    const now = (await findFranchise(stage.db.server, franchise))!;
    expect((await find(now.beneficiaryId!)).approval).toBe("approved");
    // The earlier account is free.
    await deactivate(franchise.beneficiaryId!);
    expect(await codeOf(deactivate(now.beneficiaryId!))).toBe("beneficiary_in_use");
    await deleteFranchise({ ...stage.context, idempotency: null }, franchise.franchiseId);
    await deactivate(now.beneficiaryId!);
  });
});
