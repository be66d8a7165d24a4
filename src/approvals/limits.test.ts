// Limits and the cooling-off period in the database: what is refused, what is counted, and that concurrent payouts are counted
// exactly. approvals.test.ts tests what waits for approval.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { claim, report, rolledBack } from "../../test/support/ledger.ts";
import { changeMerchant, findPolicy, requireMerchant } from "../merchants/index.ts";
import { actorOf } from "../platform/origin.ts";
import { refusalOf } from "../payouts/make-payout.ts";
import { writePayoutsWithin } from "../payouts/batch/write-payouts.ts";
import { approve } from "./decide-approval.ts";
import { codeOf, FUNDS_PAISE, PolicyStage } from "../../test/support/policy-stage.ts";
import { changeMerchants } from "../../test/support/reprove.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

describe("without a policy", () => {
  test("everything goes, and nothing is kept of it", async () => {
    expect(await findPolicy(stage.db.server, stage.merchant)).toMatchObject({
      approveOverPaise: null,
      dailyLimitPaise: null,
    });
    const payeeSince = Temporal.Now.instant();
    expect((await stage.ask({ amountPaise: FUNDS_PAISE, payeeSince })).outcome).toBe("created");
    expect([await stage.count("payout_day where true"), await stage.count("approval where true")]).toEqual([0, 0]);
  });
});

