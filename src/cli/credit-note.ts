// `nodal credit-note`: credit invoices in full or in part, and refund payments.
import { buildCreditNoteDocument, readSources, renderInvoicePdf } from "../documents/index.ts";
import {
  cancelCreditNote,
  chargedTaxes,
  checkPayee,
  chosenRows,
  creditLines,
  creditNoteNotFound,
  creditsGst,
  dueOf,
  findCreditNote,
  findInvoice,
  findInvoices,
  formatInvoiceId,
  issueCreditNote,
  listCreditNotes,
  owedOf,
  payeeOfInvoice,
  refundCreditNote,
  sum,
  toChosenLines,
  toChosenRows,
  warningsOfCreditNote,
  type CreditNote,
  type Invoice,
  type NamedPayee,
} from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { awaitBank, OwnPayouts } from "../payouts/index.ts";
import type { FieldError, NodalError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import {
  bankAccount,
  date,
  ifsc,
  money,
  optional,
  optionalText,
  requiredText,
  upiHandle,
} from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  flag,
  group,
  id,
  merchantCommand,
  option,
  type GivenOptions,
  type MerchantScope,
  type Values,
} from "./command.ts";
import { fromText, type Reading } from "./given-file.ts";
import { INVOICE, linksOf, OUT, writePdf } from "./invoice-options.ts";
import { LINE_VALUE, readLines } from "./note-lines.ts";
import { formatRecord, formatTable, listAnswer, paragraphs, recordAnswer } from "./output.ts";

const LISTED = 1000;
const NOTE = id("a credit note's id, which `nodal credit-note list` shows");
const EXAMPLE = "--credit-note 1000412";
const COLUMNS = [
  "credit_note_id",
  "credit_note_number",
  "credit_note_date",
  "invoice_number",
  "amount",
  "refund",
  "refund_owed",
  "refund_status",
] as const;

const PAYEE_OPTIONS = {
  account: option("<number>", "bank account number of the customer, with --ifsc", optional(bankAccount())),
  ifsc: option("<code>", "IFSC of the account", optional(ifsc())),
  upi: option("<handle>", "UPI handle of the customer, instead of an account", optional(upiHandle())),
  name: option("<text>", "the account holder; default: the customer's name", optionalText(100)),
};

/** Adds errors about the payee of a refund. */
function checkGivenPayee(
  { account, ifsc: code, upi, name }: GivenOptions,
  isNeeded: boolean,
  errors: FieldError[],
): void {
  const isGiven = (value: unknown): boolean => value !== undefined;
  const given = { accountNumber: isGiven(account), ifsc: isGiven(code), upi: isGiven(upi), name: isGiven(name) };
  checkPayee(given, { accountNumber: "--account", ifsc: "--ifsc", upi: "--upi" }, isNeeded, errors);
}

/** The payee of a refund; `null` if none is given. */
export function payeeOf({ account, ifsc: code, upi, name }: Values<typeof PAYEE_OPTIONS>): NamedPayee | null {
  return account === null && upi === null ? null : { name, accountNumber: account, ifsc: code, upi };
}

