// One step of billing: the next occurrence of each of some subscriptions, in the caller's transaction; and the invoice
// that a subscription repeats, as it is kept and as each occurrence makes it.
import {
  billInvoices,
  invoiceUpdateFields,
  toInvoiceInput,
  type InvoiceInput,
  type SentInvoice,
} from "../invoices/index.ts";
import { recordEvents, type NewEvent } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { dueDateOf, moveOn, type Subscription } from "./subscription.ts";
import {
  findOpenInvoices,
  findSkippedAhead,
  insertOccurrences,
  updateSubscriptions,
  type SubscriptionOccurrence,
} from "./subscription-store.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { decode } from "../platform/http/field.ts";
import { formatPaise } from "../platform/money.ts";
import type { JsonObject } from "../platform/json.ts";

/** A subscription after its occurrence, with the invoice that was made. */
export type Billed = { readonly subscription: Subscription; readonly invoiceId: bigint };

/**
 * Makes the invoice of the next occurrence of each subscription, in the given order, and moves the subscriptions on. They
 * are active, held, and have one template. `before` is told ahead of the billing itself.
 * docs/rules/subscriptions.md#one-invoice-each
 * @throws NodalError as `billInvoices` does; the transaction, or its savepoint, must be rolled back then
 */
export async function billOccurrences(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  subscriptions: readonly Subscription[],
  before: readonly NewEvent[] = [],
): Promise<Billed[]> {
  const [first] = subscriptions;
  if (!first) return [];
  const carrying = subscriptions.filter(({ carryDues, nextOccurrence }) => carryDues && nextOccurrence > 0);
  const open = await openInvoicesOf(connection, merchant, carrying);
  const skipped = await findSkippedAhead(connection, merchant, subscriptions);
  const inputs = subscriptions.map((each) => nextInvoiceInput(each, open.get(each.subscriptionId) ?? []));
  const invoices = await billInvoices(
    { connection, ids, merchant },
    { templateId: first.templateId, invoices: inputs },
  );
  const now = Temporal.Now.instant();
  const billed = subscriptions.map((each, index): Billed => {
    const subscription = moveOn(each, skipped.get(each.subscriptionId) ?? new Set(), now);
    return { subscription, invoiceId: invoices[index]!.invoiceId };
  });
  const occurrences = subscriptions.map((each, index): SubscriptionOccurrence => {
    const billDate = each.nextBillDate!;
    return {
      subscriptionId: each.subscriptionId,
      occurrenceNo: each.nextOccurrence,
      billDate,
      dueDate: dueDateOf(each, billDate),
      state: "Billed",
      invoiceId: invoices[index]!.invoiceId,
    };
  });
  await insertOccurrences(connection, merchant, occurrences);
  const moved = billed.map(({ subscription }) => subscription);
  await updateSubscriptions(connection, moved);
  await recordEvents(connection, merchant, [...before, ...moved.flatMap(eventsOf)]);
  return billed;
}

function eventsOf({ subscriptionId: subjectId, state }: Subscription): NewEvent[] {
  const billed = { type: "subscription.billed", subjectId };
  return state === "Completed" ? [billed, { type: "subscription.completed", subjectId }] : [billed];
}

async function openInvoicesOf(
  connection: Connection,
  merchant: Merchant,
  carrying: readonly Subscription[],
): Promise<Map<bigint, bigint[]>> {
  if (carrying.length === 0) return new Map();
  return findOpenInvoices(
    connection,
    merchant,
    carrying.map(({ subscriptionId }) => subscriptionId),
  );
}

/**
 * The invoice object as it is kept: in the form of the wire, without its dates and customer, which the subscription
 * itself has: docs/rules/subscriptions.md#dates-of-the-subscription.
 */
export function toKeptInvoice(invoice: SentInvoice): JsonObject {
  const { bill_date: _billDate, due_date: _dueDate, customer_code: _code, new_customer: _customer, ...kept } = invoice;
  return toWire(kept) as JsonObject;
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
function nextInvoiceInput(subscription: Subscription, carries: readonly bigint[]): InvoiceInput {
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
