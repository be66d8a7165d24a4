// Use case: credit an invoice, in full or in part, with a credit note.
import { auditValues } from "../../ledger/index.ts";
import {
  runIdempotently,
  todayOf,
  type Context,
  type Merchant,
  type TransactionContext,
} from "../../merchants/index.ts";
import type { PaidRefund, RefundPayee } from "../../payouts/index.ts";
import { together, worksOf, type Connection } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError, validationError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { creditByLine, type ChosenLine } from "./credit-lines.ts";
import { creditableOf, creditsGst, NOT_REFUNDED, type CreditNote } from "./credit-note.ts";
import { payOwed, type RefundContext } from "./credit-note-refund.ts";
import { findCreditNote, insertCreditNote, listCreditNotesOf } from "./credit-note-store.ts";
import {
  creditRows,
  ofRows,
  roundingOf,
  spreadCredit,
  withRounding,
  type ChosenRow,
  type CreditParts,
  type Rounding,
} from "./share-credit.ts";
import { InvoiceChanges } from "../change-store.ts";
import { followUp } from "../invoice-changes.ts";
import { seriesNameOf } from "../document-kind.ts";
import { dueOf, refuseIfCancelled, refuseOpeningBalance, statusOf, type Invoice } from "../invoice.ts";
import { postingsOfNote } from "../invoice-postings.ts";
import { findInvoice } from "../invoice-store.ts";
import { financialYearOf, writeNumber, type NumberSeries } from "../numbers/number-series.ts";
import { lockWithLater, writeDues } from "../dues/carry-dues.ts";
import { takeNumbers } from "../numbers/number-counter-store.ts";
import { entryOfNote } from "../register/gst-document.ts";
import { entryStatements } from "../register/gst-store.ts";
import { findTemplate } from "../templates/template-store.ts";

export type CreditNoteRequest = {
  readonly invoiceId: bigint;
  /** Tax included; `null` for the whole rest, or for the sum of `rows`. */
  readonly amountPaise: bigint | null;
  /** The credited rows, each once; `null` to spread the amount over all rows. */
  readonly rows: readonly ChosenRow[] | null;
  /** Lines credited by quantity or by amount without tax, in place of `rows`. */
  readonly lines?: readonly ChosenLine[];
  /** Whether it credits an amount without GST: docs/rules/invoicing.md#financial-credit-notes. Then no rows are chosen. */
  readonly isFinancial?: boolean;
  readonly reason: string;
  /** `null` for today, or the invoice's date if that is later. */
  readonly noteDate: Temporal.PlainDate | null;
  /** The payee of an immediate refund; `null` leaves it owed. */
  readonly refundTo: RefundPayee | null;
};

export type IssuedCreditNote = {
  readonly note: CreditNote;
  readonly invoice: Invoice;
  /** `null` if no refund was requested, and if the note was issued before under the same key. */
  readonly refund: PaidRefund | null;
};

/**
 * Issues a credit note. It reduces the due amount first; the excess was paid, and is owed back to the customer. If the available
 * balance does not cover a refund, or the merchant's policy refuses it, it stays owed. Note, number, commission and transfer are
 * one transaction. Carried dues are reduced on the later invoice, too.
 * @throws NodalError `invoice_not_found`, `invoice_cancelled`, `opening_balance_kept`, `credit_exceeds_invoice` also for a row,
 * `validation_failed` for rows that can't be chosen or a date before the invoice's or in the future, `invoice_number_exists` if the
 * series has run out of numbers, `limit_exceeded` for a refund above UPI's limit
 */
