// Money that comes back without a webhook: it is noticed when successes are looked at again.
// What belongs here: a database, and stand-ins of both providers. A clock is given, so that nothing has to wait.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  accept,
  applyReports,
  claim,
  newTransfer,
  openLedgerDatabase,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { openLivePayer } from "../../../test/support/stand-ins.ts";
import type { StandIn } from "../../../stand-ins/stand-in.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, type OwnedPool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import { Rails } from "../rails/rails.ts";
import type { PaymentReport } from "../rails/rail.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify } from "../verify.ts";
import { SuccessReview } from "./success-review.ts";

const FUNDS_PAISE = 10_000_000n;
const NEVER = new AbortController().signal;

let db: LedgerDatabase;
let payouts: OwnedPool;

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
  let paid: NewTransfer[];
  let heard: PaymentReport[];
  let review: SuccessReview;

  beforeEach(async () => {
    ({ bank, merchant, rail } = await openLivePayer(db, name, FUNDS_PAISE));
    rails = new Rails(payouts, null, 5000);
    heard = [];
    review = newReview();
    return () => bank.stop();
  });

  function newReview(): SuccessReview {
    const hear = async (report: PaymentReport): Promise<void> => {
      heard.push(report);
      await applyReports(db.server, Temporal.Now.instant(), [{ ...report, dueAt: null, attempts: 1 }]);
    };
    return new SuccessReview({ pool: payouts, rails, hear, logger: createLogger("silent") });
  }

  /** Transfers that the provider has paid, as the books know; what it took for them may come later. */
  async function pay(count: number, saysFee = true): Promise<void> {
    const connector = await rails.connector(rail, merchant);
    const wishes = Array.from({ length: count }, async (_, index) => ({
      ...newTransfer(merchant, await db.ids.next(), 1000n + BigInt(index), `pay ${count} ${index}`),
      rail,
    }));
    paid = [...(await accept(db.server, await Promise.all(wishes)))];
    await claim(db.server, paid);
    for (const { payee, railMode: mode, ...transfer } of paid) {
      await connector.submit({ ...transfer, payee, mode }, NEVER);
      const { providerId } = bank.desk.book.listPayments().at(-1)!;
      bank.desk.book.move(providerId, "PAID", null, bank.desk.clock.nowMs());
      const { fee, ...report } = (await connector.status(transfer, NEVER))!;
      const said = { ...report, ...(saysFee && fee ? { fee } : {}), dueAt: null, attempts: 1 };
      await applyReports(db.server, Temporal.Now.instant(), [said]);
    }
  }

  function sendBack(transfer: NewTransfer): void {
    const { providerId } = bank.desk.book
      .listPayments()
      .find(({ amountPaise }) => amountPaise === transfer.amountPaise)!;
    bank.desk.book.move(providerId, "REVERSED", "RETURNED_FROM_BENEFICIARY: Sent back.", bank.desk.clock.nowMs());
  }

  async function states(): Promise<string[]> {
    const { rows } = await db.owner.query<{ state: string }>(
      "select state from transfer where merchant_id = $1 order by transfer_id",
      [merchant.merchantId],
    );
    return rows.map(({ state }) => state);
  }

  const after = (duration: Temporal.DurationLike) => Temporal.Now.instant().add(duration);

  test.each([
    ["an hour", { minutes: 59 }, { minutes: 61 }],
    ["a day", { hours: 23 }, { hours: 25 }],
    ["three working days", { hours: 26 }, { hours: 24 * 9 }],
  ])("what came back without a webhook is noticed after %s, once", async (_, before, then) => {
    await pay(3);
    // What was right before is not asked about again.
    await review.runDue(after(before));
    sendBack(paid[1]!);
    await review.runDue(after(before));
    expect(await states()).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
    await newReview().runDue(after(then));
    expect(await states()).toEqual(["SUCCESS", "REVERSED", "SUCCESS"]);
    await newReview().runDue(after({ hours: 24 * 20 }));
    expect(heard.filter(({ status }) => status === "REVERSED")).toHaveLength(1);
  });

  test("many are asked about in few calls, in turns, and none is left out", async () => {
    await pay(25);
    for (const transfer of paid.slice(0, 24)) sendBack(transfer);
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
    expect((await verify(db.owner, merchant)).violations).toEqual([]);
  });

  test("an account that can't be asked any more holds up what was paid over others for two weeks, not for good", async () => {
    await pay(2);
    await db.owner.query("update transfer set rail = $2 where transfer_id = $1", [
      paid[0]!.transferId,
      rail.replace(/[0-9]+$/, "1"),
    ]);
    sendBack(paid[1]!);
    await expect(review.runDue(after({ hours: 2 }))).rejects.toThrow(/no account that is called/);
    await newReview().runDue(after({ hours: 15 * 24 }));
    expect(await states()).toEqual(["SUCCESS", "REVERSED"]);
  });

  test("a provider that is away is asked again later", async () => {
    await pay(3);
    sendBack(paid[2]!);
    bank.desk.faults.add({ kind: "error_before", on: "status" });
    await expect(review.runDue(after({ hours: 2 }))).rejects.toThrow(/500/);
    bank.desk.faults.clear();
    await review.runDue(after({ hours: 3 }));
    expect(await states()).toEqual(["SUCCESS", "SUCCESS", "REVERSED"]);
  });
});
