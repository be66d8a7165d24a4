// What a credit note owes back to the customer: it is paid out, or taken off what has become due again, and no part of it
// leaves twice. Transfers are the payouts' business.
import { findBookSetting, openDay } from "../../books/index.ts";
import { findCustomers } from "../../customers/index.ts";
import { auditValues, type NewEvent } from "../../ledger/index.ts";
import {
  requireMoneyMover,
  type MerchantKey,
  type ReadContext,
  type TransactionContext,
  type WriteContext,
} from "../../merchants/index.ts";
import {
  findMisbooked,
  saveRefundPayee,
  type OwnPayouts,
  type PaidRefund,
  type RefundPayee,
} from "../../payouts/index.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { NodalError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { changedWithSql } from "../../platform/secrets/index.ts";
import { InvoiceChanges, recordBilling } from "../change-store.ts";
import { adjustInvoiceCommission } from "../invoice-changes.ts";
import { findInvoice } from "../invoice-store.ts";
import { dueOf, statusOf, type Invoice } from "../invoice.ts";
import {
  findCreditNote,
  insertRefund,
  listCreditNotesOf,
  findForeignRefund,
  listRefundTransfers,
  moveToDue,
  updateRefundPayee,
} from "./credit-note-store.ts";
import { owedOf, type CreditNote } from "./credit-note.ts";

/** `ownPayouts` is the installation's. */
export type RefundContext<Whose extends MerchantKey = MerchantKey> = WriteContext<Whose> & {
  readonly ownPayouts: OwnPayouts;
};

/** Without a payee it goes to whom it went before. With `agreed`, nothing is paid where that has changed meanwhile. */
export type RefundCreditNote = {
  readonly creditNoteId: bigint;
  readonly payee: RefundPayee | null;
  readonly agreed?: AgreedRefund | null;
};

/** What somebody saw and agreed to: how much is owed, and after how many attempts. */
export type AgreedRefund = { readonly owedPaise: bigint; readonly attempts: number };

/**
 * Pays out what a credit note still owes: a first time, again after a transfer that failed, or to somewhere else. With
 * `agreed`, nothing is paid where it has changed meanwhile: the same request once more pays nothing.
 * @throws NodalError `credit_note_not_found`, `refund_not_owed`, `refund_changed`, `no_bank_account`,
 * `insufficient_balance`, `limit_exceeded` or `reference_conflict`; where a new payee has to be approved or to cool off, it
 * is noted all the same
 */
export async function refundCreditNote(
  { pool, ids, ownPayouts, merchant: { bucket, merchantId } }: RefundContext,
  { creditNoteId, payee, agreed = null }: RefundCreditNote,
): Promise<CreditNote> {
  const key = { bucket, merchantId, creditNoteId };
  const paid = await inTransaction(pool, async (connection) => {
    const found = await findCreditNote(connection, key);
    if (!found) throw creditNoteNotFound();
    const invoice = (await findInvoice(connection, { ...key, invoiceId: found.invoiceId }, true))!;
    const after = await takeOwedOffDue(connection, invoice);
    const no = found.refund.attempts + 1;
    const date = openDay(await findBookSetting(connection, key), found.noteDate);
    const changes = new InvoiceChanges(connection, { kind: "offset", id: creditNoteId, no, date });
    if (after !== invoice) {
      await changes.update(invoice, after);
      await adjustInvoiceCommission(connection, after, creditNoteId);
    }
    // Only with the invoice held: a twin may have paid it out since.
    const note = (await findCreditNote(connection, key))!;
    const takenOff = after === invoice ? [] : [takenOffEvent(note, invoice, after)];
    // Last, since it holds the book. What was taken off the debt stays taken off, also where nothing is paid.
    const record = (): Promise<void> => changes.record(key, takenOff);
    if (owedOf(note) === 0n || (agreed && isOther(agreed, note))) {
      await record();
      return owedOf(note) === 0n ? null : { refusal: refundChanged(note) };
    }
    const outcome = await payOwed({ connection, ids, ownPayouts }, note, payee);
    await record();
    if ("transferId" in outcome || outcome.isPayeeNew) return outcome;
    if (outcome.refusal.code !== "insufficient_balance") throw outcome.refusal;
    throw new NodalError(
      "insufficient_balance",
      `The available balance is too low for the refund of ${formatRupees(owedOf(note))}, which stays owed. Add funds, then refund again.`,
    );
  });
  if (paid && "refusal" in paid) throw paid.refusal;
  if (!paid) {
    throw new NodalError(
      "refund_not_owed",
      "This credit note has nothing to refund, or its refund is already in progress.",
    );
  }
  return (await findCreditNote(pool, key))!;
}