export async function issueCreditNote(
  { idempotency, ...context }: RefundContext<Merchant> & Pick<Context, "idempotency">,
  request: CreditNoteRequest,
): Promise<IssuedCreditNote> {
  const { pool, merchant } = context;
  const { bucket, merchantId } = merchant;
  const newId = await context.ids.next();
  let refund: PaidRefund | null = null;
  const { answer } = await runIdempotently(pool, merchant, idempotency, async (connection) => {
    refund = await issueInside({ connection, ...context }, newId, request);
    return { creditNoteId: String(newId) };
  });
  const creditNoteId = BigInt(answer.creditNoteId);
  const note = (await findCreditNote(pool, { bucket, merchantId, creditNoteId }))!;
  const invoice = (await findInvoice(pool, { bucket, merchantId, invoiceId: note.invoiceId }))!;
  return { note, invoice, refund };
}

/** Issues the note in the caller's transaction. Returns the result of its refund. */
async function issueInside(
  context: Omit<RefundContext<Merchant>, "pool"> & Pick<TransactionContext, "connection">,
  creditNoteId: bigint,
  request: CreditNoteRequest,
): Promise<PaidRefund | null> {
  const { connection, ids, merchant } = context;
  const [before, ...later] = await lockWithLater(connection, merchant, request.invoiceId);
  refuseIfCancelled(before);
  refuseOpeningBalance(before, "change its amount, or cancel it");
  const earlier = await listCreditNotesOf(connection, before);
  const note = await draftNote(connection, merchant, { creditNoteId, before, earlier, request });
  await insertCreditNote(connection, note);
  const entries = creditsGst(note) ? [entryOfNote(before, note)] : [];
  await together(connection, ...worksOf(connection, entryStatements(entries)));
  const credited = { ...before, creditedPaise: before.creditedPaise + note.reducesDuePaise };
  const open = { ...credited, status: statusOf(credited) };
  const subject = { kind: "credit_note", id: creditNoteId, date: note.noteDate } as const;
  const changes = new InvoiceChanges(connection, subject);
  await writeDues(changes, ids, { before, after: open }, later, -note.reducesDuePaise);
  const issued = { type: "credit_note.issued", subjectId: creditNoteId, after: auditValues(note) };
  await followUp(changes, ids, [issued], [{ subject, invoice: before, lines: postingsOfNote(note) }]);
  const isPaidOut = request.refundTo !== null && note.refundPaise > 0n;
  return isPaidOut ? payOwed(context, note, request.refundTo) : null;
}

type Draft = {
  readonly creditNoteId: bigint;
  readonly before: Invoice;
  readonly earlier: readonly CreditNote[];
  readonly request: CreditNoteRequest;
};

async function draftNote(connection: Connection, merchant: Merchant, draft: Draft): Promise<CreditNote> {
  const { creditNoteId, before, earlier, request } = draft;
  const noteDate = dateOf(before, request.noteDate, todayOf(merchant));
  const { amountPaise, parts } = creditOf(before, earlier, request);
  const { rows, taxes, taxablePaise, taxPaise, lines } = parts;
  // Where it is due: on this invoice, or on a later one.
  const duePaise = dueOf({ ...before, status: "Unpaid" });
  const reducesDuePaise = amountPaise < duePaise ? amountPaise : duePaise;
  const kind = request.isFinancial ? "financial_credit_note" : "credit_note";
  const template = (await findTemplate(connection, before, before.templateId))!;
  const series = template.series[seriesNameOf(kind)];
  const financialYear = financialYearOf(noteDate);
  return {
    bucket: before.bucket,
    merchantId: before.merchantId,
    creditNoteId,
    invoiceId: before.invoiceId,
    seriesId: series.seriesId,
    financialYear,
    creditNoteNumber: await takeNumber(connection, before, series, financialYear),
    noteDate,
    amountPaise,
    taxablePaise,
    taxPaise,
    reducesDuePaise,
    refundPaise: amountPaise - reducesDuePaise,
    refundBeneficiaryId: null,
    reason: request.reason,
    content: { ...before.content, kind, rows, taxes, roundOffPaise: amountPaise - taxablePaise - taxPaise },
    byRows: request.rows !== null || request.lines !== undefined,
    lines,
    createdAt: Temporal.Now.instant(),
    cancelledAt: null,
    refund: NOT_REFUNDED,
  };
}

