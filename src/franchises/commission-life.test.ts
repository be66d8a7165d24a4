// The whole life of commission in a real database: earned, reversed, paid out, returned, also concurrently. test/wire tests commands
// and HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adjust, commissionOf, DRAFT, makeFranchise, receive, takeBack } from "../../test/support/franchises.ts";
import {
  claim,
  fund,
  makeMerchants,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { readBalances } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { OwnPayouts, verify } from "../payouts/index.ts";
import { readConfig } from "../platform/config.ts";
import { createLogger } from "../platform/log.ts";
import { changeTerms, CommissionPayer, COMMISSION_CHECKS, findFranchise, type Franchise } from "./index.ts";
import { payDueCommission } from "./commission-payment.ts";
import { deleteFranchise } from "./change-franchise.ts";
import type { FranchiseTerms } from "./franchise.ts";

const FIXED = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: 5000n } as const;
const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));

let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeMerchants(db, 1, 10_000_000n)) as [Merchant];
});
afterAll(() => db.close());

function settle(franchise: Franchise) {
  const request = { franchiseId: franchise.franchiseId, expectedPaise: null };
  return commissionPayer.settle({ pool: db.server, ids: db.ids, merchant: franchise }, request);
}

/** Settles, and makes the bank report these statuses of the transfer. */
async function settleWith(franchise: Franchise, ...statuses: ("SUCCESS" | "FAILED" | "REVERSED" | "PENDING")[]) {
  const payout = await settle(franchise);
  if (payout.outcome !== "accepted") throw new Error(payout.outcome);
  const transfer = { bucket: franchise.bucket, merchantId: franchise.merchantId, transferId: payout.transferId };
  await claim(db.server, [transfer]);
  await report(db.server, transfer, ...statuses);
  return transfer;
}

async function postingsOf(subjectId: bigint): Promise<string[]> {
  const { rows } = await db.owner.query<{ kind: string }>(
    "select kind from journal where subject_id = $1 and kind is not null order by entry_no",
    [subjectId],
  );
  return rows.map(({ kind }) => kind);
}

describe("earning", () => {
  test("a percentage of each payment's taxable part, posted under the settlement", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual, earnedPaise } = await receive(db, franchise, 59_000n, {
      taxablePaise: 100_000n,
      totalPaise: 118_000n,
    });
    expect(earnedPaise).toBe(5000n);
    expect(await postingsOf(accrual.settlementId)).toEqual(["commission_accrued"]);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 5000n, paidPaise: 0n, duePaise: 5000n });
  });

  test("nothing is posted for less than half a paisa", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual, earnedPaise } = await receive(db, franchise, 4n);
    expect(earnedPaise).toBe(0n);
    expect(await postingsOf(accrual.settlementId)).toEqual([]);
  });

  test("a fixed amount once, with the payment that completes the invoice", async () => {
    const franchise = await makeFranchise(db, merchant, { terms: FIXED });
    const first = await receive(db, franchise, 60_000n);
    const { invoiceId } = first.accrual;
    const second = await receive(db, franchise, 40_000n, { invoiceId });
    expect([first.earnedPaise, second.earnedPaise]).toEqual([0n, 5000n]);
    expect((await receive(db, franchise, 1n, { invoiceId })).earnedPaise).toBe(0n);
  });

  test("a deleted franchise still earns on its invoices", async () => {
    const franchise = await makeFranchise(db, merchant);
    await deleteFranchise({ pool: db.server, merchant, idempotency: null }, franchise.franchiseId);
    expect((await receive(db, franchise, 1000n)).earnedPaise).toBe(100n);
  });

  test("a franchise that does not exist is refused", async () => {
    const franchise = await makeFranchise(db, merchant);
    await expect(receive(db, { ...franchise, franchiseId: 1n }, 1000n)).rejects.toMatchObject({
      code: "franchise_not_found",
    });
  });

  test("60 payments at once all count, beside reversals", async () => {
    const franchise = await makeFranchise(db, merchant);
    const received = await Promise.all(Array.from({ length: 60 }, () => receive(db, franchise, 1000n)));
    await Promise.all(received.slice(0, 20).map(({ accrual }) => takeBack(db, accrual)));
    expect(await commissionOf(db, franchise)).toMatchObject({ accruedPaise: 4000n, duePaise: 4000n });
  });
});