describe("limits", () => {
  test("one for each payout: what is over it changes nothing, and leaves the reference free", async () => {
    await stage.set({ transferLimitPaise: 5000n });
    const refused = await stage.ask({ amountPaise: 5001n, referenceId: "same" });
    expect([refused.outcome, refused.transferId]).toEqual(["transfer_limit", null]);
    expect(refusalOf(refused).message).toContain("₹50 each");
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE);
    expect((await stage.ask({ amountPaise: 5000n, referenceId: "same" })).outcome).toBe("created");
  });

  test("an earlier transfer is still found by its reference when it would be over the limit by now", async () => {
    const { transfer } = await stage.ask({ amountPaise: 5001n });
    await stage.set({ transferLimitPaise: 100n, dailyLimitPaise: 100n, coolingOffMinutes: 9 });
    const again = await stage.ask({ amountPaise: 5001n, referenceId: transfer.referenceId });
    expect([again.outcome, again.transferId]).toEqual(["existing", transfer.transferId]);
  });

  test("of a day: of a hundred at once exactly what fits is accepted", async () => {
    await stage.set({ dailyLimitPaise: 3700n });
    const payoutRequests = await Promise.all(
      Array.from({ length: 100 }, () => stage.payoutRequest({ amountPaise: 100n })),
    );
    const batches = Array.from({ length: 20 }, (_, index) => payoutRequests.slice(index * 5, index * 5 + 5));
    const outcomes = await Promise.all(batches.map((batch) => stage.accept(batch)));
    const counts = Object.groupBy(outcomes.flat(), ({ outcome }) => outcome);
    expect([counts.created!.length, counts.daily_limit!.length]).toEqual([37, 63]);
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE - 3700n);
    const { outcome, terms, transfer } = await stage.ask({ amountPaise: 1n });
    expect([outcome, terms!.limitPaise, terms!.leftPaise]).toEqual(["daily_limit", 3700n, 0n]);
    expect(refusalOf({ outcome, terms: terms!, transferId: transfer.transferId })).toMatchObject({
      code: "limit_exceeded",
      details: { limit: "37.00", left_today: "0.00" },
    });
  });

  test("of a day: what fails or comes back is free again, and what was paid after all counts", async () => {
    await stage.set({ dailyLimitPaise: 1000n });
    const left = async (): Promise<bigint> => (await stage.ask({ amountPaise: 1001n })).terms!.leftPaise!;
    const { transfer } = await stage.ask({ amountPaise: 600n });
    const lefts = [await left()];
    await claim(stage.db.server, [transfer]);
    for (const status of ["PENDING", "FAILED", "SUCCESS", "SUCCESS", "REVERSED"] as const) {
      await report(stage.db.server, transfer, status);
      lefts.push(await left());
    }
    expect(lefts).toEqual([400n, 400n, 1000n, 400n, 400n, 1000n]);
  });

  test("of a day: the day is the merchant's own, also by a clock that was moved", async () => {
    await stage.set({ dailyLimitPaise: 1000n });
    expect((await stage.ask({ amountPaise: 1000n })).outcome).toBe("created");
    expect((await stage.ask({ amountPaise: 1n })).outcome).toBe("daily_limit");
    const { parts } = stage;
    const clockDate = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 3 });
    await changeMerchant({ ...parts, merchant: stage.merchant }, { clockDate });
    expect((await stage.ask({ amountPaise: 999n })).outcome).toBe("created");
    // A live merchant has no sandbox clock.
    const asked = await stage.payoutRequest({ amountPaise: 1n, rail: "provider" });
    await rolledBack(stage.db.owner, async (connection) => {
      await changeMerchants(connection, "update merchant set live = true where merchant_id = $1", [
        stage.merchant.merchantId,
      ]);
      const batch = { requests: [{ transfer: asked, claim: false }], reports: [] };
      const { outcomes } = await writePayoutsWithin(connection, Temporal.Now.instant(), null, batch);
      expect(outcomes[0]!.outcome).toBe("daily_limit");
    });
    const { rows } = await stage.db.owner.query<{ day: Temporal.PlainDate; counted_paise: bigint }>(
      "select day, counted_paise from payout_day where merchant_id = $1 order by day",
      [stage.merchant.merchantId],
    );
    expect(rows.map((row) => row.counted_paise)).toEqual([1000n, 999n]);
    expect(String(rows[1]!.day)).toBe(String(clockDate));
  });

  test("of a day: nobody changes the day by changing the time zone", async () => {
    const { parts } = stage;
    const move = (timeZone: string) => changeMerchant({ ...parts, merchant: stage.merchant }, { timeZone });
    await move("Asia/Kolkata");
    await stage.set({ dailyLimitPaise: 1000n });
    for (const zone of ["Pacific/Kiritimati", "Pacific/Midway"])
      expect(await codeOf(move(zone))).toBe("validation_failed");
    expect((await requireMerchant(stage.db.server, stage.merchant.merchantId)).timeZone).toBe("Asia/Kolkata");
    await changeMerchant({ ...parts, merchant: stage.merchant }, { timeZone: "Asia/Kolkata", city: "Pune" });
    const { approvalId } = await stage.set({ dailyLimitPaise: null });
    await approve(
      { pool: stage.as(actorOf("user", "2")), merchant: stage.merchant },
      { approvalId: approvalId!, note: "" },
    );
    expect(await codeOf(move("Asia/Dubai"))).toBe("done");
  });

  test("a new beneficiary can't be paid before it has cooled off, and the refusal says from when on it can", async () => {
    await stage.set({ coolingOffMinutes: 60 });
    const payeeSince = Temporal.Now.instant().subtract({ minutes: 59 });
    const refused = await stage.ask({ amountPaise: 100n, payeeSince });
    expect(refused.outcome).toBe("cooling_off");
    const from = payeeSince.add({ minutes: 60 }).round({ smallestUnit: "second", roundingMode: "ceil" });
    const time = from.toZonedDateTimeISO("Asia/Kolkata").toPlainDateTime().toString().replace("T", " ");
    expect(refusalOf(refused)).toMatchObject({ code: "limit_exceeded", details: { payable_from: time } });
    expect((await stage.ask({ amountPaise: 100n, payeeSince: payeeSince.subtract({ minutes: 1 }) })).outcome).toBe(
      "created",
    );
    expect(
      (await stage.ask({ amountPaise: 100n, payeeSince: null, kind: "withdrawal", beneficiaryId: null })).outcome,
    ).toBe("created");
  });
});

test("afterwards the books are sound", async () => {
  expect(await stage.findViolations()).toEqual([]);
});
