// Each billing event is posted once in the merchant's books.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ORIGIN, SavesStage } from "../../test/support/invoice-saves.ts";
import { INPUT, type Invoicing, PAYEE } from "../../test/support/invoicing.ts";
import { fund, type LedgerDatabase } from "../../test/support/ledger.ts";
import { TenantGroups } from "../platform/database/tenant.ts";
import { BOOK_ACCOUNTS, columnOf, type BookAccount } from "../books/index.ts";
import { postingsOf } from "./invoice-postings.ts";
import type { Invoice } from "./invoice.ts";
import type { PostingSubject } from "./posting.ts";
import { cancelInvoice, changeInvoice } from "./saves/update-invoice.ts";
import { markInvoiceSent } from "./send-invoice.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { InvoiceSettlements } from "./settlements/invoice-settlements.ts";

const seen = new Set<string>();
let stage: SavesStage;
let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  stage = await SavesStage.open();
  db = stage.db;
  shop = await stage.newShop();
  await fund(db, shop.merchant, 1_000_000n, "opening");
  await posted();
});
afterAll(() => stage.close());

const context = () => ({ pool: db.server, ids: db.ids, merchant: shop.merchant, idempotency: null });

type Posted = { subject: PostingSubject; lines: Partial<Record<BookAccount, bigint>>; date: string };

/** The postings since the last call, the amounts by account. */
async function posted(): Promise<Posted[]> {
  const { rows } = await db.server.query<Record<string, unknown>>(
    `select *, entry_date::text as day from book_entry where merchant_id = $1
     order by created_at, invoice_id desc, subject_id, event, no, part`,
    [shop.merchant.merchantId],
  );
  const fresh = rows.filter((row) => {
    const key = [row["invoice_id"], row["subject_id"], row["event"], row["no"], row["part"]].join(" ");
    return !seen.has(key) && seen.add(key);
  });
  return fresh.map((row) => {
    const kind = row["event"] as PostingSubject["kind"];
    const subject = {
      kind,
      id: row["subject_id"] as bigint,
      ...(kind === "revision" ? { no: row["no"] as number } : {}),
    };
    const amounts = BOOK_ACCOUNTS.map((account) => [account, row[columnOf(account)] as bigint] as const);
    const lines = Object.fromEntries(amounts.filter(([, paise]) => paise !== 0n));
    return { subject, lines, date: row["day"] as string };
  });
}

async function take(): Promise<Omit<Posted, "date">[]> {
  return (await posted()).map(({ subject, lines }) => ({ subject, lines }));
}

async function saved(changes: Parameters<Invoicing["save"]>[0] = {}): Promise<Invoice> {
  const invoice = await shop.save(changes);
  await posted();
  return invoice;
}

test("issue, change and cancellation", async () => {
  const { invoiceId } = await shop.save();
  const due = { receivable: 118_00n, revenue: -100_00n, output_cgst: -9_00n, output_sgst: -9_00n };
  expect(await take()).toEqual([{ subject: { kind: "revision", id: invoiceId, no: 1 }, lines: due }]);

  const rows = [{ ...INPUT.rows![0]!, amountPaise: 200_00n }];
  const input = { ...INPUT, customerCode: null, billDate: null, dueDate: null, rows };
  await changeInvoice(context(), { invoiceId, input });
  expect(await take()).toEqual([{ subject: { kind: "revision", id: invoiceId, no: 2 }, lines: due }]);

  await cancelInvoice(context(), invoiceId);
  const back = Object.fromEntries(Object.entries(due).map(([account, paise]) => [account, -2n * paise]));
  expect(await take()).toEqual([{ subject: { kind: "cancellation", id: invoiceId }, lines: back }]);
});

test("payments, alone and together, and a reversal", async () => {
  const invoice = await saved();
  const paid = { receivable: -50_00n, cash: 50_00n };
  const settlementId = await shop.pay(invoice, 50_00n);
  expect(await take()).toEqual([{ subject: { kind: "settlement", id: settlementId }, lines: paid }]);

  const settlements = new InvoiceSettlements(new TenantGroups(stage.requests), db.ids, 1000);
  const request = {
    mode: "Cash",
    bankName: "",
    bankRefNo: "",
    chequeNo: "",
    cashPaidTo: "",
    tdsPaise: 0n,
    tdsCode: "",
    notify: false,
  } as const;
  const payment = { ...request, invoiceId: invoice.invoiceId, amountPaise: 25_00n, paidDate: invoice.billDate };
  const answers = await Promise.all([1, 2].map(() => settlements.settle({ ...context(), origin: ORIGIN }, payment)));
  expect(await take()).toEqual(
    answers.map(({ answer }) => ({
      subject: { kind: "settlement", id: BigInt(answer.settlementId) },
      lines: { receivable: -25_00n, cash: 25_00n },
    })),
  );

  await shop.takeBack(settlementId);
  const back = { receivable: 50_00n, cash: -50_00n };
  expect(await take()).toEqual([{ subject: { kind: "reversal", id: settlementId }, lines: back }]);
});

