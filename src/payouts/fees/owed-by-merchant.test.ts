// A merchant's debt after a late success or for a provider's fee: incoming money settles it before anything can be spent.
// The ledger's own rules have their own test.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  accept,
  acceptTransfers,
  applyReports,
  fund,
  makeLiveMerchants,
  newTransfer,
  openLedgerDatabase,
  PROCESS_ID,
  report,
  reportOn,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { readAccounts } from "../../../test/support/ledger-comparison.ts";
import { readOwed } from "../../ledger/index.ts";
import { changeMerchant, type Merchant } from "../../merchants/index.ts";
import type { ProviderFee } from "../rails/rail.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify } from "../verify/verify.ts";

const FUNDS_PAISE = 100_000n;
const FEE: ProviderFee = { feePaise: 500n, taxPaise: 90n };

let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [merchant] = (await makeLiveMerchants(db, 1, FUNDS_PAISE)) as [Merchant];
});
afterEach(async () => {
  const { violations } = await verify(db.owner, merchant);
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
});

/** Funds the merchant with a reference that no other live merchant uses. */
function fundMore(amountPaise: bigint, name: string): ReturnType<typeof fund> {
  return fund(db, merchant, amountPaise, `${name} for ${merchant.merchantId}`);
}

async function payoutRequest(amountPaise: bigint, reference: string): Promise<NewTransfer> {
  return { ...newTransfer(merchant, await db.ids.next(), amountPaise, reference), rail: "provider" };
}

async function pay(amountPaise: bigint, reference: string): Promise<NewTransfer> {
  return (await accept(db.server, [await payoutRequest(amountPaise, reference)]))[0]!;
}

async function tryToPay(amountPaise: bigint, reference: string): Promise<string> {
  const transfers = [await payoutRequest(amountPaise, reference)];
  return (await acceptTransfers(db.server, Temporal.Now.instant(), PROCESS_ID, transfers, [false]))[0]!.outcome;
}

const accounts = async () => (await readAccounts(db, [merchant]))[0]!;

/** Reports a payment as paid, with the provider's fee. */
async function paidFor(transfer: NewTransfer, fee: ProviderFee): Promise<void> {
  await applyReports(db.server, Temporal.Now.instant(), [{ ...reportOn(transfer, "SUCCESS"), fee }]);
}

async function postingsOf(transfer: NewTransfer): Promise<string[]> {
  const { rows } = await db.owner.query<{ kind: string; amount_paise: bigint }>(
    "select kind, amount_paise from journal where subject_id = $1 and kind is not null order by entry_no",
    [transfer.transferId],
  );
  return rows.map((row) => `${row.kind} ${row.amount_paise}`);
}

/** A transfer of the whole balance that failed, whose money was then spent, and that was paid after all. */
async function owe(): Promise<NewTransfer> {
  const late = await pay(FUNDS_PAISE, "late");
  await report(db.server, late, "FAILED");
  const spent = await pay(FUNDS_PAISE, "spent");
  await report(db.server, spent, "SUCCESS", "FAILED");
  await report(db.server, late, "SUCCESS");
  expect(await accounts()).toMatchObject({ available: 0n, owed_by_merchant: -FUNDS_PAISE });
  expect(await readOwed(db.server, merchant.bucket, merchant.merchantId)).toBe(FUNDS_PAISE);
  return late;
}

describe("what a merchant owes after a late success", () => {
  test("is taken from money that comes in, and only the rest can be spent", async () => {
    await owe();
    await fundMore(FUNDS_PAISE - 1n, "part");
    expect(await tryToPay(1n, "too early")).toBe("insufficient_balance");
    await fundMore(11n, "rest");
    expect(await accounts()).toMatchObject({ available: 10n, owed_by_merchant: 0n });
    expect(await tryToPay(11n, "too much")).toBe("insufficient_balance");
    expect(await tryToPay(10n, "fits")).toBe("created");
  });

  test("is taken from a payout that fails or comes back, which itself may be late again", async () => {
    await fundMore(3000n, "more");
    const [failing, returned] = [await pay(1000n, "failing"), await pay(2000n, "returned")];
    await owe();
    await report(db.server, failing, "FAILED");
    expect(await accounts()).toMatchObject({ available: 0n, owed_by_merchant: 1000n - FUNDS_PAISE });
    await report(db.server, failing, "SUCCESS");
    await report(db.server, failing, "REVERSED");
    await report(db.server, returned, "SUCCESS", "REVERSED");
    expect(await accounts()).toMatchObject({ available: 0n, owed_by_merchant: 3000n - FUNDS_PAISE });
  });

  test("is cleared first by its own reversal: only what was really debited comes back", async () => {
    const late = await owe();
    await fundMore(30_000n, "part");
    await report(db.server, late, "REVERSED");
    expect(await accounts()).toMatchObject({ available: 30_000n, owed_by_merchant: 0n });
  });

  test("takes what is available at once, and no more than it is", async () => {
    const late = await pay(FUNDS_PAISE, "late");
    await report(db.server, late, "FAILED");
    await pay(FUNDS_PAISE - 40n, "spent");
    await report(db.server, late, "SUCCESS");
    expect(await accounts()).toMatchObject({ available: 0n, owed_by_merchant: 40n - FUNDS_PAISE });
  });

  test("comes before all else, of many at once", async () => {
    await fundMore(20_000n, "in hand");
    const open = await accept(
      db.server,
      await Promise.all(Array.from({ length: 20 }, (_, index) => payoutRequest(1000n, `open ${index}`))),
    );
    await owe();
    const outcomes = await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => fundMore(4500n, `fund ${index}`)),
      ...open.map((transfer, index) =>
        report(db.server, transfer, ...(index % 2 ? ["FAILED" as const] : ["SUCCESS" as const, "REVERSED" as const])),
      ),
      ...Array.from({ length: 40 }, (_, index) => tryToPay(1000n, `payoutRequest ${index}`)),
    ]);
    const created = outcomes.filter((outcome) => outcome === "created").length;
    // 90,000 came in and 20,000 came back; 100,000 were owed.
    expect(await accounts()).toMatchObject({ owed_by_merchant: 0n, available: 10_000n - 1000n * BigInt(created) });
    expect(created).toBeLessThanOrEqual(10);
  });
});

