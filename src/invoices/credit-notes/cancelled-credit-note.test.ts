// Cancelled and financial credit notes: their effects on the invoice, the franchise and the tax register.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commissionOf, makeFranchise } from "../../../test/support/franchises.ts";
import { Invoicing, PAYEE } from "../../../test/support/invoicing.ts";
import { claim, openLedgerDatabase, report, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { owedOf, type CreditNote } from "./credit-note.ts";
import type { Invoice } from "../invoice.ts";
import { findForgedCreditNotes } from "./find-forged.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
});
afterAll(() => db.close());

/** Reports this status of a refund's transfer from the bank, and pays it if it says so. */
async function bankSays(note: CreditNote, refund: unknown, status: "SUCCESS" | "FAILED"): Promise<void> {
  const { bucket, merchantId } = note;
  const transfer = { bucket, merchantId, transferId: (refund as { transferId: bigint }).transferId };
  await claim(db.server, [transfer]);
  await db.owner.query(
    `insert into simulator.payment (bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr,
       acknowledged)
     select bucket, merchant_id, transfer_id, amount_paise, rail_mode, payee.name, $4, 'UTR' || transfer_id, true
     from transfer join beneficiary payee using (bucket, merchant_id, beneficiary_id)
     where bucket = $1 and merchant_id = $2 and transfer_id = $3`,
    [bucket, merchantId, transfer.transferId, status],
  );
  await report(db.server, transfer, status);
}

test("a cancelled note leaves the invoice due again, and its number used", async () => {
  const invoice = await shop.save();
  const { note } = await shop.credit(invoice, null);
  expect(await shop.read(invoice)).toMatchObject({ status: "Cancelled", creditedPaise: 11_800n });
  const cancelled = await shop.cancelNote(note);
  expect([cancelled.cancelledAt, owedOf(cancelled)]).toEqual([expect.any(Temporal.Instant), 0n]);
  expect(await shop.read(invoice)).toMatchObject({ status: "Unpaid", creditedPaise: 0n });
  const next = await shop.credit(invoice, 1000n);
  expect([note, next.note].map(({ creditNoteNumber }) => Number(creditNoteNumber.slice(-5)))).toEqual([
    expect.any(Number),
    Number(note.creditNoteNumber.slice(-5)) + 1,
  ]);
  await expect(shop.cancelNote(note)).rejects.toMatchObject({ code: "credit_note_cancelled" });
  expect(await shop.violations()).toEqual([]);
});

test("what a cancelled note owed back is owed no more, and a refund that is under way or paid keeps it", async () => {
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const owing = await shop.credit(invoice, 5000n);
  expect(owedOf(owing.note)).toBe(5000n);
  expect(owedOf(await shop.cancelNote(owing.note))).toBe(0n);
  await expect(shop.refund(owing.note)).rejects.toMatchObject({ code: "refund_not_owed" });
  const { note, refund } = await shop.credit(invoice, 5000n, { refundTo: PAYEE });
  await expect(shop.cancelNote(note)).rejects.toMatchObject({
    code: "credit_note_in_use",
    message: expect.stringContaining("in progress"),
  });
  await bankSays(note, refund, "SUCCESS");
  await expect(shop.cancelNote(note)).rejects.toMatchObject({
    code: "credit_note_in_use",
    message: expect.stringContaining("was refunded"),
  });
  expect(await shop.violations()).toEqual([]);
});

test("a note whose refund failed can be cancelled, and only after the later ones", async () => {
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const first = await shop.credit(invoice, 5000n, { refundTo: PAYEE });
  await bankSays(first.note, first.refund, "FAILED");
  const second = await shop.credit(invoice, 1000n);
  await expect(shop.cancelNote(first.note)).rejects.toMatchObject({
    code: "credit_note_in_use",
    message: expect.stringContaining(second.note.creditNoteNumber),
  });
  await shop.cancelNote(second.note);
  await shop.cancelNote(first.note);
  expect(await shop.read(invoice)).toMatchObject({ status: "Paid offline", creditedPaise: 0n });
  expect(await shop.violations()).toEqual([]);
});

test("a cancelled note that SQL brings back refunds nothing, and verify finds it", async () => {
  const own = await Invoicing.ofNewMerchant(db, 1_000_000n);
  const invoice = await own.save();
  await own.pay(invoice, 11_800n);
  const { note } = await own.credit(invoice, 5000n);
  const { cancelledAt } = await own.cancelNote(note);
  const set = (to: string | null) =>
    db.owner.query("update credit_note set cancelled_at = $1 where credit_note_id = $2", [to, note.creditNoteId]);
  await set(null);
  expect((await findForgedCreditNotes(db.owner, own.merchant)).map(({ subjectId }) => subjectId)).toEqual([
    note.creditNoteId,
  ]);
  expect(await own.violations()).toMatchObject([
    { check: "gst_document", subjectId: note.creditNoteId },
    { check: "book_invoices", subjectId: note.invoiceId },
  ]);
  await expect(own.refund(note)).rejects.toMatchObject({ code: "access_denied" });
  await set(cancelledAt!.toString());
  expect(await findForgedCreditNotes(db.owner, own.merchant)).toEqual([]);
  expect(await own.violations()).toEqual([]);
});

test("commission that a note took back is earned again once it is cancelled", async () => {
  const terms = {
    onlineSettlement: true,
    commissionType: "Percentage",
    commissionHundredths: 1000n,
    settlementType: "Auto",
  } as const;
  const franchise = await makeFranchise(db, shop.merchant, { terms });
  const invoice = await shop.save({ franchiseId: franchise.franchiseId });
  await shop.pay(invoice, 11_800n);
  const before = await commissionOf(db, franchise);
  const { note } = await shop.credit(invoice, 5900n);
  expect(await commissionOf(db, franchise)).not.toEqual(before);
  await shop.cancelNote(note);
  expect((await commissionOf(db, franchise)).accruedPaise).toBe(before.accruedPaise);
  const again = await shop.credit(invoice, 5900n);
  await shop.cancelNote(again.note);
  expect((await commissionOf(db, franchise)).accruedPaise).toBe(before.accruedPaise);
  expect(await shop.violations()).toEqual([]);
});

