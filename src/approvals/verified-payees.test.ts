// The policy "verified only" in the database: who can be paid, by each kind of request, and who may lift it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise, receive } from "../../test/support/franchises.ts";
import { codeOf, PolicyStage } from "../../test/support/policy-stage.ts";
import { TEST_ACTOR } from "../../test/support/secrets.ts";
import { CommissionPayer } from "../franchises/index.ts";
import { findPolicy } from "../merchants/index.ts";
import { acceptName, contactRecord, OwnPayouts, saveBeneficiary, verifyBeneficiary } from "../payouts/index.ts";
import type { AcceptOutcome } from "../payouts/transfer-store.ts";
import { readConfig } from "../platform/config.ts";
import { actorOf } from "../platform/origin.ts";
import { approve } from "./decide-approval.ts";

const GOOD = { accountNumber: "50100012345678", ifsc: "HDFC0001234", upi: "asha@upi" };
const SOMEBODY_ELSES = { accountNumber: "7766671735000", ifsc: "SBIN0000004", upi: null };

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(async () => {
  await stage.renew();
  await stage.set({ verifiedPayeesOnly: true });
});
afterAll(() => stage.db.close());

async function save(account: typeof GOOD | typeof SOMEBODY_ELSES): Promise<bigint> {
  const details = { name: "Rajeev Kumar", ...account, ...contactRecord.blank };
  const { answer } = await saveBeneficiary({ ...stage.context, idempotency: null }, details);
  return BigInt(answer.beneficiaryId);
}

async function pay(beneficiaryId: bigint | null, more: object = {}): Promise<AcceptOutcome["outcome"]> {
  return (await stage.ask({ amountPaise: 100n, beneficiaryId, ...more })).outcome;
}

const verify = (beneficiaryId: bigint) =>
  verifyBeneficiary({ ...stage.context, accounts: stage.db.server, verificationsPerDay: 1000 }, beneficiaryId);

describe("a beneficiary", () => {
  test("is paid by bank transfer once its account is verified, and never by handle", async () => {
    const payee = await save(GOOD);
    expect(await pay(payee)).toBe("not_verified");
    await verify(payee);
    expect(await pay(payee)).toBe("created");
    const byHandle = { mode: "upi", railMode: "UPI" } as const;
    expect(await pay(payee, byHandle)).toBe("not_verified");
    expect(await stage.findViolations()).toEqual([]);
  });

  test("in another name is paid once somebody has accepted that", async () => {
    const payee = await save(SOMEBODY_ELSES);
    await verify(payee);
    expect(await pay(payee)).toBe("not_verified");
    await acceptName(stage.context, { beneficiaryId: payee, reason: "Seen his passbook" });
    expect(await pay(payee)).toBe("created");
  });

  test("whose account the bank does not know any more is paid no more, from the same moment on", async () => {
    const payee = await save(GOOD);
    await verify(payee);
    const gone = "update beneficiary set verification = 'invalid' where beneficiary_id = $1";
    await stage.db.owner.query(gone, [payee]);
    expect(await pay(payee)).toBe("not_verified");
  });

  test("of many at once that are asked for while it is verified, none is accepted before", async () => {
    const payee = await save(GOOD);
    const asked = Array.from({ length: 20 }, () => pay(payee));
    const [outcomes] = await Promise.all([Promise.all(asked), verify(payee)]);
    expect(outcomes.filter((outcome) => outcome !== "created" && outcome !== "not_verified")).toEqual([]);
    expect(await pay(payee)).toBe("created");
  });
});

test("a withdrawal goes to the merchant's own account, which needs no verification", async () => {
  const own = { kind: "withdrawal", beneficiaryId: null, payeeSince: null, referenceId: null } as const;
  expect(await pay(null, own)).toBe("created");
});

test("commission stays due until the franchise's account is verified", async () => {
  const terms = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: 5000n } as const;
  const franchise = await makeFranchise(stage.db, stage.merchant, { terms });
  await receive(stage.db, franchise, 118_000n, { taxablePaise: 100_000n, totalPaise: 118_000n });
  const payer = new CommissionPayer(new OwnPayouts(readConfig({})));
  const settle = () => payer.settle(stage.context, { franchiseId: franchise.franchiseId, expectedPaise: null });
  expect(await codeOf(settle())).toBe("beneficiary_not_verified");
  expect((await commissionOf(stage.db, franchise)).duePaise).toBe(5000n);
  await verify(franchise.beneficiaryId!);
  expect(await settle()).toMatchObject({ outcome: "accepted", amountPaise: 5000n });
});

test("to switch it off waits for a second person", async () => {
  const { policy, approvalId } = await stage.set({ verifiedPayeesOnly: false });
  expect(policy.verifiedPayeesOnly).toBe(true);
  const asha = stage.as(actorOf("user", "2"));
  expect(TEST_ACTOR).not.toBe("user:2");
  await approve({ pool: asha, merchant: stage.merchant }, { approvalId: approvalId!, note: "" });
  expect((await findPolicy(stage.db.server, stage.merchant)).verifiedPayeesOnly).toBe(false);
});
