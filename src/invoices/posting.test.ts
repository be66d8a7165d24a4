// Each event of billing is posted once, by what happened: with posting on, for these tests.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ORIGIN, SavesStage } from "../../test/support/invoice-saves.ts";
import { INPUT, type Invoicing, PAYEE } from "../../test/support/invoicing.ts";
import { fund, type LedgerDatabase } from "../../test/support/ledger.ts";
import { TenantGroups } from "../platform/database/tenant.ts";
import type { BillingAccount } from "./invoice-postings.ts";
import { postingsOf } from "./invoice-postings.ts";
import type { Invoice } from "./invoice.ts";
import { POSTING, type Posting } from "./posting.ts";
import { cancelInvoice, changeInvoice } from "./saves/update-invoice.ts";
import { markInvoiceSent } from "./send-invoice.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { InvoiceSettlements } from "./settlements/invoice-settlements.ts";

const posted: Posting[] = [];
let stage: SavesStage;
let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  POSTING.post = (_owner, posting) => () => Promise.resolve(posted.push(posting));
  stage = await SavesStage.open();
  db = stage.db;
  shop = await stage.newShop();
  await fund(db, shop.merchant, 1_000_000n, "opening");
});
afterAll(() => {
  POSTING.post = null;
  return stage.close();
});
beforeEach(() => {
  posted.length = 0;
});

const context = () => ({ pool: db.server, ids: db.ids, merchant: shop.merchant, idempotency: null });

/** What was posted since the last look, the amounts by account. */
function take(): { subject: Posting["subject"]; lines: Partial<Record<BillingAccount, bigint>> }[] {
  return posted.splice(0).map(({ subject, lines }) => ({
    subject,
    lines: Object.fromEntries(lines.map(({ account, debitPaise }) => [account, debitPaise])),
  }));
}

async function saved(changes: Parameters<Invoicing["save"]>[0] = {}): Promise<Invoice> {
  const invoice = await shop.save(changes);
  posted.length = 0;
  return invoice;
}

test("issue, change and cancellation", async () => {
  const { invoiceId } = await shop.save();
  const due = { customer_receivable: 118_00n, revenue: -100_00n, output_cgst: -9_00n, output_sgst: -9_00n };
  expect(take()).toEqual([{ subject: { kind: "revision", id: invoiceId, no: 1 }, lines: due }]);

  const rows = [{ ...INPUT.rows![0]!, amountPaise: 200_00n }];
  const input = { ...INPUT, customerCode: null, billDate: null, dueDate: null, rows };
  await changeInvoice(context(), { invoiceId, input });
  expect(take()).toEqual([{ subject: { kind: "revision", id: invoiceId, no: 2 }, lines: due }]);

  await cancelInvoice(context(), invoiceId);
  const back = Object.fromEntries(Object.entries(due).map(([account, paise]) => [account, -2n * paise]));
  expect(take()).toEqual([{ subject: { kind: "cancellation", id: invoiceId }, lines: back }]);
});

test("payments, alone and together, and a reversal", async () => {
  const invoice = await saved();
  const paid = { customer_receivable: -50_00n, customer_receipts: 50_00n };
  const settlementId = await shop.pay(invoice, 50_00n);
  expect(take()).toEqual([{ subject: { kind: "settlement", id: settlementId }, lines: paid }]);

  const settlements = new InvoiceSettlements(new TenantGroups(stage.requests), db.ids, 1000);
  const request = { mode: "Cash", bankName: "", bankRefNo: "", chequeNo: "", cashPaidTo: "", notify: false } as const;
  const payment = { ...request, invoiceId: invoice.invoiceId, amountPaise: 25_00n, paidDate: invoice.billDate };
  const answers = await Promise.all([1, 2].map(() => settlements.settle({ ...context(), origin: ORIGIN }, payment)));
  expect(take()).toEqual(
    answers.map(({ answer }) => ({
      subject: { kind: "settlement", id: BigInt(answer.settlementId) },
      lines: { customer_receivable: -25_00n, customer_receipts: 25_00n },
    })),
  );

  await shop.takeBack(settlementId);
  const back = { customer_receivable: 50_00n, customer_receipts: -50_00n };
  expect(take()).toEqual([{ subject: { kind: "reversal", id: settlementId }, lines: back }]);
});

