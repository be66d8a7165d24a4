// Write-offs with franchises and carried dues, on a real database. test/dashboard/write-offs.test.ts tests HTTP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise } from "../../../test/support/franchises.ts";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { changeBookSetting } from "../../books/index.ts";
import { dueOf, type Invoice } from "../invoice.ts";
import { writeOffInvoice } from "./write-off.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
  await changeBookSetting({ pool: db.server, merchant: shop.merchant }, { writeOffLimitPaise: 100_000n });
});
afterAll(() => db.close());

/** Writes off the due amount and returns the settlement's id. */
async function writeOff({ invoiceId }: Invoice): Promise<bigint> {
  const context = { pool: db.server, ids: db.ids, merchant: shop.merchant, idempotency: null };
  const { answer } = await writeOffInvoice(context, { invoiceId, date: null, reason: "Bank charges" });
  return BigInt(answer.settlementId);
}

async function franchiseWith(terms: Pick<typeof DRAFT.terms, "commissionType" | "commissionHundredths">) {
  const franchise = await makeFranchise(db, shop.merchant, { terms: { ...DRAFT.terms, ...terms } });
  const due = async (): Promise<bigint> => (await commissionOf(db, franchise)).duePaise;
  return { franchiseId: franchise.franchiseId, due };
}

test("carried dues are written off with the later invoice, earn nothing, and come back when it is reversed", async () => {
  const { franchiseId, due } = await franchiseWith({ commissionType: "Percentage", commissionHundredths: 1000n });
  const first = await shop.save({ franchiseId });
  const second = await shop.save({ franchiseId, customerId: first.customerId, carries: [first.invoiceId] });
  await shop.pay(second, 5900n);
  expect(await due()).toBe(500n);
  const id = await writeOff(second);
  expect([dueOf(await shop.read(first)), dueOf(await shop.read(second))]).toEqual([0n, 0n]);
  expect(await due()).toBe(500n);
  expect(await shop.violations()).toEqual([]);
  await shop.takeBack(id);
  expect(dueOf(await shop.read(second))).toBe(17_700n);
  expect(await due()).toBe(500n);
  expect(await shop.violations()).toEqual([]);
  await shop.pay(second, 17_700n);
  expect(await due()).toBe(2000n);
  expect(await shop.violations()).toEqual([]);
});

test("a fixed commission is earned where only a rest was written off, and not where nobody paid", async () => {
  const { franchiseId, due } = await franchiseWith({ commissionType: "Fixed", commissionHundredths: 5000n });
  const paid = await shop.save({ franchiseId });
  await shop.pay(paid, 11_700n);
  expect(await due()).toBe(0n);
  await writeOff(paid);
  expect(await due()).toBe(5000n);
  await writeOff(await shop.save({ franchiseId }));
  expect(await due()).toBe(5000n);
  expect(await shop.violations()).toEqual([]);
});
