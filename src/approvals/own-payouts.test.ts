// The policy on payouts that Nodal starts itself, and decisions through the merchant's own API requests.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise, receive } from "../../test/support/franchises.ts";
import { claim, report } from "../../test/support/ledger.ts";
import { withTestSecrets } from "../../test/support/secrets.ts";
import { CommissionPayer, type Franchise } from "../franchises/index.ts";
import { Invoicing, PAYEE } from "../../test/support/invoicing.ts";
import { changeMerchant, findPolicy, requireMerchant } from "../merchants/index.ts";
import { readConfig } from "../platform/config.ts";
import { createPool, inTransaction, type OwnedPool } from "../platform/database/pool.ts";
import { TenantDatabase } from "../platform/database/tenant.ts";
import { actorOf } from "../platform/origin.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { proveBeneficiary, PROVED_COLUMNS, type ProvedRow } from "../payouts/beneficiaries/beneficiary-proof.ts";
import { OwnPayouts, saveRefundPayee } from "../payouts/index.ts";
import { approve, reject } from "./decide-approval.ts";
import { codeOf, PolicyStage } from "../../test/support/policy-stage.ts";

const FIXED = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: 5000n } as const;
const ASHA = { actor: actorOf("user", "2"), address: "192.0.2.1", mayMoveMoney: true };
const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));

let stage: PolicyStage;
let requests: OwnedPool;

beforeAll(async () => {
  stage = await PolicyStage.open();
  requests = withTestSecrets(createPool({ url: stage.db.url, size: 4, role: "nodal_tenant", pipelined: true }));
});
beforeEach(() => stage.renew());
afterAll(async () => {
  await requests.end();
  await stage.db.close();
});

/** A franchise of the merchant that is owed 50.00. */
async function owedFranchise(): Promise<Franchise> {
  const franchise = await makeFranchise(stage.db, stage.merchant, { terms: FIXED });
  await receive(stage.db, franchise, 118_000n, { taxablePaise: 100_000n, totalPaise: 118_000n });
  return franchise;
}

function settle(franchise: Franchise) {
  return commissionPayer.settle(stage.context, { franchiseId: franchise.franchiseId, expectedPaise: null });
}

describe("commission", () => {
  test("over a limit stays due", async () => {
    const franchise = await owedFranchise();
    await stage.set({ transferLimitPaise: 4999n });
    expect(await codeOf(settle(franchise))).toBe("limit_exceeded");
    expect((await commissionOf(stage.db, franchise)).duePaise).toBe(5000n);
    expect(await stage.count("transfer where true")).toBe(0);
  });

  test("to a franchise that waits for approval stays due until it has it", async () => {
    await stage.set({ approvePayees: true });
    const franchise = await owedFranchise();
    expect(await codeOf(settle(franchise))).toBe("beneficiary_not_approved");
    await approve(
      { pool: stage.as(ASHA.actor), merchant: stage.merchant },
      { approvalId: franchise.beneficiaryId!, note: "" },
    );
    expect(await settle(franchise)).toMatchObject({ outcome: "accepted", amountPaise: 5000n });
  });

  test("that waits for approval is not paid a second time, and is due again once it is rejected", async () => {
    const franchise = await owedFranchise();
    await stage.set({ approveOverPaise: 0n, dailyLimitPaise: 5000n });
    const payout = await settle(franchise);
    if (payout.outcome !== "accepted") throw new Error(payout.outcome);
    expect(await settle(franchise)).toMatchObject({ outcome: "nothing_due" });
    await reject(
      { pool: stage.as(ASHA.actor), merchant: stage.merchant },
      { approvalId: payout.transferId, note: "No" },
    );
    expect((await commissionOf(stage.db, franchise)).duePaise).toBe(5000n);
    const second = await settle(franchise);
    if (second.outcome !== "accepted") throw new Error(second.outcome);
    await approve(
      { pool: stage.as(ASHA.actor), merchant: stage.merchant },
      { approvalId: second.transferId, note: "" },
    );
    const { bucket, merchantId } = stage.merchant;
    const transfer = { bucket, merchantId, transferId: second.transferId };
    await claim(stage.db.server, [transfer]);
    await stage.db.owner.query(
      `insert into simulator.payment (bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr,
         acknowledged)
       select bucket, merchant_id, transfer_id, amount_paise, 'IMPS', payee.name, 'SUCCESS', 'UTR' || transfer_id, true
       from transfer join beneficiary payee using (bucket, merchant_id, beneficiary_id) where transfer_id = $1`,
      [second.transferId],
    );
    await report(stage.db.server, transfer, "SUCCESS");
    expect(await commissionOf(stage.db, franchise)).toMatchObject({ paidPaise: 5000n, duePaise: 0n });
  });
});

