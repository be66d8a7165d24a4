// Refunds of credit notes: paid out, or netted against a new due amount, and no part of it twice. src/payouts makes the transfers.
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

/** Without a payee it goes to the previous one. With `agreed`, nothing is paid if that has changed meanwhile. */
export type RefundCreditNote = {
  readonly creditNoteId: bigint;
  readonly payee: RefundPayee | null;
  readonly agreed?: AgreedRefund | null;
};

/** What the user saw and confirmed: the owed amount, and the number of attempts. */
export type AgreedRefund = { readonly owedPaise: bigint; readonly attempts: number };

/**
 * Pays out the rest that a credit note owes: a first time, again after a failed transfer, or to another payee. With `agreed`,
 * nothing is paid if it has changed meanwhile: repeating the request pays nothing.
 * @throws NodalError `credit_note_not_found`, `refund_not_owed`, `refund_changed`, `no_bank_account`, `insufficient_balance`,
 * `limit_exceeded` or `reference_conflict`; a new payee that needs approval or a cooling-off period is saved anyway
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
    // Checked with the invoice locked: a concurrent request may have paid it since.
    const note = (await findCreditNote(connection, key))!;
    const takenOff = after === invoice ? [] : [takenOffEvent(note, invoice, after)];
    // Last, since it locks the book. The netting stays, even if nothing is paid.
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
 * Requests the transfer of all that a note owes, to `payee` or the previous one. The caller has locked the invoice, so that a
 * concurrent request finds nothing owed; the transfer and its link to the note are saved together.
 * @throws NodalError `no_bank_account` if there is no payee, `refund_changed` if SQL has changed an earlier transfer, or
 * `access_denied` for an actor who may not move money and if SQL has changed the note
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
  // Only now, since it locks the book.
  const { bucket, merchantId } = note;
  await recordBilling(connection, { bucket, merchantId, events, changes: [] });
  return paid;
}

/** Refuses a note changed with SQL. @throws NodalError `access_denied` */
export function refuseChanged({ creditNoteNumber, isChanged }: CreditNote): void {
  if (isChanged) throw changedWithSql(`The credit note ${creditNoteNumber}`);
}

/**
 * Refuses to pay what may have been paid already: an earlier transfer is not this refund's, or its state or amount differs from
 * what was booked.
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

/** The payee of a refund from now on, even if no transfer is made yet. */
function payeeEvent({ creditNoteId, refundBeneficiaryId }: CreditNote, beneficiaryId: bigint): NewEvent {
  return {
    type: "credit_note.refund_payee_changed",
    subjectId: creditNoteId,
    before: auditValues({ refundBeneficiaryId }),
    after: auditValues({ refundBeneficiaryId: beneficiaryId }),
  };
}

/**
 * Nets what credit notes owe back against the due amount of their invoice, which is due again after a reversed payment: no invoice
 * has both. Returns the changed invoice for the caller, who has locked it, to save.
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

/** The error for a credit note that the merchant doesn't have. */
export function creditNoteNotFound(): NodalError {
  return new NodalError("credit_note_not_found", "This credit note does not exist: check its id in the list.");
}

/** An account with its IFSC, or a UPI handle. Without a name, it is the customer's. */
export type NamedPayee = {
  readonly name: string | null;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
};

/** Whether each was sent. */
type Given = { readonly [Name in keyof NamedPayee]: boolean };
/** The name of each in its source: an option, or a field. */
type Names = { readonly [Name in Exclude<keyof NamedPayee, "name">]: string };

/** Adds errors to `errors`: both or halves were sent, or nothing though it is needed. */
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

/** A payee with the contact details of an invoice's customer, and the customer's name by default. */
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
