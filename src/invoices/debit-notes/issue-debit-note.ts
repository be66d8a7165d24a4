// Use case: increase an invoice with a debit note. Payments, reminders and cancelling work as for invoices.
import { runIdempotently, todayOf, type Context, type Merchant } from "../../merchants/index.ts";
import { Nonces } from "../../platform/bytes.ts";
import { together, type Connection, type Queryable } from "../../platform/database/pool.ts";
import { NodalError, validationError } from "../../platform/errors.ts";
import { changeWrites } from "../change-store.ts";
import { contentToJson } from "../content-codec.ts";
import type { ChosenLine } from "../credit-notes/credit-lines.ts";
import { seriesNameOf } from "../document-kind.ts";
import { requireTemplate } from "../invoice-references.ts";
import { findInvoice, insertInvoices } from "../invoice-store.ts";
import { refuseIfCancelled, refuseOpeningBalance, type Invoice } from "../invoice.ts";
import { financialYearOf } from "../numbers/number-series.ts";
import { debitNoteEvent } from "../debit-note-event.ts";
import { newInvoice } from "../saves/draft.ts";
import { refusingTakenNumbers, takeSeriesNumbers } from "../saves/number-invoices.ts";
import { lockInvoice } from "../settlements/settle-invoice.ts";
import { draftDebitNote } from "./debit-note.ts";

/** Secrets of public links. */
const tokens = new Nonces(16);

export type DebitNoteRequest = {
  readonly invoiceId: bigint;
  readonly lines: readonly ChosenLine[];
  readonly reason: string;
  /** `null` for today. */
  readonly date: Temporal.PlainDate | null;
};

/**
 * Issues a debit note: a separate invoice for what the original charged too little, due on the original's terms. It changes nothing
 * on the original.
 * @throws NodalError `invoice_not_found`, `invoice_cancelled`, `opening_balance_kept`, `validation_failed` for a debit note of a
 * debit note, rows that can't be chosen and a date before the invoice's or in the future, `invoice_number_exists` if the series has
 * run out of numbers
 */
export async function issueDebitNote(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  request: DebitNoteRequest,
): Promise<Invoice> {
  const { bucket, merchantId } = merchant;
  const newId = await ids.next();
  const { answer } = await runIdempotently(pool, merchant, idempotency, async (connection) => {
    await issueInside(connection, merchant, newId, request);
    return { invoiceId: String(newId) };
  });
  return (await findInvoice(pool, { bucket, merchantId, invoiceId: BigInt(answer.invoiceId) }))!;
}

async function issueInside(
  connection: Connection,
  merchant: Merchant,
  invoiceId: bigint,
  { invoiceId: originalId, lines, reason, date }: DebitNoteRequest,
): Promise<void> {
  const { bucket, merchantId } = merchant;
  // Locked, so that it is not cancelled or changed meanwhile.
  const original = await lockInvoice(connection, merchant, originalId);
  refuseIfCancelled(original);
  refuseOpeningBalance(original, "change its amount, or cancel it and save another");
  refuseNoteOfNote(original);
  const billDate = dateOf(original, date, todayOf(merchant));
  const draft = draftDebitNote(original, lines, reason);
  const template = await requireTemplate(connection, merchant, original.templateId);
  const financialYear = financialYearOf(billDate);
  const numbered = { path: "date", financialYear, ownNumber: null };
  const series = template.series[seriesNameOf(draft.content.kind)];
  const [numbers] = await takeSeriesNumbers(connection, [{ merchant, invoices: [{ ...numbered, series }] }]);
  const { customerId, templateId, franchiseId, cycleName } = original;
  const after = newInvoice(draft, {
    bucket,
    merchantId,
    invoiceId,
    customerId,
    templateId,
    franchiseId,
    seriesId: series.seriesId,
    invoiceNumber: numbers![0]!,
    cycleName,
    billDate,
    dueDate: billDate.add(original.billDate.until(original.dueDate, { largestUnit: "days" })),
    carriedPaise: 0n,
    publicToken: tokens.next().toString("base64url"),
    createdAt: Temporal.Now.instant(),
  });
  const subject = { kind: "revision", id: invoiceId, no: after.revision, dateField: "date" } as const;
  const changes = [{ before: null, after, subject }];
  const events = [debitNoteEvent("debit_note.issued", after)];
  const insert = insertInvoices([after], [contentToJson(after.content)]);
  const writes = await changeWrites(connection, [insert], [{ bucket, merchantId, events, changes }]);
  const write = (): Promise<unknown> => together(connection, ...writes);
  await refusingTakenNumbers(connection, merchant, [numbered], [after.invoiceNumber], write);
}

/** @throws NodalError `validation_failed` */
function refuseNoteOfNote({ originalInvoiceId, content }: Invoice): void {
  if (originalInvoiceId === null) return;
  const problem = `names a debit note: name the invoice that it is about, ${content.original!.number}.`;
  throw validationError([{ field: "invoice_id", code: "not_allowed", problem }]);
}

/** @throws NodalError `validation_failed` for a date before the invoice's or in the future */
function dateOf(
  { billDate }: Invoice,
  asked: Temporal.PlainDate | null,
  today: Temporal.PlainDate,
): Temporal.PlainDate {
  const date = asked ?? today;
  const refuse = (problem: string): never => {
    throw validationError([{ field: "date", code: "invalid", problem }]);
  };
  if (Temporal.PlainDate.compare(date, billDate) < 0) {
    refuse(`must not be before the invoice's, ${billDate.toString()}.`);
  }
  if (Temporal.PlainDate.compare(date, today) > 0) refuse(`must not be after today, ${today.toString()}.`);
  return date;
}

/**
 * A debit note of a merchant.
 * @throws NodalError `debit_note_not_found`, also for an invoice
 */
export async function requireDebitNote(db: Queryable, merchant: Merchant, invoiceId: bigint): Promise<Invoice> {
  const { bucket, merchantId } = merchant;
  const invoice = await findInvoice(db, { bucket, merchantId, invoiceId });
  if (!invoice || invoice.originalInvoiceId === null) throw debitNoteNotFound();
  return invoice;
}

/** The error for a debit note that the caller doesn't have. */
export function debitNoteNotFound(): NodalError {
  return new NodalError(
    "debit_note_not_found",
    "Debit note not found: use a debit_note_id from the list of debit notes.",
  );
}
