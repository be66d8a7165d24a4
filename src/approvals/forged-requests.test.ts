// Requests that are changed with SQL while they wait: they have no effect, and `nodal verify` reports them, even after a
// decision.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DRAFT, makeFranchise, receive } from "../../test/support/franchises.ts";
import { addVendor, BENEFICIARY_ID, claim, newBeneficiary, report } from "../../test/support/ledger.ts";
import { codeOf, PolicyStage } from "../../test/support/policy-stage.ts";
import { sealBooks } from "../audit/seal-books.ts";
import { changeAccount, CommissionPayer } from "../franchises/index.ts";
import { verifyInstallation } from "../installation/index.ts";
import { changeMerchant, findPolicy, requestApproval, type ApprovalKind } from "../merchants/index.ts";
import { OwnPayouts } from "../payouts/index.ts";
import { keepBeneficiary } from "../payouts/beneficiaries/save-beneficiary.ts";
import { requestBatch } from "../payouts/bulk/request-batch.ts";
import type { NewTransfer } from "../payouts/transfer-store.ts";
import { readConfig } from "../platform/config.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { actorOf, type Actor } from "../platform/origin.ts";
import { approve, reject, withdraw } from "./decide-approval.ts";
import { expireApprovals } from "./expire-approvals.ts";
import { findForgedApprovals } from "./find-forged.ts";

const ASHA = actorOf("user", "2");
const OPERATOR = actorOf("operator", "9");
const OTHER_PAYEE = { accountNumber: "60100000001191", name: "Ravi Iyer", ifsc: "HDFC0000001", upi: null };

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

const change = (sql: string, ...values: unknown[]) => stage.db.owner.query(sql, values);
const approveAs = (actor: Actor, approvalId: bigint) =>
  approve({ pool: stage.as(actor), merchant: stage.merchant }, { approvalId, note: "" });

async function newPayee(type: string, fields: Partial<typeof OTHER_PAYEE> = {}): Promise<bigint> {
  const beneficiaryId = await stage.db.ids.next();
  const payee = { ...newBeneficiary(stage.merchant, { ...OTHER_PAYEE, ...fields, beneficiaryId }), type };
  return (await inTransaction(stage.db.server, (connection) => keepBeneficiary(connection, payee))).beneficiaryId;
}

async function requested(kind: "transfer_resolution" | "funding", subjectId: bigint): Promise<bigint> {
  const approvalId = await stage.db.ids.next();
  const policy = await findPolicy(stage.db.server, stage.merchant);
  const resolution = { as: "success", utr: "U1", reason: "Seen", evidence: "", unasked: null } as const;
  const said =
    kind === "funding"
      ? { funding: { amountPaise: 500n, reference: "HDFCN52026112000000001" } }
      : { resolution: { ...resolution, operatorsOnly: false } };
  const { bucket, merchantId } = stage.merchant;
  const request = { bucket, merchantId, approvalId, kind, subjectId, ...said };
  await inTransaction(stage.db.server, (connection) => requestApproval(connection, policy, request));
  return approvalId;
}

async function payoutThatWaits(fields: Partial<NewTransfer> = {}): Promise<bigint> {
  await stage.set({ approveOverPaise: 0n });
  const { transfer, outcome } = await stage.ask({ amountPaise: 5000n, ...fields });
  expect(outcome).toBe("awaiting_approval");
  return transfer.transferId;
}