test("credit note and refund, and what is taken off what is due again", async () => {
  const invoice = await saved();
  const settlementId = await shop.pay(invoice, 100_00n);
  take();
  const { note } = await shop.credit(invoice, 59_00n);
  const taken = { revenue: 50_00n, output_cgst: 4_50n, output_sgst: 4_50n };
  const left = { customer_receivable: -18_00n, customer_credits: -41_00n };
  const subject = { kind: "credit_note", id: note.creditNoteId };
  expect(take()).toEqual([{ subject, lines: { ...left, ...taken } }]);

  await shop.refund(note, PAYEE);
  const refunded = { customer_credits: 41_00n, customer_receipts: -41_00n };
  expect(take()).toEqual([{ subject: { kind: "refund", id: note.creditNoteId, no: 1 }, lines: refunded }]);

  await shop.takeBack(settlementId);
  expect(take()).toEqual([
    {
      subject: { kind: "reversal", id: settlementId },
      lines: { customer_receivable: 100_00n, customer_receipts: -100_00n },
    },
  ]);
});

test("a credit that is owed is taken off by the reversal that makes the invoice due again", async () => {
  const invoice = await saved();
  const settlementId = await shop.pay(invoice, 118_00n);
  await shop.credit(invoice, 59_00n);
  take();
  await shop.takeBack(settlementId);
  expect(take()).toEqual([
    {
      subject: { kind: "reversal", id: settlementId },
      lines: { customer_receivable: 59_00n, customer_receipts: -118_00n, customer_credits: 59_00n },
    },
  ]);
});

test("dues that are carried forward, and a mailing, move nothing; a payment of them is posted where they come from", async () => {
  const first = await saved();
  const second = await shop.save({ customerId: first.customerId, carries: [first.invoiceId] });
  const due = { customer_receivable: 118_00n, revenue: -100_00n, output_cgst: -9_00n, output_sgst: -9_00n };
  expect(take()).toEqual([{ subject: { kind: "revision", id: second.invoiceId, no: 1 }, lines: due }]);

  const now = Temporal.Now.instant();
  await inTransaction(db.server, (connection) => markInvoiceSent(connection, second, now, second.billDate));
  expect(take()).toEqual([]);

  const settlementId = await shop.pay(second, 150_00n);
  const [whole, part, ...others] = take();
  expect(whole).toEqual({
    subject: { kind: "settlement", id: settlementId },
    lines: { customer_receivable: -32_00n, customer_receipts: 32_00n },
  });
  expect(part).toMatchObject({
    subject: { kind: "settlement" },
    lines: { customer_receivable: -118_00n, customer_receipts: 118_00n },
  });
  expect(others).toEqual([]);

  await shop.credit(first, 59_00n);
  await shop.takeBack(settlementId);
  await cancelInvoice(context(), second.invoiceId).catch(() => null);
  expect(await shop.violations()).toEqual([]);
});

test("what was posted adds up to what the invoices are in the end", async () => {
  const sums = new Map<string, bigint>();
  const add = (account: string, paise: bigint) => sums.set(account, (sums.get(account) ?? 0n) + paise);
  const first = await shop.save();
  const second = await shop.save({ customerId: first.customerId, carries: [first.invoiceId] });
  const third = await shop.save({ customerId: first.customerId, carries: [second.invoiceId] });
  const payment = await shop.pay(third, 250_00n);
  await shop.takeBack(payment);
  await shop.pay(third, 20_00n);
  for (const { lines } of posted) for (const { account, debitPaise } of lines) add(account, debitPaise);
  for (const invoice of [first, second, third]) {
    for (const { account, debitPaise } of postingsOf(null, await shop.read(invoice))) add(account, -debitPaise);
  }
  expect([...sums.values()].filter((paise) => paise !== 0n)).toEqual([]);
});