export const createCommand = merchantCommand({
  description: "issue a credit note: it reduces the due amount first; the rest is owed to the customer",
  example: '--invoice R000029148 --full --reason "Goods returned"',
  options: {
    invoice: INVOICE,
    amount: option("<rupees>", "amount to credit, including tax", optional(money())),
    full: flag("credit the full remaining amount"),
    row: option(
      "<row=rupees>",
      "credit this row of the invoice, counted from 1, instead of an amount; can be repeated",
      fromText(optional(chosenRows), readRows),
      { named: "rows", isRepeated: true },
    ),
    line: option(
      LINE_VALUE,
      "credit rupees without tax, or pieces, of this row, instead of an amount; can be repeated",
      fromText(optional(creditLines), readLines),
      { named: "rows", isRepeated: true },
    ),
    financial: flag("give the amount back without GST: the note is in no return"),
    reason: option("<text>", "why, printed on the note", requiredText(500)),
    date: option("<date>", "the note's date; default: today", optional(date())),
    refund: flag("pay what is owed back out at once, from the merchant's balance, to:"),
    ...PAYEE_OPTIONS,
  },
  check(given, errors) {
    if (["amount", "full", "row", "line"].filter((name) => given[name] !== undefined).length !== 1) {
      fail(errors, "amount", "invalid", "or --full, --line or --row is required: give one of them.");
    }
    if (given["financial"] === true && (given["row"] !== undefined || given["line"] !== undefined)) {
      fail(errors, "financial", "not_allowed", "can't be given with rows: it has no GST. Give an amount.");
    }
    if (given["refund"] === true) checkGivenPayee(given, true, errors);
    else if (Object.keys(PAYEE_OPTIONS).some((name) => given[name] !== undefined)) {
      fail(errors, "refund", "required", "is required with an account: without it nothing is paid out.");
    }
  },
  async run(scope, options) {
    const { invoice: invoiceId, reason, date: noteDate } = options;
    const refundTo = options.refund ? await payeeOfInvoice(scope, invoiceId, payeeOf(options)!) : null;
    const context = { ...scope, ownPayouts: new OwnPayouts(scope.config) };
    const rows = toChosenRows(options.row);
    const lines = options.line ? { lines: toChosenLines(options.line) } : {};
    const isFinancial = options.financial === true;
    const request = { invoiceId, amountPaise: options.amount, rows, ...lines, isFinancial, reason, noteDate, refundTo };
    const { note, invoice, refund } = await issueCreditNote(context, request);
    const record = {
      ...(await describeAfterBank(scope, note, refund !== null && "transferId" in refund)),
      invoice_status: invoice.status,
      paid_amount: formatPaise(invoice.paidPaise),
      due_amount: formatPaise(dueOf(invoice)),
    };
    const sentence = refund && "refusal" in refund ? describeOwed(refund.refusal) : "";
    const warnings = warningsOfCreditNote(note, invoice);
    const messages = warnings.map(({ message }) => message);
    return {
      json: { ...record, ...warn(warnings) },
      text: paragraphs(sentence, ...messages, formatRecord(record)),
    };
  },
});

/** Rows given as `2=1050.00`, one per line. */
function readRows(text: string): Reading<unknown> {
  const rows = text.split("\n").map((line) => /^\s*(?<row>[0-9]{1,4})\s*=(?<amount>.*)$/.exec(line)?.groups);
  if (rows.every((row) => row !== undefined)) return { value: rows };
  return { mustBe: 'a row\'s number and an amount in rupees, tax included, such as "2=1050.00"' };
}

function describeOwed({ code, message }: NodalError): string {
  return code === "insufficient_balance"
    ? "The available balance is too low for the refund, which stays owed. Add funds, then run `nodal credit-note refund`."
    : `The refund stays owed: ${message}`;
}

export const refundCommand = merchantCommand({
  description: "pay a credit note's refund, or retry it after the bank refused it",
  example: `${EXAMPLE} --upi asha@upi`,
  options: { creditNote: NOTE, ...PAYEE_OPTIONS },
  check: (given, errors) => checkGivenPayee(given, false, errors),
  async run(scope, { creditNote, ...options }) {
    const { note: before } = await find(scope, creditNote);
    const named = payeeOf(options);
    const payee = named && (await payeeOfInvoice(scope, before.invoiceId, named));
    const context = { ...scope, ownPayouts: new OwnPayouts(scope.config) };
    const note = await refundCreditNote(context, { creditNoteId: before.creditNoteId, payee });
    return recordAnswer(await describeAfterBank(scope, note, true));
  },
});

const list = merchantCommand({
  description: `list a merchant's credit notes, newest first, at most ${LISTED}`,
  async run({ pool, merchant }) {
    const notes = await listCreditNotes(pool, merchant, LISTED);
    const invoices = await findInvoices(pool, merchant, [...new Set(notes.map((note) => note.invoiceId))]);
    const byId = new Map(invoices.map((invoice) => [invoice.invoiceId, invoice]));
    const records = notes.map((note) => describe(note, byId.get(note.invoiceId)!, merchant));
    return listAnswer(records, "This merchant has no credit notes.", COLUMNS);
  },
});

const show = merchantCommand({
  description: "show a credit note and the status of its refund",
  example: EXAMPLE,
  options: { creditNote: NOTE },
  async run(scope, { creditNote }) {
    const { note, invoice } = await find(scope, creditNote);
    const record = describe(note, invoice, scope.merchant);
    const taxes = chargedTaxes(note).map((tax) => ({ name: tax.name, amount: formatPaise(tax.amountPaise) }));
    const rows = describeRows(note, invoice);
    return {
      json: { ...record, rows, tax_rows: taxes },
      text: paragraphs(formatRecord(record), formatTable(rows, ""), formatTable(taxes, "")),
    };
  },
});

