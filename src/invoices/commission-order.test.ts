// Commission on an invoice, with payments, credit notes and reversals in any order, against a closed formula.
// src/franchises/commission.test.ts tests the arithmetic itself.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise } from "../../test/support/franchises.ts";
import { claim, openLedgerDatabase, report, type LedgerDatabase } from "../../test/support/ledger.ts";
import { pageCommission } from "../franchises/commission-store.ts";
import type { Franchise } from "../franchises/index.ts";
import { divideRounded } from "../platform/money.ts";
import { NodalError } from "../platform/errors.ts";
import { dueOf, type Invoice } from "./invoice.ts";
import { Invoicing, PAYEE } from "../../test/support/invoicing.ts";

const FIXED_PAISE = 5000n;
const FIXED = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: FIXED_PAISE } as const;
/** Of an invoice of 118.00 with 100.00 taxable. */
const [TAXABLE_PAISE, OWN_PAISE] = [10_000n, 11_800n];

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
});
afterAll(() => db.close());

async function duePaise(franchise: Franchise): Promise<bigint> {
  return (await commissionOf(db, franchise)).duePaise;
}

type Step =
  | { readonly does: "pay"; readonly percent: bigint }
  | { readonly does: "credit"; readonly percent: bigint }
  | { readonly does: "reverse"; readonly place: number };

const percent = fc.constantFrom(13n, 50n, 77n, 100n);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("pay" as const), percent }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("credit" as const), percent: fc.constantFrom(7n, 25n, 50n) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("reverse" as const), place: fc.nat(3) }) },
);

/** An invoice in the closed formula: paid and credited amounts, in any order. */
class Story {
  readonly #invoice: Invoice;
  readonly #payments: { readonly id: bigint; readonly amountPaise: bigint }[] = [];
  #creditsPaise = 0n;

  constructor(invoice: Invoice) {
    this.#invoice = invoice;
  }

