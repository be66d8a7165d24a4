// `nodal debit-note`: charge more for an invoice. For payments, mail and PDFs, use the commands for invoices with the same id.
import { findCustomers } from "../customers/index.ts";
import {
  browseInvoices,
  cancelInvoice,
  debitLines,
  dueOf,
  findInvoices,
  formatInvoiceId,
  issueDebitNote,
  readInvoiceFilter,
  reasonOfDebitNote,
  requireDebitNote,
  toChosenLines,
  type Invoice,
} from "../invoices/index.ts";
import { date, optional, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { group, merchantCommand, option, type MerchantScope } from "./command.ts";
import { fromText } from "./given-file.ts";
import { DEBIT_NOTE, INVOICE, linksOf } from "./invoice-options.ts";
import { LINE_VALUE, readLines } from "./note-lines.ts";
import { listAnswer, recordAnswer } from "./output.ts";

const LISTED = 1000;
const EXAMPLE = "--debit-note R000029149";
const COLUMNS = [
  "debit_note_id",
  "debit_note_number",
  "date",
  "invoice_number",
  "customer_name",
  "amount",
  "due_amount",
  "status",
] as const;

const create = merchantCommand({
  description: "issue a debit note: it charges more for rows of an invoice, with its own due date",
  example: '--invoice R000029148 --line 1x2 --line 2=1000.00 --reason "Price agreed later"',
  options: {
    invoice: INVOICE,
    line: option(
      LINE_VALUE,
      "charge rupees without tax, or more pieces, of this row of the invoice, counted from 1; can be repeated",
      fromText(debitLines, readLines),
      { named: "rows", isRepeated: true },
    ),
    reason: option("<text>", "why, printed on the note", requiredText(500)),
    date: option("<date>", "the note's date; default: today", optional(date())),
  },
  async run(scope, { invoice: invoiceId, line, reason, date: day }) {
    const request = { invoiceId, lines: toChosenLines(line ?? []), reason, date: day };
    return recordAnswer(await describeOne(scope, await issueDebitNote({ ...scope, idempotency: null }, request)));
  },
});

const list = merchantCommand({
  description: `list a merchant's debit notes, newest first, at most ${LISTED}`,
  async run(scope) {
    const { pool, merchant } = scope;
    const filter = { ...(await readInvoiceFilter({ pool, merchant }, {})), isDebitNote: true };
    const order = { by: "bill_date", descending: true } as const;
    const { records } = await browseInvoices(pool, merchant, filter, order, null, LISTED);
    const ids = records.map((record) => record.invoice_id);
    const notes = ids.length === 0 ? [] : await findInvoices(pool, merchant, ids);
    return listAnswer(await describeAll(scope, notes), "This merchant has no debit notes.", COLUMNS);
  },
});

export const showCommand = merchantCommand({
  description: "show a debit note",
  example: EXAMPLE,
  options: { debitNote: DEBIT_NOTE },
  async run(scope, { debitNote }) {
    return recordAnswer(await describeOne(scope, await requireDebitNote(scope.pool, scope.merchant, debitNote)));
  },
});

const cancel = merchantCommand({
  description: "cancel a debit note on which nothing is paid; its number stays used",
  example: EXAMPLE,
  options: { debitNote: DEBIT_NOTE },
  async run(scope, { debitNote }) {
    const { pool, merchant } = scope;
    const { invoiceId } = await requireDebitNote(pool, merchant, debitNote);
    await cancelInvoice({ pool, merchant, idempotency: null }, invoiceId);
    return recordAnswer(await describeOne(scope, await requireDebitNote(pool, merchant, invoiceId)));
  },
});

export const debitNoteCommands = group("charge more for invoices", { create, list, show: showCommand, cancel });

async function describeAll(scope: MerchantScope, notes: readonly Invoice[]) {
  const customerIds = notes.map(({ customerId }) => customerId);
  const customers = await findCustomers(scope.pool, scope.merchant, customerIds);
  return notes.map((note) => describe(scope, note, customers.get(note.customerId)!.customerName));
}

async function describeOne(scope: MerchantScope, note: Invoice) {
  return (await describeAll(scope, [note]))[0]!;
}

function describe(scope: MerchantScope, note: Invoice, customerName: string) {
  const { original } = note.content;
  return {
    debit_note_id: formatInvoiceId(note.invoiceId),
    debit_note_number: note.invoiceNumber,
    date: note.billDate.toString(),
    due_date: note.dueDate.toString(),
    invoice_id: formatInvoiceId(original!.invoiceId),
    invoice_number: original!.number,
    invoice_date: original!.date,
    customer_name: customerName,
    amount: formatPaise(note.amountPaise),
    taxable: formatPaise(note.subTotalPaise),
    tax: formatPaise(note.taxTotalPaise),
    paid_amount: formatPaise(note.paidPaise),
    due_amount: formatPaise(dueOf(note)),
    status: note.status,
    reason: reasonOfDebitNote(note),
    short_url: linksOf(scope.config).shortUrl(note),
    created_at: formatTimestamp(note.createdAt, scope.merchant.timeZone),
  };
}
