// Random histories of invoices with commission: payments, reversals, credits, refunds, cancellations, carried dues, payouts and new
// agreements, in sequence and concurrently. Nothing breaks and the books are right. NODAL_HISTORIES sets the number of histories; a
// failure names its seed.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commissionOf, DRAFT, makeFranchise } from "../../test/support/franchises.ts";
import { claim, openLedgerDatabase, report, type LedgerDatabase } from "../../test/support/ledger.ts";
import {
  changeTerms,
  recordCommissionPayment,
  reverseCommissionPayment,
  CommissionPayer,
  type Franchise,
} from "../franchises/index.ts";
import { OwnPayouts } from "../payouts/index.ts";
import { readConfig } from "../platform/config.ts";
import { NodalError } from "../platform/errors.ts";
import { dueOf, type Invoice } from "./invoice.ts";
import { Invoicing } from "../../test/support/invoicing.ts";
import { cancelInvoice } from "./saves/update-invoice.ts";

/** Histories of each kind; without the variable also limited to this many seconds. */
const HISTORIES = Number(process.env.NODAL_HISTORIES ?? 80);
const LIMITS = process.env.NODAL_HISTORIES === undefined ? { interruptAfterTimeLimit: 12_000 } : {};
const TEST_TIMEOUT_MS = 60_000 + HISTORIES * 3000;

const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));
const IN_CASH = { paidDate: Temporal.PlainDate.from("2026-06-02"), mode: "Cash", bankRefNo: "", note: "" };
const PERCENTAGE = DRAFT.terms;
const TERMS = [
  PERCENTAGE,
  { ...PERCENTAGE, commissionHundredths: 10_000n },
  { ...PERCENTAGE, commissionHundredths: 333n },
  { ...PERCENTAGE, commissionType: "Fixed", commissionHundredths: 5000n },
] as const;
const ANSWERS = [["SUCCESS"], ["FAILED"], ["SUCCESS", "REVERSED"]] as const;

let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