/** Requests an approval of each kind. Returns its id. */
const REQUESTS: Readonly<Record<ApprovalKind, () => Promise<bigint>>> = {
  transfer: () => payoutThatWaits(),
  withdrawal: () => payoutThatWaits({ kind: "withdrawal", referenceId: null, beneficiaryId: null }),
  commission: async () => {
    const terms = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: 5000n } as const;
    const franchise = await makeFranchise(stage.db, stage.merchant, { terms });
    await receive(stage.db, franchise, 118_000n, { taxablePaise: 100_000n, totalPaise: 118_000n });
    await stage.set({ approveOverPaise: 0n });
    const payer = new CommissionPayer(new OwnPayouts(readConfig({})));
    const paid = await payer.settle(stage.context, { franchiseId: franchise.franchiseId, expectedPaise: null });
    if (paid.outcome !== "accepted") throw new Error(paid.outcome);
    return paid.transferId;
  },
  beneficiary: async () => {
    await stage.set({ approvePayees: true });
    return newPayee("Vendor");
  },
  franchise_account: async () => {
    await stage.set({ approvePayees: true });
    return newPayee("Franchise");
  },
  franchise_account_change: async () => {
    const { franchiseId } = await makeFranchise(stage.db, stage.merchant);
    await stage.set({ approvePayees: true });
    const account = { ...DRAFT.account, accountNumber: "50100099990000", ifsc: "HDFC0000001" };
    return (await changeAccount(stage.context, { franchiseId, account }))!;
  },
  bank_account: async () => {
    await stage.set({ approvePayees: true });
    const account = { bankAccount: "99998888777766", ifsc: "ICIC0000001" };
    return (await changeMerchant(stage.context, account)).approvalId!;
  },
  policy: async () => {
    await stage.set({ transferLimitPaise: 100n });
    return (await stage.set({ transferLimitPaise: 900n })).approvalId!;
  },
  payout_batch: async () => {
    await addVendor(stage.db, [stage.merchant]);
    await stage.set({ approveOverPaise: 0n });
    const payee = { beneficiaryId: BigInt(BENEFICIARY_ID), payeeName: "", accountNumber: null, ifsc: null, upi: null };
    const line = { ...payee, amountPaise: 100n, referenceId: null, mode: null, narrative: "", scheduledFor: null };
    const { answer } = await requestBatch(
      { ...stage.context, idempotency: null },
      { name: "x", file: null, lines: [line] },
    );
    return BigInt(answer.batchId);
  },
  transfer_resolution: async () =>
    requested("transfer_resolution", (await stage.ask({ amountPaise: 100n })).transfer.transferId),
  funding: () => requested("funding", stage.merchant.merchantId),
};

const CHANGES = [
  ["requested_by", "'user:77'"],
  ["requested_at", "requested_at - interval '1 hour'"],
  ["kind", "case kind when 'policy' then 'bank_account' else 'policy' end"],
  ["subject_id", "subject_id + 1"],
  [
    "change",
    `coalesce(change, '{}') || '{"ifsc": "HDFC0009999", "holder": "Ravi", "policy": {"approvePayees": false}}'`,
  ],
  ["proof", "null"],
] as const;

describe.each(Object.entries(REQUESTS))("an approval of the kind %s", (kind, request) => {
  test("is not given once SQL has changed what was asked for, or by whom, and is reported", async () => {
    const approvalId = await request();
    const forged = () => findForgedApprovals(stage.db.owner, stage.merchant);
    expect(await forged()).toEqual([]);
    const decider = kind === "funding" ? OPERATOR : ASHA;
    for (const [column, value] of CHANGES) {
      const before = `(select ${column} from kept where approval_id = $1)`;
      await change("drop table if exists kept");
      await change("create table kept as select * from approval");
      await change(`update approval set ${column} = ${value} where approval_id = $1`, approvalId);
      expect([column, await codeOf(approveAs(decider, approvalId))]).toEqual([column, "approval_not_allowed"]);
      expect([column, await forged()]).toMatchObject([column, [{ check: "approval_proof", subjectId: approvalId }]]);
      await change(`update approval set ${column} = ${before} where approval_id = $1`, approvalId);
    }
    expect(await forged()).toEqual([]);
  });
});

test.each(Object.entries(REQUESTS))(
  "one of the kind %s that was decided is not given once SQL opens it again",
  async (kind, request) => {
    const approvalId = await request();
    const decider = kind === "funding" ? OPERATOR : ASHA;
    const isAsked = kind === "transfer_resolution";
    const ending = isAsked ? withdraw : reject;
    const pool = isAsked ? stage.db.server : stage.as(decider);
    await ending({ pool, merchant: stage.merchant }, { approvalId, note: "No" });
    await change(
      "update approval set decision = null, decided_by = null, decided_at = null where approval_id = $1",
      approvalId,
    );
    expect(await codeOf(approveAs(decider, approvalId))).toBe("approval_not_allowed");
    expect(await stage.count(`approval where approval_id = ${approvalId} and decision is null`)).toBe(1);
  },
);