describe("other terms", () => {
  const twenty = { ...DRAFT.terms, commissionHundredths: 2000n };
  const agree = (franchise: Franchise, terms: FranchiseTerms): Promise<void> =>
    changeTerms({ pool: db.server, merchant }, { franchiseId: franchise.franchiseId, terms });

  test("count for invoices that nothing was paid on yet; the others go on under those that they began with", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual: begun } = await receive(db, franchise, 40_000n);
    const { accrual: takenBack } = await receive(db, franchise, 10_000n);
    expect(await takeBack(db, takenBack)).toBe(1000n);
    await agree(franchise, twenty);
    expect((await receive(db, franchise, 10_000n)).earnedPaise).toBe(2000n);
    expect((await receive(db, franchise, 60_000n, { invoiceId: begun.invoiceId })).earnedPaise).toBe(6000n);
    expect((await receive(db, franchise, 10_000n, { invoiceId: takenBack.invoiceId })).earnedPaise).toBe(1000n);
    await agree(franchise, { ...twenty, commissionType: "Fixed", commissionHundredths: 7n });
    const { accrual: half } = await receive(db, franchise, 50_000n);
    expect(await takeBack(db, begun)).toBe(4000n);
    await agree(franchise, DRAFT.terms);
    expect((await receive(db, franchise, 50_000n, { invoiceId: half.invoiceId })).earnedPaise).toBe(7n);
    expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 9007n });
  });

  test("of a franchise that had the invoice before are not those of another one", async () => {
    const first = await makeFranchise(db, merchant);
    const { accrual } = await receive(db, first, 10_000n);
    await takeBack(db, accrual);
    const second = await makeFranchise(db, merchant, { terms: twenty });
    expect((await receive(db, second, 10_000n, { invoiceId: accrual.invoiceId })).earnedPaise).toBe(2000n);
  });

  test("begin to pay it by itself on the next day, and not for the time before", async () => {
    const franchise = await makeFranchise(db, merchant, { terms: { ...DRAFT.terms, settlementType: "Manual" } });
    await db.owner.query("update franchise set next_payout_at = '2020-01-01' where franchise_id = $1", [
      franchise.franchiseId,
    ]);
    await agree(franchise, DRAFT.terms);
    const changed = (await findFranchise(db.server, franchise))!;
    expect(changed.settlementType).toBe("Auto");
    expect(Temporal.Instant.compare(changed.nextPayoutAt, Temporal.Now.instant())).toBe(1);
  });

  test("need a whole bank account for online settlement, and change nothing without", async () => {
    const offline = { ...DRAFT.terms, onlineSettlement: false };
    const account = { ...DRAFT.account, bankName: "" };
    const franchise = await makeFranchise(db, merchant, { terms: offline, account });
    await expect(agree(franchise, twenty)).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ field: "enable_online_settlement" }],
    });
    expect(await findFranchise(db.server, franchise)).toMatchObject(offline);
  });
});

describe("taking back", () => {
  test("exactly what the settlement earned, once", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual } = await receive(db, franchise, 333n);
    await receive(db, franchise, 1000n, { invoiceId: accrual.invoiceId });
    expect(await takeBack(db, accrual)).toBe(33n);
    expect(await takeBack(db, accrual)).toBe(0n);
    expect(await postingsOf(accrual.settlementId)).toEqual(["commission_accrued", "commission_reversed"]);
    expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 100n });
  });

  test("nothing where nothing was earned", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual } = await receive(db, franchise, 1n);
    expect(await takeBack(db, accrual)).toBe(0n);
  });

  test("a fixed amount with any payment of its invoice, and it is earned again when that is paid again", async () => {
    const franchise = await makeFranchise(db, merchant, { terms: FIXED });
    const { accrual: first } = await receive(db, franchise, 60_000n);
    const { invoiceId } = first;
    const { accrual: second } = await receive(db, franchise, 40_000n, { invoiceId });
    expect(await takeBack(db, first)).toBe(5000n);
    expect((await receive(db, franchise, 60_000n, { invoiceId })).earnedPaise).toBe(5000n);
    expect(await takeBack(db, second)).toBe(5000n);
    expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 0n });
  });

  test("the share of a refund, and what is left with the settlements", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual: first } = await receive(db, franchise, 60_000n);
    const { accrual: second } = await receive(db, franchise, 40_000n, { invoiceId: first.invoiceId });
    const note = { ...second, settlementId: await db.ids.next() };
    const givenBack = { givenBackPaise: 50_000n };
    expect(await adjust(db, note, givenBack)).toBe(-5000n);
    expect(await adjust(db, second, { ...givenBack, paidPaise: 60_000n })).toBe(-4000n);
    expect(await adjust(db, first, { ...givenBack, paidPaise: 0n })).toBe(-1000n);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 0n, paidPaise: 0n, duePaise: 0n });
  });

  test("what earns a second time has another posting", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual } = await receive(db, franchise, 60_000n);
    expect(await adjust(db, accrual, { paidPaise: 70_000n })).toBe(1000n);
    expect(await postingsOf(accrual.settlementId)).toEqual(["commission_accrued"]);
    expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 7000n });
  });

  test("of what was paid out already leaves a debt that later commission makes up for", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual } = await receive(db, franchise, 10_000n);
    await settleWith(franchise, "SUCCESS");
    await takeBack(db, accrual);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 0n, paidPaise: 1000n, duePaise: -1000n });
    expect(await settle(franchise)).toEqual({ outcome: "nothing_due", duePaise: -1000n });
    await receive(db, franchise, 12_500n);
    expect(await settle(franchise)).toMatchObject({ outcome: "accepted", amountPaise: 250n });
  });
});