describe("what a provider takes for a payment", () => {
  test("is the merchant's, with the tax on it, once", async () => {
    const transfer = await pay(10_000n, "r");
    await paidFor(transfer, FEE);
    await paidFor(transfer, FEE);
    expect(await postingsOf(transfer)).toEqual(["reserve 10000", "success 10000", "fee 500", "fee_tax 90"]);
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE - 10_590n, payout_clearing: 10_590n });
  });

  test("is given back with the payment where the provider does so, with the tax, once, to whoever bore it", async () => {
    const [merchants, platforms] = [await pay(10_000n, "merchant's"), await pay(10_000n, "platform's")];
    await paidFor(merchants, FEE);
    await changeMerchant({ pool: db.server, ids: db.ids, merchant }, { feesPaidBy: "platform" });
    await paidFor(platforms, FEE);
    for (const transfer of [merchants, platforms, merchants]) {
      const back = { ...reportOn(transfer, "REVERSED"), fee: FEE, returnsFee: true };
      await applyReports(db.server, Temporal.Now.instant(), [back]);
    }
    expect((await postingsOf(merchants)).slice(2)).toEqual([
      "fee 500",
      "fee_tax 90",
      "reversed 10000",
      "fee_returned 500",
      "fee_tax_returned 90",
    ]);
    expect((await postingsOf(platforms)).slice(4)).toEqual([
      "reversed 10000",
      "fee_expense_returned 500",
      "fee_tax_expense_returned 90",
    ]);
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE, fee_expense: 0n, payout_clearing: 0n });
  });

  test("comes and goes where the payment came back before anybody heard of its success", async () => {
    const transfer = await pay(10_000n, "r");
    const back = { ...reportOn(transfer, "REVERSED"), fee: FEE, returnsFee: true };
    for (const said of [back, back]) await applyReports(db.server, Temporal.Now.instant(), [said]);
    expect((await postingsOf(transfer)).slice(1)).toEqual([
      "failed 10000",
      "fee 500",
      "fee_tax 90",
      "fee_returned 500",
      "fee_tax_returned 90",
    ]);
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE, payout_clearing: 0n });
  });

  test("is not given back with the payment where the provider keeps it", async () => {
    const transfer = await pay(10_000n, "r");
    await paidFor(transfer, FEE);
    await report(db.server, transfer, "REVERSED");
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE - 590n, payout_clearing: 590n });
  });

  test("is taken for a payment that came back before anybody heard of its success", async () => {
    const transfer = await pay(10_000n, "r");
    await applyReports(db.server, Temporal.Now.instant(), [{ ...reportOn(transfer, "REVERSED"), fee: FEE }]);
    await applyReports(db.server, Temporal.Now.instant(), [{ ...reportOn(transfer, "REVERSED"), fee: FEE }]);
    expect(await postingsOf(transfer)).toEqual(["reserve 10000", "failed 10000", "fee 500", "fee_tax 90"]);
  });

  test("is owed where it is more than what is available", async () => {
    const transfer = await pay(FUNDS_PAISE - 520n, "r");
    await paidFor(transfer, FEE);
    expect((await postingsOf(transfer)).slice(2)).toEqual(["fee 500", "fee_tax_unfunded 90"]);
    expect(await accounts()).toMatchObject({
      available: 0n,
      owed_by_merchant: -70n,
      payout_clearing: FUNDS_PAISE + 70n,
    });
    await fundMore(100n, "more");
    expect(await accounts()).toMatchObject({ available: 30n, owed_by_merchant: 0n });
  });

  test("is the platform's where the contract says so, from the change on", async () => {
    const [before, after] = [await pay(1000n, "before"), await pay(1000n, "after")];
    await paidFor(before, FEE);
    await changeMerchant({ pool: db.server, ids: db.ids, merchant }, { feesPaidBy: "platform" });
    await paidFor(after, FEE);
    expect((await postingsOf(after)).slice(2)).toEqual(["fee_expensed 500", "fee_tax_expensed 90"]);
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE - 2590n, fee_expense: -590n });
  });

  test("is nothing where it takes nothing, or has paid nothing", async () => {
    const [free, failed] = [await pay(1000n, "free"), await pay(1000n, "failed")];
    await paidFor(free, { feePaise: 0n, taxPaise: 0n });
    await applyReports(db.server, Temporal.Now.instant(), [{ ...reportOn(failed, "FAILED"), fee: FEE }]);
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE - 1000n, payout_clearing: 1000n });
  });
});
