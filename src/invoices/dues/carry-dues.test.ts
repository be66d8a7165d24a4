// Dues that are carried forward, on a real database: carried once, payments settle the oldest first, and everything can be
// reversed. test/wire tests subscriptions and HTTP.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commissionOf, DRAFT, makeFranchise } from "../../../test/support/franchises.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { IdSource } from "../../platform/database/ids.ts";
import { passedOnOf } from "./carry-dues.ts";
import { dueOf, type Invoice } from "../invoice.ts";
import { listSettlements } from "../settlement-store.ts";
import { anyStep, DuesModel, OWN_PAISE, step } from "../../../test/support/invoice-dues.ts";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { cancelInvoice, changeInvoice } from "../saves/update-invoice.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
});
afterAll(() => db.close());

/** An invoice for the same customer that carries the dues of earlier ones. */
function following(...earlier: readonly Invoice[]): Promise<Invoice> {
  const [first] = earlier;
  return shop.save({ customerId: first!.customerId, carries: earlier.map(({ invoiceId }) => invoiceId) });
}

const cancel = (invoice: Invoice): Promise<unknown> =>
  cancelInvoice({ pool: db.server, merchant: shop.merchant, idempotency: null }, invoice.invoiceId);

describe("dues", () => {
  test("move onto the later invoice, untaxed, and are due there only", async () => {
    const first = await shop.save();
    await shop.pay(first, 1800n);
    const second = await following(first);
    expect(second).toMatchObject({ previousDuesPaise: 10_000n, carriedPaise: 10_000n, amountPaise: 21_800n });
    expect(second.taxTotalPaise).toBe(first.taxTotalPaise);
    const moved = await shop.read(first);
    expect(moved).toMatchObject({ status: "Carried forward", carriedTo: second.invoiceId, carriedDuePaise: 10_000n });
    expect([dueOf(moved), dueOf(second)]).toEqual([0n, 21_800n]);
    await expect(shop.pay(first, 100n)).rejects.toMatchObject({ code: "invoice_carried_forward" });
    expect(await shop.violations()).toEqual([]);
  });

  test("move once, also when several invoices ask for them at once", async () => {
    const first = await shop.save();
    const later = await Promise.all([1, 2, 3, 4, 5].map(() => following(first)));
    expect(later.map(({ carriedPaise }) => carriedPaise).sort((a, b) => Number(b - a))).toEqual([
      OWN_PAISE,
      0n,
      0n,
      0n,
      0n,
    ]);
    expect(await shop.violations()).toEqual([]);
  });

  test("of another customer, of a paid and of a cancelled invoice stay where they are", async () => {
    const [own, foreign, paid, cancelled] = await Promise.all([1, 2, 3, 4].map(() => shop.save()));
    await shop.pay(paid!, OWN_PAISE);
    await cancel(cancelled!);
    const later = await following(own!, foreign!, paid!, cancelled!);
    expect(later.carriedPaise).toBe(OWN_PAISE);
    expect(await shop.read(foreign!)).toMatchObject({ status: "Unpaid", carriedTo: null });
  });

  test("are due again by themselves when the later invoice is cancelled, and can move anew", async () => {
    const first = await shop.save();
    await shop.pay(first, 800n);
    const second = await following(first);
    await cancel(second);
    expect(await shop.read(first)).toMatchObject({ status: "Partially paid", carriedTo: null, carriedDuePaise: 0n });
    expect((await following(first)).carriedPaise).toBe(11_000n);
    expect(await shop.violations()).toEqual([]);
  });

  test("can't be changed on the invoice that carries them, nor handed to another customer", async () => {
    const later = await following(await shop.save());
    const other = await shop.save();
    const change = (input: object): Promise<unknown> =>
      changeInvoice(
        { pool: db.server, ids: db.ids, merchant: shop.merchant, idempotency: null },
        { invoiceId: later.invoiceId, input: { ...NOTHING, ...input } },
      );
    await expect(change({ previousDuesPaise: 1n })).rejects.toMatchObject({
      errors: [{ field: "invoice.previous_dues" }],
    });
    await expect(change({ customerId: other.customerId })).rejects.toMatchObject({
      errors: [{ field: "invoice.customer_code" }],
    });
    await change({ previousDuesPaise: OWN_PAISE, cycleName: "May" });
    expect(await shop.read(later)).toMatchObject({ cycleName: "May", amountPaise: 2n * OWN_PAISE });
  });
});