/**
 * Asks for the transfer of all that a note owes, to `payee` or to whom it went before. The caller holds the invoice, so
 * that of two at once the second finds nothing owed; the transfer and its place in the note are written together.
 * @throws NodalError `no_bank_account` where nobody has said where to, `refund_changed` where SQL has changed an earlier transfer, or `access_denied` for somebody who may not move money and where SQL has changed the note
 */
export async function payOwed(
  { connection, ids, ownPayouts }: Omit<RefundContext, "pool" | "merchant"> & Pick<TransactionContext, "connection">,
  note: CreditNote,
  payee: RefundPayee | null,
): Promise<PaidRefund> {
  await requireMoneyMover(connection);
  refuseChanged(note);
  await refuseMisbooked(connection, note);
  const context = { connection, ids, merchant: { bucket: note.bucket, merchantId: note.merchantId } };
  const beneficiaryId = payee ? await saveRefundPayee(context, payee) : note.refundBeneficiaryId;
  if (beneficiaryId === null) {
    throw new NodalError(
      "no_bank_account",
      "This refund has no payee: give the customer's bank account or UPI handle.",
    );
  }
  const events: NewEvent[] = [];
  if (beneficiaryId !== note.refundBeneficiaryId) {
    await updateRefundPayee(connection, note, beneficiaryId);
    events.push(payeeEvent(note, beneficiaryId));
  }
  const attempt = note.refund.attempts + 1;
  const amountPaise = owedOf(note);
  const paid = await ownPayouts.payRefund(context, {
    beneficiaryId,
    amountPaise,
    referenceId: `refund-${note.creditNoteId}-${attempt}`,
    narrative: `Refund ${note.creditNoteNumber}`,
  });
  if ("transferId" in paid) {
    await insertRefund(connection, note, attempt, paid.transferId);
    const after = auditValues({ attempt, transferId: paid.transferId });
    events.push({ type: "credit_note.refund_asked", subjectId: note.creditNoteId, after });
  }
  // Only now, since it holds the book.
  const { bucket, merchantId } = note;
  await recordBilling(connection, { bucket, merchantId, events, changes: [] });
  return paid;
}

/** Refuses a note that SQL has changed. @throws NodalError `access_denied` */
export function refuseChanged({ creditNoteNumber, isChanged }: CreditNote): void {
  if (isChanged) throw changedWithSql(`The credit note ${creditNoteNumber}`);
}

/**
 * Refuses to pay again what may have been paid: an earlier transfer is not this refund's, or its state or amount is not what was
 * booked.
 */
async function refuseMisbooked(connection: Connection, note: CreditNote): Promise<void> {
  const changed =
    (await findForeignRefund(connection, note)) ??
    (await findMisbooked(connection, note, await listRefundTransfers(connection, note)))[0];
  if (changed === undefined) return;
  throw new NodalError(
    "refund_changed",
    `Payout ${changed} of this refund was changed in the database, and nothing was paid: have it put back, then refund again. \`nodal verify\` lists it.`,
  );
}

/** To whom a refund goes from now on, also where nothing leaves yet. */
function payeeEvent({ creditNoteId, refundBeneficiaryId }: CreditNote, beneficiaryId: bigint): NewEvent {
  return {
    type: "credit_note.refund_payee_changed",
    subjectId: creditNoteId,
    before: auditValues({ refundBeneficiaryId }),
    after: auditValues({ refundBeneficiaryId: beneficiaryId }),
  };
}

