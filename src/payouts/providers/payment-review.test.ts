// Payments whose outcome changes without a webhook: a returned success, and a failure that is paid after all. Re-checks notice
// both. The tests pass the time, so that nothing has to wait.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  accept,
  applyReports,
  claim,
  newTransfer,
  openLedgerDatabase,
  reportOn,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { openLivePayer } from "../../../test/support/stand-ins.ts";
import type { StandIn } from "../../../stand-ins/stand-in.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, type OwnedPool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import { Rails } from "./rails.ts";
import type { PaymentReport } from "../rails/rail.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify } from "../verify/verify.ts";
import { PaymentReview } from "./payment-review.ts";

const FUNDS_PAISE = 10_000_000n;
const NEVER = new AbortController().signal;

let db: LedgerDatabase;
let payouts: OwnedPool;

async function violations(of: { readonly bucket: number; readonly merchantId: bigint }): Promise<unknown[]> {
  // These re-checks ran by a clock that is ahead.
  await db.owner.query("update payment_review set due_at = least(due_at, now())");
  return [...(await verify(db.owner, of)).violations];
}

beforeAll(async () => {
  db = await openLedgerDatabase();
  payouts = withTestSecrets(createPool({ url: db.url, size: 2, role: "nodal_payouts", pipelined: true }));
});
afterAll(async () => {
  await payouts.end();
  await db.close();
});

