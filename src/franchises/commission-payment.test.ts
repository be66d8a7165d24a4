// Commission that was paid by other means than a transfer, and commission that waits, on a real database. HTTP is in
// test/dashboard.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise, receive } from "../../test/support/franchises.ts";
import { claim, makeMerchants, openLedgerDatabase, report, type LedgerDatabase } from "../../test/support/ledger.ts";
import { TEST_ACTOR, withTestSecrets } from "../../test/support/secrets.ts";
import type { Merchant } from "../merchants/index.ts";
import { OwnPayouts, readUnderWay, verify } from "../payouts/index.ts";
import { readConfig } from "../platform/config.ts";
import { createPool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { recordCommissionPayment, reverseCommissionPayment } from "./commission-payment.ts";
import { listCommissionPayments, findWaiting } from "./commission-store.ts";
import { CommissionPayer, COMMISSION_CHECKS, type Franchise } from "./index.ts";

const OFFLINE = { ...DRAFT.terms, onlineSettlement: false, settlementType: "Manual" } as const;
const DETAILS = {
  paidDate: Temporal.PlainDate.from("2026-06-02"),
  mode: "Cheque",
  bankRefNo: "CHQ 000123",
  note: "Handed over in Pune",
};
const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));

let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeMerchants(db, 1, 10_000_000n)) as [Merchant];
});
afterAll(() => db.close());

function record(franchise: Franchise, amountPaise: bigint): Promise<{ paymentId: string }> {
  const { franchiseId, ...owner } = franchise;
  return recordCommissionPayment(
    { pool: db.server, ids: db.ids, merchant: owner, idempotency: null },
    { franchiseId, ...DETAILS, amountPaise },
  );
}

function settle(franchise: Franchise) {
  const request = { franchiseId: franchise.franchiseId, expectedPaise: null };
  return commissionPayer.settle({ pool: db.server, ids: db.ids, merchant: franchise }, request);
}

function takeBack(owner: Merchant, paymentId: bigint, reason: string) {
  return reverseCommissionPayment({ pool: db.server, merchant: owner }, { paymentId, franchiseId: null, reason });
}

/** A franchise without online settlement that has earned 100.00. */
async function earned(): Promise<Franchise> {
  const franchise = await makeFranchise(db, merchant, { terms: OFFLINE });
  await receive(db, franchise, 100_000n);
  return franchise;
}

async function entriesAbout(id: bigint | string): Promise<{ type: string }[]> {
  const { rows } = await db.owner.query<{ type: string }>(
    "select type, actor, after from journal where subject_id = $1 order by entry_no",
    [id],
  );
  return rows;
}

const violations = async () => (await verify(db.owner, merchant, COMMISSION_CHECKS)).violations;
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof NodalError ? error.code : error),
  );