describe("paying out", () => {
  test("holds the amount, and is paid with the transfer's success", async () => {
    const franchise = await makeFranchise(db, merchant);
    await receive(db, franchise, 10_000n);
    const before = await readBalances(db.server, merchant.bucket, merchant.merchantId);
    const transfer = await settleWith(franchise, "PENDING");
    const held = await readBalances(db.server, merchant.bucket, merchant.merchantId);
    expect(held.availablePaise).toBe(before.availablePaise - 1000n);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 1000n, paidPaise: 0n, duePaise: 1000n });
    await report(db.server, transfer, "SUCCESS", "SUCCESS");
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 1000n, paidPaise: 1000n, duePaise: 0n });
    expect(await postingsOf(transfer.transferId)).toEqual(["reserve", "success", "commission_paid"]);
  });

  test("is due again when it fails, and when the bank returns it", async () => {
    const franchise = await makeFranchise(db, merchant);
    await receive(db, franchise, 10_000n);
    await settleWith(franchise, "FAILED");
    expect(await commissionOf(db, franchise)).toMatchObject({ paidPaise: 0n, duePaise: 1000n });
    const neverLeft = await settleWith(franchise, "PENDING", "REVERSED");
    expect(await postingsOf(neverLeft.transferId)).toEqual(["reserve", "failed"]);
    const returned = await settleWith(franchise, "SUCCESS", "REVERSED");
    expect(await postingsOf(returned.transferId)).toEqual([
      "reserve",
      "success",
      "commission_paid",
      "reversed",
      "commission_unpaid",
    ]);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 1000n, paidPaise: 0n, duePaise: 1000n });
  });

  test("that succeeds after it failed and was paid by another transfer is a debt of the franchise", async () => {
    const franchise = await makeFranchise(db, merchant);
    await receive(db, franchise, 10_000n);
    const late = await settleWith(franchise, "FAILED");
    await settleWith(franchise, "SUCCESS");
    await report(db.server, late, "SUCCESS");
    expect(await postingsOf(late.transferId)).toEqual(["reserve", "failed", "late_success", "commission_paid"]);
    expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 1000n, paidPaise: 2000n, duePaise: -1000n });
  });

  test("many times at once pays once", async () => {
    const franchise = await makeFranchise(db, merchant);
    await receive(db, franchise, 10_000n);
    const payouts = await Promise.all(Array.from({ length: 20 }, () => settle(franchise)));
    expect(payouts.filter(({ outcome }) => outcome === "accepted")).toHaveLength(1);
    expect(payouts.filter(({ outcome }) => outcome === "nothing_due")).toHaveLength(19);
  });

  test("while it is earned and taken back leaves nothing lost or paid twice", async () => {
    const franchise = await makeFranchise(db, merchant);
    await Promise.all([
      ...Array.from({ length: 30 }, () => receive(db, franchise, 1000n)),
      ...Array.from({ length: 10 }, () => settle(franchise)),
    ]);
    await settle(franchise);
    const { rows } = await db.owner.query<{ paise: bigint }>(
      "select sum(amount_paise)::bigint as paise from transfer where franchise_id = $1",
      [franchise.franchiseId],
    );
    expect(rows[0]!.paise).toBe(3000n);
  });

  test("waits for a balance that covers it, whole", async () => {
    const [poor] = (await makeMerchants(db, 1, 999n)) as [Merchant];
    const franchise = await makeFranchise(db, poor);
    await receive(db, franchise, 10_000n);
    await expect(settle(franchise)).rejects.toMatchObject({ code: "insufficient_balance" });
    expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 1000n });
    await fund(db, poor, 1n, "the last paisa");
    expect(await settle(franchise)).toMatchObject({ outcome: "accepted", amountPaise: 1000n });
  });

  test("needs a bank account", async () => {
    const account = { ...DRAFT.account, accountNumber: "", ifsc: "" };
    const terms = { ...DRAFT.terms, onlineSettlement: false };
    const franchise = await makeFranchise(db, merchant, { terms, account });
    await expect(settle(franchise)).rejects.toMatchObject({ code: "no_bank_account" });
  });

  test("a deleted franchise is paid by hand what it is owed", async () => {
    const franchise = await makeFranchise(db, merchant);
    await receive(db, franchise, 10_000n);
    await deleteFranchise({ pool: db.server, merchant, idempotency: null }, franchise.franchiseId);
    expect(await settle(franchise)).toMatchObject({ outcome: "accepted", amountPaise: 1000n });
  });
});