const NOTHING = {
  customerCode: null,
  newCustomer: null,
  customerId: null,
  cycleName: null,
  billDate: null,
  dueDate: null,
  notify: false,
  headerFields: null,
  takesSeriesNumber: false,
  rows: null,
  taxRows: null,
  franchiseId: null,
  previousDuesPaise: null,
  roundsTotal: null,
  supply: {},
  carries: [],
};

describe("a payment of the later invoice", () => {
  test("settles the oldest dues first, with a settlement that names it", async () => {
    const first = await shop.save();
    const second = await following(first);
    const third = await following(second);
    const paymentId = await shop.pay(third, OWN_PAISE + 1800n);
    expect(await shop.read(first)).toMatchObject({
      status: "Paid offline",
      paidPaise: OWN_PAISE,
      paidDate: third.billDate,
    });
    expect(await shop.read(second)).toMatchObject({ status: "Carried forward", paidPaise: OWN_PAISE + 1800n });
    expect(dueOf(await shop.read(third))).toBe(3n * OWN_PAISE - OWN_PAISE - 1800n);
    const [part] = await listSettlements(db.server, first);
    await expect(shop.takeBack(part!.settlementId)).rejects.toMatchObject({ code: "invoice_carried_forward" });
    await shop.takeBack(paymentId);
    for (const each of [first, second]) {
      expect(await shop.read(each)).toMatchObject({ status: "Carried forward", paidPaise: 0n, paidDate: null });
    }
    expect(await shop.violations()).toEqual([]);
  });

  test("earns commission on the invoice whose dues it settles, and what is taken back goes back there", async () => {
    const franchise = await makeFranchise(db, shop.merchant, {
      terms: { ...DRAFT.terms, commissionType: "Percentage", commissionHundredths: 1000n },
    });
    const due = async (): Promise<bigint> => (await commissionOf(db, franchise)).duePaise;
    const first = await shop.save({ franchiseId: franchise.franchiseId });
    const second = await following(first);
    await shop.pay(second, OWN_PAISE / 2n);
    expect(await due()).toBe(500n);
    const rest = await shop.pay(second, OWN_PAISE);
    expect(await due()).toBe(1000n);
    await shop.takeBack(rest);
    expect(await due()).toBe(500n);
    expect(await shop.violations()).toEqual([]);
  });
});

/** The settlements of an invoice in order: the amount, the later payment, and why it was reversed. */
async function partsOf(invoice: Invoice): Promise<unknown[]> {
  const settlements = await listSettlements(db.server, invoice);
  return settlements.map((one) => [one.amountPaise, one.viaSettlementId, one.reversalReason]);
}

describe("the dues of several invoices on one later invoice", () => {
  const GONE = "The payment was reversed";

  test("are settled by bill date, then in the order of their making, and each invoice is told of in turn", async () => {
    const young = await shop.save();
    const { customerId } = young;
    const billDate = young.billDate.subtract({ days: 1 });
    const [old, twin] = [await shop.save({ customerId, billDate }), await shop.save({ customerId, billDate })];
    const later = await following(young, old, twin);
    const payment = await shop.pay(later, OWN_PAISE + 1800n);
    const now = await Promise.all([old, twin, young].map((invoice) => shop.read(invoice)));
    expect(now.map(({ paidPaise }) => paidPaise)).toEqual([OWN_PAISE, 1800n, 0n]);
    const { rows } = await db.owner.query<{ type: string; subject_id: bigint }>(
      "select type, subject_id from journal where merchant_id = $1 order by entry_no desc limit 4",
      [shop.merchant.merchantId],
    );
    expect(rows.toReversed().map((row) => [row.type, row.subject_id])).toEqual([
      ["settlement.recorded", payment],
      ["invoice.partially_paid", later.invoiceId],
      ["invoice.paid", old.invoiceId],
      ["invoice.partially_paid", twin.invoiceId],
    ]);
  });

  test("get parts of the oldest payments first, and a part that may stay does when another payment is reversed", async () => {
    const first = await shop.save();
    const second = await shop.save({ customerId: first.customerId });
    const third = await following(first, second);
    const small = await shop.pay(third, 1000n);
    const one = await shop.pay(third, 10_800n);
    const two = await shop.pay(third, 4000n);
    const three = await shop.pay(third, 11_000n);
    const onSecond = (reason: string | null) => [
      [4000n, two, reason],
      [7800n, three, reason],
    ];
    const parts = (): Promise<unknown[]> => Promise.all([partsOf(first), partsOf(second)]);
    expect(await parts()).toEqual([
      [
        [1000n, small, null],
        [10_800n, one, null],
      ],
      onSecond(null),
    ]);
    await shop.takeBack(one);
    // The rest reaches the older one, so the younger one gives up its part.
    expect(await parts()).toEqual([
      [
        [1000n, small, null],
        [10_800n, one, GONE],
        [4000n, two, null],
        [6800n, three, null],
      ],
      [...onSecond(GONE), [4200n, three, null]],
    ]);
    await shop.takeBack(three);
    expect(await parts()).toEqual([
      [
        [1000n, small, null],
        [10_800n, one, GONE],
        [4000n, two, null],
        [6800n, three, GONE],
      ],
      [...onSecond(GONE), [4200n, three, GONE]],
    ]);
    expect((await shop.read(second)).paidPaise).toBe(0n);
    expect(await shop.violations()).toEqual([]);
  });
});

