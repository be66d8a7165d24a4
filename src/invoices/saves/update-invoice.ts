// Two use cases: change an unpaid invoice, or cancel it: docs/rules/invoicing.md#changing-an-invoice.
import { findCustomers, type Customer } from "../../customers/index.ts";
import { auditChange } from "../../ledger/index.ts";
import {
  runIdempotently,
  todayOf,
  type Answered,
  type Context,
  type Merchant,
  type MerchantKey,
  type TransactionContext,
} from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { releaseDues } from "../dues/carry-dues.ts";
import { listCreditNotesOf } from "../credit-notes/credit-note-store.ts";
import { debitNoteEvent } from "../debit-note-event.ts";
import { draftInvoice, namesCustomer, ownNumberOf, partsOf, billedTo } from "./draft.ts";
import {
  refuseDebitNote,
  refuseIfDebited,
  refuseIfTouched,
  refuseOpeningBalance,
  statusOf,
  type Invoice,
  type InvoiceInput,
} from "../invoice.ts";
import { InvoiceChanges } from "../change-store.ts";
import { insertRevision, listDebitNotesOf } from "../invoice-store.ts";
import { queueNotifications } from "../notification-store.ts";
import { OwnNumbers, refusingTakenNumbers, type Numbered } from "./number-invoices.ts";
import { financialYearOf, isSameNumber } from "../numbers/number-series.ts";
import {
  customersOf,
  findFranchisesOf,
  newCustomerEvents,
  refuseFranchises,
  requireTemplate,
} from "../invoice-references.ts";
import { describeSaved, type SavedInvoice } from "../invoice-wire.ts";
import { keptTaxes } from "../invoice-warnings.ts";
import { lockInvoice } from "../settlements/settle-invoice.ts";

/** `null` members of `input` don't change. */
export type ChangeInvoice = {
  readonly invoiceId: bigint;
  readonly input: InvoiceInput;
  /** The revision that was edited; if it is given and no longer the current one, nothing is changed. */
  readonly revision?: number | null;
};

/**
 * Replaces the fields that are sent, saves the previous invoice as a revision, and computes its totals again.
 * @throws NodalError `invoice_not_found`, `invoice_already_paid`, `invoice_cancelled`, `invoice_carried_forward`,
 * `debit_note_kept`, `invoice_has_debit_notes`, `opening_balance_kept`, `invoice_changed` if it has another revision by now, or the
 * errors of saving an invoice
 */
export async function changeInvoice(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  { invoiceId, input, revision = null }: ChangeInvoice,
): Promise<Answered<SavedInvoice>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const before = await lockUntouched(connection, merchant, invoiceId);
    refuseDebitNote(before);
    refuseOpeningBalance(
      before,
      "change it on the customer's page, or with PUT /api/v4/opening-balances/{opening_balance_id}",
    );
    if (revision !== null && before.revision !== revision) {
      throw new NodalError(
        "invoice_changed",
        "This invoice was changed while you were editing: check the saved version, then save again.",
      );
    }
    const { after, customer, numbered } = await redraft({ connection, ids, merchant }, before, input);
    await insertRevision(connection, before, Temporal.Now.instant());
    const changes = new InvoiceChanges(connection, { kind: "revision", id: invoiceId, no: after.revision });
    const event = { type: "invoice.updated", subjectId: invoiceId, ...auditChange(before, after) };
    const write = (): Promise<void> => changes.update(before, after, { event });
    await refusingTakenNumbers(connection, merchant, [numbered], [after.invoiceNumber], write);
    if (input.notify) {
      const { bucket, merchantId, customerId } = after;
      await queueNotifications(connection, ids, "invoice", [{ bucket, merchantId, subjectId: invoiceId, customerId }]);
    }
    await changes.record(after, newCustomerEvents([input], [customer]));
    const saved = describeSaved(after, customer, todayOf(merchant));
    const kept = keptTaxes(before, after, input);
    return kept ? { ...saved, warnings: [...(saved.warnings ?? []), kept] } : saved;
  });
}

/**
 * Cancels an invoice without payments. Its number stays used, and dues that it carries are due again on the invoices that they come
 * from.
 * @throws NodalError `invoice_not_found`, `invoice_already_paid`, `invoice_cancelled`, `invoice_has_debit_notes` or
 * `invoice_carried_forward`
 */
export async function cancelInvoice(
  { pool, merchant, idempotency }: Omit<Context, "ids">,
  invoiceId: bigint,
): Promise<Answered<SavedInvoice>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const before = await lockUntouched(connection, merchant, invoiceId);
    const after: Invoice = { ...before, status: "Cancelled" };
    const changes = new InvoiceChanges(connection, { kind: "cancellation", id: invoiceId });
    await changes.update(before, after);
    await releaseDues(changes, after);
    const isDebitNote = before.originalInvoiceId !== null;
    await changes.record(after, isDebitNote ? [debitNoteEvent("debit_note.cancelled", after)] : []);
    return describeSaved(after, await customerOf(connection, before), null);
  });
}