describe.each(["cashfree", "razorpayx"] as const)("%s", (name) => {
  let bank: StandIn;
  let merchant: Merchant;
  let rails: Rails;
  let rail: string;
  let ended: NewTransfer[];
  let heard: PaymentReport[];
  let review: PaymentReview;

  beforeEach(async () => {
    ({ bank, merchant, rail } = await openLivePayer(db, name, FUNDS_PAISE));
    rails = new Rails(payouts, null, 5000);
    heard = [];
    review = newReview();
    return () => bank.stop();
  });

  function newReview(): PaymentReview {
    const hear = async (report: PaymentReport): Promise<void> => {
      heard.push(report);
      await applyReports(db.server, Temporal.Now.instant(), [{ ...report, dueAt: null, attempts: 1 }]);
    };
    return new PaymentReview({ pool: payouts, rails, hear, logger: createLogger("silent") });
  }

  /** Booked transfers with this outcome at the provider; their fees may be reported later. */
  async function end(state: "PAID" | "FAILED" | "REJECTED", count: number, saysFee = true): Promise<void> {
    const connector = await rails.connector(rail, merchant);
    const payoutRequests = Array.from({ length: count }, async (_, index) => ({
      ...newTransfer(merchant, await db.ids.next(), 1000n + BigInt(index), `${state} ${count} ${index}`),
      rail,
    }));
    ended = [...(await accept(db.server, await Promise.all(payoutRequests)))];
    await claim(db.server, ended);
    for (const { payee, railMode: mode, ...transfer } of ended) {
      await connector.submit({ ...transfer, payee, mode }, NEVER);
      const { providerId } = bank.desk.book.listPayments().at(-1)!;
      const reason = state === "PAID" ? null : "BENE_BANK_DECLINED: Declined.";
      bank.desk.book.move(providerId, state, reason, bank.desk.clock.nowMs());
      const { fee, ...report } = (await connector.status(transfer, NEVER))!;
      const said = { ...report, ...(saysFee && fee ? { fee } : {}), dueAt: null, attempts: 1 };
      await applyReports(db.server, Temporal.Now.instant(), [said]);
    }
  }

  /** A transfer with this outcome over an account that no longer exists. */
  async function endOverOther(status: "SUCCESS" | "FAILED"): Promise<void> {
    const id = await db.ids.next();
    const transfer = { ...newTransfer(merchant, id, 1000n, `other ${id}`), rail: rail.replace(/[0-9]+$/, "1") };
    await accept(db.server, [transfer]);
    await claim(db.server, [transfer]);
    await applyReports(db.server, Temporal.Now.instant(), [reportOn(transfer, status)]);
  }

  const pay = (count: number, saysFee = true): Promise<void> => end("PAID", count, saysFee);

  function move(transfer: NewTransfer, state: "PAID" | "REVERSED", reason: string | null): void {
    const { providerId } = bank.desk.book
      .listPayments()
      .find(({ amountPaise }) => amountPaise === transfer.amountPaise)!;
    bank.desk.book.move(providerId, state, reason, bank.desk.clock.nowMs());
  }

  const sendBack = (transfer: NewTransfer): void => move(transfer, "REVERSED", "RETURNED_FROM_BENEFICIARY: Sent back.");
  const payLate = (transfer: NewTransfer): void => move(transfer, "PAID", null);

  async function states(): Promise<string[]> {
    const { rows } = await db.owner.query<{ state: string }>(
      "select state from transfer where merchant_id = $1 order by transfer_id",
      [merchant.merchantId],
    );
    return rows.map(({ state }) => state);
  }

  const after = (duration: Temporal.DurationLike) => Temporal.Now.instant().add(duration);

  const WAITS = [
    ["an hour", { minutes: 59 }, { minutes: 61 }],
    ["a day", { hours: 23 }, { hours: 25 }],
    ["three working days", { hours: 26 }, { hours: 24 * 9 }],
  ] as const;

  test.each(WAITS)("what came back without a webhook is noticed after %s, once", async (_, before, then) => {
    await pay(3);
    // Payments that were confirmed before are not asked about again.
    await review.runDue(after(before));
    sendBack(ended[1]!);
    await review.runDue(after(before));
    expect(await states()).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
    await newReview().runDue(after(then));
    expect(await states()).toEqual(["SUCCESS", "REVERSED", "SUCCESS"]);
    await newReview().runDue(after({ hours: 24 * 20 }));
    expect(heard.filter(({ status }) => status === "REVERSED")).toHaveLength(1);
  });

  describe.each(["FAILED", "REJECTED"] as const)("what was %s and is paid after all, without a webhook", (state) => {
    test.each(WAITS)("is noticed after %s, once", async (_, before, then) => {
      await end(state, 2);
      await review.runDue(after(before));
      payLate(ended[1]!);
      await review.runDue(after(before));
      expect(await states()).toEqual([state, state]);
      await newReview().runDue(after(then));
      expect(await states()).toEqual([state, "SUCCESS"]);
      await newReview().runDue(after({ hours: 24 * 20 }));
      // An unchanged outcome is not reported, however often the provider is asked.
      expect(heard.map(({ status }) => status)).toEqual(["SUCCESS"]);
      expect(await violations(merchant)).toEqual([]);
    });
  });

  test("a late success is taken from what is available, and owed where that does not suffice", async () => {
    await end("FAILED", 2);
    const [first, second] = ended as [NewTransfer, NewTransfer];
    await accept(db.server, [
      { ...newTransfer(merchant, await db.ids.next(), FUNDS_PAISE - first.amountPaise - 500n, "spent again"), rail },
    ]);
    payLate(first);
    payLate(second);
    await review.runDue(after({ hours: 2 }));
    const { rows } = await db.owner.query<{ kind: string }>(
      "select kind from journal where merchant_id = $1 and kind like 'late%' order by subject_id",
      [merchant.merchantId],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(["late_success", "late_success_unfunded"]);
    expect(await violations(merchant)).toEqual([]);
  });

  test("an account that can't be asked keeps no payment over another from being asked about", async () => {
    await endOverOther("FAILED");
    await end("FAILED", 1);
    payLate(ended[0]!);
    await expect(review.runDue(after({ hours: 2 }))).rejects.toThrow(/no account named/);
    expect(await states()).toEqual(["FAILED", "SUCCESS"]);
  });

  test("many are asked about in few calls, in turns, and none is left out", async () => {
    await pay(25);
    for (const transfer of ended.slice(0, 24)) sendBack(transfer);
    await review.runDue(after({ hours: 2 }));
    expect(await states()).toEqual([...Array<string>(24).fill("REVERSED"), "SUCCESS"]);
  });

  test("what the provider took is booked once, also where it first says so when it is asked again", async () => {
    await pay(2, false);
    await pay(1);
    const fees = async () => {
      const { rows } = await db.owner.query<{ subject_id: bigint; count: number; paise: bigint }>(
        `select subject_id, count(*)::integer as count, sum(amount_paise)::bigint as paise from journal
         where merchant_id = $1 and kind like 'fee%' group by subject_id order by subject_id`,
        [merchant.merchantId],
      );
      return rows.map(({ count, paise }) => [count, paise]);
    };
    expect(await fees()).toHaveLength(1);
    await review.runDue(after({ hours: 2 }));
    const [booked] = await fees();
    expect(booked![1]).toBeGreaterThan(0n);
    expect(await fees()).toEqual([booked, booked, booked]);
    await newReview().runDue(after({ hours: 25 }));
    for (const report of heard)
      await applyReports(db.server, Temporal.Now.instant(), [{ ...report, dueAt: null, attempts: 1 }]);
    expect(await fees()).toEqual([booked, booked, booked]);
    expect(heard).toHaveLength(2);
    expect(await violations(merchant)).toEqual([]);
  });

  test("an account that can't be asked any more holds up what was paid over others for two weeks, not for good", async () => {
    await endOverOther("SUCCESS");
    await pay(1);
    sendBack(ended[0]!);
    await expect(review.runDue(after({ hours: 2 }))).rejects.toThrow(/no account named/);
    await newReview().runDue(after({ hours: 15 * 24 }));
    expect(await states()).toEqual(["SUCCESS", "REVERSED"]);
  });

  test("a provider that is away is asked again later", async () => {
    await pay(3);
    sendBack(ended[2]!);
    bank.desk.faults.add({ kind: "error_before", on: "status" });
    await expect(review.runDue(after({ hours: 2 }))).rejects.toThrow(/500/);
    bank.desk.faults.clear();
    await review.runDue(after({ hours: 3 }));
    expect(await states()).toEqual(["SUCCESS", "SUCCESS", "REVERSED"]);
  });
});