const pdf = merchantCommand({
  description: "write a credit note's PDF to a file",
  example: `${EXAMPLE} --out note.pdf`,
  options: { creditNote: NOTE, out: OUT },
  async run(scope, { creditNote, out }) {
    const { note, invoice } = await find(scope, creditNote);
    const sources = await readSources(scope.pool, invoice, linksOf(scope.config));
    const document = buildCreditNoteDocument(note, sources);
    return writePdf(scope, (renderer) => renderInvoicePdf(renderer, scope.merchant, document), out);
  },
});

const cancel = merchantCommand({
  description: "cancel a credit note that nothing follows from: the invoice is due again, and the number stays used",
  example: EXAMPLE,
  options: { creditNote: NOTE },
  async run(scope, { creditNote }) {
    const { creditNoteId } = await cancelCreditNote(scope, creditNote);
    const { note, invoice } = await find(scope, creditNoteId);
    return recordAnswer(describe(note, invoice, scope.merchant));
  },
});

export const creditNoteCommands = group("credit invoices in full or in part, and refund them", {
  create: createCommand,
  cancel,
  refund: refundCommand,
  list,
  show,
  pdf,
});

/** @throws NodalError `credit_note_not_found` */
async function find(
  { pool, merchant: { bucket, merchantId } }: MerchantScope,
  creditNoteId: bigint,
): Promise<{ note: CreditNote; invoice: Invoice }> {
  const note = await findCreditNote(pool, { bucket, merchantId, creditNoteId });
  if (!note) throw creditNoteNotFound();
  const invoice = await findInvoice(pool, { bucket, merchantId, invoiceId: note.invoiceId });
  return { note, invoice: invoice! };
}

/** A note, after waiting for the bank's answer on a new transfer. */
async function describeAfterBank(scope: MerchantScope, { creditNoteId, refund }: CreditNote, isUnderWay: boolean) {
  if (isUnderWay) await awaitBank(scope, { transferId: refund.lastTransferId!, waitMs: scope.config.TRANSFER_WAIT_MS });
  const { note, invoice } = await find(scope, creditNoteId);
  return describe(note, invoice, scope.merchant);
}

function describe(note: CreditNote, invoice: Invoice, { timeZone }: Merchant) {
  const { lastTransferId, refundedPaise } = note.refund;
  return {
    credit_note_id: String(note.creditNoteId),
    credit_note_number: note.creditNoteNumber,
    credit_note_date: note.noteDate.toString(),
    invoice_id: formatInvoiceId(note.invoiceId),
    invoice_number: invoice.invoiceNumber,
    invoice_date: invoice.billDate.toString(),
    amount: formatPaise(note.amountPaise),
    status: note.cancelledAt === null ? "Issued" : "Cancelled",
    taxable: formatPaise(creditsGst(note) ? note.taxablePaise : 0n),
    tax: formatPaise(note.taxPaise),
    reduces_due: formatPaise(note.reducesDuePaise),
    refund: formatPaise(note.refundPaise),
    refunded: formatPaise(refundedPaise),
    refund_owed: formatPaise(owedOf(note)),
    refund_status: refundStatus(note),
    refund_transfer_id: lastTransferId === null ? null : String(lastTransferId),
    reason: note.reason,
    created_at: formatTimestamp(note.createdAt, timeZone),
  };
}

/** The credited rows of a note. The tax of a row is `null` if the invoice's `tax_rows` don't determine it. */
function describeRows({ lines }: CreditNote, { content }: Invoice) {
  return lines.map(({ line, taxablePaise, taxesPaise }) => ({
    row: line,
    // The row of a cancelled note may no longer be on the invoice.
    item: content.rows[line - 1]?.item ?? "",
    taxable: formatPaise(taxablePaise),
    tax: taxesPaise.length === content.taxes.length ? formatPaise(sum(taxesPaise)) : null,
  }));
}

function refundStatus(note: CreditNote): string {
  if (note.refundPaise === 0n || note.cancelledAt !== null) return "none";
  if (owedOf(note) > 0n) return "owed";
  return note.refund.underWayPaise > 0n ? "under way" : "refunded";
}