describe("the daily payout", () => {
  const payDue = (now: Temporal.Instant): Promise<void> => {
    const context = { pool: db.server, ids: db.ids, commissionPayer, logger: createLogger("silent") };
    return payDueCommission(context, { dueBy: now, signal: new AbortController().signal, merchant: null });
  };

  async function transfersTo({ franchiseId }: Franchise): Promise<bigint[]> {
    const { rows } = await db.owner.query<{ amount_paise: bigint }>(
      "select amount_paise from transfer where franchise_id = $1 order by transfer_id",
      [franchiseId],
    );
    return rows.map((row) => row.amount_paise);
  }

  test("is not due on the day of the saving, then once a day, over all processes", async () => {
    const franchise = await makeFranchise(db, merchant);
    await receive(db, franchise, 10_000n);
    await payDue(Temporal.Now.instant());
    expect(await transfersTo(franchise)).toEqual([]);
    const tomorrow = franchise.nextPayoutAt;
    await Promise.all([payDue(tomorrow), payDue(tomorrow), payDue(tomorrow)]);
    expect(await transfersTo(franchise)).toEqual([1000n]);
    await receive(db, franchise, 5000n);
    await payDue(tomorrow.add({ hours: 23 }));
    expect(await transfersTo(franchise)).toEqual([1000n]);
    await payDue(tomorrow.add({ hours: 24 }));
    expect(await transfersTo(franchise)).toEqual([1000n, 500n]);
  });

  test("comes at midnight in the merchant's time zone", async () => {
    const { nextPayoutAt } = await makeFranchise(db, merchant);
    expect(nextPayoutAt.toZonedDateTimeISO("Asia/Kolkata").toPlainTime().toString()).toBe("00:00:00");
  });

  test("leaves out manual settlement, settlement that is not online, the deleted and the suspended", async () => {
    const [suspended] = (await makeMerchants(db, 1, 100_000n)) as [Merchant];
    const manual = await makeFranchise(db, merchant, { terms: { ...DRAFT.terms, settlementType: "Manual" } });
    const offline = await makeFranchise(db, merchant, { terms: { ...DRAFT.terms, onlineSettlement: false } });
    const deleted = await makeFranchise(db, merchant);
    const ofSuspended = await makeFranchise(db, suspended);
    const left = [manual, offline, deleted, ofSuspended];
    for (const franchise of left) await receive(db, franchise, 10_000n);
    await deleteFranchise({ pool: db.server, merchant, idempotency: null }, deleted.franchiseId);
    await db.owner.query("update merchant set status = 'suspended' where merchant_id = $1", [suspended.merchantId]);
    await payDue(manual.nextPayoutAt);
    for (const franchise of left) expect(await transfersTo(franchise)).toEqual([]);
    await db.owner.query("update merchant set status = 'active' where merchant_id = $1", [suspended.merchantId]);
    await payDue(manual.nextPayoutAt);
    expect(await transfersTo(ofSuspended)).toEqual([1000n]);
  });

  test("tries again the next day what the balance did not cover", async () => {
    const [poor] = (await makeMerchants(db, 1)) as [Merchant];
    const franchise = await makeFranchise(db, poor);
    await receive(db, franchise, 10_000n);
    await payDue(franchise.nextPayoutAt);
    await fund(db, poor, 1000n, "late");
    await payDue(franchise.nextPayoutAt);
    expect(await transfersTo(franchise)).toEqual([]);
    await payDue(franchise.nextPayoutAt.add({ hours: 24 }));
    expect(await transfersTo(franchise)).toEqual([1000n]);
  });

  test("goes through more franchises than a page holds", async () => {
    const [large] = (await makeMerchants(db, 1, 1_000_000n)) as [Merchant];
    const franchises: Franchise[] = [];
    for (let number = 0; number < 120; number += 1) {
      const franchise = await makeFranchise(db, large);
      await receive(db, franchise, 1000n);
      franchises.push(franchise);
    }
    await payDue(franchises[0]!.nextPayoutAt);
    const { rows } = await db.owner.query<{ paid: bigint }>(
      "select count(distinct franchise_id) as paid from transfer where merchant_id = $1",
      [large.merchantId],
    );
    expect(rows[0]!.paid).toBe(120n);
  });
});

test("afterwards the books hold", async () => {
  const { violations } = await verify(db.owner, null, COMMISSION_CHECKS);
  // The simulated bank was never asked, so its book misses what the stories paid.
  expect(violations.filter(({ check }) => check !== "success_not_paid")).toEqual([]);
});