test("a payment of which tax was deducted, and its reversal", async () => {
  const invoice = await saved();
  const settlementId = await shop.pay(invoice, 118_00n, 10_00n);
  const paid = { receivable: -118_00n, cash: 108_00n, tds_receivable: 10_00n };
  expect(await take()).toEqual([{ subject: { kind: "settlement", id: settlementId }, lines: paid }]);
  expect((await shop.read(invoice)).status).toBe("Paid offline");
  await shop.takeBack(settlementId);
  const back = { receivable: 118_00n, cash: -108_00n, tds_receivable: -10_00n };
  expect(await take()).toEqual([{ subject: { kind: "reversal", id: settlementId }, lines: back }]);
  expect(await shop.violations()).toEqual([]);
});

test("credit note and refund, and what is taken off what is due again", async () => {
  const invoice = await saved();
  const settlementId = await shop.pay(invoice, 100_00n);
  await take();
  const { note } = await shop.credit(invoice, 59_00n);
  const taken = { revenue: 50_00n, output_cgst: 4_50n, output_sgst: 4_50n };
  const left = { receivable: -18_00n, refunds_payable: -41_00n };
  const subject = { kind: "credit_note", id: note.creditNoteId };
  expect(await take()).toEqual([{ subject, lines: { ...left, ...taken } }]);

  // A refund is a payout: the payout ledger has it.
  await shop.refund(note, PAYEE);
  expect(await take()).toEqual([]);

  await shop.takeBack(settlementId);
  expect(await take()).toEqual([
    {
      subject: { kind: "reversal", id: settlementId },
      lines: { receivable: 100_00n, cash: -100_00n },
    },
  ]);
});

test("a credit that is owed is taken off by the reversal that makes the invoice due again", async () => {
  const invoice = await saved();
  const settlementId = await shop.pay(invoice, 118_00n);
  await shop.credit(invoice, 59_00n);
  await take();
  await shop.takeBack(settlementId);
  expect(await take()).toEqual([
    {
      subject: { kind: "reversal", id: settlementId },
      lines: { receivable: 59_00n, cash: -118_00n, refunds_payable: 59_00n },
    },
  ]);
});

test("dues that are carried forward, and a mailing, move nothing; a payment of them is posted where they come from", async () => {
  const first = await saved();
  const second = await shop.save({ customerId: first.customerId, carries: [first.invoiceId] });
  const due = { receivable: 118_00n, revenue: -100_00n, output_cgst: -9_00n, output_sgst: -9_00n };
  expect(await take()).toEqual([{ subject: { kind: "revision", id: second.invoiceId, no: 1 }, lines: due }]);

  const now = Temporal.Now.instant();
  await inTransaction(db.server, (connection) => markInvoiceSent(connection, second, now, second.billDate));
  expect(await take()).toEqual([]);

  const settlementId = await shop.pay(second, 150_00n);
  const [whole, part, ...others] = await take();
  expect(whole).toEqual({
    subject: { kind: "settlement", id: settlementId },
    lines: { receivable: -32_00n, cash: 150_00n, advances: -118_00n },
  });
  expect(part).toMatchObject({
    subject: { kind: "settlement" },
    lines: { receivable: -118_00n, advances: 118_00n },
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
  await posted();
  const first = await shop.save();
  const second = await shop.save({ customerId: first.customerId, carries: [first.invoiceId] });
  const third = await shop.save({ customerId: first.customerId, carries: [second.invoiceId] });
  const payment = await shop.pay(third, 250_00n);
  await shop.takeBack(payment);
  await shop.pay(third, 20_00n);
  for (const { lines } of await posted()) for (const [account, paise] of Object.entries(lines)) add(account, paise);
  for (const invoice of [first, second, third]) {
    for (const { account, debitPaise } of postingsOf(null, await shop.read(invoice))) add(account, -debitPaise);
  }
  // Received money is cash, and no advance is left; the invoice alone does not show which.
  add("cash", -20_00n);
  add("advances", 20_00n);
  expect([...sums.values()].filter((paise) => paise !== 0n)).toEqual([]);
});