/** Every other way to decide, with its outcome. The clock alone expires; it has no person. */
const decideAgain = (decider: Actor, approvalId: bigint) => {
  const decision = { approvalId, note: "Again" };
  const later = Temporal.Now.instant().add({ hours: 1000 });
  return {
    rejected: () => reject({ pool: stage.as(decider), merchant: stage.merchant }, decision),
    withdrawn: () => withdraw({ pool: stage.db.server, merchant: stage.merchant }, decision),
    expired: () => expireApprovals(stage.as(actorOf("job", "approvals")), later, null, stage.merchant),
  };
};

const OPEN_AGAIN = "update approval set decision = null, decided_by = null, decided_at = null where approval_id = $1";

test.each(Object.entries(REQUESTS))(
  "one of the kind %s that was decided is not decided otherwise once SQL opens it again",
  async (kind, request) => {
    const approvalId = await request();
    const decider = kind === "funding" ? OPERATOR : ASHA;
    if (kind === "transfer_resolution")
      await withdraw({ pool: stage.db.server, merchant: stage.merchant }, { approvalId, note: "No" });
    else await approveAs(decider, approvalId);
    await change(OPEN_AGAIN, approvalId);
    const before = await stage.count("journal where true");
    for (const [name, again] of Object.entries(decideAgain(decider, approvalId)))
      expect([name, await codeOf(again())]).toEqual([name, "approval_not_allowed"]);
    expect(await stage.count("journal where true")).toBe(before);
  },
);

test.each(["sent after an approval", "sent without an approval"])(
  "of a payout that was %s, and that SQL has wait again, no money is given back",
  async (how) => {
    let transferId: bigint;
    if (how === "sent after an approval") {
      transferId = await payoutThatWaits();
      await approveAs(ASHA, transferId);
      await claim(stage.db.server, [{ ...stage.keyOf(transferId), transferId }]);
      await change("delete from journal where subject_id = $1 and type = 'approval.approved'", transferId);
      await change(OPEN_AGAIN, transferId);
    } else {
      transferId = (await stage.ask({ amountPaise: 5000n })).transfer.transferId;
      const other = await payoutThatWaits();
      await change("update approval set approval_id = $2, subject_id = $2 where approval_id = $1", other, transferId);
    }
    await change("update transfer set state = 'AWAITING_APPROVAL', claim_id = null where transfer_id = $1", transferId);
    const before = await stage.availablePaise();
    for (const [name, again] of Object.entries(decideAgain(ASHA, transferId)))
      expect([name, await codeOf(again())]).toEqual([name, "approval_not_allowed"]);
    expect(await stage.availablePaise()).toBe(before);
  },
);

test("one that SQL has changed does not keep others from expiring", async () => {
  const [spoilt, sound] = [await payoutThatWaits(), await payoutThatWaits()];
  const later = Temporal.Now.instant().add({ hours: 100 });
  await change("update transfer set state = 'FAILED' where transfer_id = $1", spoilt);
  const expire = () => expireApprovals(stage.as(actorOf("job", "approvals")), later, null, stage.merchant);
  expect(await codeOf(expire())).toBe("approval_not_allowed");
  expect(await stage.count(`transfer where transfer_id = ${sound} and state = 'REJECTED'`)).toBe(1);
});

/** Changes of a waiting payout with SQL, to have something else paid. */
const PAYOUT_CHANGES: readonly (readonly [kind: "transfer" | "withdrawal" | "commission", change: string])[] = [
  ["transfer", "beneficiary_id = $2"],
  ["transfer", "reference_id = 'another'"],
  ["transfer", "narrative = 'for another'"],
  ["transfer", "rail = 'elsewhere'"],
  ["transfer", "rail_mode = 'NEFT'"],
  ["transfer", "mode = 'upi'"],
  ["transfer", "amount_paise = amount_paise + 1"],
  ["withdrawal", "ifsc = 'HDFC0000001'"],
  ["withdrawal", "account_holder = 'Somebody Else'"],
  ["commission", "beneficiary_id = $2"],
];