describe("after dues were carried forward", () => {
  test("a payment that is taken back is due on the last invoice", async () => {
    const first = await shop.save();
    const bounced = await shop.pay(first, 800n);
    const second = await following(first);
    const third = await following(second);
    await shop.takeBack(bounced);
    expect(await shop.read(first)).toMatchObject({
      status: "Carried forward",
      paidPaise: 0n,
      carriedDuePaise: OWN_PAISE,
    });
    expect(await shop.read(second)).toMatchObject({
      carriedPaise: OWN_PAISE,
      carriedDuePaise: 2n * OWN_PAISE,
      revision: 2,
    });
    expect(dueOf(await shop.read(third))).toBe(3n * OWN_PAISE);
    expect(await shop.violations()).toEqual([]);
  });

  test("a payment that is taken back is due again where all was paid", async () => {
    const first = await shop.save();
    const bounced = await shop.pay(first, 800n);
    const second = await following(first);
    await shop.pay(second, dueOf(second));
    await shop.takeBack(bounced);
    // The second payment settles the older dues first, so its own invoice lacks the bounced amount.
    expect(await shop.read(first)).toMatchObject({ status: "Paid offline", paidPaise: OWN_PAISE });
    const last = await shop.read(second);
    expect([last.status, dueOf(last)]).toEqual(["Partially paid", 800n]);
    expect(await shop.violations()).toEqual([]);
  });

  test("a credit note on an earlier invoice takes what it credits off the last one", async () => {
    const first = await shop.save();
    const second = await following(first);
    const { note } = await shop.credit(first, 5000n);
    expect(note).toMatchObject({ reducesDuePaise: 5000n, refundPaise: 0n });
    expect(dueOf(await shop.read(second))).toBe(2n * OWN_PAISE - 5000n);
    await shop.credit(first, null);
    expect(await shop.read(first)).toMatchObject({ status: "Cancelled", carriedTo: null, carriedDuePaise: 0n });
    expect(await shop.read(second)).toMatchObject({ carriedPaise: 0n, amountPaise: OWN_PAISE });
    expect(await shop.violations()).toEqual([]);
  });

  test("a payment that is taken back moves nothing that stands on other invoices", async () => {
    const first = await shop.save({ previousDuesPaise: 10_000n });
    const bounced = await shop.pay(first, 20_000n);
    const beside = await shop.save({ customerId: first.customerId });
    const second = await following(first, beside);
    const third = await following(second);
    await shop.pay(third, dueOf(third));
    const before = await partsOf(beside);
    expect(before).toEqual([[OWN_PAISE, expect.any(BigInt), null]]);
    await shop.takeBack(bounced);
    expect(dueOf(await shop.read(third))).toBe(20_000n);
    expect(await partsOf(beside)).toEqual(before);
    expect(await shop.violations()).toEqual([]);
  });

  test("the invoices are held from the latest id to the first, whichever carries the other", async () => {
    // They keep their blocks of ids, however long this takes: the second process has the later ones.
    const [early, late] = [0, 1].map(() => shop.withIds(new IdSource(db.owner, () => 0)));
    for (const maker of [early!, late!]) {
      const first = await maker.save();
      const bounced = await shop.pay(first, 800n);
      const second = await early!.save({ customerId: first.customerId, carries: [first.invoiceId] });
      const ids = [first.invoiceId, second.invoiceId];
      const [held, free] = maker === early ? ids.toReversed() : ids;
      expect(held! > free!).toBe(true);
      const holder = await db.owner.connect();
      try {
        await holder.query("begin");
        await holder.query("select from invoice where invoice_id = $1 for update", [held]);
        const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
        const reversal = shop.takeBack(bounced);
        await vi.waitFor(async () => {
          const waiting = "select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
          expect((await db.owner.query(waiting, [rows[0]!.pid])).rowCount).toBe(1);
        }, 60_000);
        const lock = "select from invoice where invoice_id = $1 for update skip locked";
        expect((await db.owner.query(lock, [free])).rowCount).toBe(1);
        await holder.query("rollback");
        await reversal;
      } finally {
        holder.release();
      }
    }
  });

  test("earlier and later invoices can be changed at the same time", async () => {
    const first = await shop.save();
    const payments = [await shop.pay(first, 100n), await shop.pay(first, 200n), await shop.pay(first, 300n)];
    const second = await following(first);
    await Promise.all([
      ...payments.map((payment) => shop.takeBack(payment)),
      ...[1n, 2n, 3n, 4n].map((paise) => shop.pay(second, paise * 1000n)),
      shop.credit(first, 700n),
    ]);
    expect(dueOf(await shop.read(second))).toBe(2n * OWN_PAISE - 10_000n - 700n);
    expect(await shop.violations()).toEqual([]);
  });
});

