// Beneficiaries that are made payable with SQL: they are not paid, and requests for them are not approved.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DRAFT, makeFranchise, receive } from "../../test/support/franchises.ts";
import { codeOf, PolicyStage } from "../../test/support/policy-stage.ts";
import { CommissionPayer, type Franchise } from "../franchises/index.ts";
import type { PolicyChanges } from "../merchants/index.ts";
import { deactivateUnused } from "../payouts/beneficiaries/change-beneficiary.ts";
import { findForgedBeneficiaries, OwnPayouts } from "../payouts/index.ts";
import { readConfig } from "../platform/config.ts";
import { actorOf } from "../platform/origin.ts";
import { approve, reject } from "./decide-approval.ts";

const FIXED = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: 5000n } as const;
const payer = new CommissionPayer(new OwnPayouts(readConfig({})));

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

/** A franchise of the merchant that is owed 50.00, saved under a policy. */
async function owedFranchise(policy: PolicyChanges): Promise<Franchise & { readonly beneficiaryId: bigint }> {
  await stage.set(policy);
  const franchise = await makeFranchise(stage.db, stage.merchant, { terms: FIXED });
  await receive(stage.db, franchise, 118_000n, { taxablePaise: 100_000n, totalPaise: 118_000n });
  return { ...franchise, beneficiaryId: franchise.beneficiaryId! };
}

const settle = ({ franchiseId }: Franchise) => payer.settle(stage.context, { franchiseId, expectedPaise: null });
const change = (payee: bigint, sql: string) =>
  stage.db.owner.query(`update beneficiary set ${sql} where beneficiary_id = $1`, [payee]);
const asAsha = () => ({ pool: stage.as(actorOf("user", "2")), merchant: stage.merchant });

/** The beneficiaries of the merchant that `nodal verify` reports. */
async function reported(): Promise<(bigint | null)[]> {
  const violations = await findForgedBeneficiaries(stage.db.owner, stage.merchant);
  return violations.map(({ subjectId }) => subjectId);
}

test.each([
  ["approval", { approvePayees: true }, "beneficiary_not_approved", "approval = 'approved'"],
  ["verification", { verifiedPayeesOnly: true }, "beneficiary_not_verified", "verification = 'verified'"],
  ["cooling-off", { coolingOffMinutes: 60 }, "limit_exceeded", "created_at = created_at - interval '1 day'"],
])("one that SQL frees of its %s is not paid, and is reported", async (_, policy, before, sql) => {
  const franchise = await owedFranchise(policy);
  expect(await codeOf(settle(franchise))).toBe(before);
  expect(await reported()).toEqual([]);
  await change(franchise.beneficiaryId, sql);
  await expect(settle(franchise)).rejects.toThrow("changed in the database");
  expect(await stage.count("transfer where true")).toBe(0);
  expect(await reported()).toEqual([franchise.beneficiaryId]);
});

test("one that was approved, verified or deactivated by the server has a proof, and is paid as far as it may be", async () => {
  const franchise = await owedFranchise({ approvePayees: true });
  await approve(asAsha(), { approvalId: franchise.beneficiaryId, note: "" });
  expect(await settle(franchise)).toMatchObject({ outcome: "accepted" });
  const { beneficiaryId } = franchise;
  await deactivateUnused(stage.context, { beneficiaryId, refuseInUse: () => Promise.resolve() });
  expect(await reported()).toEqual([]);
  await change(beneficiaryId, "approval = 'approved'");
  expect(await reported()).toEqual([beneficiaryId]);
  // It can be deactivated again, as the refusal suggests.
  await deactivateUnused(stage.context, { beneficiaryId, refuseInUse: () => Promise.resolve() });
});

test("one that SQL changed while it waited is not approved, and can be rejected", async () => {
  const { beneficiaryId } = await owedFranchise({ approvePayees: true });
  await change(beneficiaryId, "verification = 'verified'");
  const decision = { approvalId: beneficiaryId, note: "No" };
  await expect(approve(asAsha(), decision)).rejects.toThrow("Nothing was approved");
  await reject(asAsha(), decision);
  expect(await reported()).toEqual([beneficiaryId]);
});

test("a payout that waits is not approved once SQL has made its deactivated payee payable again", async () => {
  const franchise = await owedFranchise({ approveOverPaise: 0n });
  const paid = await settle(franchise);
  if (paid.outcome !== "accepted") throw new Error(paid.outcome);
  const { beneficiaryId } = franchise;
  await deactivateUnused(stage.context, { beneficiaryId, refuseInUse: () => Promise.resolve() });
  await change(beneficiaryId, "approval = 'approved'");
  const decision = { approvalId: paid.transferId, note: "" };
  expect(await codeOf(approve(asAsha(), decision))).toBe("beneficiary_not_approved");
});