describe("commission paid by other means", () => {
  test("is no longer due, moves nothing of the merchant's balance, and is on the record", async () => {
    const franchise = await earned();
    const { paymentId } = await record(franchise, 4000n);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 10_000n, paidPaise: 4000n, duePaise: 6000n });
    expect(await listCommissionPayments(db.server, franchise, 5)).toMatchObject([{ ...DETAILS, amountPaise: 4000n }]);
    const { rows } = await db.owner.query(
      "select kind, debit_kind, credit_kind, amount_paise from journal where subject_id = $1",
      [paymentId],
    );
    expect(rows).toEqual([
      {
        kind: "commission_paid_outside",
        debit_kind: "commission_payable",
        credit_kind: "commission_settled",
        amount_paise: 4000n,
      },
    ]);
    const after = expect.objectContaining({ amount: "40.00", mode: "Cheque", bank_ref_no: "CHQ 000123" }) as unknown;
    expect(await entriesAbout(paymentId)).toMatchObject([{ type: "commission.payment_recorded", after }]);
    expect(await violations()).toEqual([]);
  });

  test("is never more than is due, or than is not on its way as a transfer", async () => {
    const franchise = await earned();
    expect(await codeOf(record(franchise, 10_001n))).toBe("settlement_exceeds_due");
    const payout = await settle(franchise);
    if (payout.outcome !== "accepted") throw new Error(payout.outcome);
    expect(await codeOf(record(franchise, 1n))).toBe("settlement_exceeds_due");
    const transfer = { bucket: merchant.bucket, merchantId: merchant.merchantId, transferId: payout.transferId };
    await claim(db.server, [transfer]);
    await report(db.server, transfer, "FAILED");
    expect(await codeOf(record(franchise, 10_000n))).toBe("done");
    expect(await settle(franchise)).toMatchObject({ outcome: "nothing_due" });
    expect(await violations()).toEqual([]);
  });

  test("counts once for each that fits, however many record it and settle at once", async () => {
    const franchise = await earned();
    const outcomes = await Promise.all([
      ...Array.from({ length: 20 }, () => codeOf(record(franchise, 3000n))),
      codeOf(settle(franchise)),
    ]);
    const { paidPaise, duePaise } = await commissionOf(db, franchise);
    const underWayPaise = await readUnderWay(db.server, franchise);
    const recorded = outcomes.slice(0, 20).filter((outcome) => outcome === "done").length;
    expect(paidPaise).toBe(BigInt(recorded) * 3000n);
    expect(outcomes.filter((outcome) => outcome !== "done" && outcome !== "settlement_exceeds_due")).toEqual([]);
    expect(duePaise - underWayPaise).toBeGreaterThanOrEqual(0n);
    expect(duePaise - underWayPaise).toBeLessThan(3000n);
    // The simulated bank was not asked here.
    expect((await violations()).filter(({ check }) => check !== "success_not_paid")).toEqual([]);
  });

  test("is due again where its record is taken back, once", async () => {
    const franchise = await earned();
    const { paymentId } = await record(franchise, 10_000n);
    const reverse = () => takeBack(merchant, BigInt(paymentId), "Cheque bounced");
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => codeOf(reverse())));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "settlement_reversed")).toHaveLength(7);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 10_000n, paidPaise: 0n, duePaise: 10_000n });
    expect(await entriesAbout(paymentId)).toMatchObject([
      { type: "commission.payment_recorded" },
      { type: "commission.payment_reversed", after: { reversed_because: "Cheque bounced" } },
    ]);
    expect(await codeOf(takeBack(merchant, 1n, "x"))).toBe("commission_payment_not_found");
    const [other] = (await makeMerchants(db, 1)) as [Merchant];
    const foreign = takeBack(other, BigInt(paymentId), "x");
    expect(await codeOf(foreign)).toBe("commission_payment_not_found");
    expect(await codeOf(record({ ...franchise, merchantId: other.merchantId, bucket: other.bucket }, 1n))).toBe(
      "franchise_not_found",
    );
    expect(await violations()).toEqual([]);
  });

  test("ends the wait of what waited, where nothing is due any more", async () => {
    const franchise = await makeFranchise(db, merchant, { terms: OFFLINE });
    const limited = withTestSecrets(
      createPool({
        url: db.url,
        size: 1,
        role: "nodal_server",
        actor: TEST_ACTOR,
        settings: { "nodal.may_move_money": "off" },
      }),
    );
    await receive({ server: limited, ids: db.ids }, franchise, 100_000n);
    await limited.end();
    const waits = async () => (await findWaiting(db.server, merchant, [franchise.franchiseId])).size > 0;
    await record(franchise, 9999n);
    expect(await waits()).toBe(true);
    const released = async () =>
      (await entriesAbout(franchise.franchiseId)).filter(({ type }) => type === "franchise.commission_released").length;
    expect(await released()).toBe(0);
    await record(franchise, 1n);
    expect([await waits(), await released()]).toEqual([false, 1]);
  });
});

// Last, since the books are broken afterwards.
test.each([
  ["update commission_payment set amount_paise = amount_paise + 1 where payment_id = $1"],
  ["delete from commission_payment where payment_id = $1"],
  ["update commission_payment set reversed_at = now(), reversal_reason = 'x' where payment_id = $1"],
  ["update commission_payment set franchise_id = franchise_id + 1 where payment_id = $1"],
])("verify finds: %s", async (breakage) => {
  const { paymentId } = await record(await earned(), 500n);
  await db.owner.query(breakage, [paymentId]);
  const found = (await violations()).map(({ check, subjectId }) => [check, subjectId]);
  expect(found).toContainEqual(["commission_payment", BigInt(paymentId)]);
});