const place = fc.nat(9);
const does = <Name extends string>(name: Name) => fc.constant(name);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: does("bill"), place, carries: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ does: does("pay"), place, paise: fc.bigInt(1n, 30_000n) }) },
  { weight: 4, arbitrary: fc.record({ does: does("reverse"), place }) },
  { weight: 2, arbitrary: fc.record({ does: does("credit"), place, paise: fc.bigInt(1n, 12_000n) }) },
  { weight: 2, arbitrary: fc.record({ does: does("refund"), place }) },
  { weight: 1, arbitrary: fc.record({ does: does("cancel"), place }) },
  { weight: 1, arbitrary: fc.record({ does: does("settle"), place }) },
  { weight: 1, arbitrary: fc.record({ does: does("hand over"), place, paise: fc.bigInt(1n, 2000n) }) },
  { weight: 1, arbitrary: fc.record({ does: does("take from"), place }) },
  { weight: 2, arbitrary: fc.record({ does: does("bank"), place, answer: fc.constantFrom(...ANSWERS) }) },
  { weight: 1, arbitrary: fc.record({ does: does("agree"), place, terms: fc.constantFrom(...TERMS) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One merchant's history: initially an invoice of each franchise, then the result of each step. */
class History {
  readonly #shop: Invoicing;
  readonly #franchises: readonly Franchise[];
  readonly #invoices: Invoice[] = [];
  readonly #notes: { readonly creditNoteId: bigint }[] = [];
  readonly #transferIds = new Set<bigint>();
  readonly #payments: bigint[] = [];
  readonly #handedOver: bigint[] = [];

  private constructor(shop: Invoicing, franchises: readonly Franchise[]) {
    this.#shop = shop;
    this.#franchises = franchises;
  }

  static async begin(): Promise<History> {
    const shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
    const franchises: Franchise[] = [];
    for (const terms of [PERCENTAGE, TERMS[3]]) franchises.push(await makeFranchise(db, shop.merchant, { terms }));
    const history = new History(shop, franchises);
    for (const { franchiseId } of franchises) history.#invoices.push(await shop.save({ franchiseId }));
    return history;
  }

  /** Runs a step. A refusal is part of the history; an error with a status of 5xx is not. */
  async take(next: Step): Promise<void> {
    try {
      await this.#try(next);
    } catch (error) {
      if (!(error instanceof NodalError) || error.status >= 500) throw error;
    }
  }

  /** Reverses every payment that can be, all except those of fully credited invoices. Returns the violations found afterwards. */
  async end(): Promise<unknown[]> {
    const refused: unknown[] = [];
    for (const payment of this.#payments) {
      await this.#shop.takeBack(payment).catch((error: unknown) => {
        if (!(error instanceof NodalError) || error.status >= 500) throw error;
        if (error.code !== "settlement_reversed") refused.push(error.code);
      });
    }
    const violations = (await this.#shop.violations()) as { readonly check: string }[];
    // No bank pays here, so the simulated bank's book lacks the payouts.
    const wrong: unknown[] = violations.filter(({ check }) => check !== "success_not_paid");
    wrong.push(...refused.filter((code) => code !== "invoice_cancelled"));
    if (refused.length > 0) return wrong;
    for (const franchise of this.#franchises) {
      const { accruedPaise } = await commissionOf(db, franchise);
      if (accruedPaise !== 0n) wrong.push(`nothing is paid, and ${accruedPaise} is earned`);
    }
    return wrong;
  }

  async #try(next: Step): Promise<void> {
    const invoice = pick(this.#invoices, next.place);
    const franchise = pick(this.#franchises, next.place);
    const { franchiseId } = franchise;
    const context = { pool: db.server, ids: db.ids, merchant: this.#shop.merchant };
    if (next.does === "bill") {
      const carries = next.carries ? this.#invoices.map(({ invoiceId }) => invoiceId) : [];
      const { customerId } = this.#invoices[0]!;
      this.#invoices.push(await this.#shop.save({ customerId, carries, franchiseId: franchise.franchiseId }));
    } else if (next.does === "pay") {
      const duePaise = dueOf(await this.#shop.read(invoice));
      const isLess = next.paise < duePaise || duePaise === 0n;
      this.#payments.push(await this.#shop.pay(invoice, isLess ? next.paise : duePaise));
    } else if (next.does === "reverse" && this.#payments.length > 0) {
      await this.#shop.takeBack(pick(this.#payments, next.place));
    } else if (next.does === "credit") {
      this.#notes.push((await this.#shop.credit(invoice, next.paise)).note);
    } else if (next.does === "refund" && this.#notes.length > 0) {
      const { refund } = await this.#shop.refund(pick(this.#notes, next.place));
      if (refund.lastTransferId !== null) this.#transferIds.add(refund.lastTransferId);
    } else if (next.does === "cancel") {
      await cancelInvoice({ pool: db.server, merchant: this.#shop.merchant, idempotency: null }, invoice.invoiceId);
    } else if (next.does === "settle") {
      const payout = await commissionPayer.settle(context, { franchiseId, expectedPaise: null });
      if (payout.outcome === "accepted") this.#transferIds.add(payout.transferId);
    } else if (next.does === "hand over") {
      const details = { franchiseId, ...IN_CASH, amountPaise: next.paise };
      const paid = await recordCommissionPayment({ ...context, idempotency: null }, details);
      this.#handedOver.push(BigInt(paid.paymentId));
    } else if (next.does === "take from" && this.#handedOver.length > 0) {
      const paymentId = pick(this.#handedOver, next.place);
      await reverseCommissionPayment(context, { paymentId, franchiseId: null, reason: "Not so" });
    } else if (next.does === "bank" && this.#transferIds.size > 0) {
      await this.#answer(pick([...this.#transferIds], next.place), next.answer);
    } else if (next.does === "agree") {
      await changeTerms(context, { franchiseId, terms: next.terms });
    }
  }

  async #answer(transferId: bigint, statuses: (typeof ANSWERS)[number]): Promise<void> {
    this.#transferIds.delete(transferId);
    const { bucket, merchantId } = this.#shop.merchant;
    await claim(db.server, [{ bucket, merchantId, transferId }]);
    await report(db.server, { bucket, merchantId, transferId }, ...statuses);
  }
}

function pick<T>(all: readonly T[], index: number): T {
  return all[index % all.length]!;
}

test(
  "one step after the other",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        const history = await History.begin();
        for (const next of steps) await history.take(next);
        expect(await history.end()).toEqual([]);
      }),
      { numRuns: HISTORIES, ...LIMITS },
    );
  },
  TEST_TIMEOUT_MS,
);

test(
  "several at once",
  async () => {
    const lanes = fc.array(fc.array(step, { minLength: 3, maxLength: 10 }), { minLength: 3, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(lanes, async (all) => {
        const history = await History.begin();
        await Promise.all(
          all.map(async (steps) => {
            for (const next of steps) await history.take(next);
          }),
        );
        expect(await history.end()).toEqual([]);
      }),
      { numRuns: HISTORIES, ...LIMITS },
    );
  },
  TEST_TIMEOUT_MS,
);