/** The checks of `nodal verify` that report anything of the merchant. */
async function reported(): Promise<string[]> {
  const { violations } = await verifyInstallation(stage.db.owner, { merchant: stage.merchant.merchantId });
  return [...new Set(violations.map(({ check }) => check))];
}

test.each(PAYOUT_CHANGES)("a waiting %s that SQL changes is refused and reported: %s", async (kind, sql) => {
  const transferId = await REQUESTS[kind]();
  const other = sql.includes("$2") ? [await newPayee("Vendor", { accountNumber: "60100000001192" })] : [];
  await sealBooks(stage.db.server);
  const sound = await reported();
  expect(sound).not.toContain("audit_chain");
  expect(sound).not.toContain("approval_proof");
  await change(`update transfer set ${sql} where transfer_id = $1`, transferId, ...other);
  expect(await reported()).toEqual(expect.arrayContaining(["audit_chain", "approval_proof"]));
  expect(await codeOf(approveAs(ASHA, transferId))).toBe("approval_not_allowed");
  expect(await stage.count(`transfer_dispatch where transfer_id = ${transferId}`)).toBe(0);
});

test.each([
  ["transfer", "ifsc = 'HDFC0009999'"],
  ["transfer", "name = 'Somebody Else'"],
  ["commission", "ifsc = 'HDFC0009999'"],
  ["commission", "name = 'Somebody Else'"],
  ["commission", "account_number = (select account_number from beneficiary where beneficiary_id = $2)"],
] as const)("a waiting %s is refused and reported once SQL changes of its payee %s", async (kind, sql) => {
  const transferId = await REQUESTS[kind]();
  const other = sql.includes("$2") ? [await newPayee("Vendor", { accountNumber: "60100000001193" })] : [];
  expect(await reported()).not.toContain("approval_proof");
  const ofTransfer = "beneficiary_id = (select beneficiary_id from transfer where transfer_id = $1)";
  await change(`update beneficiary set ${sql} where ${ofTransfer}`, transferId, ...other);
  expect(await reported()).toContain("approval_proof");
  expect(await codeOf(approveAs(ASHA, transferId))).toBe("approval_not_allowed");
  expect(await stage.count(`transfer_dispatch where transfer_id = ${transferId}`)).toBe(0);
});

test("a payout whose state SQL has changed is refused with a clear error", async () => {
  const transferId = await payoutThatWaits();
  await change("update transfer set state = 'RESERVED' where transfer_id = $1", transferId);
  expect(await codeOf(approveAs(ASHA, transferId))).toBe("approval_not_allowed");
});

test("what SQL changes of a payout that was approved and paid is reported", async () => {
  const transferId = await payoutThatWaits();
  await approveAs(ASHA, transferId);
  const transfer = { ...stage.keyOf(transferId), transferId };
  await claim(stage.db.server, [transfer]);
  await report(stage.db.server, transfer, "SUCCESS");
  await sealBooks(stage.db.server);
  expect(await reported()).not.toContain("approval_proof");
  await change("update approval set requested_by = 'user:77' where approval_id = $1", transferId);
  expect(await reported()).toContain("approval_proof");
});

test.each(["transfer", "withdrawal", "commission"] as const)(
  "a waiting %s that SQL sends to the bank without an approval is reported before and after it is paid",
  async (kind) => {
    const transferId = await REQUESTS[kind]();
    await sealBooks(stage.db.server);
    expect(await reported()).not.toContain("approval_entry");
    await change("update transfer set state = 'RESERVED' where transfer_id = $1", transferId);
    await change(
      "insert into transfer_dispatch select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $1",
      transferId,
    );
    await change("delete from approval where approval_id = $1", transferId);
    expect(await reported()).toContain("approval_entry");
    const transfer = { ...stage.keyOf(transferId), transferId };
    await claim(stage.db.server, [transfer]);
    await report(stage.db.server, transfer, "SUCCESS");
    await sealBooks(stage.db.server);
    expect(await reported()).toContain("approval_entry");
  },
);