/** The credited amounts of a note: in all, and of rows and taxes. @throws as `issueCreditNote` */
function creditOf(
  invoice: Invoice,
  earlier: readonly CreditNote[],
  { rows, lines, amountPaise, isFinancial = false }: CreditNoteRequest,
): { readonly amountPaise: bigint; readonly parts: CreditParts } {
  const rounding = roundingOf(invoice, earlier);
  // Financial notes reduce neither rows nor taxes.
  const ofGst = earlier.filter(creditsGst);
  if (rows || lines) {
    const parts = lines ? creditByLine(invoice, ofGst, lines) : creditRows(invoice, ofGst, rows ?? []);
    refuseBeyondFinancial(parts, rounding);
    return { amountPaise: withRounding(parts.amountPaise, rounding), parts };
  }
  const wholePaise = amountOf(invoice, earlier, amountPaise);
  if (isFinancial) return { amountPaise: wholePaise, parts: withoutGst(wholePaise) };
  return { amountPaise: wholePaise, parts: spreadCredit(invoice, ofGst, ofRows(wholePaise, rounding)) };
}

/** A financial note has no tax. */
function withoutGst(amountPaise: bigint): CreditParts {
  return { amountPaise, taxablePaise: amountPaise, taxPaise: 0n, lines: [], rows: [], taxes: [] };
}

/** @throws NodalError `credit_exceeds_invoice` for rows with a larger rest than the invoice, after financial notes */
function refuseBeyondFinancial({ amountPaise }: CreditParts, { leftOfRowsPaise }: Rounding): void {
  if (amountPaise <= leftOfRowsPaise) return;
  const left = formatRupees(leftOfRowsPaise > 0n ? leftOfRowsPaise : 0n);
  const problem = `Only ${left} of this invoice can still be credited, tax included: financial credit notes gave back the rest.`;
  throw fieldRefusal("credit_exceeds_invoice", "rows", problem);
}

/** @throws NodalError `credit_exceeds_invoice` */
function amountOf(invoice: Invoice, earlier: readonly CreditNote[], askedPaise: bigint | null): bigint {
  const creditablePaise = creditableOf(invoice, earlier);
  const amountPaise = askedPaise ?? creditablePaise;
  if (creditablePaise > 0n && amountPaise <= creditablePaise) return amountPaise;
  const message =
    creditablePaise > 0n
      ? `Only ${formatRupees(creditablePaise)} of this invoice can still be credited: credit at most that much.`
      : "This invoice is fully credited. Previous dues belong to their original invoice.";
  throw fieldRefusal("credit_exceeds_invoice", "amount", message);
}

/** @throws NodalError `validation_failed` for a date before the invoice's or in the future; an invoice of a later day is credited on that day */
function dateOf(
  { billDate }: Invoice,
  asked: Temporal.PlainDate | null,
  today: Temporal.PlainDate,
): Temporal.PlainDate {
  const isBefore = (date: Temporal.PlainDate): boolean => Temporal.PlainDate.compare(date, billDate) < 0;
  const latest = isBefore(today) ? billDate : today;
  if (asked === null) return latest;
  const refuse = (problem: string): never => {
    throw validationError([{ field: "date", code: "invalid", problem }]);
  };
  if (isBefore(asked)) {
    refuse(`A credit note can't be dated before its invoice, which is dated ${billDate.toString()}.`);
  }
  if (Temporal.PlainDate.compare(asked, latest) > 0) refuse(`must not be after ${latest.toString()}.`);
  return asked;
}

/** @throws NodalError `invoice_number_exists` if the series has run out of numbers of 16 characters */
async function takeNumber(
  connection: Connection,
  invoice: Invoice,
  series: NumberSeries,
  financialYear: number,
): Promise<string> {
  const counter = await takeNumbers(connection, invoice, series, financialYear, 1);
  const number = writeNumber(series, financialYear, counter);
  if (number !== null) return number;
  throw new NodalError(
    "invoice_number_exists",
    "The template's series for credit notes has no numbers of 16 characters left.",
  );
}
