// verify over commission: a sound database passes, and each invariant that is broken on purpose is reported.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFranchise, receive, takeBack } from "../../../test/support/franchises.ts";
import { claim, makeMerchants, openLedgerDatabase, report, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { CommissionPayer, COMMISSION_CHECKS, type Franchise } from "../../franchises/index.ts";
import type { Merchant } from "../../merchants/index.ts";
import { readConfig } from "../../platform/config.ts";
import { OwnPayouts } from "../own-payouts.ts";
import { COMMISSION_BREAKAGES } from "../../../test/support/commission-breakages.ts";
import { verifySnapshot } from "./verify.ts";

let db: LedgerDatabase;
/** The values of the names in the breakages. */
const ids = new Map<string, bigint>();

beforeAll(async () => {
  db = await openLedgerDatabase();
  const [merchant] = (await makeMerchants(db, 1, 1_000_000n)) as [Merchant];
  const [franchise, other] = [await makeFranchise(db, merchant), await makeFranchise(db, merchant)];
  const { accrual } = await receive(db, franchise, 10_000n);
  ids.set("merchant", merchant.merchantId).set("franchise", franchise.franchiseId).set("other", other.franchiseId);
  ids.set("settlement", accrual.settlementId);
  ids.set("returned", await pay(franchise, "SUCCESS", "REVERSED"));
  ids.set("paid", await pay(franchise, "SUCCESS"));
  const { accrual: second } = await receive(db, franchise, 5000n);
  await takeBack(db, second);
  ids.set("reversed", second.settlementId);
});
afterAll(() => db.close());

async function pay(franchise: Franchise, ...statuses: ("SUCCESS" | "REVERSED")[]): Promise<bigint> {
  const context = { pool: db.server, ids: db.ids, merchant: franchise };
  const payer = new CommissionPayer(new OwnPayouts(readConfig({})));
  const payout = await payer.settle(context, { franchiseId: franchise.franchiseId, expectedPaise: null });
  if (payout.outcome !== "accepted") throw new Error(payout.outcome);
  const transfer = { bucket: franchise.bucket, merchantId: franchise.merchantId, transferId: payout.transferId };
  await claim(db.server, [transfer]);
  await db.owner.query(
    `insert into simulator.payment (bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr,
       acknowledged)
     values ($1, $2, $3, $4, 'IMPS', 'Meera Shah', $5, $6, true)`,
    [
      transfer.bucket,
      transfer.merchantId,
      transfer.transferId,
      payout.amountPaise,
      statuses.at(-1),
      `UTR${transfer.transferId}`,
    ],
  );
  await report(db.server, transfer, ...statuses);
  return transfer.transferId;
}

function named(text: string): string {
  return text.replace(/\$([a-z]+)/g, (_, name: string) => String(ids.get(name)));
}

/** Runs SQL as the owner in a transaction, verifies inside it, and takes all of it back. */
async function verifyBroken(statements: readonly string[]) {
  const connection = await db.owner.connect();
  try {
    await connection.query("begin");
    for (const statement of statements) await connection.query(named(statement));
    return await verifySnapshot(connection, null, COMMISSION_CHECKS);
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}

test("a sound database passes", async () => {
  const { violations, transfers } = await verifyBroken([]);
  expect({ violations, transfers }).toEqual({ violations: [], transfers: 2 });
});

test.each(COMMISSION_BREAKAGES.map((breakage) => [breakage.what, breakage] as const))("%s", async (_, breakage) => {
  const { violations } = await verifyBroken(breakage.break);
  expect([...new Set(violations.map(({ check }) => check))].sort()).toEqual(breakage.reports);
  const subjects = breakage.subjects?.map((name) => ids.get(name));
  const found = violations.filter(({ subjectId }) => !subjects || subjects.includes(subjectId!));
  expect(found.length).toBeGreaterThan(0);
  if (breakage.expected) expect(found.map(({ expected }) => expected)).toContain(named(breakage.expected));
  if (breakage.found) expect(found.map((violation) => violation.found)).toContain(named(breakage.found));
});

test("every check of commission has a breakage", () => {
  const broken = new Set(COMMISSION_BREAKAGES.flatMap(({ reports }) => reports));
  expect(COMMISSION_CHECKS.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
});
