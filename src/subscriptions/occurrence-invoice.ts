// The invoice that a subscription repeats: how its wire form is kept, and the input of each occurrence's invoice.
// What belongs here: turning one into the other. No database.
import { invoiceUpdateFields, toInvoiceInput, type InvoiceInput, type SentInvoice } from "../invoices/index.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { decode } from "../platform/http/field.ts";
import { formatPaise } from "../platform/money.ts";
import { dueDateOf, type Subscription } from "./subscription.ts";

/**
 * The invoice object as it is kept: in the form of the wire, without its dates and customer, which the subscription
 * itself has.
 */
export function toKeptInvoice(invoice: SentInvoice): Record<string, unknown> {
  const { bill_date: _billDate, due_date: _dueDate, customer_code: _code, new_customer: _customer, ...kept } = invoice;
  return toWire(kept) as Record<string, unknown>;
}

/** A decoded value in the wire's form. Amounts and percentages alike are hundredths inside. */
function toWire(value: unknown): unknown {
  if (typeof value === "bigint") return formatPaise(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toWire(member)]));
}

/**
 * The kept invoice object as it was sent.
 * @throws NodalError `validation_failed` where it is no longer one
 */
export function keptInput({ invoice }: Pick<Subscription, "invoice">): InvoiceInput {
  const errors: FieldError[] = [];
  const input = toInvoiceInput(decode(invoiceUpdateFields, invoice), "invoice", { columns: new Map() }, errors);
  if (errors.length > 0) throw validationError(errors);
  return input;
}

/**
 * What the invoice of the next occurrence is made from. Previous dues and an invoice number that were sent are for the
 * first alone: they are billed once, and no two invoices have one number.
 * @throws NodalError `validation_failed` where the kept invoice object is no longer one
 */
export function nextInvoiceInput(subscription: Subscription, carries: readonly bigint[]): InvoiceInput {
  const input = keptInput(subscription);
  const billDate = subscription.nextBillDate!;
  const isFirst = subscription.nextOccurrence === 0;
  return {
    ...input,
    takesSeriesNumber: !isFirst,
    customerId: subscription.customerId,
    billDate,
    dueDate: dueDateOf(subscription, billDate),
    previousDuesPaise: isFirst ? input.previousDuesPaise : null,
    carries,
  };
}