  get #paidPaise(): bigint {
    return this.#payments.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
  }

  /** The received amount: no invoice has both a due amount and a refund owed, so it never exceeds the rest after credit notes. */
  get #keptPaise(): bigint {
    const leftPaise = this.#invoice.amountPaise - this.#creditsPaise;
    return this.#paidPaise < leftPaise ? this.#paidPaise : leftPaise;
  }

  percentage(): bigint {
    const { amountPaise } = this.#invoice;
    return divideRounded(this.#keptPaise * TAXABLE_PAISE * 1000n, amountPaise * 10_000n);
  }

  fixed(): bigint {
    const isPaid = this.#paidPaise > 0n && this.#paidPaise + this.#creditsPaise >= this.#invoice.amountPaise;
    return isPaid ? divideRounded(FIXED_PAISE * (OWN_PAISE - this.#creditsPaise), OWN_PAISE) : 0n;
  }

  /** Takes the step, or skips it if nothing is left to pay, credit or reverse. */
  async take(next: Step): Promise<void> {
    try {
      await this.#try(next);
    } catch (error) {
      if (!(error instanceof NodalError) || error.code !== "invoice_cancelled") throw error;
    }
  }

  async #try(next: Step): Promise<void> {
    if (next.does === "reverse") {
      const payment = this.#payments[next.place];
      if (!payment) return;
      await shop.takeBack(payment.id);
      this.#payments.splice(next.place, 1);
      return;
    }
    const { amountPaise } = this.#invoice;
    const openPaise =
      next.does === "pay" ? amountPaise - this.#paidPaise - this.#creditsPaise : OWN_PAISE - this.#creditsPaise;
    const partPaise = next.does === "pay" ? (openPaise * next.percent) / 100n : (OWN_PAISE * next.percent) / 100n;
    if (partPaise <= 0n || partPaise > openPaise) return;
    if (next.does === "pay") {
      this.#payments.push({ id: await shop.pay(this.#invoice, partPaise), amountPaise: partPaise });
    } else {
      await shop.credit(this.#invoice, partPaise);
      this.#creditsPaise += partPaise;
    }
  }
}

test("what stands is what the closed formula says, after every step", async () => {
  const terms = [
    { franchise: await makeFranchise(db, shop.merchant), formula: "percentage" },
    { franchise: await makeFranchise(db, shop.merchant, { terms: FIXED }), formula: "fixed" },
  ] as const;
  const steps = fc.array(step, { minLength: 3, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(0n, 3333n), async (taken, previousDuesPaise) => {
      for (const { franchise, formula } of terms) {
        const beforePaise = await duePaise(franchise);
        const story = new Story(await shop.save({ franchiseId: franchise.franchiseId, previousDuesPaise }));
        for (const next of taken) {
          await story.take(next);
          expect((await duePaise(franchise)) - beforePaise).toBe(story[formula]());
        }
      }
    }),
    { numRuns: 25 },
  );
});

test("a fixed commission is the same in each cycle of paying and reversing, credited before or after", async () => {
  for (const creditsFirst of [true, false]) {
    const franchise = await makeFranchise(db, shop.merchant, { terms: FIXED });
    const invoice = await shop.save({ franchiseId: franchise.franchiseId });
    if (creditsFirst) await shop.credit(invoice, 5900n);
    let settlementId = await shop.pay(invoice, creditsFirst ? 5900n : 11_800n);
    if (!creditsFirst) await shop.credit(invoice, 5900n);
    expect(await duePaise(franchise)).toBe(2500n);
    for (let cycle = 0; cycle < 2; cycle += 1) {
      await shop.takeBack(settlementId);
      expect(await duePaise(franchise)).toBe(0n);
      settlementId = await shop.pay(invoice, 5900n);
      expect(await duePaise(franchise)).toBe(2500n);
    }
  }
});

test("a refund that fails once its payment was reversed, and is then taken off what is due, earns again", async () => {
  const franchise = await makeFranchise(db, shop.merchant);
  const invoice = await shop.save({ franchiseId: franchise.franchiseId });
  const [first, second] = [await shop.pay(invoice, 5800n), await shop.pay(invoice, 100n)];
  await shop.pay(invoice, 5900n);
  const { note } = await shop.credit(invoice, 5000n, { refundTo: PAYEE });
  await shop.takeBack(first);
  const { bucket, merchantId, refund } = note;
  const transfer = { bucket, merchantId, transferId: refund.lastTransferId! };
  await claim(db.server, [transfer]);
  await report(db.server, transfer, "FAILED");
  expect(await duePaise(franchise)).toBe(85n);
  await shop.takeBack(second);
  expect(await shop.read(invoice)).toMatchObject({ paidPaise: 5900n, creditedPaise: 5000n });
  expect(await duePaise(franchise)).toBe(500n);
});

test("a refund that is asked for again, and is taken off what is due, completes the invoice", async () => {
  const franchise = await makeFranchise(db, shop.merchant, { terms: FIXED });
  const invoice = await shop.save({ franchiseId: franchise.franchiseId });
  const first = await shop.pay(invoice, 5900n);
  await shop.pay(invoice, 5900n);
  const { note } = await shop.credit(invoice, 5900n, { refundTo: PAYEE });
  await shop.takeBack(first);
  const { bucket, merchantId, refund } = note;
  const transfer = { bucket, merchantId, transferId: refund.lastTransferId! };
  await claim(db.server, [transfer]);
  await report(db.server, transfer, "FAILED");
  expect(await duePaise(franchise)).toBe(0n);
  await expect(shop.refund(note)).rejects.toMatchObject({ code: "refund_not_owed" });
  expect(await shop.read(invoice)).toMatchObject({ status: "Paid offline", creditedPaise: 5900n });
  expect(await duePaise(franchise)).toBe(2500n);
});

test("each payment earns by itself; what it earned goes with it, and a note takes from what was earned last", async () => {
  const franchise = await makeFranchise(db, shop.merchant);
  const invoice = await shop.save({ franchiseId: franchise.franchiseId });
  const first = await shop.pay(invoice, 2360n);
  const [second, third] = [await shop.pay(invoice, 3540n), await shop.pay(invoice, 5900n)];
  await shop.takeBack(first);
  const earned = async (): Promise<unknown[]> => {
    const all = await pageCommission(db.server, franchise, null, 10);
    return all.map((one) => [one.settlementId, one.amountPaise, one.reversedPaise]);
  };
  expect(await earned()).toEqual([
    [third, 500n, 0n],
    [second, 300n, 0n],
    [first, 200n, 200n],
  ]);
  const { rows } = await db.owner.query<{ type: string }>(
    "select type from journal where subject_id = $1 and type like 'commission%' order by entry_no",
    [first],
  );
  expect(rows.map(({ type }) => type)).toEqual(["commission.accrued", "commission.accrual_reversed"]);
  // Of 118.00, 23.60 is due and settled first: 70.80 is refunded.
  await shop.credit(invoice, 9440n);
  expect(await earned()).toEqual([
    [third, 500n, 500n],
    [second, 300n, 100n],
    [first, 200n, 200n],
  ]);
});

test("an invoice that carries dues earns on its own amount only, once the dues of others are settled", async () => {
  for (const [terms, halfPaise, creditedPaise, wholePaise] of [
    [DRAFT.terms, 500n, 0n, 1000n],
    [FIXED, 0n, 5900n, 2500n],
  ] as const) {
    const franchise = await makeFranchise(db, shop.merchant, { terms });
    const { franchiseId } = franchise;
    const { customerId, invoiceId } = await shop.save();
    // Of 138.00 of its own, 20.00 are dues that the merchant typed in.
    const invoice = await shop.save({ franchiseId, customerId, carries: [invoiceId], previousDuesPaise: 2000n });
    await shop.pay(invoice, OWN_PAISE);
    expect(await duePaise(franchise)).toBe(0n);
    await shop.pay(invoice, 6900n);
    expect(await duePaise(franchise)).toBe(halfPaise);
    if (creditedPaise > 0n) await shop.credit(invoice, creditedPaise);
    await shop.pay(invoice, dueOf(await shop.read(invoice)));
    expect(await duePaise(franchise)).toBe(wholePaise);
  }
});

test("after all of it, everything verifies", async () => {
  expect(await shop.violations()).toEqual([]);
});

test("parts that are passed on to earlier dues, and pass on again, can always be taken back", async () => {
  const franchise = await makeFranchise(db, shop.merchant);
  const { franchiseId } = franchise;
  const taxFree = [{ item: "Work", sacCode: "", description: "", gstThousandths: 0n, amountPaise: 10_000n }];
  const first = await shop.save({ franchiseId, rows: taxFree });
  const { customerId } = first;
  const second = await shop.save({ franchiseId, rows: taxFree, customerId, carries: [first.invoiceId] });
  const third = await shop.save({ franchiseId, rows: taxFree, customerId, carries: [second.invoiceId] });
  expect(dueOf(third)).toBe(30_000n);
  const [large, small] = [await shop.pay(third, 15_000n), await shop.pay(third, 3000n)];
  expect(await duePaise(franchise)).toBe(1800n);
  await shop.takeBack(large);
  expect(await duePaise(franchise)).toBe(300n);
  await shop.takeBack(small);
  expect(await duePaise(franchise)).toBe(0n);
  await expect(shop.takeBack(small)).rejects.toMatchObject({ code: "settlement_reversed" });
  expect(dueOf(await shop.read(third))).toBe(30_000n);
  expect(await shop.violations()).toEqual([]);
});