async function customerOf(connection: Connection, invoice: Invoice): Promise<Customer> {
  return (await findCustomers(connection, invoice, [invoice.customerId])).get(invoice.customerId)!;
}

/**
 * Locks an invoice without payments and credits. A credit note with a paid refund shows in no amount of an invoice once its payment
 * is reversed, so the notes themselves are checked.
 */
async function lockUntouched(connection: Connection, merchant: MerchantKey, invoiceId: bigint): Promise<Invoice> {
  const invoice = await lockInvoice(connection, merchant, invoiceId);
  const notes = await listCreditNotesOf(connection, invoice);
  refuseIfTouched(invoice, notes.length > 0);
  refuseIfDebited(await listDebitNotesOf(connection, invoice));
  return invoice;
}

/** The changed invoice, with its customer and the source of its number. */
async function redraft(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  before: Invoice,
  input: InvoiceInput,
): Promise<{ after: Invoice; customer: Customer; numbered: Numbered }> {
  const franchises = await findFranchisesOf(connection, [{ merchant, invoices: [input] }]);
  refuseFranchises(franchises, merchant, [input], ["invoice"]);
  const customer = namesCustomer(input)
    ? (await customersOf({ connection, ids, merchant }, [input], ["invoice"]))[0]!
    : await customerOf(connection, before);
  const errors: FieldError[] = [];
  const template = await requireTemplate(connection, merchant, before.templateId);
  const parts = partsOf({ merchant, template, ...billedTo(customer) }, input, before);
  const { billDate, dueDate } = parts;
  const draft = draftInvoice(parts, "invoice", errors);
  const ownNumber = input.headerFields && ownNumberOf(parts.headerFields, "invoice", errors);
  checkCarried(before, customer, input, errors);
  if (errors.length > 0) throw validationError(errors);
  const amounts = { ...before, ...draft, paidPaise: before.paidPaise, creditedPaise: before.creditedPaise };
  const numbered = { path: "invoice.bill_date", financialYear: financialYearOf(billDate), ownNumber };
  const after: Invoice = {
    ...before,
    ...(await renumber(connection, merchant, before, numbered)),
    customerId: customer.customerId,
    franchiseId: input.franchiseId ?? before.franchiseId,
    cycleName: input.cycleName ?? before.cycleName,
    billDate,
    dueDate,
    subTotalPaise: draft.subTotalPaise,
    taxTotalPaise: draft.taxTotalPaise,
    previousDuesPaise: draft.previousDuesPaise,
    amountPaise: draft.amountPaise,
    status: statusOf(amounts),
    content: draft.content,
    revision: before.revision + 1,
  };
  return { after, customer, numbered };
}

/** Dues carried from earlier invoices belong to them, and to their customer. */
function checkCarried(before: Invoice, customer: Customer, input: InvoiceInput, errors: FieldError[]): void {
  if (before.carriedPaise === 0n) return;
  if (customer.customerId !== before.customerId) {
    const field = input.newCustomer ? "invoice.new_customer" : "invoice.customer_code";
    fail(
      errors,
      field,
      "not_allowed",
      "can't be changed: the invoice carries dues of this customer's earlier invoices.",
    );
  }
  if (input.previousDuesPaise !== null && input.previousDuesPaise !== before.previousDuesPaise) {
    fail(
      errors,
      "invoice.previous_dues",
      "not_allowed",
      "can't be changed: they were carried forward from earlier invoices.",
    );
  }
}

/**
 * The number doesn't change, unless the merchant gave it and gives another. A number of a series can't leave its financial year:
 * the series would have a gap.
 */
async function renumber(
  connection: Connection,
  merchant: MerchantKey,
  before: Invoice,
  { path, financialYear, ownNumber }: Numbered,
): Promise<Pick<Invoice, "financialYear" | "invoiceNumber">> {
  const invoiceNumber = ownNumber?.number ?? before.invoiceNumber;
  const isSame = financialYear === before.financialYear && isSameNumber(invoiceNumber, before.invoiceNumber);
  if (isSame) return { financialYear, invoiceNumber: before.seriesId === null ? invoiceNumber : before.invoiceNumber };
  if (before.seriesId !== null) {
    const field = financialYear === before.financialYear ? (ownNumber?.field ?? path) : path;
    const problem = `: ${before.invoiceNumber} belongs to a number series, so the number and its financial year can't change. Cancel this invoice and create a new one.`;
    throw fieldRefusal("invoice_number_reserved", field, problem);
  }
  const placed = ownNumber ?? { number: invoiceNumber, field: path };
  const given = [{ path, financialYear, ownNumber: placed }];
  (await OwnNumbers.read(connection, merchant, given)).take(given);
  return { financialYear, invoiceNumber };
}