/** Sets the merchant's beneficiaries' time of saving back by an hour, as if an hour had passed. */
async function letAnHourPass(merchantId: bigint): Promise<void> {
  const { owner } = stage.db;
  const { rows } = await owner.query<ProvedRow>(`select ${PROVED_COLUMNS} from beneficiary where merchant_id = $1`, [
    merchantId,
  ]);
  for (const { bucket, beneficiary_id: beneficiaryId, approval, created_at: savedAt, verification } of rows) {
    const createdAt = savedAt.subtract({ hours: 1 });
    const proved = { bucket, merchantId, beneficiaryId, approval, createdAt, verification: { state: verification } };
    await owner.query("update beneficiary set created_at = $2, proof = $3 where beneficiary_id = $1", [
      beneficiaryId,
      createdAt.toString(),
      proveBeneficiary(await secretsOf(owner), proved),
    ]);
  }
}

test("a refund to somebody who has to cool off finds the payee that was saved at the first attempt", async () => {
  const shop = await Invoicing.ofNewMerchant(stage.db, 1_000_000n);
  stage.merchant = shop.merchant;
  await stage.set({ coolingOffMinutes: 60 });
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, null);
  expect(await codeOf(shop.refund(note, PAYEE))).toBe("limit_exceeded");
  await letAnHourPass(shop.merchant.merchantId);
  expect((await shop.refund(note, null)).refund).toMatchObject({ attempts: 1, underWayPaise: 11_800n });
});

test("a refund to somebody who has to be approved stays owed, and leaves once it is approved", async () => {
  const shop = await Invoicing.ofNewMerchant(stage.db, 1_000_000n);
  stage.merchant = shop.merchant;
  await stage.set({ approvePayees: true });
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, null);
  expect(await codeOf(shop.refund(note, PAYEE))).toBe("beneficiary_not_approved");
  const { rows } = await stage.db.owner.query<{ approval_id: bigint }>(
    "select approval_id from approval where merchant_id = $1 and decision is null",
    [shop.merchant.merchantId],
  );
  expect(rows).toHaveLength(1);
  await approve(
    { pool: stage.as(ASHA.actor), merchant: stage.merchant },
    { approvalId: rows[0]!.approval_id, note: "" },
  );
  expect((await shop.refund(note, null)).refund).toMatchObject({ attempts: 1, underWayPaise: 11_800n });
  expect(await shop.violations()).toEqual([]);
});

describe("in the role that requests have", () => {
  test("a user decides everything of its merchant, and nothing of another's", async () => {
    const asRequest = new TenantDatabase(requests).of(stage.merchant, ASHA);
    await changeMerchant(stage.context, { bankAccount: "11112222", ifsc: "HDFC0000001" });
    await stage.set({ approveOverPaise: 0n, approvePayees: true, dailyLimitPaise: 90_000n });
    const [paid, refused] = [await stage.waiting(), await stage.waiting()];
    const payee = { name: "Ravi", accountNumber: "99990000", ifsc: "HDFC0000001", upi: null, emailId: "", mobile: "" };
    const payeeId = await inTransaction(stage.db.server, (connection) =>
      saveRefundPayee({ connection, ids: stage.db.ids, merchant: stage.merchant }, payee),
    );
    const weaker = await stage.set({ dailyLimitPaise: null });
    const account = { bankAccount: "33334444", ifsc: "HDFC0000001" };
    const changed = await changeMerchant(stage.context, account);
    for (const id of [paid.transferId, payeeId, weaker.approvalId!, changed.approvalId!]) {
      expect(await approve({ pool: asRequest, merchant: stage.merchant }, { approvalId: id, note: "" })).toMatchObject({
        decidedBy: ASHA.actor,
      });
    }
    await reject({ pool: asRequest, merchant: stage.merchant }, { approvalId: refused.transferId, note: "No" });
    expect([await stage.stateOf(paid), await stage.stateOf(refused)]).toEqual(["RESERVED", "REJECTED"]);
    expect((await findPolicy(stage.db.server, stage.merchant)).dailyLimitPaise).toBeNull();
    expect((await requireMerchant(stage.db.server, stage.merchant.merchantId)).bankAccount).toBe("33334444");

    const foreign = await stage.waiting();
    const key = stage.keyOf(foreign.transferId);
    await stage.renew();
    const other = new TenantDatabase(requests).of(stage.merchant, ASHA);
    expect(await codeOf(approve({ pool: other, merchant: key }, { ...key, note: "" }))).toBe("approval_not_found");
  });
});

test("afterwards the books are sound", async () => {
  expect(await stage.findViolations()).toEqual([]);
});
