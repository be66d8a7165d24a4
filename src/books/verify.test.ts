// `nodal verify` finds each posting that was left out, doubled, moved or changed with SQL.
import { afterAll, beforeAll, expect, test } from "vitest";
import { SavesStage } from "../../test/support/invoice-saves.ts";
import type { Invoicing } from "../../test/support/invoicing.ts";
import { fund } from "../../test/support/ledger.ts";
import { verifySnapshot } from "../payouts/verify/verify.ts";
import { BOOK_CHECKS } from "./index.ts";

let stage: SavesStage;
let shop: Invoicing;
const ids = new Map<string, bigint>();

beforeAll(async () => {
  stage = await SavesStage.open();
  shop = await stage.newShop();
  await fund(stage.db, shop.merchant, 1_000_000n, "opening");
  const invoice = await shop.save();
  const payment = await shop.pay(invoice, 50_00n);
  const other = await shop.save();
  const { note } = await shop.credit(other, 59_00n);
  const reversed = await shop.pay(other, 10_00n);
  await shop.takeBack(reversed);
  const receipt = await shop.receive(other.customerId, 200_00n, 20_00n);
  const gst = { rateThousandths: 18_000n, description: "Design", place: null };
  const taxed = await shop.receive(other.customerId, 118_00n, 0n, [], gst);
  ids.set("receipt", receipt).set("taxed", taxed);
  ids.set("invoice", invoice.invoiceId).set("payment", payment).set("other", other.invoiceId);
  ids.set("note", note.creditNoteId).set("reversed", reversed).set("customer", other.customerId);
});
afterAll(() => stage.close());