test("dues that were carried forward grow again on the later invoice", async () => {
  const first = await shop.save();
  const later = await shop.save({ customerId: first.customerId, carries: [first.invoiceId] });
  expect(later.amountPaise).toBe(23_600n);
  const { note } = await shop.credit(first, 1800n);
  expect((await shop.read(later)).amountPaise).toBe(21_800n);
  await shop.cancelNote(note);
  expect(await shop.read(later)).toMatchObject({ amountPaise: 23_600n, carriedPaise: 11_800n });
  const whole = await shop.credit(first, null);
  await shop.cancelNote(whole.note);
  // With no dues left to carry, the invoice has its own due amount.
  expect(await shop.read(first)).toMatchObject({ status: "Unpaid", carriedTo: null });
  expect(await shop.violations()).toEqual([]);
});

test("of many cancellations at once one cancels, and a refund at the same time leaves nothing paid of a cancelled note", async () => {
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, 5000n);
  const settled = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => shop.cancelNote(note)),
    ...Array.from({ length: 5 }, () => shop.refund(note)),
  ]);
  const isCancelled = settled.slice(0, 20).filter(({ status }) => status === "fulfilled").length;
  const isRefunded = settled.slice(20).filter(({ status }) => status === "fulfilled").length;
  expect(isCancelled + isRefunded).toBe(1);
  expect(await shop.violations()).toEqual([]);
});

test("a financial note takes nothing off rows and taxes, has a number of its own, and is not registered", async () => {
  const own = await Invoicing.ofNewMerchant(db);
  const invoice = await own.save();
  const { note, invoice: after } = await own.credit(invoice, 1800n, { isFinancial: true });
  expect(note).toMatchObject({
    creditNoteNumber: expect.stringMatching(/^FN-\d{4}-00001$/),
    amountPaise: 1800n,
    taxPaise: 0n,
    lines: [],
    content: { kind: "financial_credit_note", rows: [], taxes: [] },
  });
  expect(after).toMatchObject({ status: "Unpaid", creditedPaise: 1800n });
  const { rows } = await db.owner.query("select from gst_document where document_id = $1", [note.creditNoteId]);
  expect(rows).toEqual([]);
  expect(await own.violations()).toEqual([]);
});

test("notes with GST after a financial one credit what is left of the invoice, and not more", async () => {
  const invoice = await shop.save();
  await shop.credit(invoice, 1800n, { isFinancial: true });
  await expect(shop.credit(invoice, 10_001n)).rejects.toMatchObject({ code: "credit_exceeds_invoice" });
  const all = [{ line: 1, quantityThousandths: null, taxablePaise: 10_000n }];
  await expect(shop.credit(invoice, null, { lines: all })).rejects.toMatchObject({
    code: "credit_exceeds_invoice",
    message: expect.stringContaining("₹100.00"),
  });
  const part = [{ line: 1, quantityThousandths: null, taxablePaise: 5000n }];
  const { note } = await shop.credit(invoice, null, { lines: part });
  expect(note).toMatchObject({ taxablePaise: 5000n, taxPaise: 900n, amountPaise: 5900n });
  const { note: rest, invoice: after } = await shop.credit(invoice, null);
  expect([rest.amountPaise, after.status]).toEqual([4100n, "Cancelled"]);
  await expect(shop.credit(invoice, 1n, { isFinancial: true })).rejects.toMatchObject({ code: "invoice_cancelled" });
  expect(await shop.violations()).toEqual([]);
});

type Step = { readonly kind: "gst" | "financial" | "line" | "pay" | "cancel"; readonly amount: bigint };

test("any steps of notes, payments and cancellations leave the books adding up", async () => {
  const step = fc.record<Step>({
    kind: fc.constantFrom("gst", "financial", "line", "pay", "cancel"),
    amount: fc.bigInt(1n, 6000n),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.boolean(), async (steps, roundsTotal) => {
      const invoice = await shop.save({ roundsTotal });
      const notes: Awaited<ReturnType<Invoicing["credit"]>>["note"][] = [];
      for (const { kind, amount } of steps) await take(invoice, { kind, amount }, notes);
      const credited = notes.reduce((sum, { reducesDuePaise }) => sum + reducesDuePaise, 0n);
      expect((await shop.read(invoice)).creditedPaise).toBe(credited);
    }),
    { numRuns: 25 },
  );
  expect(await shop.violations()).toEqual([]);
});

/** One step, which may be refused in the invoice's state. */
async function take(
  invoice: Invoice,
  { kind, amount }: Step,
  notes: { creditNoteId: bigint; reducesDuePaise: bigint }[],
) {
  const lines = [{ line: 1, quantityThousandths: null, taxablePaise: amount }];
  const refused = (error: unknown): null => {
    expect((error as { code: string }).code).toMatch(/credit_exceeds|cancelled|settlement_exceeds|already_paid/);
    return null;
  };
  if (kind === "pay") await shop.pay(invoice, amount).catch(refused);
  else if (kind === "cancel") {
    const last = notes.pop();
    if (last) await shop.cancelNote(last);
  } else {
    const changes = { gst: {}, financial: { isFinancial: true }, line: { lines } }[kind];
    const issued = await shop.credit(invoice, kind === "line" ? null : amount, changes).catch(refused);
    if (issued) notes.push(issued.note);
  }
}
