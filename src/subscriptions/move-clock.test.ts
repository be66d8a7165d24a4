// The sandbox's clock: concurrent moves, and what falls due by them: commission, approvals. test/wire/subscriptions.test.ts tests
// subscriptions by the clock.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commissionOf, makeFranchise, receive } from "../../test/support/franchises.ts";
import { rolledBack } from "../../test/support/ledger.ts";
import { approve } from "../approvals/index.ts";
import { CommissionPayer, findFranchise, type Franchise } from "../franchises/index.ts";
import { changeMerchant, findApprovals, nowOf, requireMerchant, todayOf, type Merchant } from "../merchants/index.ts";
import { OwnPayouts } from "../payouts/index.ts";
import { codeOf, PolicyStage } from "../../test/support/policy-stage.ts";
import { readConfig } from "../platform/config.ts";
import { createLogger } from "../platform/log.ts";
import { actorOf } from "../platform/origin.ts";
import { advanceClock, resetClock, type ClockMove } from "./move-clock.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

const context = () => {
  const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));
  return { ...stage.context, commissionPayer, logger: createLogger("silent") };
};

function inDays(days: number): Temporal.PlainDate {
  return Temporal.Now.plainDateISO("Asia/Kolkata").add({ days });
}

function advance(days: number): Promise<ClockMove> {
  return advanceClock(context(), { to: inDays(days) });
}

async function daysAhead(): Promise<number> {
  const merchant = await requireMerchant(stage.db.server, stage.merchant.merchantId);
  return inDays(0).until(todayOf(merchant)).days;
}

async function payoutsTo({ franchiseId }: Franchise): Promise<{ amount_paise: bigint; actor: string }[]> {
  const { rows } = await stage.db.owner.query<{ amount_paise: bigint; actor: string }>(
    `select transfer.amount_paise, actor from transfer
     join journal on journal.subject_id = transfer_id and journal.type = 'commission.accepted'
     where franchise_id = $1 order by transfer_id`,
    [franchiseId],
  );
  return rows;
}

test("of many moves at once none takes the clock back", async () => {
  const seen: number[] = [];
  let isDone = false;
  const watch = (async () => {
    while (!isDone) seen.push(await daysAhead());
  })();
  const days = [24, 23, 26, 25, 22, 21, 28, 27, 30, 29, 20, 31];
  const codes = await Promise.all(days.map((day) => codeOf(advance(day))));
  isDone = true;
  await watch;
  expect(codes.filter((code) => code !== "done" && code !== "validation_failed")).toEqual([]);
  expect(codes[days.indexOf(31)]).toBe("done");
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(await daysAhead()).toBe(31);
  const { rows } = await stage.db.owner.query<{ day: string }>(
    "select after ->> 'clock_date' as day from journal where merchant_id = $1 and type = 'merchant.changed' order by entry_no",
    [stage.merchant.merchantId],
  );
  const moves = rows.map((row) => row.day);
  expect(moves).toEqual(moves.toSorted());
});

describe("commission", () => {
  test("is paid by the merchant's clock, once for each day that it comes to", async () => {
    const franchise = await makeFranchise(stage.db, stage.merchant);
    await receive(stage.db, franchise, 10_000n);
    await advance(0);
    expect(await payoutsTo(franchise)).toEqual([]);
    await advance(1);
    const first = { amount_paise: 1000n, actor: "job:commission payouts" };
    expect(await payoutsTo(franchise)).toEqual([first]);
    await receive(stage.db, franchise, 5000n);
    await advance(1);
    expect(await payoutsTo(franchise)).toEqual([first]);
    await advance(10);
    expect(await payoutsTo(franchise)).toEqual([first, { ...first, amount_paise: 500n }]);
    const { nextPayoutAt } = (await findFranchise(stage.db.server, franchise))!;
    expect(nextPayoutAt.toZonedDateTimeISO("Asia/Kolkata").toPlainDate()).toEqual(inDays(11));
  });

  test("of a franchise that is saved on a later day is due on the day after that", async () => {
    const { merchant } = await advance(100);
    const franchise = await makeFranchise(stage.db, merchant);
    expect(franchise.nextPayoutAt.toZonedDateTimeISO("Asia/Kolkata").toPlainDate()).toEqual(inDays(101));
  });

  test("is paid from tomorrow on again when the clock goes back", async () => {
    const franchise = await makeFranchise(stage.db, stage.merchant);
    await advance(400);
    await resetClock(context());
    const { nextPayoutAt } = (await findFranchise(stage.db.server, franchise))!;
    expect(nextPayoutAt.toZonedDateTimeISO("Asia/Kolkata").toPlainDate()).toEqual(inDays(1));
    expect((await commissionOf(stage.db, franchise)).duePaise).toBe(0n);
  });
});

describe("an approval", () => {
  const ravi = () => stage.as(actorOf("user", "3"));
  beforeEach(() => stage.set({ approveOverPaise: 0n, approvePayees: true }).then(() => undefined));

  test("expires by the merchant's clock, also where whoever moves it has asked for it", async () => {
    const transfer = await stage.waiting();
    await advance(2);
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    await advance(4);
    expect(await stage.stateOf(transfer)).toBe("REJECTED");
    const [approval] = await findApprovals(stage.db.server, stage.merchant, [transfer.transferId]);
    expect(approval).toMatchObject({ decision: "expired", decidedBy: "job:approvals" });
  });

  test("can't be given once its time is over by that clock", async () => {
    const transfer = await stage.waiting();
    await changeMerchant(stage.context, { clockDate: inDays(4) });
    expect(
      await codeOf(approve({ pool: ravi(), merchant: stage.merchant }, { approvalId: transfer.transferId, note: "" })),
    ).toBe("approval_decided");
  });

  test("that is asked for on a later day has its time from then on", async () => {
    await advance(300);
    const transfer = await stage.waiting();
    const asked = await changeMerchant(stage.context, {
      bankAccount: "12345678",
      ifsc: "HDFC0000001",
    });
    await advance(302);
    const again = await changeMerchant(stage.context, {
      bankAccount: "12345678",
      ifsc: "HDFC0000001",
    });
    expect(again.approvalId).toBe(asked.approvalId);
    expect(
      await codeOf(approve({ pool: ravi(), merchant: stage.merchant }, { approvalId: transfer.transferId, note: "" })),
    ).toBe("done");
    await advance(304);
    const [account] = await findApprovals(stage.db.server, stage.merchant, [asked.approvalId!]);
    expect(account!.decision).toBe("expired");
  });
});

test.each([
  ["Asia/Kolkata", 3, false],
  ["Pacific/Kiritimati", 40, false],
  ["America/New_York", 200, false],
  ["Asia/Kolkata", 3, true],
  ["Asia/Kolkata", -2, false],
])("the database shows the same time as the code: %s, %d days ahead, live %s", async (timeZone, days, live) => {
  const clockDate = Temporal.Now.plainDateISO(timeZone).add({ days });
  const merchant: Merchant = { ...stage.merchant, timeZone, live, clockDate };
  await rolledBack(stage.db.owner, async (connection) => {
    const { rows } = await connection.query<{ shown: Temporal.Instant }>(
      "select merchant_now(clock_timestamp(), $1, $2, $3) as shown",
      [timeZone, live, clockDate.toString()],
    );
    expect(Math.abs(rows[0]!.shown.until(nowOf(merchant)).total("seconds"))).toBeLessThan(5);
  });
});

test("afterwards the books are sound", async () => {
  // No invoice earned the stage's commission.
  const violations = (await stage.findViolations()) as { check: string }[];
  expect(violations.filter(({ check }) => check !== "commission_source")).toEqual([]);
});