/**
 * Takes what credit notes owe back off what is due on their invoice, which is due again where a payment was reversed:
 * nobody owes and is owed for the same invoice. Answers the invoice as it is then, for the caller, who holds it, to write.
 */
export async function takeOwedOffDue(connection: Connection, invoice: Invoice): Promise<Invoice> {
  const duePaise = dueOf(invoice);
  let restPaise = duePaise;
  for (const note of await listCreditNotesOf(connection, invoice)) {
    refuseChanged(note);
    const owedPaise = owedOf(note);
    const partPaise = owedPaise < restPaise ? owedPaise : restPaise;
    if (partPaise === 0n) continue;
    await moveToDue(connection, note, partPaise);
    restPaise -= partPaise;
  }
  if (restPaise === duePaise) return invoice;
  const credited = { ...invoice, creditedPaise: invoice.creditedPaise + duePaise - restPaise };
  return { ...credited, status: statusOf(credited) };
}

/** Event: a refund was netted against the invoice's due amount. No transfer reports it. */
function takenOffEvent({ creditNoteId }: CreditNote, before: Invoice, after: Invoice): NewEvent {
  const amountPaise = after.creditedPaise - before.creditedPaise;
  const values = auditValues({ invoiceId: after.invoiceId, amountPaise });
  return { type: "credit_note.taken_off_due", subjectId: creditNoteId, after: values };
}

function isOther({ owedPaise, attempts }: AgreedRefund, note: CreditNote): boolean {
  return owedPaise !== owedOf(note) || attempts !== note.refund.attempts;
}

function refundChanged(note: CreditNote): NodalError {
  return new NodalError(
    "refund_changed",
    `The refund has changed: ${formatRupees(owedOf(note))} is owed now. Check it, then refund again.`,
  );
}

/** The refusal for a credit note that the merchant does not have. */
export function creditNoteNotFound(): NodalError {
  return new NodalError("credit_note_not_found", "This credit note does not exist: check its id in the list.");
}

/** An account with its IFSC, or a handle. Without a name, it is the customer's. */
export type NamedPayee = {
  readonly name: string | null;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
};

/** Whether each was given. */
type Given = { readonly [Name in keyof NamedPayee]: boolean };
/** What each is called where it was given: an option, or a field. */
type Names = { readonly [Name in Exclude<keyof NamedPayee, "name">]: string };

/** Adds to `errors` what is wrong: both or halves given, or nothing where it is needed. */
export function checkPayee(given: Given, names: Names, isNeeded: boolean, errors: FieldError[]): void {
  const hasAccount = given.accountNumber || given.ifsc;
  if (hasAccount && given.upi) {
    fail(errors, names.upi, "not_allowed", "can't be combined with a bank account: give one of them.");
  } else if (hasAccount && !(given.accountNumber && given.ifsc)) {
    const missing = given.accountNumber ? names.ifsc : names.accountNumber;
    fail(errors, missing, "required", "is required: an account needs both number and IFSC.");
  } else if (!hasAccount && !given.upi && (isNeeded || given.name)) {
    const others = `and ${names.ifsc}, or ${names.upi}, say where the money goes: give one of them.`;
    fail(errors, names.accountNumber, "required", others);
  }
}

/** A payee with the contact details of an invoice's customer, and its name where none was given. */
export async function payeeOfInvoice(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  invoiceId: bigint,
  payee: NamedPayee,
): Promise<RefundPayee> {
  const invoice = await findInvoice(pool, { bucket, merchantId, invoiceId });
  const customer = invoice && (await findCustomers(pool, invoice, [invoice.customerId])).get(invoice.customerId);
  return {
    ...payee,
    name: payee.name ?? customer?.customerName ?? "",
    emailId: customer?.email ?? "",
    mobile: customer?.mobile ?? "",
  };
}