/** Runs SQL as the owner in a transaction, verifies inside it, and rolls it back. */
async function verifyBroken(statement: string) {
  const connection = await stage.db.owner.connect();
  try {
    await connection.query("begin");
    await connection.query(statement.replace(/\$([a-z]+)/g, (_, name: string) => String(ids.get(name))));
    return await verifySnapshot(connection, null, BOOK_CHECKS);
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}

const FAULTS = [
  {
    what: "the posting of an invoice was left out",
    break: "delete from book_entry where subject_id = $invoice and event = 'revision'",
    reports: ["book_days", "book_invoices", "book_taxes"],
  },
  {
    what: "the posting of a payment was left out",
    break: "delete from book_entry where subject_id = $payment",
    reports: ["book_days", "book_invoices", "book_payments"],
  },
  {
    what: "a posting was doubled",
    break: `create temporary table twin as select * from book_entry where subject_id = $payment;
      update twin set no = 2; insert into book_entry select * from twin`,
    reports: ["book_days", "book_invoices", "book_payments"],
  },
  {
    what: "a posting of a credit note is of another month",
    break: "update book_entry set entry_date = entry_date - 70 where subject_id = $note",
    reports: ["book_days", "book_taxes"],
  },
  {
    what: "a posting is of another customer",
    break: "update book_entry set customer_id = customer_id + 1 where subject_id = $invoice",
    reports: ["book_customers"],
  },
  {
    what: "a payment was posted as cash, or not",
    break: "update book_entry set bank_paise = cash_paise, cash_paise = bank_paise where subject_id = $payment",
    reports: ["book_days", "book_payments"],
  },
  {
    what: "a reversal was left out",
    break: "delete from book_entry where event = 'reversal' and subject_id = $reversed",
    reports: ["book_days", "book_invoices", "book_payments"],
  },
  {
    what: "the posting of a receipt was left out",
    break: "delete from book_entry where subject_id = $receipt and event = 'receipt'",
    reports: ["book_days", "book_receipts", "customer_advances"],
  },
  {
    what: "the posting of a receipt was doubled",
    break: `create temporary table twin as select * from book_entry where subject_id = $receipt and event = 'receipt';
      update twin set no = 2; insert into book_entry select * from twin`,
    reports: ["book_days", "book_receipts", "customer_advances"],
  },
  {
    what: "a receipt was posted as of another customer",
    break: "update book_entry set customer_id = customer_id + 1 where subject_id = $receipt",
    reports: ["book_receipts", "customer_advances"],
  },
  {
    what: "TDS of a receipt was posted as cash",
    break: `update book_entry set cash_paise = cash_paise + 1, tds_receivable_paise = tds_receivable_paise - 1
      where subject_id = $receipt`,
    reports: ["book_days", "book_receipts"],
  },
  {
    what: "what is used of a receipt was changed",
    break: "update receipt set used_paise = used_paise - 1 where receipt_id = $receipt",
    reports: ["customer_advances", "receipt_use"],
  },
  {
    what: "a payment was moved from a receipt to none",
    break: "update settlement set receipt_id = null where receipt_id = $receipt",
    reports: ["book_invoices", "book_payments", "receipt_use"],
  },
  {
    what: "a receipt was removed",
    break: "delete from receipt where receipt_id = $receipt",
    reports: ["book_receipts", "customer_advances", "receipt_use"],
  },
  {
    what: "a refund of a receipt was made up",
    break: `insert into receipt_refund (bucket, merchant_id, refund_id, receipt_id, paid_date, amount_paise, mode, bank_name, bank_ref_no,
        cheque_no, cash_paid_to, reference, created_at)
      select bucket, merchant_id, 5, receipt_id, paid_date, 1, mode, '', '', '', '', '', now() from receipt
      where receipt_id = $receipt`,
    reports: ["book_receipts", "receipt_use"],
  },
  {
    what: "the tax on an advance was left out",
    break: "delete from advance_tax where receipt_id = $taxed",
    reports: ["advance_tax", "advance_vouchers", "book_advance_tax"],
  },
  {
    what: "the tax on an advance was changed",
    break: "update advance_tax set igst_paise = igst_paise + 1 where receipt_id = $taxed",
    reports: ["advance_tax", "advance_vouchers", "book_advance_tax"],
  },
  {
    what: "an advance was used and its tax was not taken back",
    break: `update receipt set used_paise = used_paise + 5900 where receipt_id = $taxed`,
    reports: ["advance_tax", "customer_advances", "receipt_use"],
  },
  {
    what: "the rate of a voucher was changed",
    break: "update advance_voucher set rate_thousandths = 5000 where voucher_id = $taxed",
    reports: ["advance_tax", "advance_vouchers"],
  },
  {
    what: "a voucher was removed",
    break: "delete from advance_voucher where voucher_id = $taxed",
    reports: ["advance_tax", "advance_vouchers"],
  },
  {
    what: "the tax on an advance was posted for another customer",
    break: "update book_entry set customer_id = customer_id + 1 where subject_id = $taxed and event = 'advance_tax'",
    reports: ["book_advance_tax"],
  },
  {
    what: "the tax on an advance was posted to another head",
    break: `update book_entry set output_cgst_paise = output_cgst_paise + 1, output_igst_paise = output_igst_paise - 1
      where subject_id = $taxed and event = 'advance_tax'`,
    reports: ["book_advance_tax", "book_days"],
  },
  {
    what: "what is due was changed",
    break: "update invoice set paid_paise = paid_paise + 1 where invoice_id = $invoice",
    reports: ["book_invoices"],
  },
  {
    what: "the sum of a day was changed",
    break: "update book_day set bank_paise = bank_paise + 1, revenue_paise = revenue_paise - 1",
    reports: ["book_days"],
  },
] as const;

test("sound books pass", async () => {
  expect((await verifyBroken("select")).violations).toEqual([]);
});

test.each(FAULTS.map((fault) => [fault.what, fault] as const))("%s", async (_, fault) => {
  const { violations } = await verifyBroken(fault.break);
  expect([...new Set(violations.map(({ check }) => check))].sort()).toEqual(fault.reports);
});

test("the database refuses a posting that does not balance", async () => {
  const broken = verifyBroken("update book_entry set revenue_paise = revenue_paise + 1 where subject_id = $invoice");
  await expect(broken).rejects.toMatchObject({ constraint: "book_entry_balances" });
});

test("every check of the books has a fault", () => {
  const found = new Set<string>(FAULTS.flatMap(({ reports }) => reports));
  expect(BOOK_CHECKS.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
