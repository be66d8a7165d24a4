// Commission, its terms and its franchise that are changed with SQL for a few seconds and then restored: nothing is paid or earned.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise, receive, takeBack } from "../../test/support/franchises.ts";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { codeOf } from "../../test/support/policy-stage.ts";
import { TEST_ACTOR, withTestSecrets } from "../../test/support/secrets.ts";
import type { Merchant } from "../merchants/index.ts";
import { OwnPayouts, verify } from "../payouts/index.ts";
import { createPool, type OwnedPool } from "../platform/database/pool.ts";
import { readConfig } from "../platform/config.ts";
import { CommissionPayer, COMMISSION_CHECKS, changeTerms, type Franchise } from "./index.ts";
import { findForgedCommission } from "./find-forged.ts";

const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));
let db: LedgerDatabase;
let merchant: Merchant;
/** The connections of a user without permission to move money: commission from that user's changes is put on hold. */
let limited: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  limited = withTestSecrets(
    createPool({
      url: db.url,
      size: 2,
      role: "nodal_server",
      actor: TEST_ACTOR,
      settings: { "nodal.may_move_money": "off" },
    }),
  );
  [merchant] = (await makeMerchants(db, 1, 10_000_000n)) as [Merchant];
});
afterAll(async () => {
  await limited.end();
  await db.close();
});

const earn = (franchise: Franchise, paise = 10_000n) => receive(db, franchise, paise);
const earnWaiting = (franchise: Franchise) => receive({ server: limited, ids: db.ids }, franchise, 10_000n);

function settle(franchise: Franchise) {
  const request = { franchiseId: franchise.franchiseId, expectedPaise: null };
  return commissionPayer.settle({ pool: db.server, ids: db.ids, merchant: franchise }, request);
}

/** The state of the automatic payout of a franchise's day. */
async function payDue(franchise: Franchise): Promise<unknown> {
  await db.owner.query("update franchise set next_payout_at = '2020-01-01' where franchise_id = $1", [
    franchise.franchiseId,
  ]);
  const due = { franchise: { ...franchise, nextPayoutAt: Temporal.Instant.from("2020-01-01T00:00:00Z") } };
  const times = { timeZone: merchant.timeZone, merchantNow: Temporal.Now.instant() };
  const paid = commissionPayer.payDue({ pool: db.server, ids: db.ids }, { ...due, ...times });
  const code = await codeOf(paid);
  if (code !== "done") return code;
  const outcome = await paid;
  return outcome === null || outcome === "waits" ? outcome : outcome.outcome;
}

const run = async (statement: string, { franchiseId }: Franchise): Promise<void> => {
  await db.owner.query(statement, [franchiseId]);
};

async function findings(): Promise<string[]> {
  const { violations } = await verify(db.owner, merchant, COMMISSION_CHECKS);
  return [...violations, ...(await findForgedCommission(db.owner, merchant))].map(({ check }) => check);
}

test("what waits is paid once somebody who may move money has settled it", async () => {
  const franchise = await makeFranchise(db, merchant);
  await earnWaiting(franchise);
  expect(await payDue(franchise)).toBe("waits");
  expect(await findings()).toEqual([]);
  await settle(franchise);
  await earn(franchise);
  expect(await payDue(franchise)).toBe("accepted");
  expect(await findings()).toEqual([]);
});

test("what waited and was taken back waits no more", async () => {
  const franchise = await makeFranchise(db, merchant);
  const { accrual } = await earnWaiting(franchise);
  await earn(franchise);
  await takeBack(db, accrual);
  expect(await payDue(franchise)).toBe("accepted");
  expect(await findings()).toEqual([]);
});

