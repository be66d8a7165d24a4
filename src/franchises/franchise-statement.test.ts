// A franchise's statement on a real database: it ends with the ledger's balance, also while people settle and record at once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { commissionOf, makeFranchise, receive, takeBack } from "../../test/support/franchises.ts";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import { OwnPayouts } from "../payouts/index.ts";
import { readConfig } from "../platform/config.ts";
import { recordCommissionPayment, reverseCommissionPayment } from "./commission-payment.ts";
import { readFranchiseStatement, type AskedStatement } from "./franchise-statement.ts";
import { CommissionPayer, type Franchise } from "./index.ts";

let db: LedgerDatabase;
let merchant: Merchant;
let other: Merchant;
let today: Temporal.PlainDate;

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant, other] = (await makeMerchants(db, 2, 10_000_000n)) as [Merchant, Merchant];
  today = todayOf(merchant);
});
afterAll(() => db.close());

const DAY = Temporal.Duration.from({ days: 1 });

/** The statement of the days around today, so that no midnight changes it. */
function read({ franchiseId }: Franchise, changes: Partial<AskedStatement> = {}, most?: number) {
  const asked = { franchiseId, from: today.subtract(DAY), to: today.add(DAY), ...changes };
  return readFranchiseStatement({ pool: db.server, merchant }, asked, most);
}

function record({ franchiseId }: Franchise, amountPaise: bigint) {
  const details = { paidDate: today, mode: "Cheque", bankRefNo: "CHQ 000123", note: "" };
  const context = { pool: db.server, ids: db.ids, merchant, idempotency: null };
  return recordCommissionPayment(context, { franchiseId, ...details, amountPaise });
}

/** Moves a franchise's postings so far into an earlier month. */
async function age({ merchantId }: Franchise): Promise<void> {
  const before = today.subtract({ days: 40 }).toZonedDateTime(merchant.timeZone).toInstant().toString();
  await db.owner.query("alter table journal disable trigger user");
  await db.owner.query("update journal set created_at = $2 where merchant_id = $1", [merchantId, before]);
  await db.owner.query("alter table journal enable trigger user");
}

test("names what was earned, reversed and paid, from the opening balance to the closing one", async () => {
  const franchise = await makeFranchise(db, merchant);
  await receive(db, franchise, 40_000n);
  await age(franchise);
  const { accrual } = await receive(db, franchise, 100_000n);
  const { paymentId } = await record(franchise, 9000n);
  await takeBack(db, accrual);
  const found = await read(franchise);
  expect(found).toMatchObject({ openingPaise: 4000n, earnedPaise: 0n, paidPaise: 9000n, closingPaise: -5000n });
  expect(found.lines.map(({ kind, deltaPaise, balancePaise }) => [kind, deltaPaise, balancePaise])).toEqual([
    ["earned", 10_000n, 14_000n],
    ["paid_outside", -9000n, 5000n],
    ["earning_reversed", -10_000n, -5000n],
  ]);
  const { invoiceId } = accrual;
  expect(found.lines[0]).toMatchObject({ invoiceId, payment: null, transferId: null });
  expect(found.lines[1]).toMatchObject({
    invoiceId: null,
    payment: { paymentId: BigInt(paymentId), mode: "Cheque", bankRefNo: "CHQ 000123" },
  });
  expect(found.lines[2], "leads to the invoice").toMatchObject({ invoiceId });

  const context = { pool: db.server, merchant };
  await reverseCommissionPayment(context, { paymentId: BigInt(paymentId), franchiseId: null, reason: "Bounced" });
  const later = await read(franchise);
  expect(later).toMatchObject({ paidPaise: 0n, closingPaise: 4000n });
  expect(later.lines.at(-1)).toMatchObject({ kind: "payment_reversed", deltaPaise: 9000n });

  const earlier = await read(franchise, { from: today.subtract({ days: 60 }), to: today.subtract({ days: 30 }) });
  expect(earlier).toMatchObject({ openingPaise: 0n, earnedPaise: 4000n, paidPaise: 0n, closingPaise: 4000n });
});

test("ends with the ledger's balance at every moment of many settlements at once", async () => {
  const [franchise, neighbour] = [await makeFranchise(db, merchant), await makeFranchise(db, merchant)];
  await receive(db, franchise, 100_000n);
  await receive(db, neighbour, 50_000n);
  const payer = new CommissionPayer(new OwnPayouts(readConfig({})));
  const settle = () =>
    payer.settle(
      { pool: db.server, ids: db.ids, merchant: franchise },
      { franchiseId: franchise.franchiseId, expectedPaise: null },
    );
  const statements: Awaited<ReturnType<typeof read>>[] = [];
  const look = async () => void statements.push(await read(franchise));
  const results = await Promise.allSettled([
    ...Array.from({ length: 6 }, () => record(franchise, 2000n)),
    ...Array.from({ length: 6 }, () => receive(db, franchise, 10_000n)),
    ...Array.from({ length: 6 }, look),
    ...Array.from({ length: 3 }, settle),
  ]);
  expect(results.slice(6, 18).every(({ status }) => status === "fulfilled")).toBe(true);
  for (const { openingPaise, paidPaise, closingPaise, lines } of statements) {
    expect(closingPaise).toBe(lines.reduce((sum, { deltaPaise }) => sum + deltaPaise, openingPaise));
    const payments = lines.filter(({ kind }) => kind === "paid_outside");
    expect(paidPaise).toBe(-payments.reduce((sum, { deltaPaise }) => sum + deltaPaise, 0n));
  }
  const final = await read(franchise);
  expect(final.closingPaise).toBe((await commissionOf(db, franchise)).duePaise);
  expect(final.earnedPaise).toBe((await commissionOf(db, franchise)).accruedPaise);
  expect(final.paidPaise).toBe((await commissionOf(db, franchise)).paidPaise);
  expect((await read(neighbour)).lines, "only its own").toHaveLength(1);
});

test("another merchant's franchise is not found, and more lines than fit are refused", async () => {
  const foreign = await makeFranchise(db, other);
  await expect(read(foreign)).rejects.toMatchObject({ code: "franchise_not_found" });
  const franchise = await makeFranchise(db, merchant);
  await receive(db, franchise, 10_000n);
  await receive(db, franchise, 10_000n);
  await expect(read(franchise, {}, 1)).rejects.toMatchObject({ code: "validation_failed" });
  expect((await read(franchise, {}, 2)).lines).toHaveLength(2);
});