test("nothing is lost or due twice, whatever is paid, taken back or credited on whichever invoice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 10 }), async (steps) => {
      const invoices = [await shop.save()];
      const payments: { readonly id: bigint; readonly paise: bigint }[] = [];
      let creditedPaise = 0n;
      for (const each of steps) {
        if (each.does === "bill") invoices.push(await following(...invoices));
        else if (each.does === "pay") {
          const open = (await Promise.all(invoices.map((invoice) => shop.read(invoice)))).filter(
            (one) => dueOf(one) > 0n,
          );
          const [to] = open.toReversed();
          if (!to) continue;
          const paise = each.paise < dueOf(to) ? each.paise : dueOf(to);
          payments.push({ id: await shop.pay(to, paise), paise });
        } else if (each.does === "reverse" && payments[each.place]) {
          await shop.takeBack(payments[each.place]!.id);
          payments.splice(each.place, 1);
        } else if (each.does === "credit" && invoices[each.place]) {
          const issued = await shop.credit(invoices[each.place]!, each.paise).catch(() => null);
          creditedPaise += issued?.note.amountPaise ?? 0n;
        }
      }
      const now = await Promise.all(invoices.map((invoice) => shop.read(invoice)));
      const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
      const receivedPaise = sum(payments.map(({ paise }) => paise));
      expect(sum(now.map((invoice) => invoice.paidPaise - passedOnOf(invoice)))).toBe(receivedPaise);
      const owedBackPaise = creditedPaise - sum(now.map((invoice) => invoice.creditedPaise));
      expect(sum(now.map(dueOf)) + receivedPaise + creditedPaise - owedBackPaise).toBe(BigInt(now.length) * OWN_PAISE);
      expect(await shop.violations()).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test("any order of bills, payments and reversals settles the oldest dues first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      const invoices = [await shop.save()];
      const model = new DuesModel();
      model.bill();
      for (const each of steps) {
        const last = await shop.read(invoices.at(-1)!);
        if (each.does === "bill") {
          invoices.push(await following(...invoices));
          model.bill();
        } else if (each.does === "pay" && dueOf(last) > 0n) {
          const paise = each.paise < dueOf(last) ? each.paise : dueOf(last);
          model.payments.push({ id: await shop.pay(last, paise), paise });
        } else if (each.does === "reverse" && model.payments[each.place]) {
          await shop.takeBack(model.payments[each.place]!.id);
          model.payments.splice(each.place, 1);
        }
      }
      const now = await Promise.all(invoices.map((invoice) => shop.read(invoice)));
      expect(now.map((invoice) => invoice.paidPaise - passedOnOf(invoice))).toEqual(model.settled);
      expect(await shop.violations()).toEqual([]);
    }),
    { numRuns: 15 },
  );
});