describe("commission that waits stays unpaid", () => {
  test("where its rows say for a moment that it does not wait", async () => {
    const franchise = await makeFranchise(db, merchant);
    await earnWaiting(franchise);
    await run("update commission set waits = false where franchise_id = $1", franchise);
    expect(await payDue(franchise)).toBe("waits");
    expect(await findings()).toContain("commission_proof");
    expect(await findings()).toContain("commission_hold");
    await run("update commission set waits = true where franchise_id = $1", franchise);
    expect(await findings()).toEqual([]);
    expect(await payDue(franchise)).toBe("waits");
  });

  test.each([
    ["update commission_hold set waiting_paise = 0 where franchise_id = $1"],
    ["delete from commission_hold where franchise_id = $1"],
  ])("where its hold is changed for a moment: %s", async (statement) => {
    const franchise = await makeFranchise(db, merchant);
    await earnWaiting(franchise);
    await db.owner.query(
      `create table kept as select * from commission_hold where franchise_id = ${franchise.franchiseId}`,
    );
    await run(statement, franchise);
    expect(await payDue(franchise)).toBe("access_denied");
    expect(await findings()).toContain("commission_hold");
    await run("delete from commission_hold where franchise_id = $1", franchise);
    await db.owner.query("insert into commission_hold select * from kept");
    await db.owner.query("drop table kept");
    expect(await payDue(franchise)).toBe("waits");
    expect(await commissionOf(db, franchise)).toMatchObject({ paidPaise: 0n, duePaise: 1000n });
  });
});

describe("a franchise that is changed for a moment", () => {
  test.each([
    ["beneficiary_id = 1", "beneficiary_id = $b", "access_denied"],
    ["deleted_at = now()", "deleted_at = null", null],
  ])("is not paid: %s", async (change, back, byItself) => {
    const franchise = await makeFranchise(db, merchant);
    await earn(franchise);
    await run(`update franchise set ${change} where franchise_id = $1`, franchise);
    expect(await payDue(franchise)).toBe(byItself);
    expect(await codeOf(settle(franchise))).toBe("access_denied");
    const restored = back.replace("$b", String(franchise.beneficiaryId));
    await run(`update franchise set ${restored} where franchise_id = $1`, franchise);
    expect(await payDue(franchise)).toBe("accepted");
  });

  test("one that is settled by hand is not paid by itself", async () => {
    const manual = { ...DRAFT.terms, settlementType: "Manual" } as const;
    const franchise = await makeFranchise(db, merchant, { terms: manual });
    await earn(franchise);
    await run("update franchise set settlement_type = 'Auto' where franchise_id = $1", franchise);
    expect(await payDue(franchise)).toBe("access_denied");
    await run("update franchise set settlement_type = 'Manual' where franchise_id = $1", franchise);
    expect(await payDue(franchise)).toBeNull();
  });

  test("earns nothing under other terms, also of an invoice that keeps its own", async () => {
    const franchise = await makeFranchise(db, merchant);
    const { accrual } = await earn(franchise);
    await run("update franchise set commission_hundredths = 9000 where franchise_id = $1", franchise);
    expect(await codeOf(earn(franchise))).toBe("access_denied");
    await run("update franchise set commission_hundredths = 1000 where franchise_id = $1", franchise);
    await run("update commission_rate set commission_hundredths = 9000 where franchise_id = $1", franchise);
    const again = () => receive(db, franchise, 10_000n, { invoiceId: accrual.invoiceId });
    expect(await codeOf(again())).toBe("access_denied");
    await run("update commission_rate set commission_hundredths = 1000 where franchise_id = $1", franchise);
    await run("update commission set reversed_paise = amount_paise where franchise_id = $1", franchise);
    expect(await codeOf(again())).toBe("access_denied");
    await run("update commission set reversed_paise = 0 where franchise_id = $1", franchise);
    expect(await commissionOf(db, franchise)).toMatchObject({ accruedPaise: 1000n });
  });

  test("is not proved anew by a genuine change of its terms", async () => {
    const franchise = await makeFranchise(db, merchant);
    await earn(franchise);
    await run("update franchise set beneficiary_id = 1 where franchise_id = $1", franchise);
    const terms = { ...DRAFT.terms, commissionHundredths: 500n };
    await changeTerms({ pool: db.server, merchant }, { franchiseId: franchise.franchiseId, terms });
    expect(await codeOf(settle(franchise))).toBe("access_denied");
  });
});
